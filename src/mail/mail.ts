/**
 * Mail: sends what the queue asks for, through SMTP, or into the local mailbox where no SMTP server is set.
 *
 * A job names a row; the mail is composed of that row when it is sent, and not at all when it was overtaken: spent, replaced, or
 * gone with its person.
 */
import nodemailer, { type Transporter } from 'nodemailer'
import { makeMailedToken } from '../access/tokens.ts'
import { type Config, isLoopback } from '../config.ts'
import type { Keyring } from '../cryptography.ts'
import type { Database, Sql } from '../database/database.ts'
import { newId } from '../http/schemas.ts'
import type { MailJob } from '../jobs/queue.ts'
import { type Composed, type InvitationWords, invitation, verifyEmail, withLink } from './templates.ts'

/** What sending needs; without `transport` mails go into the mailbox. */
export interface Post {
  readonly config: Config
  readonly database: Database
  readonly keyring: Keyring
  readonly transport: Transporter | undefined
}

/** A mail that is ready but for its link. */
interface Ready extends Composed {
  readonly to: string
  readonly from: string | null
  readonly link: LinkRow
}

/** The row that a mail's link opens, and the tenant's place for links. */
export interface LinkRow {
  readonly tenant: string
  readonly slug: string
  readonly baseUrl: string | null
  readonly userId: string | null
  readonly invitationId: string | null
  readonly generation: number
}

/**
 * SMTP as the settings say; its time-outs keep a server that stalls from holding a worker. What stands in the URL's query wins over
 * what is said here.
 */
