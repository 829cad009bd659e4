/** Bulk invitations: up to a hundred at once. Each is judged by itself, in one transaction under one lock. */
import { Type } from 'typebox'
import type { Names } from '../../domain/access/authorization.ts'
import { Invitation } from '../../domain/organizations/invitations.ts'
import { toAccessModel } from '../../domain/organizations/offers.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { PermissionKey } from '../../domain/permissions/access-model.ts'
import { isOneOf } from '../../platform/database/one-of.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Id, Nullable, normalizeEmail, OneOf, ref, Timestamp } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { countInvitations, invitationRates } from './invitation-rates.ts'
import {
  type Judging,
  judgeInvitations,
  type NewInvitation,
  readInvitation,
  selectForJudging,
  sendInvitations,
  WantedInvitation,
} from './inviting.ts'

const outcomes = [
  'sent',
  'role_above_yours',
  'owner_cannot_end',
  'email_domain_not_allowed',
  'already_a_member',
  'already_invited',
  'limit_reached',
  'rate_limited',
] as const
type Outcome = (typeof outcomes)[number]

export async function bulkInvitationRoutes(app: App): Promise<void> {
  app.post(
    '/organizations/:orgId/invites/bulk',
    {
      bodyLimit: 512 * 1024,
      config: { access: 'invitations:write', takesIdempotencyKey: true, rates: invitationRates },
      schema: {
        operationId: 'inviteMembers',
        summary: 'Invite many members',
        description:
          'Sends up to 100 invitations. Each row has its own `outcome`: `sent`, or the code that a single invitation would be refused with.',
        tags: ['Invitations'],
        params: Type.Object({ orgId: OrganizationPath }),
        body: Type.Object(
          {
            invites: Type.Array(WantedInvitation, {
              minItems: 1,
              maxItems: 100,
              description: 'Each address only once.',
            }),
          },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object(
            {
              results: Type.Array(
                Type.Object({
                  email: Type.String({ maxLength: 254, examples: ['bob@example.com'] }),
                  outcome: OneOf(outcomes),
                  invitation: Type.Optional(ref(Invitation)),
                  invitationId: Type.Optional({
                    ...Id('inv'),
                    description: 'The pending invitation to the address, if it has one.',
                  }),
                  missing: Type.Optional(
                    Type.Array(PermissionKey, {
                      maxItems: 300,
                      description: 'With `role_above_yours`: the permissions that the caller does not hold.',
                    }),
                  ),
                  until: Type.Optional(
                    Nullable({
                      ...Timestamp,
                      description:
                        'With `role_above_yours`: the latest end that the caller can give. Null: an end is not what is lacking.',
                    }),
                  ),
                }),
                { maxItems: 100 },
              ),
            },
            { description: 'A result for each row, in order.' },
          ),
        },
      },
    },
    async (request) => {
      const { invites } = request.body
      const emails = invites.map(({ email }) => normalizeEmail(email) as string) // the format `email` let them pass
      const counted = new Map<string, boolean>() // outlives a transaction that is tried again
      const selectBefore = (names: Names) => selectForJudging(names, (email) => isOneOf(email, emails))
      const { results } = await request.inOrganization(selectBefore, async (sql, caller, read: Judging) => {
        const model = toAccessModel(read)
        const faults = emails.flatMap((email, index) =>
          emails.indexOf(email) < index
            ? [faultOf(`/invites/${index}/email`, 'not_allowed', 'This address is given twice.')]
            : [],
        )
        const rows = invites.map((each, index) => readInvitation(`/invites/${index}`, each, model, faults))
        if (faults.length > 0) throw invalidRequest(faults)
        const refusals = await judgeInvitations(sql, caller, rows, model, read, app.config.maxPendingInvites)
        const judged = rows.filter((_, index) => !refusals[index])
        await countInvitations(
          request.context,
          caller,
          judged.map(({ email }) => email),
          counted,
        )
        const sent = await sendInvitations(
          sql,
          caller,
          judged.filter(({ email }) => counted.get(email)),
          model,
        )
        const results = rows.map(({ email }: NewInvitation, index) => {
          const refusal = refusals[index]
          if (refusal) return { outcome: refusal.code as Outcome, ...refusal.extra }
          const invitation = sent.find((each) => each.email === email)
          return invitation ? { outcome: 'sent' as const, invitation } : { outcome: 'rate_limited' as const }
        })
        return { results }
      })
      // Not before: an answer that is kept for its idempotency key is erased with the people whom it names by their ids alone.
      return { results: results.map((result, index) => ({ email: emails[index] as string, ...result })) }
    },
  )
}
