/** Admin: operations for admins of the tenant, also on organizations that they are not in. */
import { accessOf } from './access.ts'
import {
  type Answer,
  type Api,
  type Application,
  type ApplicationWithSecret,
  type AuditEntry,
  ask,
  askVersioned,
  type Body,
  type ChangeOptions,
  type Deleted,
  type Device,
  type Filters,
  type Identity,
  keyOf,
  type Member,
  type OnceOptions,
  type Organization,
  type Provider,
  type RequestOptions,
  signalOf,
  type TenantSettings,
  tagOf,
  type User,
  type Versioned,
} from './api.ts'
import { tenantEventsOf } from './events.ts'
import { organizationInvitationsOf } from './invitations.ts'
import { tenantKeysOf, userKeysOf } from './keys.ts'
import { type List, listOf, wholeListOf } from './lists.ts'
import type { DeletionImpact, EndedSessions, Factors } from './me.ts'
import { membersIn } from './members.ts'
import { logoOf, rolesOf } from './organizations.ts'
import { type Picture, sentAs } from './pictures.ts'
import { tenantWebhooksOf } from './webhooks.ts'

export function adminOf(api: Api) {
  return {
    access: accessOf(api),
    tenant: {
      get(options: RequestOptions = {}): Promise<Versioned<TenantSettings>> {
        return askVersioned(api.GET('/api/admin/tenant', signalOf(options)))
      },

      /** Omitted fields keep their value. */
      update(body: Body<'updateTenantSettings'>, options: ChangeOptions = {}): Promise<Versioned<TenantSettings>> {
        const params = { header: tagOf(options) }
        return askVersioned(api.PATCH('/api/admin/tenant', { params, body, ...signalOf(options) }))
      },

      logo: {
        upload(picture: Picture, options: ChangeOptions = {}): Promise<Versioned<TenantSettings>> {
          const params = { header: tagOf(options) }
          return askVersioned(api.PUT('/api/admin/tenant/logo', { params, ...sentAs(picture), ...signalOf(options) }))
        },

        remove(options: ChangeOptions = {}): Promise<Versioned<TenantSettings>> {
          const params = { header: tagOf(options) }
          return askVersioned(api.DELETE('/api/admin/tenant/logo', { params, ...signalOf(options) }))
        },
      },
    },
    users: usersOf(api),
    organizations: everyOrganizationOf(api),
    providers: providersOf(api),
    applications: applicationsOf(api),
    keys: tenantKeysOf(api),
    events: tenantEventsOf(api),
    webhooks: tenantWebhooksOf(api),
    audit: {
      /** Everything that happened in the tenant, newest first. */
      list(filters: Filters<'listTenantAudit'> = {}, options: RequestOptions = {}): List<AuditEntry> {
        return listOf(filters, (query) => ask(api.GET('/api/admin/audit', { params: { query }, ...signalOf(options) })))
      },
    },
  }
}

