/**
 * Planted: what a stranger who used an account has left outside of it, in organizations and in the tenant: invitations and links by which
 * they come back, keys whose secrets they have seen, webhooks that send to them.
 *
 * Invariant: once it has ended, nothing is planted again. The organizations and the tenant are locked before the person's row. A request that
 * plants something locks one of them first, and then reads its session. Making an organization locks the person's row, so a look after
 * that lock finds every organization.
 */
import type { Actor } from '../../domain/access/actors.ts'
import { lockTenant } from '../../domain/access/tenant-lock.ts'
import { endHeldKeys, leaveKeysSince } from '../../domain/keys/endings.ts'
import { lockOrganizationsOf } from '../../domain/organizations/memberships.ts'
import { endEveryOfferOf } from '../../domain/organizations/offers.ts'
import { disableWebhooksOf } from '../../domain/webhooks/webhook-states.ts'
import type { Sql } from '../../platform/database/database.ts'

/** Locks what somebody may have planted something in. To be called before their row is locked. */
export async function lockReachOf(sql: Sql, userId: string): Promise<void> {
  const admins = await sql`select from users where tenant_id = ${sql.tenant} and id = ${userId} and role = 'admin'`
  if (admins.length > 0) await lockTenant(sql)
  await lockOrganizationsOf(sql, userId, { invited: true })
}

/** Ends all that somebody has planted. Call `lockReachOf` before, then lock their row. */
export async function endPlanted(sql: Sql, actor: Actor, userId: string): Promise<void> {
  await lockNewOrganizations(sql, userId)
  await endHeldKeys(sql, actor, userId, 'reset', null)
  await endEveryOfferOf(sql, actor, userId, null)
  await disableWebhooksOf(sql, actor, userId, null)
}

/**
 * Ends the invitations, links and keys that somebody has made since a time, and disables webhooks whose URL they have set since. Begins the
 * grace of older keys whose secret they got since then, which a program of the account's owner may need. Call `lockReachOf` before, then
 * lock their row.
 */
export async function endPlantedSince(sql: Sql, actor: Actor, userId: string, since: string): Promise<void> {
  await lockNewOrganizations(sql, userId)
  await endHeldKeys(sql, actor, userId, 'reset', since)
  await leaveKeysSince(sql, actor, userId, since)
  await endEveryOfferOf(sql, actor, userId, since)
  await disableWebhooksOf(sql, actor, userId, since)
}

/** Locks those made since the first look. If a request in one of them is waiting for us, PostgreSQL ends one of the two, which is repeated. */
async function lockNewOrganizations(sql: Sql, userId: string): Promise<void> {
  await lockOrganizationsOf(sql, userId, { invited: true })
}
