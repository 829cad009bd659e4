/**
 * Mail: sends what the queue asks for, through SMTP, or into the local mailbox where no SMTP server is set.
 *
 * A job names rows; the mail is composed of them when it is sent (composition.ts), and not at all when it was overtaken: spent,
 * replaced, or gone with its person.
 */
import type { FastifyBaseLogger } from 'fastify'
import { mailed } from '../../platform/channels.ts'
import type { Keyring } from '../../platform/cryptography.ts'
import { type Database, type Purge, pipeline, type Sent, type Sql } from '../../platform/database/database.ts'
import { LoggedError, secondsToNextTry } from '../../platform/jobs/queue.ts'
import type { Config } from '../../platform/settings/config.ts'
import { senderOf } from '../../platform/settings/hosts.ts'
import { makeMailCode } from '../access/mail-codes.ts'
import { makeMailedToken } from '../access/tokens.ts'
import { type LinkRow, lockNamed, type MailKind, type Ready } from './composition.ts'
import { kinds } from './kinds.ts'
import type { MailJob } from './queue.ts'
import { withSecrets } from './templates.ts'
import type { Transport } from './transport.ts'

/** What sending needs; without `transport` mails go into the mailbox. */
export interface Post {
  readonly config: Config
  readonly database: Database
  readonly keyring: Keyring
  readonly transport: Transport | undefined
}

/**
 * The task: sends one mail.
 *
 * @param signal ends the sending when it is aborted
 * @returns what became of it, for the log
 * @throws Error without anything personal in it (the queue keeps its text) when it is worth another try
 */
export async function sendMail(
  post: Post,
  job: MailJob,
  signal?: AbortSignal,
): Promise<'sent' | 'kept' | 'dropped' | 'overtaken' | 'refused'> {
  const { transport, keyring } = post
  const mail = await post.database.inTenant(job.tenantId, async (sql) => {
    const composed = await compose(sql, keyring, job)
    // In the transaction that holds the person's row: their erasure waits for it, and finds the mail.
    // A kept deletion notice would bring the address of a deleted person back into the database.
    const isKept = !transport && job.kind !== 'account_deleted'
    if (composed) await sql.commit([isKept && keep(sql, job.mailId, composed), noteTold(sql, job)])
    return composed
  })
  if (!mail) return 'overtaken'
  if (!transport) return job.kind === 'account_deleted' ? 'dropped' : 'kept'
  const { subject, text, html } = withSecrets(mail, linkOf(post, mail.link), codeOfMail(keyring, mail.link))
  const from = senderOf(mail.from ?? post.config.mailFrom)
  const transporter = await transport.open()
  try {
    await transporter.sendMail({
      from,
      to: { name: '', address: mail.to },
      subject,
      text,
      html,
      // The same for each try, so that a mailbox recognizes a duplicate if we did not hear that the mail was accepted.
      messageId: `<${job.mailId}@${domainOf(from.address)}>`,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      signal,
    })
  } catch (error) {
    const { code = 'unknown', responseCode, command, syscall, message } = error as SmtpError // nodemailer's
    const isFinal = responseCode !== undefined && responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
    if (isFinal) return 'refused'
    // Overtaken while it was tried: a failed job would keep the id of a person who is gone.
    if (!(await post.database.inTenant(job.tenantId, (sql) => compose(sql, keyring, job)))) return 'overtaken'
    // What the server said may name the recipient; what the system said of a connection names host and port.
    const said = syscall === 'connect' ? message : (responseCode ?? '')
    throw new Error(`The mail server did not take the mail: ${code} ${said}`.trim())
  }
  return 'sent'
}

/** @returns the mail as the rows are now, or undefined if it was overtaken */
async function compose(sql: Sql, keyring: Keyring, job: MailJob): Promise<Ready | undefined> {
  const { compose } = kinds[job.kind] as MailKind // of the job's own kind
  const [, composed] = await pipeline([lockNamed(sql, job), compose(sql, keyring, job)])
  return composed
}

interface SmtpError extends Error {
  readonly code?: string
  readonly responseCode?: number
  readonly command?: string
  readonly syscall?: string
}

