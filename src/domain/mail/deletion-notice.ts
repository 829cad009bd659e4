/** The deletion notice: the mail that an account was deleted, the only one to somebody who is gone. */
import type { Keyring } from '../../platform/cryptography.ts'
import type { Database, Sql } from '../../platform/database/database.ts'
import { dropOldJobs } from '../../platform/jobs/queue.ts'
import type { MailKinds } from './composition.ts'
import { type MailTenant, type Ready, ready, tenantColumns } from './composition.ts'
import type { MailJob } from './queue.ts'
import { type Brand, type Composed, compose, inert } from './templates.ts'

/** What the job of a deletion notice carries, sealed. */
export interface DeletionNotice {
  readonly email: string
  /** When it is no longer sent. */
  readonly until: string
  /** Whether the account was changed from this address, which could still undo that. Omitted: it is the account's. */
  readonly isFormer?: boolean
}

async function composeDeletionNotice(
  sql: Sql,
  keyring: Keyring,
  { kind, sealed }: Extract<MailJob, { kind: 'account_deleted' }>,
): Promise<Ready | undefined> {
  const text = keyring.open('job', sealed, sql.tenant)
  if (text === undefined) return undefined // sealed under a secret that was since taken away
  const { email, until, isFormer } = JSON.parse(text) as DeletionNotice // sealed by us
  const [row] =
    await sql<MailTenant>`select ${tenantColumns} from tenants t where t.id = ${sql.tenant} and now() < ${until}::timestamptz`
  return row && ready(row, email, (brand) => accountDeleted(brand, isFormer), { kind })
}

export function accountDeleted(brand: Brand, isFormer = false): Composed {
  return compose(brand, {
    subject: `Your account at ${inert(brand.name, 60)} was deleted`,
    title: 'Your account was deleted',
    paragraphs: [
      `Your account at ${inert(brand.name)} was permanently deleted, with everything that belonged to you.`,
      ...(isFormer
        ? [
            'Before that, its email address was changed from this one to another. The link to undo this change no longer works, because a deletion can’t be undone. If it wasn’t you, someone else had access to your account: change its password wherever else you use it.',
          ]
        : []),
    ],
    note: 'This is the last email you’ll get from us.',
  })
}

/** A deletion notice that could not be sent for a day is not sent: its job is the last trace of somebody who is gone. */
export function dropDeletionNotices(database: Database): Promise<void> {
  return dropOldJobs(database, 'account_deleted:')
}

export const deletionNoticeMails: MailKinds<'account_deleted'> = {
  account_deleted: { compose: composeDeletionNotice },
}
