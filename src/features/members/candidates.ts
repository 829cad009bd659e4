/**
 * Candidates: members who are about to become owners.
 *
 * Invariant: nobody becomes an owner while their account is suspended.
 */
import type { ActingCaller } from '../../domain/access/actors.ts'
import { recheckActing } from '../../domain/organizations/administration.ts'
import { getMember, type Member } from '../../domain/organizations/members.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'

/**
 * Locks the account of somebody who becomes an owner, then judges the caller again. A suspension of the account waits from now on, and leaves
 * a suspended owner.
 *
 * @throws Problem user_suspended, and those of `recheckActing`
 */
export async function lockCandidate(sql: Sql, caller: ActingCaller, userId: string): Promise<void> {
  const [[user]] = await pipeline([
    sql<{ status: string }>`select status from users where tenant_id = ${sql.tenant} and id = ${userId} for share`,
    recheckActing(sql, caller),
  ])
  if (user?.status !== 'active') throw new ApiProblem('user_suspended')
}

/**
 * Locks and judges the member to whom the caller's organization goes, then the caller.
 *
 * @throws Problem not_found, user_suspended, already_owner, owner_cannot_end, and those of `recheckActing`
 */
export async function getCandidate(sql: Sql, caller: ActingCaller, memberId: string): Promise<Member> {
  const candidate = await getMember(sql, caller.organizationId, memberId)
  await lockCandidate(sql, caller, candidate.user.id)
  if (candidate.role === 'owner') throw new ApiProblem('already_owner')
  if (candidate.status !== 'active' || candidate.expiresAt !== null) throw new ApiProblem('owner_cannot_end')
  return candidate
}