function usersOf(api: Api) {
  return {
    list(filters: Filters<'listUsers'> = {}, options: RequestOptions = {}): List<User> {
      return listOf(filters, (query) => ask(api.GET('/api/admin/users', { params: { query }, ...signalOf(options) })))
    },

    /** Mails the user a link for choosing a password. */
    create(body: Body<'createUser'>, options: OnceOptions = {}): Promise<Versioned<User>> {
      const params = { header: keyOf(options) }
      return askVersioned(api.POST('/api/admin/users', { params, body, ...signalOf(options) }))
    },

    get(userId: string, options: RequestOptions = {}): Promise<Versioned<User>> {
      return askVersioned(api.GET('/api/admin/users/{userId}', { params: { path: { userId } }, ...signalOf(options) }))
    },

    /** Omitted fields keep their value. Granting `admin` needs `currentPassword` or a fresh session. Suspending ends all sessions. */
    update(userId: string, body: Body<'updateUser'>, options: ChangeOptions = {}): Promise<Versioned<User>> {
      const params = { path: { userId }, header: tagOf(options) }
      return askVersioned(api.PATCH('/api/admin/users/{userId}', { params, body, ...signalOf(options) }))
    },

    /** What deleting the account would take along, and what prevents it. */
    deletionImpact(userId: string, options: RequestOptions = {}): Promise<DeletionImpact> {
      const params = { path: { userId } }
      return ask(api.GET('/api/admin/users/{userId}/deletion-impact', { params, ...signalOf(options) }))
    },

    /** Deletes the account permanently. */
    delete(userId: string, options: ChangeOptions = {}): Promise<Deleted> {
      const params = { path: { userId }, header: tagOf(options) }
      return ask(api.DELETE('/api/admin/users/{userId}', { params, ...signalOf(options) }))
    },

    /** The devices on which the user is signed in. */
    devices: {
      list(userId: string, options: RequestOptions = {}): List<Device> {
        const params = { path: { userId } }
        return wholeListOf(() => ask(api.GET('/api/admin/users/{userId}/devices', { params, ...signalOf(options) })))
      },

      end(userId: string, deviceId: string, options: RequestOptions = {}): Promise<Device> {
        const params = { path: { userId, deviceId } }
        return ask(api.DELETE('/api/admin/users/{userId}/devices/{deviceId}', { params, ...signalOf(options) }))
      },

      endAll(userId: string, options: RequestOptions = {}): Promise<EndedSessions> {
        const params = { path: { userId } }
        return ask(api.DELETE('/api/admin/users/{userId}/devices', { params, ...signalOf(options) }))
      },
    },

    factors: {
      list(userId: string, options: RequestOptions = {}): Promise<Factors> {
        const params = { path: { userId } }
        return ask(api.GET('/api/admin/users/{userId}/factors', { params, ...signalOf(options) }))
      },

      /** For somebody who has lost everything: ends all sessions, disables the password, and mails a link for a new one. */
      reset(userId: string, options: RequestOptions = {}): Promise<Answer<'resetUserFactors'>> {
        const params = { path: { userId } }
        return ask(api.DELETE('/api/admin/users/{userId}/factors', { params, ...signalOf(options) }))
      },
    },

    keys: userKeysOf(api),

    identities: {
      list(userId: string, options: RequestOptions = {}): List<Identity> {
        const params = { path: { userId } }
        return wholeListOf(() => ask(api.GET('/api/admin/users/{userId}/identities', { params, ...signalOf(options) })))
      },

      /** Ends the sessions that it began. Needs a fresh session. */
      unlink(userId: string, identityId: string, options: RequestOptions = {}): Promise<Identity> {
        const params = { path: { userId, identityId } }
        return ask(api.DELETE('/api/admin/users/{userId}/identities/{identityId}', { params, ...signalOf(options) }))
      },
    },
  }
}

/** Providers that people sign in with. */
function providersOf(api: Api) {
  return {
    list(options: RequestOptions = {}): List<Provider> {
      return wholeListOf(() => ask(api.GET('/api/admin/providers', signalOf(options))))
    },

    create(body: Body<'createProvider'>, options: OnceOptions = {}): Promise<Versioned<Provider>> {
      const params = { header: keyOf(options) }
      return askVersioned(api.POST('/api/admin/providers', { params, body, ...signalOf(options) }))
    },

    get(providerId: string, options: RequestOptions = {}): Promise<Versioned<Provider>> {
      const params = { path: { providerId } }
      return askVersioned(api.GET('/api/admin/providers/{providerId}', { params, ...signalOf(options) }))
    },

    /** Omitted fields keep their value. */
    update(
      providerId: string,
      body: Body<'updateProvider'>,
      options: ChangeOptions = {},
    ): Promise<Versioned<Provider>> {
      const params = { path: { providerId }, header: tagOf(options) }
      return askVersioned(api.PATCH('/api/admin/providers/{providerId}', { params, body, ...signalOf(options) }))
    },

    /** Deletes the provider permanently, and ends the sessions that it began. `confirm` is its name. */
    delete(providerId: string, body: Body<'deleteProvider'>, options: ChangeOptions = {}): Promise<Deleted> {
      const params = { path: { providerId }, header: tagOf(options) }
      return ask(api.DELETE('/api/admin/providers/{providerId}', { params, body, ...signalOf(options) }))
    },
  }
}

