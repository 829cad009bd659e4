/** Mails about an organization: the invitation to it, and its end. */
import type { Keyring } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import { isCurrent } from '../permissions/held.ts'
import type { Role } from '../permissions/roles.ts'
import type { MailKinds } from './composition.ts'
import { lockRecipient, type MailTenant, moment, type Ready, ready, tenantColumns } from './composition.ts'
import { asRole } from './membership.ts'
import type { MailJob } from './queue.ts'
import { type Brand, type Composed, compose, inert } from './templates.ts'

async function composeInvitation(
  sql: Sql,
  _keyring: Keyring,
  { kind, invitationId, generation }: Extract<MailJob, { kind: 'invitation' }>,
): Promise<Ready | undefined> {
  const [row] = await sql<MailTenant & InvitationWords & { email: string; organizationId: string }>`
    select i.email, i.role, i.expires_at, i.organization_id, o.name as organization, u.name as inviter,
      i.invited_by is not null and not exists (
        select from memberships m
        where m.tenant_id = ${sql.tenant} and m.organization_id = i.organization_id and m.user_id = i.invited_by
          and ${isCurrent}) as is_by_admin,
      ${tenantColumns}
    from invitations i
    join organizations o on o.tenant_id = ${sql.tenant} and o.id = i.organization_id
    left join users u on u.tenant_id = ${sql.tenant} and u.id = i.invited_by
    join tenants t on t.id = ${sql.tenant}
    where i.tenant_id = ${sql.tenant} and i.id = ${invitationId} and i.generation = ${generation}
      and i.status = 'pending' and i.expires_at > now() and i.email is not null
    for share of i`
  const about = row && { kind, invitationId, generation, organizationId: row.organizationId }
  return row && about && ready(row, row.email, (brand) => invitation(brand, row), about)
}

async function composeOrganizationDeleted(
  sql: Sql,
  keyring: Keyring,
  { kind, userId, sealed }: Extract<MailJob, { kind: 'organization_deleted' }>,
): Promise<Ready | undefined> {
  const organization = keyring.open('job', sealed, sql.tenant)
  const row = await lockRecipient(sql, userId)
  if (!row?.emailVerified || organization === undefined) return undefined
  return ready(row, row.email, (brand) => organizationDeleted(brand, organization), { kind, userId })
}

export interface InvitationWords {
  readonly organization: string
  readonly inviter: string | null
  /** The inviter is no member, but an admin of the tenant. */
  readonly isByAdmin?: boolean
  readonly role: Role
  /** When its link ends; RFC 3339. */
  readonly expiresAt: string
}

export function invitation(brand: Brand, words: InvitationWords): Composed {
  const { organization, inviter, isByAdmin, role, expiresAt } = words
  const who = (most?: number) =>
    isByAdmin ? `An admin of ${inert(brand.name, most)}` : inviter ? inert(inviter, most) : 'Someone'
  return compose(brand, {
    subject: `${who(60)} invited you to ${inert(organization, 60)}`,
    title: `Join ${inert(organization)}`,
    paragraphs: [`${who()} invited you to ${inert(organization)} on ${inert(brand.name)} as ${asRole(role)}.`],
    action: 'View invitation',
    note: `The link works until ${moment(expiresAt)}. If you weren’t expecting this, you can ignore this email: nothing happens unless you accept.`,
  })
}

export function organizationDeleted(brand: Brand, organization: string): Composed {
  return compose(brand, {
    subject: `${inert(organization, 60)} was deleted`,
    title: `${inert(organization)} was deleted`,
    paragraphs: [
      `The organization ${inert(organization)} on ${inert(brand.name)} was permanently deleted, with its members, invitations and activity. You keep your account.`,
    ],
    note: 'You get this email because you were an owner or admin of it. This cannot be undone.',
  })
}

export const organizationMails: MailKinds<'invitation' | 'organization_deleted'> = {
  invitation: { page: 'invitation', purpose: 'invitation', compose: composeInvitation },
  organization_deleted: { compose: composeOrganizationDeleted },
}
