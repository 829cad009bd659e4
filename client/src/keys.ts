/** Keys, with which programs send requests: one's own, those of an organization, and those of the tenant. */
import {
  type Api,
  ask,
  askVersioned,
  type Body,
  type ChangeOptions,
  type Filters,
  type Key,
  type KeyWithSecret,
  type RequestOptions,
  signalOf,
  tagOf,
  type Versioned,
} from './api.ts'
import { type List, listOf } from './lists.ts'

/** One's own keys. Making and rotating one needs a fresh session. */
export function personalKeysOf(api: Api) {
  const [list, one] = ['/api/users/me/keys', '/api/users/me/keys/{keyId}'] as const
  return {
    /** Live keys first, then newest first. */
    list(filters: Filters<'listKeys'> = {}, options: RequestOptions = {}): List<Key> {
      return listOf(filters, (query) => ask(api.GET(list, { params: { query }, ...signalOf(options) })))
    },

    /** The secret is shown once. */
    create(body: Body<'createKey'>, options: RequestOptions = {}): Promise<KeyWithSecret> {
      return ask(api.POST(list, { body, ...signalOf(options) }))
    },

    get(keyId: string, options: RequestOptions = {}): Promise<Versioned<Key>> {
      return askVersioned(api.GET(one, { params: { path: { keyId } }, ...signalOf(options) }))
    },

    /** Omitted fields keep their value. A key can get fewer scopes and an earlier end, never more. */
    update(keyId: string, body: Body<'updateKey'>, options: ChangeOptions = {}): Promise<Versioned<Key>> {
      const params = { path: { keyId }, header: tagOf(options) }
      return askVersioned(api.PATCH(one, { params, body, ...signalOf(options) }))
    },

    /** Makes another secret. The one before works for `overlapSeconds` more. */
    rotate(keyId: string, body: Body<'rotateKey'> = {}, options: RequestOptions = {}): Promise<KeyWithSecret> {
      return ask(api.POST(`${one}/rotate`, { params: { path: { keyId } }, body, ...signalOf(options) }))
    },

    /** Ends the key, from its next request on. */
    end(keyId: string, options: ChangeOptions = {}): Promise<Key> {
      const params = { path: { keyId }, header: tagOf(options) }
      return ask(api.DELETE(one, { params, ...signalOf(options) }))
    },
  }
}

/** Keys of an organization. Who makes or rotates one must hold all its scopes, until it ends. */
export function organizationKeysOf(api: Api) {
  const [list, one] = ['/api/organizations/{orgId}/keys', '/api/organizations/{orgId}/keys/{keyId}'] as const
  return {
    /** Live keys first, then newest first. */
    list(orgId: string, filters: Filters<'listOrganizationKeys'> = {}, options: RequestOptions = {}): List<Key> {
      return listOf(filters, (query) =>
        ask(api.GET(list, { params: { path: { orgId }, query }, ...signalOf(options) })),
      )
    },

    /** The secret is shown once. */
    create(orgId: string, body: Body<'createOrganizationKey'>, options: RequestOptions = {}): Promise<KeyWithSecret> {
      return ask(api.POST(list, { params: { path: { orgId } }, body, ...signalOf(options) }))
    },

    get(orgId: string, keyId: string, options: RequestOptions = {}): Promise<Versioned<Key>> {
      return askVersioned(api.GET(one, { params: { path: { orgId, keyId } }, ...signalOf(options) }))
    },

    /** Omitted fields keep their value. A key can get fewer scopes and an earlier end, never more. */
    update(
      orgId: string,
      keyId: string,
      body: Body<'updateOrganizationKey'>,
      options: ChangeOptions = {},
    ): Promise<Versioned<Key>> {
      const params = { path: { orgId, keyId }, header: tagOf(options) }
      return askVersioned(api.PATCH(one, { params, body, ...signalOf(options) }))
    },

    /** Makes another secret. The one before works for `overlapSeconds` more. */
    rotate(
      orgId: string,
      keyId: string,
      body: Body<'rotateOrganizationKey'> = {},
      options: RequestOptions = {},
    ): Promise<KeyWithSecret> {
      return ask(api.POST(`${one}/rotate`, { params: { path: { orgId, keyId } }, body, ...signalOf(options) }))
    },

    /** Ends the key, from its next request on. */
    end(orgId: string, keyId: string, options: ChangeOptions = {}): Promise<Key> {
      const params = { path: { orgId, keyId }, header: tagOf(options) }
      return ask(api.DELETE(one, { params, ...signalOf(options) }))
    },
  }
}

/** Keys of the tenant, for the back end of its product. */
export function tenantKeysOf(api: Api) {
  const [list, one] = ['/api/admin/keys', '/api/admin/keys/{keyId}'] as const
  return {
    /** Live keys first, then newest first. */
    list(filters: Filters<'listTenantKeys'> = {}, options: RequestOptions = {}): List<Key> {
      return listOf(filters, (query) => ask(api.GET(list, { params: { query }, ...signalOf(options) })))
    },

    /** The secret is shown once. */
    create(body: Body<'createTenantKey'>, options: RequestOptions = {}): Promise<KeyWithSecret> {
      return ask(api.POST(list, { body, ...signalOf(options) }))
    },

    get(keyId: string, options: RequestOptions = {}): Promise<Versioned<Key>> {
      return askVersioned(api.GET(one, { params: { path: { keyId } }, ...signalOf(options) }))
    },

    /** Omitted fields keep their value. A key can get fewer scopes and an earlier end, never more. */
    update(keyId: string, body: Body<'updateTenantKey'>, options: ChangeOptions = {}): Promise<Versioned<Key>> {
      const params = { path: { keyId }, header: tagOf(options) }
      return askVersioned(api.PATCH(one, { params, body, ...signalOf(options) }))
    },

    /** Makes another secret. The one before works for `overlapSeconds` more. */
    rotate(keyId: string, body: Body<'rotateTenantKey'> = {}, options: RequestOptions = {}): Promise<KeyWithSecret> {
      return ask(api.POST(`${one}/rotate`, { params: { path: { keyId } }, body, ...signalOf(options) }))
    },

    /** Ends the key, from its next request on. */
    end(keyId: string, options: ChangeOptions = {}): Promise<Key> {
      const params = { path: { keyId }, header: tagOf(options) }
      return ask(api.DELETE(one, { params, ...signalOf(options) }))
    },
  }
}

/** Keys of a user, for tenant admins. */
export function userKeysOf(api: Api) {
  return {
    /** Live keys first, then newest first. */
    list(userId: string, filters: Filters<'listUserKeys'> = {}, options: RequestOptions = {}): List<Key> {
      return listOf(filters, (query) =>
        ask(api.GET('/api/admin/users/{userId}/keys', { params: { path: { userId }, query }, ...signalOf(options) })),
      )
    },

    /** Ends the key, from its next request on. */
    end(userId: string, keyId: string, options: ChangeOptions = {}): Promise<Key> {
      const params = { path: { userId, keyId }, header: tagOf(options) }
      return ask(api.DELETE('/api/admin/users/{userId}/keys/{keyId}', { params, ...signalOf(options) }))
    },
  }
}
