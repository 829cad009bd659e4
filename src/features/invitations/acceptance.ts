/**
 * Acceptance: what the invited person does with an invitation.
 *
 * Invariant: only the signed-in person whose verified address was invited can accept, and only they learn what became of it.
 */

import { Type } from 'typebox'
import type { Caller } from '../../domain/access/actors.ts'
import type { Names } from '../../domain/access/authorization.ts'
import { organizationTurn } from '../../domain/access/turns.ts'
import { type Admissibility, admit, readAdmissibility } from '../../domain/organizations/admission.ts'
import { acceptInvitation, closeInvitation } from '../../domain/organizations/invitation-states.ts'
import {
  closedAs,
  closedProblems,
  effectiveStatus,
  hasEndedSuspended,
  Invitation,
  selectInvitations,
} from '../../domain/organizations/invitations.ts'
import { type HolderRow, heldBy, Member, selectHolders, shownTo, toMember } from '../../domain/organizations/members.ts'
import { checkOpen, type MadeOffer, type Right, readRight } from '../../domain/organizations/offers.ts'
import {
  Organization,
  type OrganizationRow,
  selectOrganization,
  toOrganization,
} from '../../domain/organizations/organizations.ts'
import { isCurrent } from '../../domain/permissions/held.ts'
import { ApiProblem, found } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { recheckCaller } from '../../domain/sessions/recheck.ts'
import { pipeline, type Sent, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { Id, newId, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const path = Type.Object({ inviteId: Id('inv') })

/** What may be said to somebody who answers an invitation. */
const answered = ['not_found', 'invitation_for_another_email', 'email_not_verified', ...closedProblems] as const
const acceptable = [...answered, 'members_full', 'membership_suspended'] as const

export async function acceptanceRoutes(app: App): Promise<void> {
  app.post(
    '/invites/:inviteId/accept',
    {
      config: {
        access: 'user',
        scope: 'invitations:answer',
        problems: acceptable,
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
    async (request) => {
      const { inviteId } = request.params
      return request.asUser(selectOrganizationOf(inviteId), async (sql, caller, { organizations }: Organizations) => {
        const organizationId = claimOrganizationTurn(sql, organizations)
        const of = (column: Statement) =>
          statement`(select ${column} from invitations where tenant_id = ${sql.tenant} and id = ${inviteId})`
        const maker = { user: of(statement`invited_by`), key: of(statement`key_id`) }
        const [invitation, right, admissibility] = await pipeline([
          lockInvitation(sql, caller, inviteId, organizationId),
          readRight(sql, organizationId, maker),
          readAdmissibility(sql, organizationId, caller.userId),
        ])
        const [id, write] = judge(sql, caller, invitation, right, admissibility)
        if (invitation.existingId === null) request.about = 'invitation'
        const [, [row], [organization]] = await sql.commit([
          write(),
          sql<HolderRow>`${selectHolders(sql.tenant, organizationId)} and m.id = ${id}`,
          sql<OrganizationRow>`${selectOrganization(sql.tenant, organizationId)}`,
        ])
        if (!row) throw new ApiProblem('invitation_used') // the membership has ended at this moment
        return {
          organization: toOrganization(found(organization), row, caller.assurance),
          member: shownTo(heldBy(row), toMember(row)),
        }
      })
    },
  )

  app.post(
    '/invites/:inviteId/decline',
    {
      config: {
        access: 'user',
        scope: 'invitations:answer',
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
      const { inviteId } = request.params
      const invitation = await request.asUser(
        selectOrganizationOf(inviteId),
        async (sql, caller, { organizations }: Organizations) => {
          const organizationId = claimOrganizationTurn(sql, organizations)
          const { id, status } = await lockInvitation(sql, caller, inviteId, organizationId)
          if (status !== 'pending') throw new ApiProblem(closedAs[status] ?? 'not_found')
          const [, [declined]] = await sql.commit([
            closeInvitation(sql, id, 'declined'),
            sql<Invitation & Versioned>`${selectInvitations(sql.tenant)} and i.id = ${id}`,
            record(sql, caller, 'invitation.declined', { organizationId, target: { type: 'invitation', id } }),
          ])
          return found(declined)
        },
      )
      return withTag(reply, invitation)
    },
  )
}

interface Locked extends MadeOffer {
  readonly id: string
  readonly organizationId: string
  readonly email: string | null
  readonly status: Invitation['status']
  readonly membershipId: string | null
  /** The membership that the caller has in the organization, however it came about. */
  readonly existingId: string | null
  readonly existingStatus: 'active' | 'suspended' | null
  /** Whether the invited person was put out since, or their membership has ended while it was suspended, and is not settled yet. */
  readonly isOvertaken: boolean
}

type Organizations = { organizations: { organizationId: string }[] }

/** What is read with the door: the organization of an invitation, which never changes. */
function selectOrganizationOf(id: string) {
  return ({ tenant }: Names) => ({
    organizations: statement`select organization_id from invitations where tenant_id = ${tenant} and id = ${id}`,
  })
}

/** Waits for the turn of an invitation's organization. @returns its id @throws Problem not_found */
function claimOrganizationTurn(sql: Sql, [organization]: Organizations['organizations']): string {
  const { organizationId } = found(organization)
  sql.claimTurn(organizationTurn(organizationId))
  return organizationId
}

/**
 * Locks an invitation and its organization, the caller, and the person or key by which it was made, then reads the invitation for its
 * addressee. The organization alone does not keep it: a suspension, an erasure or the end of a key ends it also where it has not locked the
 * organization, and holds the maker before the invitation.
 *
 * @throws Problem not_found, invitation_for_another_email, email_not_verified, unauthenticated when they were suspended meanwhile
 */
async function lockInvitation(sql: Sql, caller: Caller, id: string, organizationId: string): Promise<Locked> {
  const ofInvitation = (column: Statement) =>
    statement`(select ${column} from invitations where tenant_id = ${sql.tenant} and id = ${id})`
  const [, { email, emailVerified }, , , , [invitation]] = await pipeline([
    sql`select from organizations where tenant_id = ${sql.tenant} and id = ${organizationId} for no key update`,
    lockInvitee(sql, caller),
    sql`select from users where tenant_id = ${sql.tenant} and id = ${ofInvitation(statement`invited_by`)} for key share`,
    sql`select from api_keys where tenant_id = ${sql.tenant} and id = ${ofInvitation(statement`key_id`)} for share`,
    sql`select from invitations where tenant_id = ${sql.tenant} and id = ${id} for no key update`,
    sql<Locked>`
      select i.id, i.organization_id, i.email, i.role, i.grants, i.member_expires_at, i.invited_by as maker_id, i.key_id,
        ${effectiveStatus} as status, i.membership_id, m.id as existing_id, m.status as existing_status,
        exists (
          select from memberships e
          where e.tenant_id = ${sql.tenant} and e.organization_id = i.organization_id and e.user_id = ${caller.userId}
            and ${hasEndedSuspended})
        -- They had another address then. One that was sent again may have been so after it.
        or exists (
          select from exclusions x
          where x.tenant_id = ${sql.tenant} and x.organization_id = i.organization_id and x.user_id = ${caller.userId}
            and i.generation = 1 and i.created_at < x.excluded_at) as is_overtaken
      from invitations i
      left join memberships m
        on m.tenant_id = ${sql.tenant} and m.organization_id = i.organization_id and m.user_id = ${caller.userId}
        and ${isCurrent}
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
async function lockInvitee(sql: Sql, caller: Caller): Promise<Pick<Caller, 'email' | 'emailVerified'>> {
  const [[invitee]] = await pipeline([
    sql<Pick<Caller, 'email' | 'emailVerified'> & { status: string }>`
      select email, email_verified, status from users where tenant_id = ${sql.tenant} and id = ${caller.userId} for share`,
    recheckCaller(sql, caller),
  ])
  if (invitee?.status !== 'active') throw new ApiProblem('unauthenticated')
  return invitee
}

/**
 * Judges whether the caller may accept.
 *
 * @returns the id of the membership, and what writes it. The membership may be new, or there already: by this invitation or another way.
 * @throws Problem invitation_expired, invitation_revoked and so on, membership_suspended; what writes it throws members_full
 */
function judge(
  sql: Sql,
  caller: Caller,
  invitation: Locked,
  right: Right,
  admissibility: Admissibility,
): [string, () => Sent<unknown> | false] {
  const {
    id,
    organizationId,
    status,
    makerId,
    membershipId,
    existingId,
    existingStatus,
    memberExpiresAt,
    isOvertaken,
  } = invitation
  const isAccepted = status === 'accepted' && membershipId !== null && membershipId === existingId
  if (!isAccepted) checkOpen(invitation, right)
  if (isOvertaken) throw new ApiProblem('invitation_revoked')
  if (existingStatus === 'suspended') throw new ApiProblem('membership_suspended')
  if (isAccepted) return [membershipId, () => false]

  const membership = existingId ?? newId('mem')
  const newcomer = {
    ...invitation,
    userId: caller.userId,
    name: caller.name,
    expiresAt: memberExpiresAt,
    invitedBy: makerId,
    via: 'invitation',
  } as const
  const write = () =>
    pipeline([
      existingId === null && admit(sql, caller, membership, newcomer, admissibility),
      acceptInvitation(sql, id, membership),
      record(sql, caller, 'invitation.accepted', { organizationId, target: { type: 'invitation', id } }),
    ])
  return [membership, write]
}
