/**
 * Settling: taking away memberships whose time has ended.
 *
 * A membership ends at its moment, in every statement. The row goes later, with the next change of the organization's members, or with the
 * hourly task. Until then `member_count` still counts it; `selectUnsettled` says how many those are.
 */
import {
  type Database,
  type Purge,
  pipeline,
  type Sql,
  type Statement,
  statement,
} from '../../platform/database/database.ts'
import { system } from '../access/actors.ts'
import { endKeysOfMember } from '../keys/endings.ts'
import { queueMail } from '../mail/queue.ts'
import type { Role } from '../permissions/roles.ts'
import { record } from '../record/record.ts'
import { exclude, revokeAwaiting } from './exclusions.ts'
import { isInvitationPending } from './invitations.ts'
import { isLinkLive } from './link-states.ts'
import { dropMembership } from './memberships.ts'
import { endOffersBeyond, endOffersOfKey } from './offers.ts'

/** How many of an organization are settled at once; nothing depends on the rest. */
const batch = 50

export interface Ended {
  readonly id: string
  readonly userId: string
  readonly name: string | null
  readonly role: Role
  readonly status: 'active' | 'suspended'
  readonly expiresAt: string
}

/**
 * Memberships of an organization that have ended, a batch of them.
 *
 * @param first the user whose membership is among them in any case
 */
export function selectEnded(tenant: string, organization: Statement | string, first: string | null = null): Statement {
  return statement`
    select m.id, m.user_id, u.name, m.role, m.status, m.expires_at
    from memberships m
    join users u on u.tenant_id = ${tenant} and u.id = m.user_id
    where m.tenant_id = ${tenant} and m.organization_id = ${organization} and m.expires_at <= statement_timestamp()
    order by m.user_id is not distinct from ${first} desc, m.id
    limit ${batch}`
}

/** Whose account is being deleted. */
export interface Erasing {
  readonly userId: string
  /** Seals their id (domain/record/tombstones.ts). */
  readonly tombstone: (entryId: string) => string
}

/**
 * Takes memberships away, which were selected after the organization's row was locked.
 *
 * @param erasing its event tells who has gone
 */
export async function settleEnded(
  sql: Sql,
  organizationId: string,
  ended: readonly Ended[],
  erasing?: Erasing,
): Promise<void> {
  for (const { id, userId, name, role, status, expiresAt } of ended) {
    await pipeline([
      endKeysOfMember(sql, system, { organizationId, userId }, 'left'),
      dropMembership(sql, { organizationId, userId, role }),
      endOffersBeyond(sql, system, { organizationId, userId }, 'inviter_right_ended'),
      status === 'suspended' && exclude(sql, organizationId, userId, null, expiresAt),
      status === 'suspended' && revokeAwaiting(sql, system, organizationId, userId, expiresAt),
      queueMail(sql, { kind: 'membership_ended', userId, organizationId }),
      record(sql, system, 'member.expired', {
        organizationId,
        target: { type: 'user', userId, name },
        details: { memberId: id, role },
        ...(userId === erasing?.userId && { tombstone: erasing.tombstone }),
      }),
    ])
  }
}

/**
 * Takes memberships away that have ended, a batch of them. The organization's row must be locked.
 *
 * @param first the user whose membership is among them in any case
 * @param erasing as in `settleEnded`
 * @returns how many
 */
export async function settle(
  sql: Sql,
  organizationId: string,
  first: string | null = null,
  erasing?: Erasing,
): Promise<number> {
  const ended = await sql<Ended>`${selectEnded(sql.tenant, organizationId, first)}`
  await settleEnded(sql, organizationId, ended, erasing)
  return ended.length
}

/** An expression: how many memberships of `organizations o` have ended and are still counted. */
export function selectUnsettled(tenant: string): Statement {
  return statement`(
    select count(*) from memberships e
    where e.tenant_id = ${tenant} and e.organization_id = o.id and e.expires_at <= statement_timestamp())`
}

/** How long before its end a membership's member is told. */
const notice = statement`interval '3 days'`

/** How many organizations or mails are handled at a time. */
const most = 100

/**
 * Settles the ended memberships of a tenant, and mails those that end within three days.
 *
 * @returns how many were settled
 */
