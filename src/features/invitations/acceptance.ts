/**
 * Acceptance: what the invited person does with an invitation.
 *
 * Invariant: only the signed-in person whose verified address was invited can accept, and only they learn what became of it.
 */

import { Type } from 'typebox'
import type { Caller } from '../../domain/access/actors.ts'
import { findTenant } from '../../domain/access/tenancy.ts'
import { isMailedToken, readMailedToken } from '../../domain/access/tokens.ts'
import { organizationTurn } from '../../domain/access/turns.ts'
import { MailedTokenText } from '../../domain/credentials/mailed-tokens.ts'
import { acceptInvitation, closeInvitation } from '../../domain/organizations/invitation-states.ts'
import { closedAs, effectiveStatus, Invitation, selectInvitations } from '../../domain/organizations/invitations.ts'
import { getMember, Member, shownTo } from '../../domain/organizations/members.ts'
import { addMember } from '../../domain/organizations/memberships.ts'
import {
  getOrganization,
  Organization,
  type OrganizationRow,
  toOrganization,
} from '../../domain/organizations/organizations.ts'
import { Person } from '../../domain/people/users.ts'
import { Role } from '../../domain/permissions/roles.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'
import { type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { Id, Nullable, newId, ref, Timestamp } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const path = Type.Object({ inviteId: Id('inv') })

/** What became of an invitation that is answered no more. */
const closed = ['invitation_expired', 'invitation_revoked', 'invitation_declined', 'invitation_used'] as const

/** What may be said to somebody who answers an invitation. */
const answered = ['not_found', 'invitation_for_another_email', 'email_not_verified', ...closed] as const

export async function acceptanceRoutes(app: App): Promise<void> {
  app.post(
    '/invites/:inviteId/preview',
    {
      config: { access: 'anyone', problems: ['not_found', 'tenant_mismatch', ...closed] },
      schema: {
        operationId: 'previewInvitation',
        summary: 'See an invitation',
        description: 'What the page behind the mailed link shows. The token stays valid.',
        tags: ['Invitations'],
        params: path,
        body: Type.Object({ token: MailedTokenText }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            {
              organization: Type.Object({
                id: Id('org'),
                name: Type.String({ maxLength: 100, examples: ['Acme'] }),
                slug: Type.String({ maxLength: 48, examples: ['acme'] }),
                logoUrl: Nullable(Type.String({ maxLength: 2048 })),
              }),
              invitedBy: Nullable(ref(Person)),
              email: Type.String({ maxLength: 254, examples: ['bob@example.com'] }),
              role: Role,
              expiresAt: Timestamp,
              hasAccount: Type.Boolean({
                description: 'Whether the invited address has an account: then sign in, else sign up.',
              }),
            },
            { description: 'The invitation.' },
          ),
        },
      },
    },
    async (request) => {
      const { inviteId } = request.params
      const token = readMailedToken(request.body.token)
      const tenant = await findTenant(request, token.tenant, 'not_found')
      return request.asAnyone(tenant, async (sql) => {
        const [row] = await sql<Invitation & { email: string; generation: number; hasAccount: boolean }>`
          select i.*, r.generation,
            exists (select from users where tenant_id = ${sql.tenant} and email = i.email) as has_account
          from (${selectInvitations(sql.tenant)} and i.id = ${inviteId}) i
          join invitations r on r.tenant_id = ${sql.tenant} and r.id = i.id`
        const isOurs =
          row !== undefined &&
          inviteId === `inv_${token.row}` &&
          isMailedToken(app.keyring, token, 'invitation', {
            tenant: sql.tenant,
            id: inviteId,
            generation: row.generation,
          })
        if (!isOurs || row.email === null) throw new ApiProblem('not_found')
        if (row.status !== 'pending') throw new ApiProblem(closedAs[row.status] ?? 'not_found')
        return row
      })
    },
  )

  app.post(
    '/invites/:inviteId/accept',
    {
      config: {
        access: 'user',
        problems: answered,
      },
      schema: {
        operationId: 'acceptInvitation',
        summary: 'Accept invitation',
        description:
          'The caller becomes a member. While that membership exists, accepting again gives the same answer.',
        tags: ['Invitations'],
        params: path,
        response: {
          200: Type.Object(
            { organization: ref(Organization), member: ref(Member) },
            { description: 'The organization, and the membership in it.' },
          ),
        },
      },
    },
    async (request) =>
      request.asUser(async (sql, caller) => {
        const invitation = await lockInvitation(sql, caller, request.params.inviteId)
        const [organization, member] = await accept(sql, caller, invitation)
        return { organization: toOrganization(organization, member.role), member: shownTo(member.role, member) }
      }),
  )

  app.post(
    '/invites/:inviteId/decline',
    {
      config: {
        access: 'user',
        problems: answered,
      },
      schema: {
        operationId: 'declineInvitation',
        summary: 'Decline invitation',
        description: 'Only the invited person can decline. To change that, they must be invited again.',
        tags: ['Invitations'],
        params: path,
        response: { 200: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const invitation = await request.asUser(async (sql, caller) => {
        const { id, organizationId, status } = await lockInvitation(sql, caller, request.params.inviteId)
        if (status !== 'pending') throw new ApiProblem(closedAs[status] ?? 'not_found')
        const [, [declined]] = await pipeline([
          closeInvitation(sql, id, 'declined'),
          sql<Invitation & Versioned>`${selectInvitations(sql.tenant)} and i.id = ${id}`,
          record(sql, caller, 'invitation.declined', { organizationId, target: { type: 'invitation', id } }),
        ])
        if (!declined) throw new ApiProblem('not_found')
        return declined
      })
      return withTag(reply, invitation)
    },
  )
}

interface Locked {
  readonly id: string
  readonly organizationId: string
  readonly email: string | null
  readonly role: Role
  readonly status: Invitation['status']
  readonly invitedBy: string | null
  readonly membershipId: string | null
  /** The membership that the caller has in the organization, however it came about. */
  readonly existingId: string | null
}

/**
 * Waits for its turn, locks the invitation's organization and the caller, then reads the invitation for its addressee.
 *
 * @throws Problem not_found, invitation_for_another_email, email_not_verified, unauthenticated when they were suspended meanwhile
 */
async function lockInvitation(sql: Sql, caller: Caller, id: string): Promise<Locked> {
  const [found] = await sql<{ organizationId: string }>`
    select organization_id from invitations where tenant_id = ${sql.tenant} and id = ${id}`
  if (!found) throw new ApiProblem('not_found')
  sql.claimTurn(organizationTurn(found.organizationId))
  const [, { email, emailVerified }, [invitation]] = await pipeline([
    sql`select from organizations where tenant_id = ${sql.tenant} and id = ${found.organizationId} for no key update`,
    keepInvitee(sql, caller),
    sql<Locked>`
      select i.id, i.organization_id, i.email, i.role, ${effectiveStatus} as status, i.invited_by, i.membership_id,
        m.id as existing_id
      from invitations i
      left join memberships m
        on m.tenant_id = ${sql.tenant} and m.organization_id = i.organization_id and m.user_id = ${caller.userId}
      where i.tenant_id = ${sql.tenant} and i.id = ${id}`,
  ])
  if (!invitation) throw new ApiProblem('not_found')
  if (invitation.email !== email) throw new ApiProblem('invitation_for_another_email')
  if (!emailVerified) throw new ApiProblem('email_not_verified')
  return invitation
}

/**
 * The caller's address, read after the lock of the organization. A suspension of the caller, or a change of their address, waits from
 * now on.
 *
 * @throws Problem unauthenticated
 */
async function keepInvitee(sql: Sql, { userId }: Caller): Promise<Pick<Caller, 'email' | 'emailVerified'>> {
  const [invitee] = await sql<Pick<Caller, 'email' | 'emailVerified'> & { status: string }>`
    select email, email_verified, status from users where tenant_id = ${sql.tenant} and id = ${userId} for share`
  if (invitee?.status !== 'active') throw new ApiProblem('unauthenticated')
  return invitee
}

/** @returns the organization and the membership, whether it is new, was made by this invitation before, or came about another way */
async function accept(
  sql: Sql,
  caller: Caller,
  { id, organizationId, role, status, invitedBy, membershipId, existingId }: Locked,
): Promise<[OrganizationRow, Member]> {
  const read = (member: string) =>
    [getOrganization(sql, organizationId), getMember(sql, organizationId, member)] as const
  if (status === 'accepted' && membershipId) return pipeline(read(membershipId))
  if (status !== 'pending') throw new ApiProblem(closedAs[status] ?? 'not_found')

  const membership = existingId ?? newId('mem')
  const isNew = existingId === null
  const [, , organization, member] = await pipeline([
    isNew && addMember(sql, { id: membership, organizationId, userId: caller.userId, role, invitedBy }),
    acceptInvitation(sql, id, membership),
    ...read(membership),
    record(sql, caller, 'invitation.accepted', { organizationId, target: { type: 'invitation', id } }),
    isNew && record(sql, caller, 'member.joined', { organizationId, target: caller, details: { role } }),
  ])
  return [organization, member]
}
