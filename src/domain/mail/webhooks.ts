/**
 * Mails about webhooks, to all owners of the organization whose webhook it is, or to all admins of the tenant. None names who made the change:
 * who deletes their account is then in no mail that is kept.
 */
import type { Keyring } from '../../platform/cryptography.ts'
import { empty, type Sql, statement } from '../../platform/database/database.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { type JobOf, type MailKinds, type MailTenant, moment, type Ready, ready, tenantColumns } from './composition.ts'
import { mailAll, mostRead } from './readers.ts'
import { type Brand, type Composed, compose, inert } from './templates.ts'

/** The webhook that a mail is about. */
export interface ToldWebhook {
  /** Whose it is; null: the tenant’s. */
  readonly organizationId: string | null
  readonly name: string
  readonly url: string
}

/**
 * What has happened to a webhook. If a person disabled it, nobody is mailed.
 *
 * - `failing`: for a day.
 * - `setter_left`: the person who set the URL has lost the right to it.
 * - `missedUntil` (RFC 3339): up to when events were removed because of their age before they were sent.
 */
export type WebhookChange =
  | 'added'
  | 'url'
  | 'failing'
  | 'setter_left'
  | { readonly disabledBecause: 'failures' | 'gone' }
  | { readonly missedUntil: string }

/** What the job carries. The webhook may be deleted before the mail is sent. */
interface Sealed {
  readonly email: string
  readonly name: string
  /** The host, and not the path of the URL, which may contain a secret. */
  readonly host: string
  readonly change: WebhookChange
}

/** A webhook, and what has happened to it. */
export interface ToldChange {
  readonly webhook: ToldWebhook
  readonly change: WebhookChange
}

/** Mails the people of a webhook, as `tellOfWebhooks` does. */
export function tellOfWebhook(
  sql: Sql,
  surroundings: Pick<RequestContext, 'keyring'>,
  webhook: ToldWebhook,
  change: WebhookChange,
): Promise<void> {
  return tellOfWebhooks(sql, surroundings, [{ webhook, change }])
}

/**
 * Mails the people of webhooks; notices go to verified addresses only. The address of each is sealed, as in other warnings: a thief of the
 * account may change it before the mail is sent.
 */
export async function tellOfWebhooks(
  sql: Sql,
  { keyring }: Pick<RequestContext, 'keyring'>,
  changes: readonly ToldChange[],
): Promise<void> {
  if (changes.length === 0) return
  const owners = changes.map(({ webhook }) => webhook.organizationId)
  await mailAll<Reader>(
    sql,
    (last) => findReaders(sql, owners, last),
    (readers) => mailsOf(sql, keyring, changes, readers),
  )
}

function mailsOf(sql: Sql, keyring: Keyring, changes: readonly ToldChange[], readers: readonly Reader[]) {
  return changes.flatMap(({ webhook: { organizationId, name, url }, change }) =>
    readers
      .filter((reader) => reader.organizationId === organizationId)
      .map(({ userId, email }) => {
        const told: Sealed = { email, name, host: new URL(url).host, change }
        const sealed = keyring.seal('job', JSON.stringify(told), sql.tenant)
        return { kind: 'webhook_changed' as const, userId, sealed, ...(organizationId !== null && { organizationId }) }
      }),
  )
}

/** Somebody who is mailed about the webhooks of an organization, or about the tenant’s. */
interface Reader {
  readonly userId: string
  readonly email: string
  readonly organizationId: string | null
}

/**
 * @param owners whose webhooks they are: organizations, and the tenant (null)
 * @param last   after whom to read on
 */
function findReaders(sql: Sql, owners: readonly (string | null)[], last: Reader | undefined): Promise<Reader[]> {
  return sql<Reader>`
    select u.id as user_id, u.email, r.organization_id
    from (
      select m.user_id, m.organization_id from memberships m
      where m.tenant_id = ${sql.tenant} and m.organization_id = any(${owners.filter((each) => each !== null)}::text[])
        and m.role = 'owner'
      union all
      select a.id, null from users a
      where ${owners.includes(null)} and a.tenant_id = ${sql.tenant} and a.role = 'admin') r
    join users u on u.tenant_id = ${sql.tenant} and u.id = r.user_id and u.status = 'active' and u.email_verified
    ${last ? statement`where (coalesce(r.organization_id, ''), u.id) > (${last.organizationId ?? ''}, ${last.userId})` : empty}
    order by coalesce(r.organization_id, ''), u.id
    limit ${mostRead}`
}

