/** Sending: how an invitation goes out, and goes out again. */

import { Type } from 'typebox'
import type { MemberCaller } from '../../domain/access/actors.ts'
import { forgetInvitationMails } from '../../domain/mail/mail.ts'
import { invitationJob, queueMail } from '../../domain/mail/queue.ts'
import { addInvitation, renewInvitation } from '../../domain/organizations/invitation-states.ts'
import { getInvitation, Invitation, lockInvitation } from '../../domain/organizations/invitations.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { mayInvite, roles } from '../../domain/permissions/roles.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { pipeline, type Sql } from '../../platform/database/database.ts'
import { withTag } from '../../platform/http/preconditions.ts'
import { Email, Id, newId, normalizeEmail, OneOf, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { countInvitation, invitationRates } from './invitation-rates.ts'
import { checkInvitee, checkNotInvited, checkPending } from './invitees.ts'

export async function sendingRoutes(app: App): Promise<void> {
  app.post(
    '/organizations/:orgId/invites',
    {
      config: {
        access: 'invitations:write',
        problems: [
          'role_above_yours',
          'email_domain_not_allowed',
          'already_a_member',
          'already_invited',
          'limit_reached',
        ],
        takesIdempotencyKey: true,
        rates: invitationRates,
      },
      schema: {
        operationId: 'inviteMember',
        summary: 'Invite member',
        description: 'Sends a mail with a link that expires after seven days.',
        tags: ['Invitations'],
        params: Type.Object({ orgId: OrganizationPath }),
        body: Type.Object(
          { email: Email, role: Type.Optional(OneOf(roles, { default: 'member' })) },
          { additionalProperties: false },
        ),
        response: { 201: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const { role = 'member' } = request.body
      const email = normalizeEmail(request.body.email) as string // the format `email` let it pass
      const invitation = await request.inOrganization(async (sql, caller) => {
        if (!mayInvite(caller.role, role)) throw new ApiProblem('role_above_yours')
        const { organizationId } = caller
        // The organization's row is locked, so nobody else can add one at the same time.
        await pipeline([
          keepActive(sql, caller),
          checkInvitee(sql, organizationId, email),
          checkNotInvited(sql, organizationId, email),
        ])
        const id = newId('inv')
        const [, invitation] = await pipeline([
          addInvitation(sql, { id, organizationId, email, role, invitedBy: caller.userId }),
          getInvitation(sql, organizationId, id),
          checkPending(sql, organizationId, app.config.maxPendingInvites),
          queueMail(sql, { kind: 'invitation', invitationId: id, generation: 1 }, invitationJob(id)),
          record(sql, caller, 'invitation.sent', {
            organizationId,
            target: { type: 'invitation', id },
            details: { role },
          }),
        ])
        await countInvitation(request.context, caller, email)
        return invitation
      })
      reply.status(201).header('location', `/api/organizations/${invitation.organization.id}/invites/${invitation.id}`)
      return withTag(reply, invitation)
    },
  )

  app.post(
    '/organizations/:orgId/invites/:inviteId/resend',
    {
      config: {
        access: 'invitations:write',
        problems: [
          'role_above_yours',
          'invitation_not_pending',
          'already_invited',
          'already_a_member',
          'email_domain_not_allowed',
          'limit_reached',
        ],
        takesIdempotencyKey: true,
        rates: invitationRates,
      },
      schema: {
        operationId: 'resendInvitation',
        summary: 'Resend invitation',
        description:
          'Sends a new link that expires after seven days. Links sent earlier stop working. The caller becomes the inviter.',
        tags: ['Invitations'],
        params: Type.Object({ orgId: OrganizationPath, inviteId: Id('inv') }),
        response: { 200: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const invitation = await request.inOrganization(async (sql, caller) => {
        const { organizationId } = caller
        const { id, email, role, status, invitedBy } = await lockInvitation(
          sql,
          organizationId,
          request.params.inviteId,
        )
        if (!mayInvite(caller.role, role)) throw new ApiProblem('role_above_yours')
        if ((status !== 'pending' && status !== 'expired') || email === null)
          throw new ApiProblem('invitation_not_pending')
        await pipeline([
          keepActive(sql, caller),
          checkInvitee(sql, organizationId, email),
          checkNotInvited(sql, organizationId, email, id),
        ])

        const [generation] = await pipeline([
          renewInvitation(sql, id, caller.userId),
          invitedBy?.id !== caller.userId && forgetInvitationMails(sql, id),
          status === 'expired' && checkPending(sql, organizationId, app.config.maxPendingInvites),
        ])
        const [invitation] = await pipeline([
          getInvitation(sql, organizationId, id),
          queueMail(sql, { kind: 'invitation', invitationId: id, generation }, invitationJob(id)),
          record(sql, caller, 'invitation.resent', { organizationId, target: { type: 'invitation', id } }),
        ])
        await countInvitation(request.context, caller, email)
        return invitation
      })
      return withTag(reply, invitation)
    },
  )
}

/**
 * A suspension of the inviter waits for this invitation from now on, and then finds and revokes it.
 *
 * @throws Problem unauthenticated when they were suspended already
 */
async function keepActive(sql: Sql, { userId }: MemberCaller): Promise<void> {
  const [inviter] = await sql<{ status: string }>`
    select status from users where tenant_id = ${sql.tenant} and id = ${userId} for share`
  if (inviter?.status !== 'active') throw new ApiProblem('unauthenticated')
}
