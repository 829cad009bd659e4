/** Sending: how an invitation goes out, and goes out again. */

import { Type } from 'typebox'
import { forgetInvitationMails } from '../../domain/mail/mail.ts'
import { invitationJob, queueMail } from '../../domain/mail/queue.ts'
import { renewInvitation } from '../../domain/organizations/invitation-states.ts'
import { getInvitation, Invitation, lockOffer } from '../../domain/organizations/invitations.ts'
import { getAccessModel, giftsOf } from '../../domain/organizations/offers.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { checkCover, endOf } from '../../domain/permissions/rules.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { pipeline } from '../../platform/database/database.ts'
import type { Fault } from '../../platform/http/faults.ts'
import { type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Id, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { countInvitation, invitationRates } from './invitation-rates.ts'
import { expiresInDays, judgeInvitations, readInvitation, sendInvitations, WantedInvitation } from './inviting.ts'

export async function sendingRoutes(app: App): Promise<void> {
  app.post(
    '/organizations/:orgId/invites',
    {
      config: {
        access: 'invitations:write',
        problems: [
          'role_above_yours',
          'owner_cannot_end',
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
        description: 'Sends a mail with a link. Both live `expiresInDays`.',
        tags: ['Invitations'],
        params: Type.Object({ orgId: OrganizationPath }),
        body: WantedInvitation,
        response: { 201: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const invitation = await request.inOrganization(async (sql, caller) => {
        const model = await getAccessModel(sql)
        const faults: Fault[] = []
        const wanted = readInvitation('', request.body, model, faults)
        if (faults.length > 0) throw invalidRequest(faults)
        const [refusal] = await judgeInvitations(sql, caller, [wanted], model, app.config.maxPendingInvites)
        if (refusal) throw refusal
        const [sent] = await sendInvitations(sql, caller, [wanted], model)
        await countInvitation(request.context, caller, wanted.email)
        return sent as Invitation & Versioned // one was sent
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
          'owner_cannot_end',
          'invitation_not_pending',
          'already_invited',
          'already_a_member',
          'email_domain_not_allowed',
          'limit_reached',
        ],
        takesIdempotencyKey: true,
        hasOptionalBody: true,
        rates: invitationRates,
      },
      schema: {
        operationId: 'resendInvitation',
        summary: 'Resend invitation',
        description:
          'Sends a new link that lives `expiresInDays`. Links sent earlier stop working. The caller becomes the inviter.',
        tags: ['Invitations'],
        params: Type.Object({ orgId: OrganizationPath, inviteId: Id('inv') }),
        body: Type.Object({ expiresInDays }, { additionalProperties: false }),
        response: { 200: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const invitation = await request.inOrganization(async (sql, caller) => {
        const { organizationId } = caller
        const model = await getAccessModel(sql)
        const { id, email, status, makerId, ...offer } = await lockOffer(sql, organizationId, request.params.inviteId)
        checkCover(caller, giftsOf(offer, model), model.minimumRoles)
        if ((status !== 'pending' && status !== 'expired') || email === null || hasEnded(offer.memberExpiresAt))
          throw new ApiProblem('invitation_not_pending')
        const again = [{ ...offer, email }]
        const [refusal] = await judgeInvitations(sql, caller, again, model, app.config.maxPendingInvites, id)
        if (refusal) throw refusal

        const [generation] = await pipeline([
          renewInvitation(sql, id, caller.userId, request.body.expiresInDays ?? 7),
          makerId !== caller.userId && forgetInvitationMails(sql, id),
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

function hasEnded(end: string | null): boolean {
  return endOf(end) <= Date.now()
}
