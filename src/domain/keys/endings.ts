/**
 * Endings of keys: what ends them besides their owner and their time.
 *
 * A person’s keys end for good with a reset of the password, the undoing of a change of address, and a suspension, as sessions do; those
 * that are limited to an organization end when their person is out of it. A key of an organization or of the tenant outlives nobody’s right
 * to it for long: when its holder, who has seen the secret, is gone or no longer covers its scopes, its grace begins, after which it ends.
 *
 * Invariant: both happen in the transaction of the loss, under the lock that making a key takes too. If time or the access model took the
 * right, the hourly task finds it.
 */
import {
  type Database,
  empty,
  pipeline,
  type Sql,
  type Statement,
  statement,
} from '../../platform/database/database.ts'
import { type Actor, system } from '../access/actors.ts'
import { tellOfKeys } from '../mail/keys.ts'
import { selectMinimumRoles } from '../permissions/access-model.ts'
import { type HeldGrant, heldGrants, isCurrent } from '../permissions/held.ts'
import type { Role } from '../permissions/roles.ts'
import { lackOf, type MinimumRoles, minimumRolesWith, type OwnMinimumRole } from '../permissions/rules.ts'
import { beginGrace, claimEnding, closeKeys, endKeys } from './key-states.ts'
import { type Ending, isKeyLive } from './keys.ts'

/** Ends every key of a person for good. Their row must be locked. @returns how many lived */
export async function endOwnKeys(sql: Sql, actor: Actor, userId: string, because: Ending): Promise<number> {
  return (await endKeys(sql, actor, statement`k.user_id = ${userId}`, because)).length
}

/** The same of every key of an organization or of the tenant that somebody holds. @param since only those made from then on; null: all */
export async function endHeldKeys(
  sql: Sql,
  actor: Actor,
  userId: string,
  because: Ending,
  since: string | null,
): Promise<void> {
  const isMade = since === null ? empty : statement`and k.created_at >= ${since}`
  await endKeys(sql, actor, statement`k.holder_id = ${userId} ${isMade}`, because)
}

/** Begins the grace of every key that somebody holds, who may hold none any more. Their organizations must be locked. */
export function leaveKeys(sql: Sql, actor: Actor, userId: string): Promise<void> {
  return beginGrace(sql, actor, statement`k.holder_id = ${userId}`)
}

/** The same of those whose secret they got at some time or later, because their account was in wrong hands then. */
export function leaveKeysSince(sql: Sql, actor: Actor, userId: string, since: string): Promise<void> {
  return beginGrace(
    sql,
    actor,
    statement`k.holder_id = ${userId} and exists (
      select from api_key_secrets s
      where s.tenant_id = ${sql.tenant} and s.key_id = k.id and s.created_at >= ${since})`,
  )
}

/** The same of the tenant’s keys, for somebody who is no tenant admin any more. The tenant must be locked. */
export function leaveTenantKeys(sql: Sql, actor: Actor, userId: string): Promise<void> {
  return beginGrace(sql, actor, statement`k.owner_type = 'tenant' and k.holder_id = ${userId}`)
}

/** Somebody’s part in an organization. */
interface Part {
  readonly organizationId: string
  readonly userId: string
}

/** The live keys that rest on a membership: those limited to its organization, and those of the organization that its user holds. */
export function selectKeysOfMember(
  tenant: string,
  organization: Statement | string,
  user: Statement | string,
): Statement {
  return statement`
    select k.id from api_keys k
    where k.tenant_id = ${tenant} and k.organization_id = ${organization} and ${isKeyLive}
      and (k.user_id = ${user} or k.holder_id = ${user} and k.holder_left_at is null)`
}

/**
 * Ends the keys of somebody who is out of an organization, and begins the grace of its keys that they hold. The organization’s row must be
 * locked. It comes before the end of the membership, which locks invitations.
 */
export async function endKeysOfMember(
  sql: Sql,
  actor: Actor,
  { organizationId, userId }: Part,
  because: 'left' | 'removed',
): Promise<void> {
  await pipeline([
    endKeys(sql, actor, statement`k.user_id = ${userId} and k.organization_id = ${organizationId}`, because),
    beginGrace(sql, actor, statement`k.holder_id = ${userId} and k.organization_id = ${organizationId}`),
  ])
}

