/** Mails about an organization: the invitation to it, and what became of a membership or of the organization. */
import type { Keyring } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { Role } from '../permissions/roles.ts'
import type { MailKinds } from './composition.ts'
import { lockRecipient, type Place, place, type Ready, ready } from './composition.ts'
import type { MailJob, RoleMail } from './queue.ts'
import { type Brand, type Composed, compose, inert } from './templates.ts'

async function composeInvitation(
  sql: Sql,
  _keyring: Keyring,
  { kind, invitationId, generation }: Extract<MailJob, { kind: 'invitation' }>,
): Promise<Ready | undefined> {
  const [row] = await sql<Place & InvitationWords & { email: string; organizationId: string }>`
    select i.email, i.role, i.organization_id, o.name as organization, u.name as inviter, ${place}
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

type OrganizationNotice = Extract<MailJob, { kind: 'member_removed' }> | RoleMail

async function composeOfOrganization(sql: Sql, job: OrganizationNotice): Promise<Ready | undefined> {
  const { kind, userId, organizationId } = job
  const [row] = await sql<Place & { email: string; organization: string; role: Role | null; toldRole: Role | null }>`
    select u.email, o.name as organization, m.role, m.told_role, ${place}
    from users u
    join organizations o on o.tenant_id = ${sql.tenant} and o.id = ${organizationId}
    left join memberships m on m.tenant_id = ${sql.tenant} and m.organization_id = o.id and m.user_id = u.id
    join tenants t on t.id = ${sql.tenant}
    where u.tenant_id = ${sql.tenant} and u.id = ${userId} and u.email_verified
    for key share of u, o`
  if (!row) return undefined
  const { organization, role, toldRole } = row
  // Somebody who is in again was not removed, and somebody who is out has no role: a later mail tells it.
  if ((kind === 'member_removed') !== (role === null)) return undefined
  if (kind === 'member_role_changed' && (role !== job.role || role === toldRole)) return undefined
  const words = (brand: Brand) =>
    role === null
      ? memberRemoved(brand, organization)
      : kind === 'ownership_transferred'
        ? ownershipTransferred(brand, { ...job, organization })
        : memberRoleChanged(brand, organization, role)
  return ready(row, row.email, words, { kind, userId, organizationId })
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
  readonly role: Role
}

export function invitation(brand: Brand, { organization, inviter, role }: InvitationWords): Composed {
  const who = inviter ? inert(inviter) : 'Someone'
  return compose(brand, {
    subject: `${inviter ? inert(inviter, 60) : 'Someone'} invited you to ${inert(organization, 60)}`,
    title: `Join ${inert(organization)}`,
    paragraphs: [`${who} invited you to ${inert(organization)} on ${inert(brand.name)} as ${asRole(role)}.`],
    action: 'View invitation',
    note: 'The link works for seven days. If you weren’t expecting this, you can ignore this email: nothing happens unless you accept.',
  })
}

export function memberRemoved(brand: Brand, organization: string): Composed {
  return compose(brand, {
    subject: `You are no longer a member of ${inert(organization, 60)}`,
    title: `You are no longer a member of ${inert(organization)}`,
    paragraphs: [`You were removed from ${inert(organization)} on ${inert(brand.name)}. You keep your account.`],
    note: 'If you think this is a mistake, contact one of its admins.',
  })
}

export function memberRoleChanged(brand: Brand, organization: string, role: Role): Composed {
  return compose(brand, {
    subject: `Your role in ${inert(organization, 60)} has changed`,
    title: `You are now ${asRole(role)} of ${inert(organization)}`,
    paragraphs: [`Your role in ${inert(organization)} on ${inert(brand.name)} was changed. ${means[role]}`],
    note: 'If you think this is a mistake, contact one of its owners.',
  })
}

export interface TransferWords {
  readonly organization: string
  /** What the reader is now: `owner` who got the ownership, `admin` who had it. */
  readonly role: 'owner' | 'admin'
  /** A tenant admin did it, and not the former owner. */
  readonly isByAdmin: boolean
}

/** To both. Neither is named to the other: who deletes their account is then in no mail that is kept. */
export function ownershipTransferred(brand: Brand, { organization, role, isByAdmin }: TransferWords): Composed {
  const [name, tenant] = [inert(organization), inert(brand.name)]
  const isNew = role === 'owner'
  const giver = isByAdmin ? `An admin of ${tenant}` : isNew ? 'The previous owner' : 'You'
  const whoItWas = 'The organization’s activity shows who it was.'
  const wayBack = isNew
    ? `If you think this is a mistake, you can transfer it back. ${whoItWas}`
    : 'If it wasn’t you, change your password, and ask the new owner to transfer it back.'
  return compose(brand, {
    subject: isNew
      ? `You are now an owner of ${inert(organization, 60)}`
      : `${inert(organization, 60)} has a new owner`,
    title: `You are now ${asRole(role)} of ${name}`,
    paragraphs: [
      `${giver} transferred the ownership of ${name} on ${tenant} to ${isNew ? 'you' : 'another member'}. ${means[role]}`,
    ],
    note: isByAdmin ? `If you think this is a mistake, contact the people who run ${tenant}. ${whoItWas}` : wayBack,
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

const means: Readonly<Record<Role, string>> = {
  owner: 'Owners can do everything, including managing owners and deleting the organization.',
  admin: 'Admins can invite and manage members, and change settings.',
  member: 'Members can see the organization and its members.',
}

function asRole(role: Role): string {
  return `${role === 'member' ? 'a' : 'an'} ${role}`
}

export const organizationKinds: MailKinds<
  'invitation' | 'member_removed' | 'member_role_changed' | 'ownership_transferred' | 'organization_deleted'
> = {
  invitation: { page: 'invitation', purpose: 'invitation', compose: composeInvitation },
  member_removed: { compose: (sql, _keyring, job) => composeOfOrganization(sql, job) },
  member_role_changed: { compose: (sql, _keyring, job) => composeOfOrganization(sql, job) },
  ownership_transferred: { compose: (sql, _keyring, job) => composeOfOrganization(sql, job) },
  organization_deleted: { compose: composeOrganizationDeleted },
}
