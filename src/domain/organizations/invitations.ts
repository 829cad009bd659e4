/** Invitations: the shape in which one is shown, and how one is read. */
import { type Static, Type } from 'typebox'
import { empty, type Statement, statement } from '../../platform/database/database.ts'
import { Id, Name, Nullable, OneOf, OrganizationName, PictureUrl, ref, Timestamp } from '../../platform/http/schemas.ts'
import { Locale } from '../people/fields.ts'
import { ModelName, RoleKey } from '../permissions/access-model.ts'
import { Role } from '../permissions/roles.ts'
import type { ProblemCode } from '../problems.ts'
import type { OfferedGrant } from './grants.ts'

export const invitationStatuses = ['pending', 'accepted', 'declined', 'revoked', 'expired'] as const

/** Grants of an invitation or a link, as they are shown. */
export const OfferedGrants = Type.Array(
  Type.Object({ role: RoleKey, name: ModelName, expiresAt: Nullable(Timestamp) }),
  {
    maxItems: 10,
    description: 'Roles of the product that a membership by it gets.',
  },
)

/** An expression for grants that are offered, in the shape of `OfferedGrants`. A role that is gone is left out. @param grants the column */
export function offeredGrants(tenant: string, grants: Statement): Statement {
  return statement`case when ${grants} = '[]' then '[]' else (
    select coalesce(jsonb_agg(jsonb_build_object('role', r.key, 'name', r.name, 'expiresAt', g -> 'expiresAt') order by r.key), '[]')
    from jsonb_array_elements(${grants}) g
    join roles r on r.tenant_id = ${tenant} and r.id = g ->> 'roleId') end`
}

/** Who made an invitation or a link. */
export const Maker = Type.Object(
  {
    id: Type.String({
      pattern: '^(user|key)_[0-7][0-9a-hjkmnp-tv-z]{25}$',
      maxLength: 31,
      examples: ['user_01k9zq3v5hf8gs4m2y7c6t0wdn'],
    }),
    name: Nullable(Name),
  },
  { $id: 'Maker', description: 'A person, or the key of an organization or of the tenant.' },
)

/** An expression in the shape of `Maker`, of `users u`, or else of a key; null for a person who is erased. @param key its id */
export function makerColumn(tenant: string, key: Statement): Statement {
  return statement`
    case when u.id is not null then json_build_object('id', u.id, 'name', u.name) when ${key} is not null then (
      select json_build_object('id', k.id, 'name', k.name)
      from api_keys k
      where k.tenant_id = ${tenant} and k.id = ${key} and k.owner_type <> 'user') end`
}

export type Invitation = Static<typeof Invitation>
export const Invitation = Type.Object(
  {
    id: Id('inv'),
    organization: Type.Object({
      id: Id('org'),
      name: OrganizationName,
      slug: Type.String({ maxLength: 48, examples: ['acme'] }),
      logoUrl: Nullable(PictureUrl),
    }),
    email: Nullable(
      Type.String({
        maxLength: 254,
        description: 'Null after the invited person has deleted their account.',
        examples: ['bob@example.com'],
      }),
    ),
    role: Role,
    grants: OfferedGrants,
    memberExpiresAt: Nullable({ ...Timestamp, description: 'When the membership ends. Null: no end.' }),
    locale: Nullable({ ...Locale, description: 'The language of the mail, where the service has it.' }),
    mailed: Type.Boolean({ description: 'Whether a mail tells of it.' }),
    status: OneOf(invitationStatuses),
    invitedBy: Nullable(ref(Maker)),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  },
  { $id: 'Invitation', description: 'An invitation to an organization. Only the mail contains its link.' },
)

/** A pending invitation past its time counts as expired, whether or not somebody has closed it yet; also if a lock was waited for. */
export const effectiveStatus = statement`
  case when i.status = 'pending' and i.expires_at <= statement_timestamp() then 'expired' else i.status end`

/** Which of `invitations i` are pending, by the statement’s clock. */
export const isInvitationPending = statement`(i.status = 'pending' and i.expires_at > statement_timestamp())`

/** Which of `invitations i` wait for a user's answer: none while their address is not verified. */
export function awaits(tenant: string, user: Statement): Statement {
  return isSentTo(tenant, user, statement`and email_verified`)
}

