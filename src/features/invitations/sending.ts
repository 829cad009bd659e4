/** Sending: how an invitation goes out, and goes out again. */

import { type Static, Type } from 'typebox'
import { type ActingCaller, isTenantAdmin, makerOf, userIdOf } from '../../domain/access/actors.ts'
import type { Names } from '../../domain/access/authorization.ts'
import { forgetInvitationMails } from '../../domain/mail/mail.ts'
import { invitationJob, queueMail } from '../../domain/mail/queue.ts'
import { tellOwners } from '../../domain/organizations/administration.ts'
import { closeExpired, renewInvitation } from '../../domain/organizations/invitation-states.ts'
import {
  Invitation,
  type InvitationOffer,
  lockOffer,
  selectInvitations,
} from '../../domain/organizations/invitations.ts'
import { giftsOf } from '../../domain/organizations/offers.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { toAccessModel } from '../../domain/permissions/access-model.ts'
import { checkCover } from '../../domain/permissions/rules.ts'
import { ApiProblem, found } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import type { Fault } from '../../platform/http/faults.ts'
import { type Versioned, withTag } from '../../platform/http/preconditions.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Id, normalizeEmail, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { countInvitation, invitationRates } from './invitation-rates.ts'
import {
  expiresInDays,
  type Judging,
  judgeInvitations,
  readInvitation,
  selectForJudging,
  sendInvitations,
  WantedInvitation,
} from './inviting.ts'

/** What refuses an invitation. */
export const invitingProblems = [
  'role_above_yours',
  'owner_cannot_end',
  'email_domain_not_allowed',
  'already_a_member',
  'already_invited',
  'limit_reached',
] as const

/** What sending again asks for. */
export const WantedResending = Type.Object({ expiresInDays }, { additionalProperties: false })

export async function sendingRoutes(app: App): Promise<void> {
  app.post(
    '/organizations/:orgId/invites',
    {
      config: {
        access: 'invitations:write',
        problems: invitingProblems,
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
      const invitation = await request.inOrganization(
        selectBeforeInvitation(request.body),
        (sql, caller, read: Judging) => invite(sql, request.context, caller, read, request.body),
      )
      reply.status(201).header('location', `/api/organizations/${invitation.organization.id}/invites/${invitation.id}`)
      return withTag(reply, invitation)
    },
  )

  app.post(
    '/organizations/:orgId/invites/:inviteId/resend',
    {
      config: {
        access: 'invitations:write',
        problems: [...invitingProblems, 'invitation_not_pending'],
        takesIdempotencyKey: true,
        rates: invitationRates,
      },
      schema: {
        operationId: 'resendInvitation',
        summary: 'Resend invitation',
        description:
          'Sends a new link that lives `expiresInDays`. Links sent earlier stop working. The caller becomes the inviter.',
        tags: ['Invitations'],
        params: Type.Object({ orgId: OrganizationPath, inviteId: Id('inv') }),
        body: WantedResending,
        response: { 200: ref(Invitation) },
      },
    },
    async (request, reply) => {
      const invitation = await request.inOrganization(
        selectBeforeResending(request.params),
        (sql, caller, before: BeforeResending) => resend(sql, request.context, caller, before, request.body),
      )
      return withTag(reply, invitation)
    },
  )
}

/** Selects what an invitation must know, after the organization was locked. */
export function selectBeforeInvitation({ email }: Pick<WantedInvitation, 'email'>) {
  const normalized = normalizeEmail(email)
  return (names: Names) => selectForJudging(names, (address) => statement`${address} = ${normalized}`)
}

/** Judges an invitation, sends it, and commits. @throws Problem invalid_request, rate_limited, unauthenticated, and `invitingProblems` */
export async function invite(
  sql: Sql,
  context: RequestContext,
  caller: ActingCaller,
  read: Judging,
  body: WantedInvitation,
): Promise<Invitation & Versioned> {
  const model = toAccessModel(read)
  const faults: Fault[] = []
  const wanted = readInvitation('', body, model, faults)
  if (faults.length > 0) throw invalidRequest(faults)
  const [refusal] = await judgeInvitations(sql, context, caller, { ...read, model }, [wanted])
  if (refusal) throw refusal
  await countInvitation(context, caller, wanted.email)
  const [sent] = await sendInvitations(sql, caller, [wanted], model)
  return sent as Invitation & Versioned // one was sent
}

/** As `selectBeforeResending` selects it. */
export type BeforeResending = Judging & { readonly offers: InvitationOffer[] }

/** Selects what sending again must know, after the organization was locked. */
export function selectBeforeResending({ inviteId }: { readonly inviteId: string }) {
  return (names: Names) => ({
    ...selectForJudging(names, (email) => statement`${email} = ${selectEmail(names, inviteId)}`, inviteId),
    ...lockOffer(names.tenant, names.organization, inviteId),
  })
}

/**
 * Judges whether an invitation may be sent again, sends it, and commits.
 *
 * @throws Problem not_found, invitation_not_pending, rate_limited, unauthenticated, and `invitingProblems`
 */
export async function resend(
  sql: Sql,
  context: RequestContext,
  caller: ActingCaller,
  { offers, ...read }: BeforeResending,
  body: Static<typeof WantedResending>,
): Promise<Invitation & Versioned> {
  const { organizationId } = caller
  const model = toAccessModel(read)
  const { id, email, status, isOver, isOvertaken, makerId, generation, ...offer } = found(offers[0])
  checkCover(caller, giftsOf(offer, model), model.minimumRoles)
  if ((status !== 'pending' && status !== 'expired') || email === null || isOver || isOvertaken)
    throw new ApiProblem('invitation_not_pending')
  const again = [{ ...offer, email }]
  const [refusal] = await judgeInvitations(sql, context, caller, { ...read, model }, again)
  if (refusal) throw refusal
  await countInvitation(context, caller, email)
  if (isTenantAdmin(caller)) await tellOwners(sql, caller)

  const [, , , [invitation]] = await sql.commit([
    closeExpired(sql, organizationId, [email]),
    renewInvitation(sql, id, makerOf(caller), body.expiresInDays ?? 7),
    makerId !== userIdOf(caller) && forgetInvitationMails(sql, id),
    sql<Invitation & Versioned>`${selectInvitations(sql.tenant)} and i.id = ${id}`,
    queueMail(sql, { kind: 'invitation', invitationId: id, generation: generation + 1 }, invitationJob(id)),
    record(sql, caller, 'invitation.resent', { organizationId, target: { type: 'invitation', id } }),
  ])
  return found(invitation)
}

/** The address of an invitation. */
function selectEmail({ tenant, organization }: Names, id: string): Statement {
  return statement`(
    select email from invitations where tenant_id = ${tenant} and organization_id = ${organization} and id = ${id})`
}
