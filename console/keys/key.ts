/** Keys: of the signed-in user, of an organization, of the tenant. Each has its own path, with the same operations below it. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { useEndless } from '../parts/endless.tsx'
import { readTenantAgain, useTenant } from '../tenants/tenant.ts'

export type Key = Schemas['Key']
export type KeyWithSecret = Schemas['KeyWithSecret']
export type OwnerType = Key['owner']['type']

interface KeyPage {
  readonly data: readonly Key[]
  readonly nextCursor: string | null
}

interface Filters {
  readonly status: Key['status']
  readonly limit: number
  readonly cursor?: string
}

interface NewKey extends Pick<Key, 'name' | 'scopes'> {
  /** To which a person’s key is limited. */
  readonly organizationId?: string
  /** Absent: no end. A person’s key has one. */
  readonly expiresAt?: string
}

export type KeyChanges = Partial<Pick<Key, 'name' | 'scopes' | 'expiresAt'>>

/** The keys of one owner. */
export interface KeyList {
  readonly owner: OwnerType
  readonly queryKey: readonly string[]
  /** Of everything that shows a change of a key: the keys, the log. */
  readonly shownIn: readonly string[]
  readonly read: (query: Filters) => Promise<KeyPage>
  readonly create: (body: NewKey) => Promise<KeyWithSecret>
  readonly change: (keyId: string, body: KeyChanges) => Promise<Key>
  readonly rotate: (keyId: string, body: { readonly overlapSeconds: number }) => Promise<KeyWithSecret>
  readonly end: (keyId: string) => Promise<Key>
}

export const myKeys: KeyList = {
  owner: 'user',
  queryKey: ['users', 'me', 'keys'],
  shownIn: ['users', 'me'],
  read: (query) => ask(api.GET('/api/users/me/keys', { params: { query } })),
  create: (body) => ask(api.POST('/api/users/me/keys', { body })),
  change: (keyId, body) => ask(api.PATCH('/api/users/me/keys/{keyId}', { params: { path: { keyId } }, body })),
  rotate: (keyId, body) => ask(api.POST('/api/users/me/keys/{keyId}/rotate', { params: { path: { keyId } }, body })),
  end: (keyId) => ask(api.DELETE('/api/users/me/keys/{keyId}', { params: { path: { keyId } } })),
}

export function keysOfOrganization(orgId: string): KeyList {
  const path = (keyId: string) => ({ path: { orgId, keyId } })
  return {
    owner: 'organization',
    queryKey: ['organizations', orgId, 'keys'],
    shownIn: ['organizations'],
    read: (query) => ask(api.GET('/api/organizations/{orgId}/keys', { params: { path: { orgId }, query } })),
    create: (body) => ask(api.POST('/api/organizations/{orgId}/keys', { params: { path: { orgId } }, body })),
    change: (keyId, body) => ask(api.PATCH('/api/organizations/{orgId}/keys/{keyId}', { params: path(keyId), body })),
    rotate: (keyId, body) =>
      ask(api.POST('/api/organizations/{orgId}/keys/{keyId}/rotate', { params: path(keyId), body })),
    end: (keyId) => ask(api.DELETE('/api/organizations/{orgId}/keys/{keyId}', { params: path(keyId) })),
  }
}

export const tenantKeys: KeyList = {
  owner: 'tenant',
  queryKey: ['admin', 'keys'],
  shownIn: ['admin'],
  read: (query) => ask(api.GET('/api/admin/keys', { params: { query } })),
  create: (body) => ask(api.POST('/api/admin/keys', { body })),
  change: (keyId, body) => ask(api.PATCH('/api/admin/keys/{keyId}', { params: { path: { keyId } }, body })),
  rotate: (keyId, body) => ask(api.POST('/api/admin/keys/{keyId}/rotate', { params: { path: { keyId } }, body })),
  end: (keyId) => ask(api.DELETE('/api/admin/keys/{keyId}', { params: { path: { keyId } } })),
}

/** All live keys: there are at most fifty. */
export const liveKeysQuery = ({ queryKey, read }: Pick<KeyList, 'queryKey' | 'read'>) =>
  queryOptions({
    queryKey: [...queryKey, { status: 'active' }],
    queryFn: () => read({ status: 'active', limit: 50 }).then(({ data }) => data),
  })

export function useEndedKeys({ queryKey, read }: KeyList) {
  return useEndless([...queryKey, { status: 'ended' }], (cursor) =>
    read({ status: 'ended', limit: 20, ...(cursor !== undefined && { cursor }) }),
  )
}

/** Whether the signed-in user has keys to see and to end: also if new ones are not offered. */
export function useHasKeys(): boolean {
  const { personalKeys } = useTenant()
  const { data = [] } = useQuery({ ...liveKeysQuery(myKeys), enabled: !personalKeys })
  return personalKeys || data.length > 0
}

/** Reads everything again that shows a change of a key. */
export function readAgain({ shownIn }: KeyList): Promise<void> {
  return queries.invalidateQueries({ queryKey: shownIn })
}

/** @throws Refusal keys_full, when there are as many live keys as there may be */
export function createKey(list: KeyList, body: NewKey): Promise<KeyWithSecret> {
  return list.create(body).catch((error: unknown) => {
    if (isRefusal(error, 'not_offered')) void readTenantAgain()
    throw isRefusal(error, 'limit_reached') ? new Refusal({ code: 'keys_full' }) : error
  })
}