/** Which of `invitations i` are pending and were sent to a user's address, verified or not. @param and what must hold of the user, too */
export function isSentTo(tenant: string, user: Statement, and: Statement = empty): Statement {
  return statement`
    i.email = (select email from users where tenant_id = ${tenant} and id = ${user} ${and})
    and ${isInvitationPending}`
}

/** Whether `memberships e` has ended while it was suspended, after `invitations i` was made, and may not be settled yet. */
export const hasEndedSuspended = statement`(e.status = 'suspended' and e.expires_at between i.created_at and statement_timestamp())`

/**
 * Whether the person to whom `invitations i` was sent has been put out since: their membership has ended while it was suspended. Nobody can
 * accept the invitation, which settling revokes.
 */
export function isOvertaken(tenant: string): Statement {
  return statement`exists (
    select from users v
    join memberships e on e.tenant_id = ${tenant} and e.organization_id = i.organization_id and e.user_id = v.id
    where v.tenant_id = ${tenant} and v.email = i.email and ${hasEndedSuspended})`
}

/** Invitations in the shape of `Invitation`; more conditions may follow. @param invitations the table, or rows of it */
export function selectInvitations(tenant: string, invitations = statement`invitations`): Statement {
  return statement`
    select i.id, i.email, i.role, ${offeredGrants(tenant, statement`i.grants`)} as grants, i.member_expires_at, i.locale, i.mailed,
      ${effectiveStatus} as status, i.created_at, i.expires_at,
      i.generation || '.' || ${effectiveStatus} as version,
      json_build_object('id', o.id, 'name', o.name, 'slug', o.slug, 'logoUrl', o.logo_url) as organization,
      ${makerColumn(tenant, statement`i.key_id`)} as invited_by
    from ${invitations} i
    join organizations o on o.tenant_id = ${tenant} and o.id = i.organization_id
    left join users u on u.tenant_id = ${tenant} and u.id = i.invited_by
    where i.tenant_id = ${tenant}`
}

/**
 * Locks an invitation, then reads it: while its organization is locked, deleting the account that it went to may still revoke it.
 *
 * @returns statements that go out in this order
 */
export function lockInvitation(tenant: string, organization: Statement | string, id: string) {
  const isIt = statement`i.organization_id = ${organization} and i.id = ${id}`
  return {
    lockedInvitation: statement`select from invitations i where i.tenant_id = ${tenant} and ${isIt} for no key update`,
    invitations: statement`${selectInvitations(tenant)} and ${isIt}`,
  }
}

/** An invitation as it is judged: what it gives, by roles' ids, and who made it; and the generation of its link. */
export interface InvitationOffer {
  readonly id: string
  readonly email: string | null
  readonly status: Invitation['status']
  readonly role: Role
  readonly grants: readonly OfferedGrant[]
  readonly memberExpiresAt: string | null
  /** Whether the membership would have ended already. */
  readonly isOver: boolean
  /** Whether it no longer lets in the person to whom it was sent. */
  readonly isOvertaken: boolean
  readonly makerId: string | null
  readonly keyId: string | null
  readonly generation: number
}

/** Locks an invitation, then reads what it offers: statements that go out in this order. */
export function lockOffer(tenant: string, organization: Statement | string, id: string) {
  const isIt = statement`i.tenant_id = ${tenant} and i.organization_id = ${organization} and i.id = ${id}`
  return {
    lockedInvitation: statement`select from invitations i where ${isIt} for no key update`,
    offers: statement`
      select i.id, i.email, ${effectiveStatus} as status, i.role, i.grants, i.member_expires_at,
        coalesce(i.member_expires_at <= statement_timestamp(), false) as is_over, ${isOvertaken(tenant)} as is_overtaken,
        i.invited_by as maker_id, i.key_id, i.generation
      from invitations i
      where ${isIt}`,
  }
}

/** What became of an invitation that is answered no more. */
export const closedProblems = [
  'invitation_expired',
  'invitation_revoked',
  'invitation_declined',
  'invitation_used',
] as const

/** What is said of an invitation that is no longer pending. */
export const closedAs: Readonly<Record<string, ProblemCode>> = {
  expired: 'invitation_expired',
  revoked: 'invitation_revoked',
  declined: 'invitation_declined',
  accepted: 'invitation_used',
}