async function composeChange(
  sql: Sql,
  keyring: Keyring,
  { kind, userId, organizationId, sealed }: JobOf<'webhook_changed'>,
): Promise<Ready | undefined> {
  const text = keyring.open('job', sealed, sql.tenant)
  const [row] = await sql<MailTenant & { organization: string | null }>`
    select o.name as organization, ${tenantColumns}
    from users u
    join tenants t on t.id = ${sql.tenant}
    left join organizations o on o.tenant_id = ${sql.tenant} and o.id = ${organizationId ?? ''}
    where u.tenant_id = ${sql.tenant} and u.id = ${userId}
    for key share of u`
  if (!row || text === undefined) return undefined
  const isGone = organizationId !== undefined && row.organization === null
  if (isGone) return undefined
  const { email, change, ...words } = JSON.parse(text) as Sealed // sealed by us
  const webhook = { ...words, organization: row.organization }
  const about = { kind, userId, ...(organizationId !== undefined && { organizationId }) }
  return ready(row, email, (brand) => webhookChanged(brand, webhook, change), about)
}

export interface WebhookWords {
  readonly name: string
  readonly host: string
  /** The name of the organization whose it is; null: it is the tenant’s. */
  readonly organization: string | null
}

export function webhookChanged(brand: Brand, words: WebhookWords, change: WebhookChange): Composed {
  const { organization } = words
  const short = inert(organization ?? brand.name, 60)
  const whose = organization === null ? inert(brand.name) : `${inert(organization)} on ${inert(brand.name)}`
  const [webhook, host] = [`The webhook “${inert(words.name)}”`, inert(words.host)]
  const page = organization === null ? 'Administration → Webhooks' : `Webhooks of ${inert(organization)}`
  const { subject, title, paragraph, wayOut } = wordsOf(change, { short, whose, webhook, host, page })
  const note = `You get this email because you are an ${organization === null ? 'admin' : 'owner'}.`
  return compose(brand, { subject, title, paragraphs: [paragraph, wayOut], note })
}

/** Parts of sentences, inert. */
interface Parts {
  /** Whose it is, short enough for a subject. */
  readonly short: string
  readonly whose: string
  readonly webhook: string
  readonly host: string
  /** What the console calls the page with the webhook. */
  readonly page: string
}

/** What a mail says, and what its reader can do. */
interface Told {
  readonly subject: string
  readonly title: string
  readonly paragraph: string
  readonly wayOut: string
}

function wordsOf(change: WebhookChange, { short, whose, webhook, host, page }: Parts): Told {
  if (typeof change === 'string') {
    const told: Readonly<Record<typeof change, Told>> = {
      added: {
        subject: `A new webhook for ${short}`,
        title: 'A webhook was added',
        paragraph: `${webhook} was added to ${whose}. It sends events to ${host}. They can contain names and email addresses.`,
        wayOut: `If you did not expect this, disable the webhook on the page ${page}.`,
      },
      url: {
        subject: `A new URL of a webhook for ${short}`,
        title: 'The URL of a webhook was changed',
        paragraph: `${webhook} of ${whose} now sends events to ${host}. They can contain names and email addresses.`,
        wayOut: `If you did not expect this, disable the webhook on the page ${page}.`,
      },
      failing: {
        subject: `A webhook for ${short} is failing`,
        title: 'A webhook has failed for a day',
        paragraph: `${webhook} of ${whose} has failed for a day: ${host} did not accept its events. They are waiting, and one of them is tried from time to time. After the first success, the others are sent. If there is none within five days, the webhook is disabled.`,
        wayOut: `The deliveries of the webhook, on the page ${page}, say why they failed. Fix the server that receives the events, or disable the webhook there.`,
      },
      setter_left: {
        subject: `Check a webhook for ${short}`,
        title: 'Check where a webhook sends events',
        paragraph: `${webhook} of ${whose} sends events to ${host}. The person who set this URL has left, or may no longer change the webhook. The events may still go to that person.`,
        wayOut: `If you do not know the address, change the URL or disable the webhook on the page ${page}.`,
      },
    }
    return told[change]
  }
  if ('missedUntil' in change)
    return {
      subject: `A webhook for ${short} has missed events`,
      title: 'A webhook has missed events',
      paragraph: `${webhook} of ${whose} did not send all events: some were removed because of their age before ${host} accepted them. It missed events up to ${moment(change.missedUntil)}.`,
      wayOut:
        'The data of the program that receives them may be out of date. Have it read everything again. While the webhook goes on missing events, you get no other mail about them.',
    }
  const why = {
    failures: `because it had failed for five days: ${host} did not accept its events`,
    gone: `because ${host} answered 410 (Gone): it wants no more events`,
  }
  return {
    subject: `A webhook for ${short} was disabled`,
    title: 'A webhook was disabled',
    paragraph: `${webhook} of ${whose} was disabled ${why[change.disabledBecause]}. Nothing is sent until somebody enables it.`,
    wayOut: `If you still need it, fix the server that receives the events, and enable the webhook soon on the page ${page}: it continues where it stopped, but events are removed after some time.`,
  }
}

export const webhookMails: MailKinds<'webhook_changed'> = { webhook_changed: { compose: composeChange } }