/** Begins the grace of an organization’s keys whose holder no longer covers them, after a change of the holder. The organization’s row must be locked. */
export async function leaveKeysBeyond(sql: Sql, actor: Actor, { organizationId, userId }: Part): Promise<void> {
  const { beyond } = await findKeysBeyond(
    sql,
    statement`k.organization_id = ${organizationId} and k.holder_id = ${userId}`,
  )
  if (beyond.length > 0) await beginGrace(sql, actor, statement`k.id = any(${beyond.map(({ id }) => id)})`)
}

/** A key of an organization, and what its holder holds there; the role is null if that is nothing. */
interface HeldKey extends Part {
  readonly id: string
  readonly scopes: readonly string[]
  readonly role: Role | null
  readonly expiresAt: string | null
  readonly grants: readonly HeldGrant[] | null
}

/** How many keys are judged at a time: more than a holder has in an organization. */
const mostJudged = 10_000

/**
 * Finds live keys of organizations whose holder does not cover them any more; owners cover all.
 *
 * @returns them, and the id of the last key that was judged if there may be more
 */
async function findKeysBeyond(
  sql: Sql,
  which: Statement,
): Promise<{ readonly beyond: readonly HeldKey[]; readonly last: string | undefined }> {
  const [keys, own] = await pipeline([
    sql<HeldKey>`
      select k.id, k.organization_id, k.holder_id as user_id, k.scopes, m.role, m.expires_at, ${heldGrants(sql.tenant)} as grants
      from api_keys k
      left join users u on u.tenant_id = ${sql.tenant} and u.id = k.holder_id and u.status = 'active'
      left join memberships m on m.tenant_id = ${sql.tenant} and m.organization_id = k.organization_id and m.user_id = u.id
        and m.status = 'active' and ${isCurrent}
      where k.tenant_id = ${sql.tenant} and k.owner_type = 'organization' and k.holder_id is not null and k.holder_left_at is null
        and ${isKeyLive} and ${which} and m.role is distinct from 'owner'
      order by k.id
      limit ${mostJudged}`,
    sql<OwnMinimumRole>`${selectMinimumRoles(sql.tenant)}`,
  ])
  const minimumRoles = minimumRolesWith(own)
  return {
    beyond: keys.filter((key) => !isCovered(key, minimumRoles)),
    last: keys.length === mostJudged ? keys.at(-1)?.id : undefined,
  }
}

/** Whether the holder of a key holds its scopes; for how long is not asked: the end of their right is not there yet. */
function isCovered({ scopes, role, expiresAt, grants }: HeldKey, minimumRoles: MinimumRoles): boolean {
  if (role === null) return false
  const until = new Date(0).toISOString()
  return !lackOf({ role, expiresAt, grants: grants ?? [] }, [{ permissions: scopes, until }], minimumRoles)
}

/** How many keys are closed at a time. */
const batch = 100

/** How many keys are told of at a time. The mails to all their people are queued in one transaction, and a key may have many. */
const batchOfMails = 10

/**
 * Closes the keys of a tenant whose time is over, begins the grace of those whose holder has lost the right by time or by the access model,
 * and tells of those that end within seven days.
 *
 * @returns how many were closed
 */
export async function settleKeys(database: Database, tenant: string): Promise<number> {
  const any = statement`true`
  for (const part of await findPartsBeyond(database, tenant))
    await database.inTenant(tenant, async (sql) => {
      await sql`select from organizations where tenant_id = ${sql.tenant} and id = ${part.organizationId} for no key update`
      await leaveKeysBeyond(sql, system, part)
    })
  let closed = 0
  for (let isMore = true; isMore; ) {
    const count = await database.inTenant(tenant, (sql) => closeKeys(sql, system, any, batch))
    closed += count
    isMore = count === batch
  }
  while ((await database.inTenant(tenant, tellOfEnds)) === batchOfMails);
  return closed
}

/** The holders of keys, each with the organization, who do not cover them any more. */
async function findPartsBeyond(database: Database, tenant: string): Promise<Part[]> {
  const parts = new Map<string, Part>()
  for (let after: string | undefined = ''; after !== undefined; ) {
    const which: Statement = statement`k.id > ${after}`
    const { beyond, last } = await database.inTenant(tenant, (sql) => findKeysBeyond(sql, which))
    for (const part of beyond) parts.set(`${part.organizationId} ${part.userId}`, part)
    after = last
  }
  return [...parts.values()]
}

/** @returns for how many keys mails were queued */
async function tellOfEnds(sql: Sql): Promise<number> {
  const ending = await claimEnding(sql, batchOfMails)
  await tellOfKeys(
    sql,
    'key_ending',
    ending.map(({ id }) => id),
  )
  return ending.length
}
