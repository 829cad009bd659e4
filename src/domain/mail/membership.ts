/** Mails about a membership: what became of it, of its role, and of the ownership. */
import type { Keyring } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import { isCurrent } from '../permissions/held.ts'
import type { Role, TenantRole } from '../permissions/roles.ts'
import { type MailKinds, type MailTenant, moment, type Ready, ready, tenantColumns } from './composition.ts'
import type { MailJob, MembershipMail, RoleMail } from './queue.ts'
import { type Brand, type Composed, compose, inert } from './templates.ts'

type MembershipNotice = MembershipMail | Extract<MailJob, { kind: 'membership_ending' }> | RoleMail

async function composeNotice(sql: Sql, _keyring: Keyring, job: MembershipNotice): Promise<Ready | undefined> {
  const { kind, userId, organizationId } = job
  const [row] = await sql<MailTenant & Noticed>`
    select u.email, u.role as tenant_role, o.name as organization, m.role, m.told_role, m.status, m.expires_at, ${tenantColumns}
    from users u
    join organizations o on o.tenant_id = ${sql.tenant} and o.id = ${organizationId}
    left join memberships m on m.tenant_id = ${sql.tenant} and m.organization_id = o.id and m.user_id = u.id
      and ${isCurrent}
    join tenants t on t.id = ${sql.tenant}
    where u.tenant_id = ${sql.tenant} and u.id = ${userId} and u.email_verified
    for key share of u, o`
  if (!row) return undefined
  const words = wordsOf(job, row)
  return words && ready(row, row.email, words, { kind, userId, organizationId })
}

interface Noticed {
  readonly email: string
  readonly tenantRole: TenantRole
  readonly organization: string
  /** Null: not a member. */
  readonly role: Role | null
  readonly toldRole: Role | null
  readonly status: 'active' | 'suspended' | null
  readonly expiresAt: string | null
}

/** @returns undefined for a mail that was overtaken: a later one tells what is so now */
function wordsOf(job: MembershipNotice, now: Noticed): ((brand: Brand) => Composed) | undefined {
  const { organization, tenantRole, role, toldRole, status, expiresAt } = now
  switch (job.kind) {
    case 'member_removed':
      return role === null ? (brand) => memberRemoved(brand, organization) : undefined
    case 'membership_ended':
      return role === null ? (brand) => membershipEnded(brand, organization) : undefined
    case 'membership_suspended':
      return status === 'suspended' ? (brand) => membershipSuspended(brand, organization) : undefined
    case 'membership_reactivated':
      return status === 'active' ? (brand) => membershipReactivated(brand, organization) : undefined
    case 'member_added_by_admin':
      return role === 'owner' ? (brand) => memberAddedByAdmin(brand, organization) : undefined
    case 'access_given_by_admin':
      return role === 'owner' ? (brand) => accessGivenByAdmin(brand, organization) : undefined
    case 'membership_ending': {
      if (job.isOwn && expiresAt !== job.endsAt) return undefined
      // Who set the end may be gone by now, and then learns nothing more of the organization.
      if (!job.isOwn && status !== 'active' && tenantRole !== 'admin') return undefined
      return (brand) => membershipEnding(brand, { ...job, organization })
    }
    case 'ownership_transferred':
      return role === null ? undefined : (brand) => ownershipTransferred(brand, { ...job, organization })
    case 'member_role_changed':
      return role !== job.role || role === toldRole
        ? undefined
        : (brand) => memberRoleChanged(brand, organization, role)
  }
}

export function memberRemoved(brand: Brand, organization: string): Composed {
  return compose(brand, {
    subject: `You are no longer a member of ${inert(organization, 60)}`,
    title: `You are no longer a member of ${inert(organization)}`,
    paragraphs: [`You were removed from ${inert(organization)} on ${inert(brand.name)}. You keep your account.`],
    note: 'If you think this is a mistake, contact one of its admins.',
  })
}

export function membershipEnded(brand: Brand, organization: string): Composed {
  return compose(brand, {
    subject: `Your membership in ${inert(organization, 60)} has ended`,
    title: `Your membership in ${inert(organization)} has ended`,
    paragraphs: [
      `Your membership in ${inert(organization)} on ${inert(brand.name)} ended as scheduled. You keep your account.`,
    ],
    note: 'If you still need it, ask one of its admins to invite you again.',
  })
}

