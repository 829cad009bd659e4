/** Invitations: the shape in which one is shown, and how one is read. */
import { type Static, Type } from 'typebox'
import { pipeline, type Sql, type Statement, statement } from '../../platform/database/database.ts'
import type { Versioned } from '../../platform/http/preconditions.ts'
import { HttpsUrl, Id, Nullable, OneOf, OrganizationName, ref, Timestamp } from '../../platform/http/schemas.ts'
import { Person } from '../people/users.ts'
import { Role } from '../permissions/roles.ts'
import { ApiProblem, type ProblemCode } from '../problems.ts'

export const invitationStatuses = ['pending', 'accepted', 'declined', 'revoked', 'expired'] as const

export type Invitation = Static<typeof Invitation>
export const Invitation = Type.Object(
  {
    id: Id('inv'),
    organization: Type.Object({
      id: Id('org'),
      name: OrganizationName,
      slug: Type.String({ maxLength: 48, examples: ['acme'] }),
      logoUrl: Nullable(HttpsUrl),
    }),
    email: Nullable(
      Type.String({
        maxLength: 254,
        description: 'Null after the invited person has deleted their account.',
        examples: ['bob@example.com'],
      }),
    ),
    role: Role,
    status: OneOf(invitationStatuses),
    invitedBy: Nullable(ref(Person)),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  },
  { $id: 'Invitation', description: 'An invitation to an organization. Only the mail contains its link.' },
)

/** A pending invitation past its time counts as expired, whether or not somebody has closed it yet. */
export const effectiveStatus = statement`case when i.status = 'pending' and i.expires_at <= now() then 'expired' else i.status end`

/** Which of `invitations i` wait for a user's answer: none while their address is not verified. */
export function awaits(tenant: string, user: Statement): Statement {
  return statement`
    i.email = (select email from users where tenant_id = ${tenant} and id = ${user} and email_verified)
    and i.status = 'pending' and i.expires_at > now()`
}

/** Invitations in the shape of `Invitation`; more conditions may follow. */
export function selectInvitations(tenant: string): Statement {
  return statement`
    select i.id, i.email, i.role, ${effectiveStatus} as status, i.created_at, i.expires_at,
      i.generation || '.' || ${effectiveStatus} as version,
      json_build_object('id', o.id, 'name', o.name, 'slug', o.slug, 'logoUrl', o.logo_url) as organization,
      case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as invited_by
    from invitations i
    join organizations o on o.tenant_id = ${tenant} and o.id = i.organization_id
    left join users u on u.tenant_id = ${tenant} and u.id = i.invited_by
    where i.tenant_id = ${tenant}`
}

/** @throws Problem not_found */
export async function getInvitation(sql: Sql, organizationId: string, id: string): Promise<Invitation & Versioned> {
  const [invitation] = await sql<
    Invitation & Versioned
  >`${selectInvitations(sql.tenant)} and i.organization_id = ${organizationId} and i.id = ${id}`
  if (!invitation) throw new ApiProblem('not_found')
  return invitation
}

/**
 * Locks an invitation, then reads it: while its organization is locked, deleting the account that it went to may still revoke it.
 *
 * @throws Problem not_found
 */
export async function lockInvitation(sql: Sql, organizationId: string, id: string): Promise<Invitation & Versioned> {
  const [, invitation] = await pipeline([
    sql`
      select from invitations
      where tenant_id = ${sql.tenant} and organization_id = ${organizationId} and id = ${id}
      for no key update`,
    getInvitation(sql, organizationId, id),
  ])
  return invitation
}

/** What is said of an invitation that is no longer pending. */
export const closedAs: Readonly<Record<string, ProblemCode>> = {
  expired: 'invitation_expired',
  revoked: 'invitation_revoked',
  declined: 'invitation_declined',
  accepted: 'invitation_used',
}
