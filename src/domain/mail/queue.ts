/** The mail queue: which mails there are, what the job of each carries, and adding and removing these jobs. */
import type { Sent, Sql } from '../../platform/database/database.ts'
import { newId } from '../../platform/http/schemas.ts'
import { addJobs, type NewJob, removeJobsFrom } from '../../platform/jobs/queue.ts'
import type { Role } from '../permissions/roles.ts'

declare module '../../platform/jobs/queue.ts' {
  interface Tasks {
    send_mail: MailJob
  }
}

/**
 * Which mail, about which rows. It is composed when it is sent; what has passed by then is not sent at all. `mailId` is the same for
 * each try.
 */
export type MailJob = { readonly tenantId: string; readonly mailId: string } & (
  | { readonly kind: LinkedMail; readonly userId: string; readonly generation: number }
  | { readonly kind: 'invitation'; readonly invitationId: string; readonly generation: number }
  | { readonly kind: 'email_is_new'; readonly userId: string }
  /** Warnings: the address of that moment is sealed, since a thief of the account may change it before the mail is sent. */
  | { readonly kind: 'new_device'; readonly userId: string; readonly sessionId: string; readonly sealed: string }
  | {
      readonly kind: 'password_changed'
      readonly userId: string
      readonly sealed: string
      /** Whether it was reset by a link, which ends every session. Omitted, also by the release before: changed in a session, which goes on. */
      readonly isReset?: boolean
    }
  | {
      readonly kind: 'password_switched_off' | 'codes_switched_off' | 'mail_codes_switched_off'
      readonly userId: string
      readonly sealed: string
    }
  /** The address of that moment and what has changed, sealed. */
  | {
      readonly kind: 'sign_in_changed' | 'password_known' | 'factors_reset'
      readonly userId: string
      readonly sealed: string
    }
  /** To the address of the half-done sign-in, if it is an account's. */
  | { readonly kind: 'sign_in_code'; readonly attemptId: string; readonly generation: number }
  | {
      readonly kind:
        | 'member_removed'
        | 'membership_suspended'
        | 'membership_reactivated'
        | 'membership_ended'
        | 'member_added_by_admin'
        | 'access_given_by_admin'
      readonly userId: string
      readonly organizationId: string
    }
  | {
      readonly kind: 'member_role_changed'
      readonly userId: string
      readonly organizationId: string
      readonly role: Role
    }
  /** Three days before: to the member, and to the person who set the end (`isOwn` is false). It names nobody, as that person may be erased. */
  | {
      readonly kind: 'membership_ending'
      readonly userId: string
      readonly organizationId: string
      readonly endsAt: string
      readonly isOwn: boolean
    }
  /** To each of the two; `isByAdmin` when a tenant admin did it, and not the former owner. */
  | {
      readonly kind: 'ownership_transferred'
      readonly userId: string
      readonly organizationId: string
      readonly role: 'owner' | 'admin'
      readonly isByAdmin: boolean
    }
  /** To the people of a key; the organization is its owner. The address of the moment is sealed. */
  | {
      readonly kind: 'key_made'
      readonly keyId: string
      readonly userId: string
      readonly organizationId?: string
      readonly sealed: string
    }
  | {
      readonly kind: 'key_ending' | 'key_holder_left'
      readonly keyId: string
      readonly userId: string
      readonly organizationId?: string
    }
  /** To an admin of the tenant; the application may be gone by then. Their address, its name and what has happened are sealed. */
  | { readonly kind: 'application_changed'; readonly userId: string; readonly sealed: string }
  /** To an admin of the tenant, or an owner of the organization whose webhook it is. Their address, its name and what has happened are sealed. */
  | {
      readonly kind: 'webhook_changed'
      readonly userId: string
      readonly organizationId?: string
      readonly sealed: string
    }
  /** The organization is gone when the mail is sent, so its name is sealed in the job. */
  | { readonly kind: 'organization_deleted'; readonly userId: string; readonly sealed: string }
  /** The one mail to somebody who is gone: the address is sealed. */
  | { readonly kind: 'account_deleted'; readonly sealed: string }
)

