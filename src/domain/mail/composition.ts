/**
 * Composition: makes a mail of what a job names, as the rows are now.
 *
 * Each statement locks the row that the mail is about, so that whoever spends, replaces or erases it waits, or is found to have been.
 *
 * Invariant: a notice goes to a proven address alone. Another may be somebody else's, who would be told of what is not theirs.
 */

import type { Keyring } from '../../platform/cryptography.ts'
import { type Sql, statement } from '../../platform/database/database.ts'
import type { Role } from '../permissions/roles.ts'
import * as letters from './letters.ts'
import { type LinkedMail, type MailJob, purposes, type RoleMail } from './queue.ts'
import { type Brand, type Composed, durationOf } from './templates.ts'

/** What the link of a mail opens, and the tenant's place for links. */
export interface LinkRow {
  readonly kind: MailJob['kind']
  readonly tenant: string
  readonly slug: string
  readonly baseUrl: string | null
  readonly userId: string | null
  readonly invitationId: string | null
  readonly sessionId: string | null
  readonly generation: number | null
}

/** A mail that is ready but for its link. */
export interface Ready extends Composed {
  readonly to: string
  readonly from: string | null
  /** The organization that it names, and goes with. */
  readonly organizationId: string | null
  readonly link: LinkRow
}

/** The tenant's part of a mail. */
interface Place {
  readonly tenant: string
  readonly slug: string
  readonly baseUrl: string | null
  readonly mailFrom: string | null
  readonly tenantName: string
  readonly color: string | null
  readonly logoUrl: string | null
}

/** Of `tenants t`. */
const place = statement`t.id as tenant, t.slug, t.base_url, t.mail_from, t.name as tenant_name, t.color, t.logo_url`

/** @returns the mail, or undefined when it was overtaken */
export function composeMail(sql: Sql, keyring: Keyring, job: MailJob): Promise<Ready | undefined> {
  switch (job.kind) {
    case 'invitation':
      return composeInvitation(sql, job)
    case 'new_device':
      return composeNewDevice(sql, keyring, job)
    case 'member_removed':
    case 'member_role_changed':
    case 'ownership_transferred':
      return composeOfOrganization(sql, job)
    case 'organization_deleted':
      return composeOrganizationDeleted(sql, keyring, job)
    case 'account_deleted':
      return composeGoodbye(sql, keyring, job)
    case 'password_changed':
    case 'password_switched_off':
      return composeWarning(sql, keyring, job)
    case 'email_is_new':
      return composeEmailIsNew(sql, job)
    default:
      return composeLinked(sql, job)
  }
}

async function composeLinked(
  sql: Sql,
  { kind, userId, generation }: Extract<MailJob, { kind: LinkedMail }>,
): Promise<Ready | undefined> {
  const [row] = await sql<
    Place & {
      recipient: string
      email: string
      emailVerified: boolean
      pendingEmail: string | null
      seconds: number
      isTaken: boolean
    }
  >`
    select k.email as recipient, u.email, u.email_verified, u.pending_email, ${place},
      extract(epoch from k.expires_at - now())::float8 as seconds,
      exists (select from users x where x.tenant_id = ${sql.tenant} and x.email = k.email and x.id <> u.id) as is_taken
    from mailed_tokens k
    join users u on u.tenant_id = ${sql.tenant} and u.id = k.user_id
    join tenants t on t.id = ${sql.tenant}
    where k.tenant_id = ${sql.tenant} and k.user_id = ${userId} and k.purpose = ${purposes[kind]}
      and k.generation = ${generation} and k.spent_at is null and k.expires_at > now()
    for share of k`
  if (!row || (kind === 'verify_email' && row.emailVerified)) return undefined
  if (kind === 'email_change_requested' && row.pendingEmail === null) return undefined // taken back
  const lifetime = durationOf(row.seconds)
  const words: Readonly<Record<LinkedMail, (brand: Brand) => Composed>> = {
    verify_email: letters.verifyEmail,
    change_email: row.isTaken ? letters.addressInUse : letters.changeEmail,
    email_change_requested: (brand) => letters.emailChangeRequested(brand, row.pendingEmail ?? row.email),
    email_changed: (brand) => letters.emailChanged(brand, row.email),
    email_change_undone: (brand) => letters.emailChangeUndone(brand, lifetime),
    reset_password: (brand) => letters.resetPassword(brand, lifetime),
    set_password: letters.setPassword,
  }
  return ready(row, row.recipient, words[kind], { kind, userId, generation })
}

