/** Bulk invitations: up to a hundred at once. Each is judged by itself, in one transaction under one lock. */
import { type Static, Type } from 'typebox'
import type { ActingCaller } from '../../domain/access/actors.ts'
import type { Names } from '../../domain/access/authorization.ts'
import { Invitation } from '../../domain/organizations/invitations.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { mostPermissions, PermissionKey, toAccessModel } from '../../domain/permissions/access-model.ts'
import type { Sql } from '../../platform/database/database.ts'
import { isOneOf } from '../../platform/database/one-of.ts'
import type { RequestContext } from '../../platform/http/context.ts'
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

export const WantedInvitations = Type.Object(
  {
    invites: Type.Array(WantedInvitation, {
      minItems: 1,
      maxItems: 100,
      description: 'Each address only once.',
    }),
  },
  { additionalProperties: false },
)

export const InvitationResults = Type.Object(
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
            maxItems: mostPermissions,
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
)

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
        body: WantedInvitations,
        response: { 200: InvitationResults },
      },
    },
    async (request) =>
      inviteMany(request.body, request.context, (reading, work) => request.inOrganization(reading, work)),
  )
}

/** A door to an organization, as `inviteMany` uses it. */
type Door = <T>(
  reading: ReturnType<typeof selectBefore>,
  work: (sql: Sql, caller: ActingCaller, read: Judging) => Promise<T>,
) => Promise<T>

function selectBefore(emails: readonly string[]) {
  return (names: Names) => selectForJudging(names, (email) => isOneOf(email, emails))
}

/**
 * Judges invitations each by itself, sends those that nothing refuses, and commits.
 *
 * @param door opens the organization to the caller
 * @throws Problem invalid_request, unauthenticated
 */
export async function inviteMany(
  { invites }: Static<typeof WantedInvitations>,
  context: RequestContext,
  door: Door,
): Promise<Static<typeof InvitationResults>> {
  const emails = invites.map(({ email }) => normalizeEmail(email) as string) // the format `email` let them pass
  const counted = new Map<string, boolean>() // outlives a transaction that is tried again
  const { results } = await door(selectBefore(emails), async (sql, caller, read) => {
    const model = toAccessModel(read)
    const faults = emails.flatMap((email, index) =>
      emails.indexOf(email) < index
        ? [faultOf(`/invites/${index}/email`, 'not_allowed', 'This address is given twice.')]
        : [],
    )
    const rows = invites.map((each, index) => readInvitation(`/invites/${index}`, each, model, faults))
    if (faults.length > 0) throw invalidRequest(faults)
    const refusals = await judgeInvitations(sql, context, caller, { ...read, model }, rows)
    const judged = rows.filter((_, index) => !refusals[index])
    await countInvitations(
      context,
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
}
