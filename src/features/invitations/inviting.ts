/**
 * Inviting: judging and sending invitations, one or many, under the lock of their organization.
 *
 * Each is judged by itself: the refusal of one does not refuse the others.
 */
import { type Static, Type } from 'typebox'
import { type ActingCaller, isTenantAdmin, makerOf, system } from '../../domain/access/actors.ts'
import type { Names } from '../../domain/access/authorization.ts'
import { isDomainAllowed, type Tenant } from '../../domain/access/tenancy.ts'
import { invitationJob, queueMail } from '../../domain/mail/queue.ts'
import { tellOwners } from '../../domain/organizations/administration.ts'
import {
  detailsOf,
  End,
  type OfferedGrant,
  readEnd,
  readGrants,
  WantedGrants,
} from '../../domain/organizations/grants.ts'
import {
  addInvitations,
  closeExpired,
  recordRevoked,
  revokeInvitations,
} from '../../domain/organizations/invitation-states.ts'
import {
  type Invitation,
  isInvitationPending,
  isOvertaken,
  selectInvitations,
} from '../../domain/organizations/invitations.ts'
import {
  areLive,
  checkMaker,
  giftsOf,
  lockMaker,
  type MadeOffer,
  type MakerRows,
  type Offer,
} from '../../domain/organizations/offers.ts'
import { Locale } from '../../domain/people/fields.ts'
import { type AccessModel, type AccessModelRows, selectAccessModel } from '../../domain/permissions/access-model.ts'
import { isCurrent } from '../../domain/permissions/held.ts'
import { roles } from '../../domain/permissions/roles.ts'
import { lackOf } from '../../domain/permissions/rules.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { record } from '../../domain/record/record.ts'
import { pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { isOneOf } from '../../platform/database/one-of.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import type { Fault } from '../../platform/http/faults.ts'
import type { Versioned } from '../../platform/http/preconditions.ts'
import { Email, newId, normalizeEmail, OneOf } from '../../platform/http/schemas.ts'

export const expiresInDays = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 30,
    default: 7,
    format: 'int32',
    description: 'How many days the invitation and its link live.',
  }),
)

/** What an invitation is made of. */
export type WantedInvitation = Static<typeof WantedInvitation>
export const WantedInvitation = Type.Object(
  {
    email: Email,
    role: Type.Optional(OneOf(roles, { default: 'member' })),
    grants: Type.Optional(WantedGrants),
    memberExpiresAt: Type.Optional(End),
    expiresInDays,
    locale: Type.Optional({ ...Locale, description: 'The language of the mail, where the service has it.' }),
    mail: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'False: no mail tells of it. It waits in the list of the invited person, once their address is verified.',
      }),
    ),
  },
  { additionalProperties: false },
)

/** An invitation that is to be sent. */
export interface NewInvitation extends Offer {
  /** Normalised. */
  readonly email: string
  readonly days: number
  readonly locale: string | null
  readonly isMailed: boolean
}

/** @param place of it in the body, as a JSON pointer @param faults gets those of its roles and ends */
export function readInvitation(
  place: string,
  body: WantedInvitation,
  model: AccessModel,
  faults: Fault[],
): NewInvitation {
  const { role = 'member', memberExpiresAt = null, locale = null } = body
  return {
    email: normalizeEmail(body.email) as string, // the format `email` let it pass
    role,
    grants: readGrants(`${place}/grants`, body.grants ?? [], model, faults),
    memberExpiresAt: readEnd(`${place}/memberExpiresAt`, memberExpiresAt, model.now, faults),
    days: body.expiresInDays ?? 7,
    locale,
    isMailed: body.mail ?? true,
  }
}

/** A pending invitation that is in the way of a new one. */
interface Pending extends MadeOffer {
  readonly id: string
  readonly email: string
  readonly grants: readonly OfferedGrant[]
  /** Whether nobody can accept it, since the person to whom it was sent has been put out. */
  readonly isOvertaken: boolean
}

/** What invitations are judged by, as `selectForJudging` selects it. */
export type Judging = AccessModelRows &
  MakerRows & {
    readonly tenants: Pick<Tenant, 'allowedEmailDomains'>[]
    readonly members: { readonly email: string }[]
    readonly pending: Pending[]
    readonly counts: { readonly count: number }[]
  }

/**
 * The statements that read what invitations are judged by; they go out with the door.
 *
 * @param isTo   the condition that an address is one of those that are invited
 * @param except an invitation that is sent again
 */
