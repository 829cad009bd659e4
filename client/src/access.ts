/** The access model: the permissions and roles of the product, for admins of the tenant. */
import {
  type AccessModel,
  type Answer,
  type Api,
  askVersioned,
  type Body,
  type ChangeOptions,
  type RequestOptions,
  signalOf,
  tagOf,
  type Versioned,
} from './api.ts'

/** What a change of the access model does, by keys. */
export type ModelChanges = Answer<'replaceAccessModel'>['changes']

export interface ReplaceOptions extends ChangeOptions {
  /** Whether to change nothing, and only say what would change. */
  readonly dryRun?: boolean | undefined
  /** Keys of roles and permissions that go although somebody holds them. */
  readonly drop?: readonly string[] | undefined
}

/** The permissions and roles that the product adds to the built-in ones. */
export function accessOf(api: Api) {
  return {
    get(options: RequestOptions = {}): Promise<Versioned<AccessModel>> {
      return askVersioned(api.GET('/api/admin/access', signalOf(options)))
    },

    /** Replaces the product's own permissions and roles as a whole. Needs a fresh session. */
    replace(
      body: Body<'replaceAccessModel'>,
      options: ReplaceOptions = {},
    ): Promise<Versioned<AccessModel & { changes: ModelChanges }>> {
      const { dryRun, drop = [] } = options
      const query = { ...(dryRun && { dryRun }), ...(drop.length > 0 && { drop: drop.join() }) }
      const params = { query, header: tagOf(options) }
      return askVersioned(api.PUT('/api/admin/access', { params, body, ...signalOf(options) }))
    },
  }
}