async function composeInvitation(
  sql: Sql,
  { kind, invitationId, generation }: Extract<MailJob, { kind: 'invitation' }>,
): Promise<Ready | undefined> {
  const [row] = await sql<Place & letters.InvitationWords & { email: string; organizationId: string }>`
    select i.email, i.role, i.organization_id, o.name as organization, u.name as inviter, ${place}
    from invitations i
    join organizations o on o.tenant_id = ${sql.tenant} and o.id = i.organization_id
    left join users u on u.tenant_id = ${sql.tenant} and u.id = i.invited_by
    join tenants t on t.id = ${sql.tenant}
    where i.tenant_id = ${sql.tenant} and i.id = ${invitationId} and i.generation = ${generation}
      and i.status = 'pending' and i.expires_at > now() and i.email is not null
    for share of i`
  const about = row && { kind, invitationId, generation, organizationId: row.organizationId }
  return row && about && ready(row, row.email, (brand) => letters.invitation(brand, row), about)
}

async function composeNewDevice(
  sql: Sql,
  keyring: Keyring,
  { kind, userId, sessionId, sealed }: Extract<MailJob, { kind: 'new_device' }>,
): Promise<Ready | undefined> {
  const email = keyring.open('job', sealed, sql.tenant)
  const [row] = await sql<Place & letters.DeviceWords>`
    select s.name as device, s.ip, s.created_at as at, ${place}
    from sessions s
    join tenants t on t.id = ${sql.tenant}
    where s.tenant_id = ${sql.tenant} and s.id = ${sessionId} and s.user_id = ${userId}
    for key share of s`
  if (!row || email === undefined) return undefined
  return ready(row, email, (brand) => letters.newDevice(brand, row), { kind, userId, sessionId })
}

/** Somebody who is written to at their present address. */
async function lockRecipient(
  sql: Sql,
  userId: string,
): Promise<(Place & { email: string; emailVerified: boolean }) | undefined> {
  const [recipient] = await sql<Place & { email: string; emailVerified: boolean }>`
    select u.email, u.email_verified, ${place}
    from users u
    join tenants t on t.id = ${sql.tenant}
    where u.tenant_id = ${sql.tenant} and u.id = ${userId}
    for key share of u`
  return recipient
}

async function composeWarning(
  sql: Sql,
  keyring: Keyring,
  { kind, userId, sealed }: Extract<MailJob, { kind: 'password_changed' | 'password_switched_off' }>,
): Promise<Ready | undefined> {
  const email = keyring.open('job', sealed, sql.tenant)
  const row = await lockRecipient(sql, userId)
  if (!row || email === undefined) return undefined
  const words = kind === 'password_changed' ? letters.passwordChanged : letters.passwordSwitchedOff
  return ready(row, email, words, { kind, userId })
}

async function composeEmailIsNew(
  sql: Sql,
  { kind, userId }: Extract<MailJob, { kind: 'email_is_new' }>,
): Promise<Ready | undefined> {
  const row = await lockRecipient(sql, userId)
  return row && ready(row, row.email, letters.emailIsNew, { kind, userId })
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
  if (kind !== 'member_removed' && (role !== job.role || role === toldRole)) return undefined
  const words = (brand: Brand) =>
    role === null
      ? letters.memberRemoved(brand, organization)
      : kind === 'ownership_transferred'
        ? letters.ownershipTransferred(brand, { ...job, organization })
        : letters.memberRoleChanged(brand, organization, role)
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
  return ready(row, row.email, (brand) => letters.organizationDeleted(brand, organization), { kind, userId })
}

/** What the job of a goodbye mail carries, sealed. */
export interface Goodbye {
  readonly email: string
  /** When it is no longer sent. */
  readonly until: string
}

async function composeGoodbye(
  sql: Sql,
  keyring: Keyring,
  { kind, sealed }: Extract<MailJob, { kind: 'account_deleted' }>,
): Promise<Ready | undefined> {
  const text = keyring.open('job', sealed, sql.tenant)
  if (text === undefined) return undefined // sealed under a secret that was since taken away
  const { email, until } = JSON.parse(text) as Goodbye // sealed by us
  const [row] =
    await sql<Place>`select ${place} from tenants t where t.id = ${sql.tenant} and now() < ${until}::timestamptz`
  return row && ready(row, email, letters.accountDeleted, { kind })
}

function ready(
  { tenant, slug, baseUrl, mailFrom, tenantName, color, logoUrl }: Place,
  to: string,
  words: (brand: Brand) => Composed,
  about: Pick<LinkRow, 'kind'> & Partial<LinkRow> & { readonly organizationId?: string },
): Ready {
  const { kind, userId = null, invitationId = null, sessionId = null, generation = null, organizationId = null } = about
  return {
    ...words({ name: tenantName, color, logoUrl }),
    to,
    from: mailFrom,
    organizationId,
    link: { kind, tenant, slug, baseUrl, userId, invitationId, sessionId, generation },
  }
}
