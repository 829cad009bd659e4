/** The access model, as tenant admins read and replace it: the product's permissions and roles, beside the built-in ones. */
import { queryOptions } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { keepSaved } from '../api/saved.ts'
import { ifUnchanged, type Versioned } from '../api/versions.ts'
import { readOrganizationsAgain } from '../organizations/organization.ts'
import { bodyOf, type Draft } from './draft.ts'

export type AccessModel = Versioned<Schemas['AccessModel']>
export type Permission = Schemas['Permission']
export type MinimumRole = Permission['minimumRole']
export type ModelChanges = Awaited<ReturnType<typeof replace>>['changes']

export const accessQuery = queryOptions({
  queryKey: ['admin', 'access'],
  queryFn: () => ask(api.GET('/api/admin/access')),
})

/** Reads the latest version, not the cached one. */
export function readModel(): Promise<AccessModel> {
  return queries.fetchQuery({ ...accessQuery, staleTime: 0 })
}

/** What was reviewed, what it would change, and what of it members still hold. */
export interface Review {
  /** The version that the draft was made from. */
  readonly before: AccessModel
  readonly draft: Draft
  readonly changes: ModelChanges
  readonly inUse: { readonly roles: readonly string[]; readonly permissions: readonly string[] }
}

/** Asks what would change, and changes nothing. @throws Refusal version_mismatch, invalid_request */
export async function reviewChanges(before: AccessModel, draft: Draft): Promise<Review> {
  try {
    const { changes } = await replace(before, draft, { dryRun: true })
    return { before, draft, changes, inUse: { roles: [], permissions: [] } }
  } catch (error) {
    if (!isRefusal(error, 'role_in_use')) throw error
    const { roles = [], permissions = [] } = error.problem
    const inUse = { roles, permissions }
    const drop = [...inUse.roles, ...inUse.permissions].join()
    const { changes } = await replace(before, draft, { dryRun: true, drop })
    return { before, draft, changes, inUse }
  }
}

/**
 * Replaces the model by the draft that was reviewed.
 *
 * @param drop the keys that go although members hold them
 * @throws Refusal version_mismatch, role_in_use, invalid_request
 */
export async function saveModel({ before, draft }: Review, drop: readonly string[]): Promise<AccessModel> {
  const { changes: _, ...model } = await replace(before, draft, drop.length > 0 ? { drop: drop.join() } : {})
  await keepSaved(accessQuery, model)
  void readOrganizationsAgain()
  return model
}

function replace(before: AccessModel, draft: Draft, query: { readonly dryRun?: true; readonly drop?: string }) {
  const body = bodyOf(draft)
  const params = { query, ...ifUnchanged(before) }
  return ask(api.PUT('/api/admin/access', { params, body })).catch((error: unknown) => {
    throw named(error, body)
  })
}

/** Names the permission or the role of each fault, which the API gives by its place in the body. */
function named(error: unknown, body: ReturnType<typeof bodyOf>): unknown {
  if (!isRefusal(error, 'invalid_request')) return error
  const errors = (error.problem.errors ?? []).map((fault) => {
    const [, list, index] = /^\/(permissions|roles)\/(\d+)/.exec(fault.pointer) ?? []
    const key = list === undefined ? undefined : body[list as keyof typeof body][Number(index)]?.key
    return key === undefined ? fault : { ...fault, detail: `${key}: ${fault.detail}` }
  })
  return new Refusal({ ...error.problem, errors })
}
