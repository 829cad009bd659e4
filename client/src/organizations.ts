/** Organizations, for their members. `orgId` is the id or the slug, here and below. */
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
  type RoleDetails,
  signalOf,
  tagOf,
  type Versioned,
} from './api.ts'
import { organizationEventsOf } from './events.ts'
import { organizationInvitationsOf } from './invitations.ts'
import { organizationKeysOf } from './keys.ts'
import { organizationLinksOf } from './links.ts'
import { type List, listOf, wholeListOf } from './lists.ts'
import { type Base, membersOf } from './members.ts'
import { type Picture, sentAs } from './pictures.ts'
import { organizationWebhooksOf } from './webhooks.ts'

export function organizationsOf(api: Api) {
  return {
    /** The caller's organizations, by name. */
    list(filters: Filters<'listOrganizations'> = {}, options: RequestOptions = {}): List<Organization> {
      return listOf(filters, (query) => ask(api.GET('/api/organizations', { params: { query }, ...signalOf(options) })))
    },

    /** Makes the caller the owner. Without a `slug`, one is made from the name. */
    create(body: Body<'createOrganization'>, options: OnceOptions = {}): Promise<Versioned<Organization>> {
      const params = { header: keyOf(options) }
      return askVersioned(api.POST('/api/organizations', { params, body, ...signalOf(options) }))
    },

    /** With the caller's `role`. For everybody else it does not exist: `not_found`. */
    get(orgId: string, options: RequestOptions = {}): Promise<Versioned<Organization>> {
      const params = { path: { orgId } }
      return askVersioned(api.GET('/api/organizations/{orgId}', { params, ...signalOf(options) }))
    },

    /** Omitted fields keep their value; null clears a field. For admins. */
    update(
      orgId: string,
      body: Body<'updateOrganization'>,
      options: ChangeOptions = {},
    ): Promise<Versioned<Organization>> {
      const params = { path: { orgId }, header: tagOf(options) }
      return askVersioned(api.PATCH('/api/organizations/{orgId}', { params, body, ...signalOf(options) }))
    },

    /** For admins. */
    logo: logoOf(api, '/api/organizations'),

    /** Deletes it permanently, with everything in it. `confirm` is its slug. For owners. */
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
    invitations: organizationInvitationsOf(api, '/api/organizations'),
    links: organizationLinksOf(api),
    keys: organizationKeysOf(api),
    events: organizationEventsOf(api),
    webhooks: organizationWebhooksOf(api),

    roles: rolesOf(api, '/api/organizations'),

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

export function logoOf(api: Api, base: Base) {
  const path = `${base}/{orgId}/logo` as '/api/organizations/{orgId}/logo' // the operations below both are the same
  return {
    /** `logoUrl` names it then: a new URL each time, for everybody. */
    upload(orgId: string, picture: Picture, options: ChangeOptions = {}): Promise<Versioned<Organization>> {
      const params = { path: { orgId }, header: tagOf(options) }
      return askVersioned(api.PUT(path, { params, ...sentAs(picture), ...signalOf(options) }))
    },

    /** Clears `logoUrl`, also if it is that of another server. */
    remove(orgId: string, options: ChangeOptions = {}): Promise<Versioned<Organization>> {
      const params = { path: { orgId }, header: tagOf(options) }
      return askVersioned(api.DELETE(path, { params, ...signalOf(options) }))
    },
  }
}

export function rolesOf(api: Api, base: Base) {
  const path = `${base}/{orgId}/roles` as '/api/organizations/{orgId}/roles' // the operations below both are the same
  return {
    /** Every role that a member can have, and whether the caller may grant it. */
    list(orgId: string, options: RequestOptions = {}): List<RoleDetails> {
      return wholeListOf(() => ask(api.GET(path, { params: { path: { orgId } }, ...signalOf(options) })))
    },
  }
}
