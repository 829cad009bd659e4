/**
 * The states of links to join: every statement that begins, uses or ends one.
 *
 * Invariant: a link is used at most `max_uses` times (check `links_uses_check`), counted under the lock of its organization.
 */
import { type Purge, pipeline, type Sent, type Sql, statement } from '../../platform/database/database.ts'
import { type Actor, type Maker, system } from '../access/actors.ts'
import { record } from '../record/record.ts'
import type { OfferedGrant } from './grants.ts'

/** What ended a link. */
export const linkEnds = ['revoked', 'expired', 'used', 'maker'] as const
export type LinkEnd = (typeof linkEnds)[number]

/** Which of `links l` live, by the statement’s clock. */
export const isLinkLive = statement`(l.ended_at is null and l.expires_at > statement_timestamp())`

interface NewLink {
  readonly id: string
  readonly organizationId: string
  readonly grants: readonly OfferedGrant[]
  readonly emailDomains: readonly string[]
  readonly maxUses: number
  readonly memberExpiresAt: string | null
  readonly maker: Maker
  readonly days: number
}

/** Adds a live link; it expires no later than the memberships that it makes. The organization's row must be locked. */
export function addLink(sql: Sql, link: NewLink): Sent<unknown> {
  return sql`
    insert into links (tenant_id, id, organization_id, grants, email_domains, max_uses, member_expires_at, created_by, key_id, expires_at)
    values (${sql.tenant}, ${link.id}, ${link.organizationId}, ${JSON.stringify(link.grants)}, ${link.emailDomains}, ${link.maxUses},
      ${link.memberExpiresAt}, ${link.maker.userId}, ${link.maker.keyId},
      least(now() + make_interval(days => ${link.days}), ${link.memberExpiresAt}::timestamptz))`
}

/** Counts a use of a live link. The last one ends it, and is recorded. The organization's row must be locked. @throws ConstraintError */
export async function useLink(sql: Sql, actor: Actor, organizationId: string, id: string): Promise<void> {
  const [link] = await sql<{ isUsedUp: boolean }>`
    update links set uses = uses + 1
    where tenant_id = ${sql.tenant} and id = ${id}
    returning uses = max_uses as is_used_up`
  if (link?.isUsedUp) await endLinks(sql, actor, organizationId, [id], { reason: 'used' })
}

/** Ends live links of an organization whose row is locked, and records it. `cause` says why the maker lost the right. */
export async function endLinks(
  sql: Sql,
  actor: Actor,
  organizationId: string,
  ids: readonly string[],
  { reason, cause }: { readonly reason: LinkEnd; readonly cause?: string },
): Promise<void> {
  if (ids.length === 0) return
  const ended = await sql<{ id: string }>`
    update links set ended_at = now(), reason = ${reason}
    where tenant_id = ${sql.tenant} and id = any(${ids}) and ended_at is null
    returning id`
  await pipeline(ended.map(({ id }) => recordEnd(sql, actor, organizationId, id, { reason, ...(cause && { cause }) })))
}

function recordEnd(
  sql: Sql,
  actor: Actor,
  organizationId: string,
  id: string,
  details: { readonly reason: LinkEnd; readonly cause?: string },
): Sent<unknown> {
  return record(sql, actor, 'link.ended', { organizationId, target: { type: 'link', id }, details })
}

/** Ends the links that an erased person made, and takes the person out of them. */
export async function eraseMaker(sql: Sql, userId: string): Promise<void> {
  // In one change, as in `eraseFromInvitations`.
  const erased = await sql<{ id: string; organizationId: string; isEnded: boolean }>`
    with made as (
      select l.id, ${isLinkLive} as is_live from links l
      where l.tenant_id = ${sql.tenant} and l.created_by = ${userId}
      order by l.id
      for no key update)
    update links l
    set created_by = null, ended_at = least(l.ended_at, l.expires_at, now()),
      reason = case when made.is_live then 'maker' else coalesce(l.reason, 'expired') end
    from made
    where l.tenant_id = ${sql.tenant} and l.id = made.id
    returning l.id, l.organization_id, made.is_live as is_ended`
  const ended = erased.filter(({ isEnded }) => isEnded)
  await pipeline(ended.map(({ id, organizationId }) => recordEnd(sql, system, organizationId, id, { reason: 'maker' })))
}

/** Deletes links 90 days after their end. */
export const purgeJoinLinks: Purge = (sql, batch) => sql`
  with over as (
    select id from links
    where tenant_id = ${sql.tenant} and expires_at < now() - interval '90 days'
    limit ${batch}
    for update skip locked)
  delete from links l using over where l.tenant_id = ${sql.tenant} and l.id = over.id
  returning l.id`