/** Mails whose link is a row of `mailed_tokens`, and go to the address there. */
export type LinkedMail =
  | 'verify_email'
  | 'change_email'
  | 'email_change_requested'
  | 'email_changed'
  | 'email_change_undone'
  | 'reset_password'
  | 'set_password'

/** Mails about a key. */
export type KeyMail = 'key_made' | 'key_ending' | 'key_holder_left'

/** Distributes over the union, so that each kind keeps the fields of its own. */
type Unaddressed<Job> = Job extends MailJob ? Omit<Job, 'tenantId' | 'mailId'> : never
export type NewMail = Unaddressed<MailJob>

/** Mails for which somebody waits who cannot go on without. However many others wait, these are sent first; all of them have rates. */
const awaited: readonly MailJob['kind'][] = ['sign_in_code', 'verify_email', 'change_email', 'reset_password']

/**
 * Has a mail sent.
 *
 * @param key   a waiting mail with the same key is replaced; without one, this is a mail of its own
 * @param delay in seconds, before it is sent; a mail that replaces another one waits no longer by that
 */
export function queueMail(sql: Sql, job: NewMail, key?: string, delay = 0): Sent<unknown> {
  return addJobs(sql, [newJob(sql, job, key, delay)])
}

/** Has several mails sent, one at least. Each is a mail of its own, and all of them are in few rows of the outbox. */
export function queueMails(sql: Sql, jobs: readonly NewMail[]): Sent<unknown> {
  return addJobs(
    sql,
    jobs.map((job) => newJob(sql, job)),
  )
}

function newJob(sql: Sql, job: NewMail, key?: string, delay = 0): NewJob<'send_mail'> {
  const mailId = newId('mail')
  const own = 'userId' in job ? mailKey(job.userId, mailId) : `${job.kind}:${mailId}`
  const payload = { ...job, tenantId: sql.tenant, mailId } as MailJob // what was omitted is back
  return { task: 'send_mail', payload, key: key ?? own, delay, isAwaited: awaited.includes(job.kind) }
}

/** In seconds. Somebody who corrects a slip, or tries roles out, is done by then; and nobody can have more mails sent than one a minute. */
const rolePause = 60

/** A mail that tells somebody what became of their membership. */
export type MembershipMail = Extract<
  MailJob,
  {
    kind:
      | 'member_removed'
      | 'membership_suspended'
      | 'membership_reactivated'
      | 'membership_ended'
      | 'member_added_by_admin'
      | 'access_given_by_admin'
  }
>

/** Mails members after a pause whether they are suspended, if it is then still so. */
export function queueMembershipMail(sql: Sql, job: Unaddressed<MembershipMail>): Sent<unknown> {
  // The release before queues under this key.
  return queueMail(sql, job, mailKey(job.userId, `standing:${job.organizationId}`), rolePause)
}

/** Mails an owner after a pause that an admin of the tenant gave access. What they give in the pause is in the same mail. */
export function queueAccessMail(sql: Sql, userId: string, organizationId: string): Sent<unknown> {
  const job = { kind: 'access_given_by_admin', userId, organizationId } as const
  return queueMail(sql, job, mailKey(userId, `access:${organizationId}`), rolePause)
}

/** A mail that tells a member their role. */
export type RoleMail = Extract<MailJob, { kind: 'member_role_changed' | 'ownership_transferred' }>

/** Mails members their role after a pause, if it is then not the one in the last mail (`memberships.told_role`). */
export function queueRoleMail(sql: Sql, job: Unaddressed<RoleMail>): Sent<unknown> {
  // A transfer has a mail of its own, which no later change of the role replaces: it says what to do against a thief.
  const slot = job.kind === 'ownership_transferred' ? 'transfer' : 'role'
  return queueMail(sql, job, mailKey(job.userId, `${slot}:${job.organizationId}`), rolePause)
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
export function removeMailsTo(sql: Sql, userId: string): Promise<void> {
  return removeJobsFrom(sql, mailKey(userId, ''))
}

/** The key of an invitation's mail. */
export function invitationJob(id: string): string {
  return `invitation:${id}`
}
