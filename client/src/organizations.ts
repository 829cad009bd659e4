/** Organizations, as their members see them. An organization is named by its id or its slug, here and below. */
import {
  type Api,
  type AuditEntry,
  ask,
  askVersioned,
  type Body,
  type ChangeOptions,
  type Deleted,
  type Filters,
  keyOf,
  type Member,
  type OnceOptions,
  type Organization,
  type RequestOptions,
  signalOf,
  tagOf,
  type Versioned,
} from './api.ts'
import { organizationInvitationsOf } from './invitations.ts'
import { type List, listOf } from './lists.ts'
import { membersOf } from './members.ts'

export function organizationsOf(api: Api) {
  return {
    /** Those that the caller is in, by name. */
    list(filters: Filters<'listOrganizations'> = {}, options: RequestOptions = {}): List<Organization> {
      return listOf(filters, (query) => ask(api.GET('/api/organizations', { params: { query }, ...signalOf(options) })))
    },

    /** The caller becomes its owner. Without a `slug` it gets one made from its name. */
    create(body: Body<'createOrganization'>, options: OnceOptions = {}): Promise<Versioned<Organization>> {
      const params = { header: keyOf(options) }
      return askVersioned(api.POST('/api/organizations', { params, body, ...signalOf(options) }))
    },

    /** With the caller's `role` in it. To everybody else it does not exist: `not_found`. */
    get(orgId: string, options: RequestOptions = {}): Promise<Versioned<Organization>> {
      const params = { path: { orgId } }
      return askVersioned(api.GET('/api/organizations/{orgId}', { params, ...signalOf(options) }))
    },

    /** What is absent stays as it is; null clears. For admins. */
    update(
      orgId: string,
      body: Body<'updateOrganization'>,
      options: ChangeOptions = {},
    ): Promise<Versioned<Organization>> {
      const params = { path: { orgId }, header: tagOf(options) }
      return askVersioned(api.PATCH('/api/organizations/{orgId}', { params, body, ...signalOf(options) }))
    },

    /** For good, with all that is in it. `confirm` is its slug. For owners. */
    delete(orgId: string, body: Body<'deleteOrganization'>, options: ChangeOptions = {}): Promise<Deleted> {
      const params = { path: { orgId }, header: tagOf(options) }
      return ask(api.DELETE('/api/organizations/{orgId}', { params, body, ...signalOf(options) }))
    },

    /** Makes another member the owner and the caller an admin, in one step. For owners. */
    transfer(
      orgId: string,
      body: Body<'transferOwnership'>,
      options: OnceOptions = {},
    ): Promise<{ from: Member; to: Member }> {
      const params = { path: { orgId }, header: keyOf(options) }
      return ask(api.POST('/api/organizations/{orgId}/transfer', { params, body, ...signalOf(options) }))
    },

    members: membersOf(api),
    invitations: organizationInvitationsOf(api),

    audit: {
      /** What happened in it, newest first. For admins. */
      list(
        orgId: string,
        filters: Filters<'listOrganizationAudit'> = {},
        options: RequestOptions = {},
      ): List<AuditEntry> {
        return listOf(filters, (query) =>
          ask(
            api.GET('/api/organizations/{orgId}/audit', { params: { path: { orgId }, query }, ...signalOf(options) }),
          ),
        )
      },
    },
  }
}