export function membershipSuspended(brand: Brand, organization: string): Composed {
  return compose(brand, {
    subject: `Your membership in ${inert(organization, 60)} is suspended`,
    title: `Your membership in ${inert(organization)} is suspended`,
    paragraphs: [
      `An admin suspended your membership in ${inert(organization)} on ${inert(brand.name)}. Until an admin reactivates it, you cannot use the organization. Your account works elsewhere.`,
    ],
    note: 'If you think this is a mistake, contact one of its admins.',
  })
}

export function membershipReactivated(brand: Brand, organization: string): Composed {
  return compose(brand, {
    subject: `Your membership in ${inert(organization, 60)} is active again`,
    title: `Your membership in ${inert(organization)} is active again`,
    paragraphs: [`You can use ${inert(organization)} on ${inert(brand.name)} again, with the roles that you had.`],
    note: 'You get this email because your membership was suspended.',
  })
}

/** To the owners. It does not name the member: who deletes their account is then in no mail that is kept. */
export function memberAddedByAdmin(brand: Brand, organization: string): Composed {
  return compose(brand, {
    subject: `A member was added to ${inert(organization, 60)}`,
    title: `A member was added to ${inert(organization)}`,
    paragraphs: [
      `An admin of ${inert(brand.name)} added a member to ${inert(organization)}, without an invitation. They have access now. The organization’s activity shows who it is, and their role.`,
    ],
    note: 'You get this email because you are an owner. If you did not expect this, you can remove the member.',
  })
}

export interface EndingWords {
  readonly organization: string
  /** RFC 3339. */
  readonly endsAt: string
  /** Whether it is the reader's membership. */
  readonly isOwn: boolean
}

/** It does not name the member to the person who set the end: who deletes their account is then in no mail that is kept. */
export function membershipEnding(brand: Brand, { organization, endsAt, isOwn }: EndingWords): Composed {
  const name = inert(organization)
  const when = moment(endsAt)
  return compose(brand, {
    subject: isOwn
      ? `Your membership in ${inert(organization, 60)} ends soon`
      : `A membership in ${inert(organization, 60)} ends soon`,
    title: isOwn ? `Your membership in ${name} ends soon` : `A membership in ${name} ends soon`,
    paragraphs: [
      isOwn
        ? `Your membership in ${name} on ${inert(brand.name)} ends on ${when}.`
        : `A membership in ${name} on ${inert(brand.name)} ends on ${when}. You set this date. The list of members shows whose it is.`,
    ],
    note: isOwn
      ? 'If you need it longer, ask one of its admins.'
      : 'To keep the member, set a later end date, or none.',
  })
}

export function memberRoleChanged(brand: Brand, organization: string, role: Role): Composed {
  return compose(brand, {
    subject: `Your role in ${inert(organization, 60)} is now ${role}`,
    title: `You are now ${asRole(role)} of ${inert(organization)}`,
    paragraphs: [`Your role in ${inert(organization)} on ${inert(brand.name)} was changed. ${means[role]}`],
    note: 'If you think this is a mistake, contact one of its owners.',
  })
}

/** To the owners. It names nobody, as `memberAddedByAdmin` does not. */
export function accessGivenByAdmin(brand: Brand, organization: string): Composed {
  return compose(brand, {
    subject: `An admin gave access to ${inert(organization, 60)}`,
    title: `An admin gave access to ${inert(organization)}`,
    paragraphs: [
      `An admin of ${inert(brand.name)} sent an invitation to ${inert(organization)}, or gave a member more rights. The organization’s activity shows who did what.`,
    ],
    note: 'You get this email because you are an owner. If you did not expect this, you can revoke the invitation or change the member.',
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

const means: Readonly<Record<Role, string>> = {
  owner: 'Owners can do everything, including managing owners and deleting the organization.',
  admin: 'Admins can invite and manage members, and change settings.',
  member: 'Members can see the organization and its members.',
}

export function asRole(role: Role): string {
  return `${role === 'member' ? 'a' : 'an'} ${role}`
}

export const membershipMails: MailKinds<
  | 'member_removed'
  | 'membership_suspended'
  | 'membership_reactivated'
  | 'membership_ended'
  | 'membership_ending'
  | 'member_added_by_admin'
  | 'access_given_by_admin'
  | 'member_role_changed'
  | 'ownership_transferred'
> = {
  member_removed: { compose: composeNotice },
  membership_suspended: { compose: composeNotice },
  membership_reactivated: { compose: composeNotice },
  membership_ended: { compose: composeNotice },
  membership_ending: { compose: composeNotice },
  member_added_by_admin: { compose: composeNotice },
  access_given_by_admin: { compose: composeNotice },
  member_role_changed: { compose: composeNotice },
  ownership_transferred: { compose: composeNotice },
}