/** Applications, into which people of the tenant sign in. */
function applicationsOf(api: Api) {
  const [list, one] = ['/api/admin/applications', '/api/admin/applications/{appId}'] as const
  return {
    /** Oldest first. */
    list(filters: Filters<'listApplications'> = {}, options: RequestOptions = {}): List<Application> {
      return listOf(filters, (query) => ask(api.GET(list, { params: { query }, ...signalOf(options) })))
    },

    /** The secret of a `server` is shown once; other kinds have none. */
    create(body: Body<'createApplication'>, options: RequestOptions = {}): Promise<ApplicationWithSecret> {
      return ask(api.POST(list, { body, ...signalOf(options) }))
    },

    get(appId: string, options: RequestOptions = {}): Promise<Versioned<Application>> {
      return askVersioned(api.GET(one, { params: { path: { appId } }, ...signalOf(options) }))
    },

    /** Omitted fields keep their value. The kind never changes. */
    update(
      appId: string,
      body: Body<'updateApplication'>,
      options: ChangeOptions = {},
    ): Promise<Versioned<Application>> {
      const params = { path: { appId }, header: tagOf(options) }
      return askVersioned(api.PATCH(one, { params, body, ...signalOf(options) }))
    },

    /** Makes another secret. The one before works for `overlapSeconds` more. */
    rotateSecret(
      appId: string,
      body: Body<'rotateApplicationSecret'> = {},
      options: RequestOptions = {},
    ): Promise<ApplicationWithSecret> {
      const params = { path: { appId } }
      return ask(api.POST(`${one}/rotate-secret`, { params, body, ...signalOf(options) }))
    },

    /** Deletes the application permanently; its tokens are refused from then on. `confirm` is its name. */
    delete(appId: string, body: Body<'deleteApplication'>, options: ChangeOptions = {}): Promise<Deleted> {
      const params = { path: { appId }, header: tagOf(options) }
      return ask(api.DELETE(one, { params, body, ...signalOf(options) }))
    },
  }
}

/** All organizations of the tenant, with `role: null`. */
function everyOrganizationOf(api: Api) {
  return {
    list(filters: Filters<'listTenantOrganizations'> = {}, options: RequestOptions = {}): List<Organization> {
      return listOf(filters, (query) =>
        ask(api.GET('/api/admin/organizations', { params: { query }, ...signalOf(options) })),
      )
    },

    get(orgId: string, options: RequestOptions = {}): Promise<Versioned<Organization>> {
      const params = { path: { orgId } }
      return askVersioned(api.GET('/api/admin/organizations/{orgId}', { params, ...signalOf(options) }))
    },

    /** Deletes the organization permanently, with everything in it. `confirm` is its slug. */
    delete(orgId: string, body: Body<'deleteTenantOrganization'>, options: ChangeOptions = {}): Promise<Deleted> {
      const params = { path: { orgId }, header: tagOf(options) }
      return ask(api.DELETE('/api/admin/organizations/{orgId}', { params, body, ...signalOf(options) }))
    },

    /** Makes a member the owner, and the owner who joined first an admin. Needs a fresh session. */
    transfer(
      orgId: string,
      body: Body<'transferTenantOrganization'>,
      options: OnceOptions = {},
    ): Promise<{ from: Member; to: Member }> {
      const params = { path: { orgId }, header: keyOf(options) }
      return ask(api.POST('/api/admin/organizations/{orgId}/transfer', { params, body, ...signalOf(options) }))
    },

    /** The user becomes the owner. */
    create(body: Body<'createTenantOrganization'>, options: OnceOptions = {}): Promise<Versioned<Organization>> {
      const params = { header: keyOf(options) }
      return askVersioned(api.POST('/api/admin/organizations', { params, body, ...signalOf(options) }))
    },

    /** Omitted fields keep their value; null clears a field. */
    update(
      orgId: string,
      body: Body<'updateTenantOrganization'>,
      options: ChangeOptions = {},
    ): Promise<Versioned<Organization>> {
      const params = { path: { orgId }, header: tagOf(options) }
      return askVersioned(api.PATCH('/api/admin/organizations/{orgId}', { params, body, ...signalOf(options) }))
    },

    logo: logoOf(api, '/api/admin/organizations'),

    members: {
      /** Adds a user without an invitation. Needs a fresh session; the owners get a mail. */
      add(orgId: string, body: Body<'addTenantOrganizationMember'>, options: OnceOptions = {}): Promise<Member> {
        const params = { path: { orgId }, header: keyOf(options) }
        return ask(api.POST('/api/admin/organizations/{orgId}/members', { params, body, ...signalOf(options) }))
      },

      ...membersIn(api, '/api/admin/organizations'),
    },
    invitations: organizationInvitationsOf(api, '/api/admin/organizations'),
    roles: rolesOf(api, '/api/admin/organizations'),
  }
}
