/**
 * The queue: jobs are added in the transaction of the change that wants them, so that both happen or neither.
 *
 * Invariant: a payload carries ids, or text that is sealed; never an address, a name or a token. While requests are traced it carries
 * the `traceparent` of the one that wanted it, too.
 */
import type { Role } from '../../domain/permissions/roles.ts'
import { tracing } from '../channels.ts'
import type { Sql } from '../database/database.ts'
import { newId } from '../http/schemas.ts'

/** Every task, and what its jobs carry. */
export interface Tasks {
  send_mail: MailJob
  record_refused_sign_in: SealedJob
  request_reset: SealedJob
}

/** Something said by a stranger, which must not stand in the queue in clear. */
export interface SealedJob {
  readonly tenantId: string
  readonly sealed: string
}

/**
 * Which mail, about which rows. It is composed when it is sent; what has passed by then is not sent at all. `mailId` is the same for
 * each try.
 */
export type MailJob = { readonly tenantId: string; readonly mailId: string } & (
  | { readonly kind: LinkedMail; readonly userId: string; readonly generation: number }
  | { readonly kind: 'invitation'; readonly invitationId: string; readonly generation: number }
  | { readonly kind: 'email_is_new'; readonly userId: string }
  /** Warnings: the address of that moment is sealed, since whoever took the account may have changed it before the mail is out. */
  | { readonly kind: 'new_device'; readonly userId: string; readonly sessionId: string; readonly sealed: string }
  | {
      readonly kind: 'password_changed' | 'password_switched_off'
      readonly userId: string
      readonly sealed: string
    }
  | {
      readonly kind: 'member_removed'
      readonly userId: string
      readonly organizationId: string
    }
  | {
      readonly kind: 'member_role_changed'
      readonly userId: string
      readonly organizationId: string
      readonly role: Role
    }
  /** To each of the two; `isByAdmin` when a tenant admin did it, and not whoever had it. */
  | {
      readonly kind: 'ownership_transferred'
      readonly userId: string
      readonly organizationId: string
      readonly role: 'owner' | 'admin'
      readonly isByAdmin: boolean
    }
  /** Of what is gone when it is told; the name is sealed. */
  | { readonly kind: 'organization_deleted'; readonly userId: string; readonly sealed: string }
  /** The one mail to somebody who is gone: the address is sealed. */
  | { readonly kind: 'account_deleted'; readonly sealed: string }
)

/** Mails whose link is a row of `mailed_tokens`, and go to the address that stands there. */
export type LinkedMail =
  | 'verify_email'
  | 'change_email'
  | 'email_change_requested'
  | 'email_changed'
  | 'email_change_undone'
  | 'reset_password'
  | 'set_password'

/**
 * @param key   a waiting job with the same key is replaced
 * @param delay for so many seconds at least nothing is done; a job that is replaced meanwhile waits no longer by that
 */
export async function addJob<Task extends keyof Tasks>(
  sql: Sql,
  task: Task,
  payload: Tasks[Task],
  key: string,
  delay = 0,
): Promise<void> {
  const traceparent = tracing.getStore()
  const carried = traceparent === undefined ? payload : { ...payload, traceparent }
  await sql`
    select from graphile_worker.add_job(
      identifier => ${task}::text, payload => ${JSON.stringify(carried)}::json, job_key => ${key}::text,
      run_at => now() + make_interval(secs => ${delay}), max_attempts => 25,
      job_key_mode => ${delay > 0 ? 'preserve_run_at' : 'replace'}::text)`
}

/** Takes waiting jobs away; one that is being worked on ends by itself, and finds that its row is gone. */
export async function removeJobs(sql: Sql, keys: readonly string[]): Promise<void> {
  await sql`select graphile_worker.remove_job(job_key => key) from unnest(${keys}::text[]) key`
}

/** Distributes over the union, so that each kind keeps the fields of its own. */
type Unaddressed<Job> = Job extends MailJob ? Omit<Job, 'tenantId' | 'mailId'> : never

/**
 * Has a mail sent.
 *
 * @param key a waiting mail with the same key is replaced; without one, this is a mail of its own
 */
export async function queueMail(sql: Sql, job: Unaddressed<MailJob>, key?: string): Promise<void> {
  const mailId = newId('mail')
  const own = 'userId' in job ? mailKey(job.userId, mailId) : `${job.kind}:${mailId}`
  await addJob(sql, 'send_mail', { ...job, tenantId: sql.tenant, mailId } as MailJob, key ?? own) // what was omitted is back
}

/**
 * The key of a mail to somebody.
 *
 * @param slot of two mails with the same one, only the later is sent
 */
export function mailKey(userId: string, slot: string): string {
  return `mail:${userId}:${slot}`
}

/** Takes every waiting mail to somebody away. */
export async function removeMailsTo(sql: Sql, userId: string): Promise<void> {
  await sql`
    select graphile_worker.remove_job(key)
    from graphile_worker.jobs
    where starts_with(key, ${mailKey(userId, '')})`
}

/** The key of an invitation's mail. */
export function invitationJob(id: string): string {
  return `invitation:${id}`
}