export function selectForJudging(names: Names, isTo: (email: Statement) => Statement, except: string | null = null) {
  const { tenant, organization } = names
  const isPending = statement`
    i.tenant_id = ${tenant} and i.organization_id = ${organization} and ${isInvitationPending} and i.id is distinct from ${except}`
  return {
    ...lockMaker(names),
    tenants: statement`select allowed_email_domains from tenants where id = ${tenant}`,
    members: statement`
      select u.email
      from users u
      join memberships m on m.tenant_id = ${tenant} and m.organization_id = ${organization} and m.user_id = u.id
      where u.tenant_id = ${tenant} and ${isTo(statement`u.email`)} and ${isCurrent}`,
    pending: statement`
      select i.id, i.email, i.invited_by as maker_id, i.key_id, i.role, i.grants, i.member_expires_at,
        ${isOvertaken(tenant)} as is_overtaken
      from invitations i
      where ${isPending} and ${isTo(statement`i.email`)}`,
    counts: statement`select count(*) from invitations i where ${isPending}`,
    ...selectAccessModel(tenant),
  }
}

/**
 * Judges invitations, and closes dead ones that are in their way.
 *
 * @param invitations no address is twice among them
 * @returns for each the problem that refuses it (one of `invitingProblems`), or undefined
 * @throws Problem unauthenticated when the caller was suspended meanwhile
 */
export async function judgeInvitations(
  sql: Sql,
  { config }: Pick<RequestContext, 'config'>,
  caller: ActingCaller,
  read: Judging & { readonly model: AccessModel },
  invitations: readonly Pick<NewInvitation, 'email' | keyof Offer>[],
): Promise<(ApiProblem | undefined)[]> {
  const {
    tenants: [tenant],
    members,
    pending,
    counts,
    model,
  } = read
  checkMaker(caller, read)
  const alive = await closeDead(sql, caller.organizationId, pending, model)
  let room = config.maxPendingInvites - (counts[0]?.count ?? 0) + (pending.length - alive.length)
  return invitations.map((invitation) => {
    const { email } = invitation
    const lack = lackOf(caller, giftsOf(invitation, model), model.minimumRoles)
    if (lack) return new ApiProblem('role_above_yours', { ...lack })
    if (invitation.role === 'owner' && invitation.memberExpiresAt !== null) return new ApiProblem('owner_cannot_end')
    if (tenant && !isDomainAllowed(tenant, email)) return new ApiProblem('email_domain_not_allowed')
    if (members.some((member) => member.email === email)) return new ApiProblem('already_a_member')
    const other = alive.find((each) => each.email === email)
    if (other) return new ApiProblem('already_invited', { invitationId: other.id })
    if (room <= 0) return new ApiProblem('limit_reached')
    room -= 1
    return undefined
  })
}

/**
 * Revokes pending invitations that are overtaken, or whose inviters have lost the right by time or by the access model.
 *
 * @returns the others
 */
async function closeDead(
  sql: Sql,
  organizationId: string,
  pending: readonly Pending[],
  model: AccessModel,
): Promise<Pending[]> {
  if (pending.length === 0) return []
  const live = await areLive(sql, organizationId, pending, model)
  const isAlive = ({ isOvertaken }: Pending, index: number) => !isOvertaken && live[index] === true
  const dead = pending.filter((each, index) => !isAlive(each, index))
  const causeOf = new Map(
    dead.map(({ id, isOvertaken }) => [id, isOvertaken ? 'invitee_excluded' : 'inviter_right_ended']),
  )
  const revoked = await revokeInvitations(sql, [...causeOf.keys()])
  await pipeline(revoked.map((id) => recordRevoked(sql, system, organizationId, id, causeOf.get(id))))
  return pending.filter(isAlive)
}

/** Sends invitations that were judged, and commits. @returns them, in the same order */
export async function sendInvitations(
  sql: Sql,
  caller: ActingCaller,
  invitations: readonly NewInvitation[],
  { roles: known }: AccessModel,
): Promise<(Invitation & Versioned)[]> {
  if (invitations.length === 0) return []
  if (isTenantAdmin(caller)) await tellOwners(sql, caller)
  const { organizationId } = caller
  const ids = invitations.map(() => newId('inv'))
  const closed = closeExpired(
    sql,
    organizationId,
    invitations.map(({ email }) => email),
  )
  const made = invitations.map((invitation, index) => {
    const id = ids[index] as string // one was made for each
    return { ...invitation, id, organizationId, maker: makerOf(caller) }
  })
  const sent = made.map(({ id, ...invitation }) =>
    pipeline([
      invitation.isMailed && queueMail(sql, { kind: 'invitation', invitationId: id, generation: 1 }, invitationJob(id)),
      record(sql, caller, 'invitation.sent', {
        organizationId,
        target: { type: 'invitation', id },
        details: {
          role: invitation.role,
          ...(!invitation.isMailed && { mailed: false }),
          ...detailsOf(invitation.grants, invitation.memberExpiresAt, known),
        },
      }),
    ]),
  )
  const [, , , rows] = await sql.commit([
    closed,
    addInvitations(sql, made),
    pipeline(sent),
    sql<Invitation & Versioned>`${selectInvitations(sql.tenant)} and ${isOneOf(statement`i.id`, ids)}`,
  ])
  return ids.map((id) => rows.find((row) => row.id === id) as Invitation & Versioned) // inserted above
}
