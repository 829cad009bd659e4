/**
 * Making: how a key gets a secret, its first one and those of rotations. Each is shown once.
 *
 * Invariant: while a key is made or rotated, the row that it rests on is locked. What is judged is read after the lock.
 */
import { pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { type Fault, faultOf } from '../../platform/http/faults.ts'
import type { Versioned } from '../../platform/http/preconditions.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { newId, normalizeName } from '../../platform/http/schemas.ts'
import type { Actor, Caller } from '../access/actors.ts'
import { newKeyToken } from '../access/tokens.ts'
import { caps } from '../limits/caps.ts'
import { tellOfNewKey } from '../mail/keys.ts'
import { getMinimumRoles } from '../permissions/access-model.ts'
import { endOf, type MinimumRoles } from '../permissions/rules.ts'
import { isScopeOf, leadsElsewhere, type OwnerType } from '../permissions/scopes.ts'
import { ApiProblem } from '../problems.ts'
import { record } from '../record/record.ts'
import { addKey, rotateKey } from './key-states.ts'
import { isKeyLive, type Key, type KeyRow, logOf, selectKeys, toKey } from './keys.ts'

/** Whose a key is. */
export interface Owner {
  readonly type: OwnerType
  /** The owner, if it is a person. */
  readonly userId: string | null
  /** The owner, or the one organization that a person’s key is limited to. */
  readonly organizationId: string | null
}

export const tenantItself: Owner = { type: 'tenant', userId: null, organizationId: null }

/** A condition: which of `api_keys k` a person owns. */
export const keysOfUser = (userId: Statement | string | null) => statement`k.user_id = ${userId}`
/** The same for an organization. A person’s key that is limited to it is not its own. */
export const keysOfOrganization = (organizationId: Statement | string | null) =>
  statement`k.owner_type = 'organization' and k.organization_id = ${organizationId}`
/** The same for the tenant. */
export const keysOfTenant = statement`k.owner_type = 'tenant'`

const mostKeys = { user: caps.keys.most, organization: caps.organizationKeys.most, tenant: caps.tenantKeys.most }

const hour = 3_600_000
const day = 24 * hour
/** How long keys may live, in milliseconds. */
const lifetimes = { least: hour, most: 366 * day, usualOfPerson: 90 * day }

/** A key that somebody wants to make. */
export interface WantedKey {
  readonly name: string
  readonly scopes: readonly string[]
  /** Undefined: the default. Null: no end, which a person’s key cannot have. */
  readonly expiresAt?: string | null | undefined
  /** The one organization that a person’s key is to be limited to. */
  readonly organizationId?: string | undefined
}

/** A key that may be made, as it is stored. */
export interface JudgedKey extends Omit<WantedKey, 'organizationId'> {
  readonly expiresAt: string | null
}

/** A key, and the secret that is shown once. */
export interface Made {
  readonly key: Key & Versioned
  readonly secret: string
}

/** A key whose row is locked. */
export type LockedKey = KeyRow & {
  /** The end that was chosen: an earlier one was set when the holder lost the right to it. */
  readonly chosenEnd: string | null
}

/**
 * Judges what somebody wants, but not whether they hold it.
 *
 * @returns the key as it is stored, and the least roles by which its maker’s cover is judged
 * @throws Problem not_offered, invalid_request with all faults
 */
export async function judgeKey(
  sql: Sql,
  owner: OwnerType,
  wanted: WantedKey,
): Promise<{ readonly key: JudgedKey; readonly minimumRoles: MinimumRoles }> {
  const [, minimumRoles] = await pipeline([checkKeysOffered(sql, owner), getMinimumRoles(sql)])
  const { scopes, expiresAt = owner === 'user' ? fromNow(lifetimes.usualOfPerson) : null } = wanted
  const faults = scopes.flatMap((scope, index) =>
    isScopeOf(owner, scope, minimumRoles) && !(wanted.organizationId !== undefined && leadsElsewhere(scope))
      ? []
      : [faultOf(`/scopes/${index}`, 'not_allowed', 'Such a key cannot have this scope.')],
  )
  if (expiresAt !== null) faults.push(...faultsOfEnd(expiresAt))
  if (faults.length > 0) throw invalidRequest(faults)
  const key = {
    name: normalizeName(wanted.name),
    scopes: [...new Set(scopes)],
    expiresAt: expiresAt && new Date(expiresAt).toISOString(),
  }
  return { key, minimumRoles }
}

function fromNow(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString()
}

function faultsOfEnd(expiresAt: string): Fault[] {
  const ahead = endOf(expiresAt) - Date.now()
  if (ahead >= lifetimes.least && ahead <= lifetimes.most) return []
  return [faultOf('/expiresAt', 'out_of_range', 'A time between one hour and 366 days ahead is needed.')]
}

/** Checks that the tenant lets such owners have keys. @throws Problem not_offered */
export async function checkKeysOffered(sql: Sql, owner: OwnerType): Promise<void> {
  const [tenant] = await sql<{ personalKeys: boolean; organizationKeys: boolean }>`
    select personal_keys, organization_keys from tenants where id = ${sql.tenant}`
  const isOffered = { user: tenant?.personalKeys, organization: tenant?.organizationKeys, tenant: true }
  if (!isOffered[owner]) throw new ApiProblem('not_offered')
}

/** Who makes or rotates a key: a person by a session, or the operator. */
type KeyMaker = Caller | (Actor & { readonly type: 'operator' })

/**
 * Makes a key, and mails those whom it concerns. What it rests on must be locked.
 *
 * @throws Problem limit_reached
 */
export async function makeKey(
  sql: Sql,
  keys: Pick<RequestContext, 'keyring'>,
  maker: KeyMaker,
  owner: Owner,
  judged: JudgedKey,
): Promise<Made> {
  const [live] = await sql<{ count: number }>`
    select count(*) from api_keys k where k.tenant_id = ${sql.tenant} and ${keysOf(owner)} and ${isKeyLive}`
  if ((live?.count ?? 0) >= mostKeys[owner.type]) throw new ApiProblem('limit_reached')
  const id = newId('key')
  const { token, ...secret } = newKeyToken(sql.tenant)
  const { name, scopes, expiresAt } = judged
  const { type: ownerType, userId, organizationId } = owner
  const key = { id, ownerType, userId, organizationId, ...judged, ...seenBy(maker, ownerType) }
  const [, , [row]] = await pipeline([
    addKey(sql, key, secret),
    record(sql, maker, 'key.created', {
      organizationId: logOf(key),
      target: { type: 'key', id },
      details: { ...(maker.type === 'user' && { name }), scopes, expiresAt },
    }),
    sql<KeyRow>`${selectKeys(sql.tenant)} and k.id = ${id}`,
  ])
  await tellOfNewKey(sql, keys, id, maker.type === 'user' ? maker : undefined)
  return { key: shown(sql, row), secret: token }
}

/**
 * Gives a key another secret.
 *
 * @param key            its row is locked, and so is what it rests on
 * @param overlapSeconds how long the secret before lives on
 */
export async function renewSecret(sql: Sql, maker: Caller, key: LockedKey, overlapSeconds: number): Promise<Made> {
  const { id, ownerType, expiresAt } = key
  const { token, ...secret } = newKeyToken(sql.tenant)
  const [, , [row]] = await pipeline([
    rotateKey(sql, { id, expiresAt, ...seenBy(maker, ownerType) }, secret, overlapSeconds),
    record(sql, maker, 'key.rotated', {
      organizationId: logOf(key),
      target: { type: 'key', id },
      details: { overlapSeconds },
    }),
    sql<KeyRow>`${selectKeys(sql.tenant)} and k.id = ${id}`,
  ])
  return { key: shown(sql, row), secret: token }
}

/** Who sees the secret, and what they have proven. Of a person’s key nobody holds the secret but its owner. */
function seenBy(maker: KeyMaker, ownerType: OwnerType) {
  if (maker.type === 'operator') return { holderId: null, assurance: 1 } as const
  return { holderId: ownerType === 'user' ? null : maker.userId, assurance: maker.assurance }
}

function keysOf({ type, userId, organizationId }: Owner): Statement {
  if (type === 'tenant') return keysOfTenant
  return type === 'user' ? keysOfUser(userId) : keysOfOrganization(organizationId)
}

/**
 * Locks a key.
 *
 * @param owned which keys the caller may change
 * @throws Problem not_found
 */
export async function lockKey(sql: Sql, owned: Statement, id: string): Promise<LockedKey> {
  const [[locked], [key]] = await pipeline([
    sql<Pick<LockedKey, 'chosenEnd'>>`
      select k.chosen_end from api_keys k where k.tenant_id = ${sql.tenant} and k.id = ${id} and ${owned} for no key update`,
    sql<KeyRow>`${selectKeys(sql.tenant)} and k.id = ${id} and ${owned}`,
  ])
  if (!locked || !key) throw new ApiProblem('not_found')
  return { ...key, ...locked }
}

/** The same. @throws Problem not_found, key_ended */
export async function lockLiveKey(sql: Sql, owned: Statement, id: string): Promise<LockedKey> {
  const key = await lockKey(sql, owned, id)
  if (key.status === 'ended') throw new ApiProblem('key_ended')
  return key
}

function shown(sql: Sql, row: KeyRow | undefined): Key & Versioned {
  if (!row) throw new Error('A key that was just written is not there.')
  return toKey(sql.tenant, row)
}
