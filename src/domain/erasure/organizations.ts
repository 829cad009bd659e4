/** Erasure of organizations: taking one away for good, and everything of it. */

import { Type } from 'typebox'
import { pipeline, type Sent, type Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { forgetAnswers, forgetAnswersToKeys } from '../../platform/http/idempotency.ts'
import { checkVersion, type Versioned } from '../../platform/http/preconditions.ts'
import { removeJobs, removeJobsOfOrganization } from '../../platform/jobs/queue.ts'
import type { Actor } from '../access/actors.ts'
import { invitationJob } from '../mail/queue.ts'
import { mailAll, mostRead } from '../mail/readers.ts'
import { deleteInvitationsOf, type InvitationPlace } from '../organizations/invitation-states.ts'
import { isInvitationPending } from '../organizations/invitations.ts'
import { deleteMembershipsOf, type MembershipPlace } from '../organizations/memberships.ts'
import { isCurrent } from '../permissions/held.ts'
import { ApiProblem } from '../problems.ts'
import { eraseFromFeed, eraseRestOfEvents } from '../record/feed-erasure.ts'
import { eraseLog } from '../record/log-erasure.ts'
import { record } from '../record/record.ts'
import { lockWebhooksOf } from '../webhooks/erasure.ts'
import { batch, eraseInBatches, eraseInParts } from './batches.ts'

export const Confirmation = Type.Object(
  {
    // A text that no slug can be is a wrong one, and no invalid field.
    confirm: Type.String({
      maxLength: 256,
      description: 'The slug of the organization.',
      examples: ['acme'],
    }),
  },
  { additionalProperties: false },
)

/**
 * Deletes an organization, and tells its owners and admins. The row must be locked.
 *
 * @param confirm what must be its slug
 * @throws Problem confirmation_mismatch, version_mismatch
 */
export async function deleteOrganization(
  sql: Sql,
  context: RequestContext,
  actor: Actor,
  id: string,
  confirm: string,
): Promise<void> {
  const [organization] = await sql<{ slug: string; name: string } & Versioned>`
    select id, slug, name, version from organizations where tenant_id = ${sql.tenant} and id = ${id}`
  if (organization?.slug !== confirm) throw new ApiProblem('confirmation_mismatch')
  checkVersion(context, organization)
  const sealed = context.keyring.seal('job', organization.name, sql.tenant)
  await mailAll<Reader>(
    sql,
    (last) => findReaders(sql, id, last),
    (readers) => readers.map(({ userId }) => ({ kind: 'organization_deleted', userId, sealed })),
  )
  await eraseOrganization(sql, id)
  await record(sql, actor, 'organization.deleted', { target: { type: 'organization', id } })
}

interface Reader {
  readonly userId: string
}

/** Finds owners and admins whose membership has not ended. @param last after whom to read on */
function findReaders(sql: Sql, id: string, last: Reader | undefined): Promise<Reader[]> {
  return sql<Reader>`
    select m.user_id
    from memberships m
    where m.tenant_id = ${sql.tenant} and m.organization_id = ${id} and m.role <> 'member' and ${isCurrent}
      and m.user_id > ${last?.userId ?? ''}
    order by m.user_id
    limit ${mostRead}`
}

/**
 * Deletes an organization and everything of it; the row must be locked. What may be very much goes in batches, and foreign keys delete the
 * rest. A long audit log is deleted after the transaction (domain/record/log-erasure.ts). What is in the outbox goes last: from then on the
 * relay of the tenant waits until the commit.
 */
export async function eraseOrganization(sql: Sql, id: string): Promise<void> {
  // A mail of one that has expired is not sent any more, and its job drops itself.
  const invited = await sql<{ id: string }>`
    select id from invitations i
    where i.tenant_id = ${sql.tenant} and i.organization_id = ${id} and ${isInvitationPending}`
  const runs = await lockWebhooksOf(sql, id)
  // Its own, and those of people that are limited to it: they go with its row.
  const keys = await sql<{ id: string }>`
    select id from api_keys where tenant_id = ${sql.tenant} and organization_id = ${id}`
  const [, , [locked]] = await pipeline([
    forgetAnswers(sql, [id]),
    forgetAnswersToKeys(
      sql,
      keys.map((key) => key.id),
    ),
    // Who writes a row that refers to it may need a row of the batches next, so this waits for them first.
    sql<{ memberCount: number }>`
      select member_count from organizations where tenant_id = ${sql.tenant} and id = ${id} for update`,
    eraseInBatches<InvitationPlace>(sql, (limit, last) => deleteInvitationsOf(sql, id, limit, last)),
  ])
  if (!locked) throw new Error('The organization is not locked.')
  if (locked.memberCount > batch)
    await eraseInBatches<MembershipPlace>(sql, (limit, last) => deleteMembershipsOf(sql, id, limit, last))
  await pipeline([
    sql`delete from organizations where tenant_id = ${sql.tenant} and id = ${id}`,
    // After the row and its invitations: their deletion has waited for all who wrote an entry.
    eraseInBatches(sql, (limit) => deleteSubjectsOf(sql, id, limit), 10 * batch),
  ])
  const last = await eraseFromFeed(sql, id)
  await eraseInParts(sql, [...invited.map((invitation) => invitationJob(invitation.id)), ...runs], (keys) =>
    removeJobs(sql, keys),
  )
  await removeJobsOfOrganization(sql, id)
  await eraseRestOfEvents(sql, id, last)
  await eraseLog(sql, id) // it may add a job that names the organization
}

function deleteSubjectsOf(sql: Sql, organizationId: string, limit: number): Sent<unknown[]> {
  return sql`
    delete from subjects
    where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and user_id = any(array(
      select user_id from subjects where tenant_id = ${sql.tenant} and organization_id = ${organizationId} limit ${limit}))
    returning id`
}
