/** Mails about applications, to all admins of the tenant. None names who made the change: who deletes their account is then in no mail that is kept. */
import type { Keyring } from '../../platform/cryptography.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { type JobOf, lockRecipient, type MailKinds, type Ready, ready } from './composition.ts'
import { mailAll, mostRead } from './readers.ts'
import { type Brand, type Composed, compose, inert } from './templates.ts'

/** What has happened to an application. */
export type ApplicationChange = 'added' | 'addresses' | 'secret'

/** What the job carries. The application may be deleted before the mail is sent. */
interface Sealed {
  readonly email: string
  readonly name: string
  readonly change: ApplicationChange
}

/**
 * Mails the admins of the tenant; notices go to verified addresses only. The address of each is sealed, as in other warnings: a thief of
 * the account may change it before the mail is sent.
 *
 * @param name of the application
 */
export async function tellOfApplication(
  sql: Sql,
  { keyring }: Pick<RequestContext, 'keyring'>,
  name: string,
  change: ApplicationChange,
): Promise<void> {
  await mailAll<Admin>(
    sql,
    (last) => findAdmins(sql, last),
    (admins) =>
      admins.map(({ id: userId, email }) => {
        const told: Sealed = { email, name, change }
        const sealed = keyring.seal('job', JSON.stringify(told), sql.tenant)
        return { kind: 'application_changed', userId, sealed }
      }),
  )
}

interface Admin {
  readonly id: string
  readonly email: string
}

/** @param last after whom to read on */
function findAdmins(sql: Sql, last: Admin | undefined): Promise<Admin[]> {
  return sql<Admin>`
    select id, email from users
    where tenant_id = ${sql.tenant} and role = 'admin' and status = 'active' and email_verified and id > ${last?.id ?? ''}
    order by id
    limit ${mostRead}`
}

async function composeChange(
  sql: Sql,
  keyring: Keyring,
  { kind, userId, sealed }: JobOf<'application_changed'>,
): Promise<Ready | undefined> {
  const text = keyring.open('job', sealed, sql.tenant)
  const row = await lockRecipient(sql, userId)
  if (!row || text === undefined) return undefined
  const { email, name, change } = JSON.parse(text) as Sealed // sealed by us
  return ready(row, email, (brand) => applicationChanged(brand, name, change), { kind, userId })
}

export function applicationChanged(brand: Brand, name: string, change: ApplicationChange): Composed {
  const [tenant, application] = [inert(brand.name), inert(name)]
  const words = {
    added: {
      subject: `A new application for ${inert(brand.name, 60)}`,
      title: 'An application was added',
      paragraph: `The application “${application}” was added to ${tenant}. People can sign in to it with their accounts at ${tenant}.`,
    },
    addresses: {
      subject: `New addresses of an application for ${inert(brand.name, 60)}`,
      title: 'The addresses of an application were changed',
      paragraph: `The addresses of the application “${application}” at ${tenant} were changed. They decide where people are sent after they sign in or out.`,
    },
    secret: {
      subject: `A new secret of an application for ${inert(brand.name, 60)}`,
      title: 'An application has a new secret',
      paragraph: `The application “${application}” at ${tenant} has a new secret.`,
    },
  }
  const { subject, title, paragraph } = words[change]
  return compose(brand, {
    subject,
    title,
    paragraphs: [paragraph],
    note: 'You get this email because you are an admin. If you did not expect this, disable the application.',
  })
}

export const applicationMails: MailKinds<'application_changed'> = { application_changed: { compose: composeChange } }