/** Puts a mail into the mailbox, once, without its link. */
function keep(sql: Sql, mailId: string, { to, subject, text, html, organizationId, link }: Ready): Sent<unknown> {
  return sql`
    insert into mails (tenant_id, id, kind, user_id, organization_id, invitation_id, session_id, attempt_id,
      generation, recipient, subject, text, html)
    values (${sql.tenant}, ${mailId}, ${link.kind}, ${link.userId}, ${organizationId}, ${link.invitationId}, ${link.sessionId},
      ${link.attemptId}, ${link.generation}, ${to}, ${subject}, ${text}, ${html})
    on conflict (tenant_id, id) do nothing`
}

/**
 * Notes which role a mail tells, with which the next change is compared; after a transfer the role may be another one by now.
 *
 * This comes before the mail is sent. If it came afterwards and failed, the mail would be sent again, or a change back would be told to
 * nobody. Another try of the same mail is not held back by it.
 */
function noteTold(sql: Sql, job: MailJob): Sent<unknown> | undefined {
  if (job.kind !== 'member_role_changed' && job.kind !== 'ownership_transferred') return
  return sql`
    update memberships set told_role = nullif(${job.role}, role)
    where tenant_id = ${sql.tenant} and organization_id = ${job.organizationId} and user_id = ${job.userId}`
}

/** Takes the mails of an invitation out of the mailbox: they name somebody who has no more to do with it. */
export function forgetInvitationMails(sql: Sql, invitationId: string): Sent<unknown> {
  return sql`delete from mails where tenant_id = ${sql.tenant} and invitation_id = ${invitationId}`
}

/** Where a tenant's links begin: its product's URL, else the pages of this service. */
export function linkBaseOf({ publicUrl }: Config, { baseUrl, slug }: Pick<LinkRow, 'baseUrl' | 'slug'>): string {
  return baseUrl ?? (slug === 'default' ? publicUrl : `${publicUrl}/t/${slug}`)
}

/** The link of a mail, made each time: its token is stored nowhere. It is in the fragment, which no server logs. */
export function linkOf({ config, keyring }: Pick<Post, 'config' | 'keyring'>, row: LinkRow): string {
  const base = linkBaseOf(config, row)
  const { page, purpose } = kinds[row.kind]
  if (!page) return base
  const id = row.invitationId ?? row.sessionId ?? row.userId
  if (!purpose || !id) return `${base}/${page}`
  const token = makeMailedToken(keyring, purpose, { tenant: row.tenant, id, generation: row.generation ?? 1 })
  return `${base}/${page}#token=${token}`
}

/** The code of a mail, made each time; empty if it has none. */
export function codeOfMail(keyring: Keyring, { tenant, attemptId, generation }: LinkRow): string {
  return attemptId === null ? '' : makeMailCode(keyring, { tenant, attemptId, generation: generation ?? 1 })
}

function domainOf(address: string): string {
  return /@([^@]+)$/.exec(address)?.[1] ?? 'localhost'
}

/** Deletes mails of the mailbox after 30 days. */
export const purgeMails: Purge = (sql, batch) => sql`
  with over as (
    select id from mails
    where tenant_id = ${sql.tenant} and sent_at < now() - interval '30 days'
    limit ${batch}
    for update skip locked)
  delete from mails m
  using over
  where m.tenant_id = ${sql.tenant} and m.id = over.id
  returning m.id`

/** What a runner says of the job that it runs. */
interface MailRun {
  readonly job: { readonly id: string; readonly attempts: number }
  /** Aborted when the process stops and waits no longer. */
  readonly abortSignal?: AbortSignal
}

/** The task: sends one mail, and says in the log what became of it. @throws Error when the mail is to be tried again */
export async function sendMailJob(
  post: Post,
  mail: MailJob,
  { job, abortSignal }: MailRun,
  log: FastifyBaseLogger,
): Promise<void> {
  const outcome = await sendMail(post, mail, abortSignal).catch((error: unknown) => {
    mailed.publish({ kind: mail.kind, outcome: 'failed' })
    const nextTry = `in ${Math.round(secondsToNextTry(job.attempts))} s at the earliest`
    log.warn({ job: job.id, kind: mail.kind, attempt: job.attempts, nextTry, reason: String(error) }, 'mail not sent')
    throw new LoggedError(error instanceof Error ? error.message : String(error), { cause: error })
  })
  mailed.publish({ kind: mail.kind, outcome })
  const level = outcome === 'refused' ? 'warn' : 'info'
  log[level]({ job: job.id, kind: mail.kind, outcome, attempt: job.attempts }, 'mail')
}
