/**
 * Composition: what every kind of mail is made with. A job names rows; the mail is composed of them when it is sent.
 *
 * Each statement locks the row that its mail is about: a transaction that spends, replaces or erases the row waits, or has been seen.
 *
 * Invariant: a notice goes to a verified address only. Any other address may belong to somebody else.
 */
import { isIP } from 'node:net'
import type { Keyring } from '../../platform/cryptography.ts'
import { pipeline, type Sent, type Sql, statement } from '../../platform/database/database.ts'
import type { MailedPurpose } from '../access/tokens.ts'
import type { MailJob } from './queue.ts'
import { type Brand, type Composed, inert } from './templates.ts'

/** What the link of a mail opens, and the tenant's place for links. */
export interface LinkRow {
  readonly kind: MailJob['kind']
  readonly tenant: string
  readonly slug: string
  readonly baseUrl: string | null
  readonly userId: string | null
  readonly invitationId: string | null
  readonly sessionId: string | null
  /** The half-done sign-in whose code the mail tells. */
  readonly attemptId: string | null
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
export interface MailTenant {
  readonly tenant: string
  readonly slug: string
  readonly baseUrl: string | null
  readonly mailFrom: string | null
  readonly tenantName: string
  readonly color: string | null
  readonly logoUrl: string | null
}

/** Of `tenants t`. */
export const tenantColumns = statement`t.id as tenant, t.slug, t.base_url, t.mail_from, t.name as tenant_name, t.color, t.logo_url`

/**
 * Locks the organization of a mail, then its person, as erasures do. What else the mail is about hangs on these, and is locked after them. A
 * mail in the mailbox refers to them, too.
 */
export function lockNamed(sql: Sql, job: MailJob): Sent<unknown> {
  const organization =
    job.kind === 'invitation'
      ? statement`(select organization_id from invitations where tenant_id = ${sql.tenant} and id = ${job.invitationId})`
      : 'organizationId' in job
        ? job.organizationId
        : undefined
  return pipeline([
    organization !== undefined &&
      sql`select from organizations where tenant_id = ${sql.tenant} and id = ${organization} for key share`,
    'userId' in job && sql`select from users where tenant_id = ${sql.tenant} and id = ${job.userId} for key share`,
  ])
}

/** Somebody who is written to at their present address. */
export async function lockRecipient(
  sql: Sql,
  userId: string,
): Promise<(MailTenant & { email: string; emailVerified: boolean }) | undefined> {
  const [recipient] = await sql<MailTenant & { email: string; emailVerified: boolean }>`
    select u.email, u.email_verified, ${tenantColumns}
    from users u
    join tenants t on t.id = ${sql.tenant}
    where u.tenant_id = ${sql.tenant} and u.id = ${userId}
    for key share of u`
  return recipient
}

export function ready(
  { tenant, slug, baseUrl, mailFrom, tenantName, color, logoUrl }: MailTenant,
  to: string,
  words: (brand: Brand) => Composed,
  about: Pick<LinkRow, 'kind'> & Partial<LinkRow> & { readonly organizationId?: string },
): Ready {
  const { kind, userId = null, invitationId = null, sessionId = null, attemptId = null, generation = null } = about
  const { organizationId = null } = about
  return {
    ...words({ name: tenantName, color, logoUrl }),
    to,
    from: mailFrom,
    organizationId,
    link: { kind, tenant, slug, baseUrl, userId, invitationId, sessionId, attemptId, generation },
  }
}

/** The job of a kind of mail. */
export type JobOf<Kind extends MailJob['kind'], Job = MailJob> = Job extends { readonly kind: infer Kinds }
  ? Kind extends Kinds
    ? Job
    : never
  : never

/** What a kind of mail is. */
export interface MailKind<Kind extends MailJob['kind'] = MailJob['kind']> {
  /** The page that its link opens. Absent: the link opens the tenant's own address. */
  readonly page?: string
  /** What the token in its link is for; `linkLifetimes` has its lifetime. Absent: the link has no token. */
  readonly purpose?: MailedPurpose
  /** @returns the mail, or undefined if it was overtaken: spent, replaced, or gone with its person */
  compose(sql: Sql, keyring: Keyring, job: JobOf<Kind>): Promise<Ready | undefined>
}

export type MailKinds<Kind extends MailJob['kind']> = { readonly [Each in Kind]: MailKind<Each> }

export interface DeviceWords {
  readonly device: string
  readonly ip: string | null
  readonly at: string
}

/** Made with the first moment, as it takes 8 MiB (docs/performance.md). */
let utc: Intl.DateTimeFormat | undefined

/** A moment in words. @param at RFC 3339 */
export function moment(at: string): string {
  utc ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  return `${utc.format(new Date(at))} UTC`
}

/**
 * Where and when something was done, such as "Chrome on macOS from 203.0.113.7, on 1 March 2026 at 09:30 UTC". An IP address is not
 * changed, so that it can be copied: nobody can write anything else into it.
 */
export function whereAndWhen({ device, ip, at }: DeviceWords): string {
  const from = ip && isIP(ip) ? ` from ${ip}` : ''
  return `${inert(device)}${from}, on ${moment(at)}`
}