export function openTransport({ smtpUrl }: Pick<Config, 'smtpUrl'>): Transporter | undefined {
  if (!smtpUrl) return undefined
  const { username, hostname } = new URL(smtpUrl)
  return nodemailer.createTransport({
    url: smtpUrl,
    // Else whoever stands in between could take STARTTLS out of the server's offer, and read the password.
    requireTLS: username !== '' && !isLoopback(hostname),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    dnsTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/**
 * The task: sends one mail.
 *
 * @returns what became of it, for the log
 * @throws Error without anything personal in it (the queue keeps its text) when it is worth another try
 */
export async function sendMail(post: Post, job: MailJob): Promise<'sent' | 'kept' | 'overtaken' | 'refused'> {
  const { transport } = post
  const mail = await post.database.inTenant(job.tenantId, async (sql) => {
    const composed = await compose(sql, job)
    // In the transaction that holds its row: whoever erases a person waits for it, and finds the mail.
    if (composed && !transport) await keep(sql, composed)
    return composed
  })
  if (!mail) return 'overtaken'
  if (!transport) return 'kept'
  const { subject, text, html } = withLink(mail, linkOf(post, mail.link))
  const from = mail.from ?? post.config.mailFrom
  try {
    await transport.sendMail({
      from,
      to: { name: '', address: mail.to },
      subject,
      text,
      html,
      // The same for each try: a mail whose acceptance we did not hear of can be told as a duplicate.
      messageId: `<${job.kind}.${mail.link.userId ?? mail.link.invitationId}.${mail.link.generation}@${domainOf(from)}>`,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    })
    return 'sent'
  } catch (error) {
    const { code = 'unknown', responseCode, command, syscall, message } = error as SmtpError // nodemailer's
    const isFinal = responseCode !== undefined && responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
    if (isFinal) return 'refused'
    // Overtaken while it was tried: a failed job would keep the id of whoever is gone.
    if (!(await post.database.inTenant(job.tenantId, (sql) => compose(sql, job)))) return 'overtaken'
    // What the server said may name the recipient; what the system said of a connection names host and port.
    const said = syscall === 'connect' ? message : (responseCode ?? '')
    throw new Error(`The mail server did not take the mail: ${code} ${said}`.trim())
  }
}

interface SmtpError extends Error {
  readonly code?: string
  readonly responseCode?: number
  readonly command?: string
  readonly syscall?: string
}

/** Locks the row that the mail is about. @returns the mail, or undefined when it was overtaken */
async function compose(sql: Sql, job: MailJob): Promise<Ready | undefined> {
  if (job.kind === 'verify_email') {
    const [row] = await sql<TenantWords & { email: string }>`
      select k.email, ${job.userId}::text as user_id, null as invitation_id, k.generation,
        t.id as tenant, t.slug, t.base_url, t.mail_from, t.name as tenant_name, t.color
      from mailed_tokens k
      join users u on u.tenant_id = ${sql.tenant} and u.id = k.user_id
      join tenants t on t.id = ${sql.tenant}
      where k.tenant_id = ${sql.tenant} and k.user_id = ${job.userId} and k.purpose = 'verify_email'
        and k.generation = ${job.generation} and k.spent_at is null and k.expires_at > now() and not u.email_verified
      for share of k`
    return (
      row && {
        ...verifyEmail({ name: row.tenantName, color: row.color }),
        to: row.email,
        from: row.mailFrom,
        link: row,
      }
    )
  }
  const [row] = await sql<TenantWords & InvitationWords & { email: string }>`
    select i.email, i.role, o.name as organization, u.name as inviter, null as user_id, i.id as invitation_id, i.generation,
      t.id as tenant, t.slug, t.base_url, t.mail_from, t.name as tenant_name, t.color
    from invitations i
    join organizations o on o.tenant_id = ${sql.tenant} and o.id = i.organization_id
    left join users u on u.tenant_id = ${sql.tenant} and u.id = i.invited_by
    join tenants t on t.id = ${sql.tenant}
    where i.tenant_id = ${sql.tenant} and i.id = ${job.invitationId} and i.generation = ${job.generation}
      and i.status = 'pending' and i.expires_at > now() and i.email is not null
    for share of i`
  return (
    row && {
      ...invitation({ name: row.tenantName, color: row.color }, row),
      to: row.email,
      from: row.mailFrom,
      link: row,
    }
  )
}

interface TenantWords extends LinkRow {
  readonly mailFrom: string | null
  readonly tenantName: string
  readonly color: string | null
}

/** Puts a mail into the mailbox, once for each row and generation, without its link. */
async function keep(sql: Sql, { to, subject, text, html, link }: Ready): Promise<void> {
  await sql`
    insert into mails (tenant_id, id, user_id, invitation_id, generation, recipient, subject, text, html)
    select ${sql.tenant}::uuid, ${newId('mail')}::text, ${link.userId}::text, ${link.invitationId}::text, ${link.generation}::integer,
      ${to}::text, ${subject}::text, ${text}::text, ${html}::text
    where not exists (
      select from mails
      where tenant_id = ${sql.tenant} and generation = ${link.generation}
        and user_id is not distinct from ${link.userId}::text and invitation_id is not distinct from ${link.invitationId}::text)`
}

/** Takes the mails of an invitation out of the mailbox: they name somebody who has no more to do with it. */
export async function forgetInvitationMails(sql: Sql, invitationId: string): Promise<void> {
  await sql`delete from mails where tenant_id = ${sql.tenant} and invitation_id = ${invitationId}`
}

/** Where a tenant's links begin: its product's URL, else the pages of this service. */
export function linkBaseOf({ publicUrl }: Config, { baseUrl, slug }: Pick<LinkRow, 'baseUrl' | 'slug'>): string {
  return baseUrl ?? (slug === 'default' ? publicUrl : `${publicUrl}/t/${slug}`)
}

/** The link of a mail, made anew each time: its token is kept nowhere. It sits in the fragment, which no server logs. */
export function linkOf({ config, keyring }: Pick<Post, 'config' | 'keyring'>, row: LinkRow): string {
  const [purpose, id, page] =
    row.invitationId !== null
      ? (['invitation', row.invitationId, 'invitation'] as const)
      : (['verify_email', row.userId ?? '', 'verify-email'] as const)
  return `${linkBaseOf(config, row)}/${page}#token=${makeMailedToken(keyring, purpose, { tenant: row.tenant, id, generation: row.generation })}`
}

function domainOf(address: string): string {
  return /@([^@>\s]+)>?$/.exec(address)?.[1] ?? 'localhost'
}
