/**
 * Erasure: deleting an account for good.
 *
 * Invariant: afterwards a dump of the whole database holds no trace of the person (email, name, IP, device, metadata, user id), in
 * clear or as an unsalted hash. What an organization's or the tenant's log tells of them stays, of a person nobody can name.
 */

import type { Keyring } from '../../platform/cryptography.ts'
import { pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { forgetAnswers, forgetAnswersTo } from '../../platform/http/idempotency.ts'
import { checkVersion, type Versioned } from '../../platform/http/preconditions.ts'
import { removeJobs } from '../../platform/jobs/queue.ts'
import { type Caller, type KeyCaller, personOf, system } from '../access/actors.ts'
import { checkRank } from '../access/rank.ts'
import { forgetTries } from '../credentials/guessing.ts'
import { listUndoAddresses } from '../credentials/mailed-tokens.ts'
import { leaveKeys } from '../keys/endings.ts'
import { eraseKeysOf } from '../keys/key-states.ts'
import type { DeletionNotice } from '../mail/deletion-notice.ts'
import { invitationJob, queueMail, removeMailsTo } from '../mail/queue.ts'
import { recheckAdmin } from '../organizations/administration.ts'
import { eraseFromInvitations, recordRevoked } from '../organizations/invitation-states.ts'
import { effectiveStatus } from '../organizations/invitations.ts'
import { eraseMaker } from '../organizations/link-states.ts'
import { dropMembership, giverErasures, lockOrganizationsOf } from '../organizations/memberships.ts'
import { type Erasing, selectUnsettled, settle } from '../organizations/settling.ts'
import { type Address, addressesOf, asTable, forgetAddresses, selectWanting } from '../people/addresses.ts'
import { keepAnAdmin } from '../people/admins.ts'
import { isCurrent } from '../permissions/held.ts'
import type { Role, TenantRole } from '../permissions/roles.ts'
import { ApiProblem } from '../problems.ts'
import { eraseDetails } from '../record/log-erasure.ts'
import { record } from '../record/record.ts'
import { sealTombstone } from '../record/tombstones.ts'
import { endAttempts } from '../sessions/attempts.ts'
import { removeLogoutsOf, tellOfErasure } from '../sessions/grants.ts'
import { recheckCaller } from '../sessions/recheck.ts'
import { deleteSessionsOf } from '../sessions/sessions.ts'
import { eraseUrlSetter } from '../webhooks/erasure.ts'
import { eraseInBatches, eraseInParts } from './batches.ts'
import { eraseOrganization } from './organizations.ts'

/**
 * How long a deletion notice is worth a try. The queue waits 22,026 s at most between two tries, so the last of them, which drops the
 * job, is within 24 hours.
 */
const noticeLifetime = statement`interval '17 hours'`

/** Whose account is deleted. */
export interface Erased {
  readonly userId: string
  readonly name: string | null
  readonly role: TenantRole
}

/**
 * Deletes an account for good, and the organizations that nobody else is in.
 *
 * @param actor  its owner, a tenant admin, or a key of the tenant
 * @param proven the hash of the password that was proven, where it was asked for
 * @throws Problem version_mismatch, role_above_yours, last_admin, sole_owner, wrong_password when it was changed since, unauthenticated when the account has just gone;
 *   unauthenticated or forbidden if the caller has lost the right meanwhile
 */
export async function eraseAccount(
  sql: Sql,
  context: RequestContext,
  actor: Caller | KeyCaller,
  user: Erased,
  proven?: string,
): Promise<void> {
  const { keyring } = context
  checkRank(actor, user.role)
  const wanting = await checkSeen(sql, context, user.userId)
  await keepAnAdmin(sql, user)
  const tombstone = sealTombstone(keyring, sql.tenant, user.userId)
  const memberships = await lockMemberships(sql, { userId: user.userId, tombstone })
  const blocked = memberships.filter(({ fate }) => fate === 'blocks')
  if (blocked.length > 0) {
    throw new ApiProblem('sole_owner', { organizations: blocked.map(({ id, name, slug }) => ({ id, name, slug })) })
  }
  const going = memberships.filter(({ fate }) => fate === 'goes').map(({ id }) => id)
  const those = statement`select from users where tenant_id = ${sql.tenant} and id = any(${wanting})`
  const [, , [locked]] = await pipeline([
    // Before the person, though they are deleted later: a writer of what hangs on both locks the organization first.
    going.length > 0 &&
      sql`
        select from organizations where tenant_id = ${sql.tenant} and id = any(${going}) order by id for update`,
    // With those who want an address of the person, which `forgetAddresses` cancels. By id: one of them may be deleted at the same moment, and
    // the person may want that one's address. What names them by a foreign key does not wait.
    sql`${those} and id < ${user.userId} order by id for no key update`,
    sql<Locked>`
      select id, email, email_verified, password_hash, role, version, now() + ${noticeLifetime} as until
      from users
      where tenant_id = ${sql.tenant} and id = ${user.userId}
      for update`,
    sql`${those} and id > ${user.userId} order by id for no key update`,
  ])
  const isOwn = actor.id === user.userId
  if (!locked) throw new ApiProblem(isOwn ? 'unauthenticated' : 'not_found')
  checkRank(actor, locked.role)
  await (isOwn ? recheckCaller(sql, personOf(actor)) : recheckAdmin(sql, actor))
  if (proven !== undefined && proven !== locked.passwordHash) throw new ApiProblem('wrong_password')
  checkVersion(context, locked) // as it is now that nobody changes it
  // Made an admin meanwhile. A deadlock with a transaction that holds the tenant is tried again.
  if (locked.role !== user.role) await keepAnAdmin(sql, { userId: user.userId, role: locked.role })

  const target = { type: 'user', userId: user.userId, name: user.name } as const
  const left = isOwn ? 'member.left' : 'member.removed'
  await record(sql, actor, 'user.deleted', { target, tombstone })
  await leaveKeys(sql, actor, user.userId)
  const keys = await eraseKeysOf(sql, user.userId)
  const addresses = await addressesOf(sql, user.userId, locked)
  const invitations = await eraseInvitations(sql, user.userId, addresses, going)
  for (const { id, role, fate } of memberships) {
    if (fate === 'stays') {
      await record(sql, actor, left, { organizationId: id, target, tombstone })
      await dropMembership(sql, { organizationId: id, userId: user.userId, role })
    } else {
      await eraseOrganization(sql, id)
      await record(sql, actor, 'organization.deleted', { target: { type: 'organization', id } })
    }
  }
  await tellOfErasure(sql, keyring, user.userId)
  const former = await listUndoAddresses(sql, user.userId)
  await eraseUser(sql, user.userId, keys, addresses, invitations)
  await forgetTries(sql, keyring, locked.email)
  await endAttempts(sql, context, user.userId, locked.email)
  await tellOfDeletion(sql, keyring, locked, former)
}

/** Whose account is deleted, as the locked row says. */
interface Locked extends Versioned {
  readonly email: string
  readonly emailVerified: boolean
  readonly passwordHash: string | null
  readonly role: TenantRole
  /** When the notice of the deletion is given up. */
  readonly until: string
}

/** @param former addresses that could still undo a change: a thief may have changed from the owner's, who must learn of the deletion */
async function tellOfDeletion(
  sql: Sql,
  keyring: Keyring,
  { email, emailVerified, until }: Locked,
  former: readonly string[],
): Promise<void> {
  const notices: DeletionNotice[] = [
    ...(emailVerified ? [{ email, until }] : []), // else a mail to it may be a mail to somebody else
    ...former.filter((each) => each !== email).map((each) => ({ email: each, until, isFormer: true })),
  ]
  for (const notice of notices)
    await queueMail(sql, { kind: 'account_deleted', sealed: keyring.seal('job', JSON.stringify(notice), sql.tenant) })
}

/**
 * Refuses before any conflict if the account has changed since the caller read it.
 *
 * @returns the ids of those who want an address of the person
 * @throws Problem version_mismatch
 */
async function checkSeen(sql: Sql, context: RequestContext, userId: string): Promise<string[]> {
  const [[seen], wanting] = await pipeline([
    sql<Versioned>`select id, version from users where tenant_id = ${sql.tenant} and id = ${userId}`,
    sql<{ id: string }>`${selectWanting(sql.tenant, userId)}`,
  ])
  if (seen) checkVersion(context, seen)
  return wanting.map(({ id }) => id)
}

/** An organization that somebody is in, and what becomes of it when their account is deleted. */
export interface Membership {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly role: Role
  readonly memberCount: number
  /**
   * goes: nobody else is a member, so it is deleted with the account. blocks: the person is its only owner, and others are members.
   * stays: all else.
   */
  readonly fate: 'goes' | 'blocks' | 'stays'
}

export function selectMemberships(tenant: string, user: Statement | string): Statement {
  return statement`
    select o.id, o.name, o.slug, m.role, o.member_count,
      case
        when o.member_count - ${selectUnsettled(tenant)} = 1 then 'goes'
        when m.role = 'owner' and o.owner_count = 1 then 'blocks'
        else 'stays'
      end as fate
    from memberships m
    join organizations o on o.tenant_id = ${tenant} and o.id = m.organization_id
    where m.tenant_id = ${tenant} and m.user_id = ${user} and ${isCurrent}
    order by o.id`
}

/** Locks the organizations that a user is in, takes away who has ended there, then reads what the user is in them. */
async function lockMemberships(sql: Sql, erasing: Erasing): Promise<Membership[]> {
  const { userId } = erasing
  for (const id of await lockOrganizationsOf(sql, userId)) await settle(sql, id, userId, erasing)
  return sql<Membership>`${selectMemberships(sql.tenant, userId)}`
}

interface Invited {
  readonly id: string
  readonly status: string
  readonly organizationId: string
  /** Whether the user was invited by it, under whatever address they had then. */
  readonly isTheirs: boolean
  /** Whether the user still is who sent it: somebody else may have sent it again while its row was waited for. */
  readonly isSent: boolean
}

/**
 * Takes a user out of the invitations that they sent or received, and revokes those that are pending, but for the organizations that go with
 * the account. To be called while their memberships are still there.
 *
 * @returns the invitations as they were
 */
async function eraseInvitations(
  sql: Sql,
  userId: string,
  addresses: readonly Address[],
  going: readonly string[],
): Promise<Invited[]> {
  const locked = await lockInvitations(sql, userId, addresses)
  const invitations = locked.filter(({ isTheirs, isSent }) => isTheirs || isSent)
  const ids = (some: readonly Invited[]) => some.map(({ id }) => id)
  await eraseInParts(sql, invitations, (part) => {
    const revoked = part.filter((each) => each.status === 'pending' && !going.includes(each.organizationId))
    return pipeline([
      eraseFromInvitations(sql, userId, {
        all: ids(part),
        received: ids(part.filter(({ isTheirs }) => isTheirs)),
        revoked: ids(revoked),
      }),
      ...revoked.map(({ id, organizationId }) => recordRevoked(sql, system, organizationId, id)),
    ])
  })
  return invitations
}

/** Locks the invitations that a user sent or received, and reads them as they are then. */
function lockInvitations(sql: Sql, userId: string, addresses: readonly Address[]): Promise<Invited[]> {
  return sql<Invited>`
    with received as (
      select i.id
      from ${asTable(addresses)}
      join invitations i on i.tenant_id = ${sql.tenant} and i.email = theirs.email and i.created_at <= theirs.until
      union
      select i.id
      from memberships m
      join invitations i on i.tenant_id = ${sql.tenant} and i.membership_id = m.id
      where m.tenant_id = ${sql.tenant} and m.user_id = ${userId}),
    sent as (select id from invitations where tenant_id = ${sql.tenant} and invited_by = ${userId})
    select i.id, ${effectiveStatus} as status, i.organization_id, i.id in (select id from received) as is_theirs,
      i.invited_by is not distinct from ${userId} as is_sent
    from invitations i
    where i.tenant_id = ${sql.tenant} and i.id in (select id from received union select id from sent)
    order by i.id
    for no key update`
}

/**
 * Takes the person out of everything that stays. Their sessions go in batches. Mailed tokens, subjects and mails hang on the user's row by
 * foreign keys and go with it. Jobs go last: from then on, the relay of the tenant may wait until the commit for rows of the outbox.
 *
 * @param keys the ids of the keys that they had
 */
async function eraseUser(
  sql: Sql,
  userId: string,
  keys: readonly string[],
  addresses: readonly Address[],
  invitations: readonly Invited[],
): Promise<void> {
  const ids = invitations.map(({ id }) => id)
  const theirs = invitations.filter(({ isTheirs }) => isTheirs).map(({ id }) => id)
  // Others that were answered or revoked have no mail, or one that is not sent and says nothing of the person.
  const mailed = invitations.filter(({ status, isTheirs }) => isTheirs || status === 'pending' || status === 'expired')
  await eraseMaker(sql, userId)
  // One after the other: of several at once, all would go on after one has claimed the turn in vain.
  for (const eraseBatch of giverErasures) await eraseInBatches(sql, (limit) => eraseBatch(sql, userId, limit))
  await eraseInParts(
    sql,
    ids,
    (part) => sql`delete from mails where tenant_id = ${sql.tenant} and invitation_id = any(${part})`,
  )
  await pipeline([
    forgetAnswers(sql, [userId, ...theirs]),
    forgetAnswersTo(sql, userId, keys),
    eraseInBatches(sql, (limit) => deleteSessionsOf(sql, userId, limit)),
  ])
  await forgetAddresses(sql, userId, addresses)
  await eraseDetails(sql, userId)
  await eraseUrlSetter(sql, userId) // not before: retention keeps the relay out while it waits for a webhook
  const mails = mailed.map(({ id }) => invitationJob(id))
  await eraseInParts(sql, mails, (part) => removeJobs(sql, part))
  await removeMailsTo(sql, userId)
  await removeLogoutsOf(sql, userId)
  await sql`delete from users where tenant_id = ${sql.tenant} and id = ${userId}`
}