export async function settleTenant(database: Database, tenant: string): Promise<number> {
  let settled = 0
  for (let due = await findDue(database, tenant); due.length > 0; due = await findDue(database, tenant))
    for (const { id } of due)
      settled += await database.inTenant(tenant, async (sql) => {
        await lock(sql, id)
        return settle(sql, id)
      })
  for (const { organizationId, userId } of await database.inTenant(tenant, selectDoubtful))
    await database.inTenant(tenant, async (sql) => {
      await lock(sql, organizationId)
      await endOffersBeyond(sql, system, { organizationId, userId }, 'inviter_right_ended')
    })
  for (const { keyId } of await database.inTenant(tenant, selectMakingKeys))
    await database.inTenant(tenant, async (sql) => {
      await sql`select from api_keys where tenant_id = ${sql.tenant} and id = ${keyId} for no key update`
      await endOffersOfKey(sql, system, keyId, 'inviter_right_ended')
    })
  while ((await database.inTenant(tenant, tellOfEnds)) === most);
  return settled
}

async function lock(sql: Sql, organizationId: string): Promise<void> {
  await sql`select from organizations where tenant_id = ${sql.tenant} and id = ${organizationId} for no key update`
}

/** The organizations that have memberships to settle. */
function findDue(database: Database, tenant: string): Promise<{ id: string }[]> {
  return database.inTenant(
    tenant,
    (sql) => sql<{ id: string }>`
      select distinct organization_id as id from memberships
      where tenant_id = ${sql.tenant} and expires_at <= now()
      limit ${most}`,
  )
}

/** The makers of live offers whose right may have ended by time or by the access model: all but admins and owners for good who give no grants. */
function selectDoubtful(sql: Sql): Promise<{ organizationId: string; userId: string }[]> {
  return sql<{ organizationId: string; userId: string }>`
    select distinct o.organization_id, o.user_id
    from (
      select i.organization_id, i.invited_by as user_id, i.grants from invitations i
      where i.tenant_id = ${sql.tenant} and ${isInvitationPending}
      union all
      select l.organization_id, l.created_by, l.grants from links l
      where l.tenant_id = ${sql.tenant} and ${isLinkLive}) o
    left join memberships m on m.tenant_id = ${sql.tenant} and m.organization_id = o.organization_id and m.user_id = o.user_id
    where o.user_id is not null
      and (o.grants <> '[]' or m.id is null or m.role = 'member' or m.status <> 'active' or m.expires_at is not null)
    limit 10000`
}

/** The keys by which live offers were made: the access model may have changed what they must cover. */
function selectMakingKeys(sql: Sql): Promise<{ keyId: string }[]> {
  return sql<{ keyId: string }>`
    select i.key_id from invitations i
    where i.tenant_id = ${sql.tenant} and i.key_id is not null and ${isInvitationPending}
    union
    select l.key_id from links l
    where l.tenant_id = ${sql.tenant} and l.key_id is not null and ${isLinkLive}
    limit 10000`
}

/** @returns how many were told */
async function tellOfEnds(sql: Sql): Promise<number> {
  const ending = await sql<{ userId: string; organizationId: string; expiresAt: string; expirySetBy: string | null }>`
    with ending as (
      select id from memberships
      where tenant_id = ${sql.tenant} and expires_at > now() and expires_at < now() + ${notice} and not ending_told
      limit ${most}
      for no key update skip locked)
    update memberships m set ending_told = true
    from ending
    where m.tenant_id = ${sql.tenant} and m.id = ending.id
    returning m.user_id, m.organization_id, m.expires_at, m.expiry_set_by`
  await pipeline(
    ending.flatMap(({ userId, organizationId, expiresAt: endsAt, expirySetBy: setBy }) => [
      queueMail(sql, { kind: 'membership_ending', userId, organizationId, endsAt, isOwn: true }),
      setBy !== null &&
        setBy !== userId &&
        queueMail(sql, { kind: 'membership_ending', userId: setBy, organizationId, endsAt, isOwn: false }),
    ]),
  )
  return ending.length
}

/** Deletes grants that have ended. */
export const purgeGrants: Purge = (sql, limit) => sql`
  with over as (
    select membership_id, role_id from role_grants
    where tenant_id = ${sql.tenant} and expires_at <= now()
    limit ${limit}
    for update skip locked)
  delete from role_grants g
  using over
  where g.tenant_id = ${sql.tenant} and g.membership_id = over.membership_id and g.role_id = over.role_id
  returning g.role_id`
