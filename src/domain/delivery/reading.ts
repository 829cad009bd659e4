/** What a run reads: the webhook, and the events that it is to send. */
import { type NamedStatements, statement } from '../../platform/database/database.ts'
import { type EventRow, type FeedRows, selectEventsAt, selectFeed, toFeedPage } from '../events/feed.ts'
import { readEvents } from '../events/resources.ts'
import { ownHostsOf, selectOwnDomains } from '../webhooks/addresses.ts'
import { isLate, isSending, trialAt, type WebhookJob } from '../webhooks/schedule.ts'
import { type SealedSecret, selectSecrets } from '../webhooks/secrets.ts'
import type { WebhookStatus } from '../webhooks/webhooks.ts'
import { type Item, selectDueDeliveries, selectLongestUntried } from './deliveries.ts'
import { isUnderWay } from './handing-over.ts'
import type { Addressee, Sender } from './sending.ts'

/** How many of the events of one commit are such that were set aside, so that they do not keep all others waiting. */
const mostRetries = 12

/** A webhook, as a run finds it. */
export interface Target extends Omit<Addressee, 'ownHosts'> {
  readonly id: string
  readonly name: string
  readonly types: readonly string[]
  readonly place: number
  readonly moves: number
  readonly status: WebhookStatus
  /** How many different events in a row have failed. */
  readonly failures: number
  readonly trials: number
  /** Whether it is failing or slow. */
  readonly isLate: boolean
  readonly isSending: boolean
  /** Whether attempts were handed over that go on. */
  readonly isUnderWay: boolean
  /** In how many seconds a failing one is tried; null: it is not failing. */
  readonly trialIn: number | null
  /** The same as seconds since 1970. */
  readonly trialAt: number | null
  /** An event that is older may have waited for a person or for the endpoint. */
  readonly sendsSince: string
}

/** @returns undefined if it, or its tenant, is gone */
export async function readTarget(
  { database }: Pick<Sender, 'database'>,
  { tenantId: tenant, webhookId: id }: WebhookJob,
): Promise<Target | undefined> {
  const { webhooks, secrets } = await database.read(
    tenant,
    {
      webhooks: statement`
        select w.id, w.organization_id, w.name, w.url, w.types, w.place, w.moves, w.status, w.failures, w.trials,
          ${isLate} as is_late, ${isSending} as is_sending,
          ${isUnderWay(tenant)} as is_under_way, greatest(w.updated_at, w.recovered_at) as sends_since,
          extract(epoch from w.next_at - statement_timestamp())::float8 as trial_in, ${trialAt} as trial_at
        from webhooks w
        join tenants t on t.id = w.tenant_id
        where w.tenant_id = ${tenant} and w.id = ${id} and t.deleted_at is null`,
      secrets: selectSecrets(tenant, id),
    },
    { byKey: true },
  )
  const [row] = webhooks as unknown as Omit<Target, 'tenant' | 'secrets'>[] // as the statement selects it
  return row && { ...row, tenant, secrets: secrets as unknown as SealedSecret[] }
}

/** What is to be sent next. */
export interface Work {
  /** First those that were set aside, then those of the feed, in its order. */
  readonly items: readonly Item[]
  /** The place of the webhook once all of them were sent. */
  readonly next: number
  readonly hasMore: boolean
  /** The sequences of events that were set aside and are gone. */
  readonly gone: readonly number[]
  /** The greatest of them that was removed because of its age; null: there is none. */
  readonly missedThrough: number | null
  readonly ownHosts: ReadonlySet<string>
}

type WorkRows = Parameters<typeof toFeedPage>[1] & {
  readonly aside: readonly { readonly sequence: number; readonly attempts: number }[]
  readonly retried: readonly FeedRows['events'][]
  readonly domains: readonly { readonly domain: string }[]
}

/**
 * Reads what a webhook is to send. Of a failing one every event that was set aside may be tried.
 *
 * @param limit how many events at most
 */
export async function readWork(
  { database, keyring, config }: Pick<Sender, 'database' | 'keyring' | 'config'>,
  target: Target,
  limit: number,
): Promise<Work> {
  const { tenant, id, url, types, organizationId, place } = target
  const select = target.status === 'failing' ? selectLongestUntried : selectDueDeliveries
  const aside = select(tenant, id, place, Math.min(mostRetries, limit))
  const query = {
    after: place,
    types: types.length > 0 ? types : undefined,
    organization: organizationId ?? undefined,
    limit,
  }
  const statements = {
    ...selectFeed(tenant, query),
    aside,
    retried: selectEventsAt(tenant, statement`select sequence from (${aside}) aside`),
    domains: selectOwnDomains(url),
  } as NamedStatements // none is undefined
  const read = (await database.read(tenant, statements)) as unknown as WorkRows // as the statements select them
  const attempts = new Map(read.aside.map((row) => [row.sequence, row.attempts]))
  const kept = new Map(read.retried.flatMap((row) => (row.id === null ? [] : [[row.sequence, row]])))
  const retries = read.aside.flatMap(({ sequence }) => kept.get(sequence) ?? [])
  const page = toFeedPage(query, read)
  const room = limit - retries.length
  const wanted = page.rows.filter((row) => !isOwnHealth(row, id))
  const taken = wanted.slice(0, room)
  const events = await readEvents(tenant, keyring, [...retries, ...taken], (selections) =>
    database.read(tenant, selections as NamedStatements),
  )
  const isCut = wanted.length > room
  const gone = [...attempts.keys()].filter((sequence) => !kept.has(sequence))
  const trimmed = read.feeds?.[0]?.trimmed ?? 0
  const aged = gone.filter((sequence) => sequence <= trimmed)
  return {
    items: events.map((event, index) => ({
      event,
      attempts: index < retries.length ? (attempts.get(event.sequence) ?? 0) : 0,
      isNext: index >= retries.length,
    })),
    next: isCut ? (taken.at(-1)?.sequence ?? place) : page.next,
    hasMore: isCut || page.hasMore,
    gone,
    missedThrough: aged.length > 0 ? Math.max(...aged) : null,
    ownHosts: ownHostsOf(config, read.domains),
  }
}

/** A webhook is not sent its own failures and recoveries: each would bring about the next. */
function isOwnHealth({ type, targetId }: EventRow, webhookId: string): boolean {
  return (type === 'webhook.failing' || type === 'webhook.recovered') && targetId === webhookId
}
