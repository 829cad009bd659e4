/**
 * The feed: the events of a tenant in their exact order. The relay gives each its sequence after the commit of the change, and under a lock
 * that it holds until the event can be seen (platform/jobs/batch.ts). So a reader who sees a sequence sees everything below it.
 *
 * Invariant: a page tells the place up to which it has looked. Nothing that is in the feed lies between two pages that follow each other.
 */
import { empty, type Statement, statement } from '../../platform/database/database.ts'
import type { Action } from '../record/actions.ts'
import { actionsIn, joinDetails, spokenColumns } from '../record/entries.ts'

/** How many events one page looks at, at most. */
const mostLooked = 5_000

/** Which events are wanted. */
export interface FeedQuery {
  /** Those with greater sequences; `latest`: none, but the place at the end. Undefined: all that are kept. */
  readonly after: number | 'latest' | undefined
  /** Types and families, such as `member.*`. Undefined: all. */
  readonly types?: readonly string[] | undefined
  /** Those of one organization. */
  readonly organization?: Statement | string | undefined
  readonly limit: number
}

/** An event in the feed, with what its entry in the audit log tells. */
export interface EventRow {
  readonly sequence: number
  readonly id: string
  readonly type: Action
  readonly timestamp: string
  readonly organizationId: string | null
  readonly tombstone: string | null
  readonly actorType: 'user' | 'key' | 'operator' | 'system' | 'anonymous'
  /** Null of a person: their account was deleted. */
  readonly actorId: string | null
  readonly actorSubject: string | null
  readonly via: string | null
  readonly targetType: string
  /** Null of a person: their account was deleted. */
  readonly targetId: string | null
  /** The first owner of an organization that was created; the former one, when its ownership was transferred. */
  readonly otherId: string | null
  readonly details: Readonly<Record<string, unknown>> | null
}

/** The rows of `selectFeed`, by the names of its statements. */
export type FeedRows = {
  readonly feeds: FeedState
  readonly looked: { readonly count: number; readonly last: number | null }
  /** `id` is null if the entry is gone, or its organization is being deleted. */
  readonly events: EventRow | (Pick<EventRow, 'sequence'> & { readonly id: null })
}

interface FeedState {
  /** The last sequence that was given. */
  readonly head: number
  /** Up to this sequence, events were removed because of their age. */
  readonly trimmed: number
  /** Whether there are events that have no place yet. */
  readonly isWaiting: boolean
}

/** A page of the feed. */
export interface FeedPage {
  readonly rows: readonly EventRow[]
  /** The place from which to read on. */
  readonly next: number
  readonly hasMore: boolean
  /** Whether there are events that have no place yet, and room for them on the page. */
  readonly isWaiting: boolean
  /** If events after the place were removed because of their age, the least place after which there is no gap. */
  readonly earliest?: number
}

/** The last place that a request can name, in the year 2255. Every client can count to it: it is below 2^53. */
export const lastPlace = 8_999_999_999_999_999

/** The place before the first event that has come at a time or later. Sequences follow the clock, in microseconds. */
export function placeBefore(time: string): number {
  return Math.min(Math.max(0, Date.parse(time) * 1000 - 1), lastPlace)
}

export function selectFeed(
  tenant: string,
  { after = 0, types, organization, limit }: FeedQuery,
): Partial<Record<keyof FeedRows, Statement>> {
  const feeds = selectFeedState(tenant)
  if (after === 'latest') return { feeds }
  const looked = statement`
    select sequence, entry_id, action, tombstone
    from feed
    where tenant_id = ${tenant} and sequence > ${after}
      ${organization ? statement`and organization_id = ${organization}` : empty}
    order by sequence
    limit ${types ? mostLooked : limit + 1}`
  const chosen = types
    ? statement`select * from (${looked}) looked where action = any(${actionsIn(types)}) order by sequence limit ${limit + 1}`
    : looked
  return {
    feeds,
    ...(types && { looked: statement`select count(*), max(sequence) as last from (${looked}) looked` }),
    events: selectEvents(tenant, chosen),
  }
}

/** Where the feed of a tenant begins and ends. */
function selectFeedState(tenant: string): Statement {
  return statement`
    select coalesce(f.head, 0) as head, coalesce(f.trimmed, 0) as trimmed,
      exists (select from outbox o where o.tenant_id = ${tenant} and o.entry_id is not null) as is_waiting
    from tenants t
    left join feeds f on f.tenant_id = ${tenant}
    where t.id = ${tenant}`
}

/** @param read the rows of the statements of the query */
export function toFeedPage({ after: place, limit }: FeedQuery, read: FeedReading): FeedPage {
  const [state] = read.feeds ?? []
  const { head, trimmed, isWaiting } = state as FeedState // the tenant has a row
  if (place === 'latest') return { rows: [], next: head, hasMore: false, isWaiting: false }
  const events = read.events ?? []
  const isFull = events.length > limit
  const shown = events.slice(0, limit)
  const looked = read.looked?.[0]
  // All was seen at one moment: without more, there is nothing up to the head that was not looked at.
  const hasMore = isFull || looked?.count === mostLooked
  const last = isFull || !looked ? shown.at(-1)?.sequence : looked.last
  return {
    rows: shown.filter((row): row is EventRow => row.id !== null),
    next: Math.max(place ?? 0, last ?? 0, hasMore ? 0 : head),
    hasMore,
    isWaiting: isWaiting && !hasMore,
    ...(place !== undefined && place < trimmed && { earliest: trimmed }),
  }
}

type FeedReading = { readonly [Name in keyof FeedRows]?: readonly FeedRows[Name][] }

/** Selects some events that are still kept. @param sequences selects theirs */
export function selectEventsAt(tenant: string, sequences: Statement): Statement {
  return selectEvents(
    tenant,
    statement`
      select sequence, entry_id, action, tombstone from feed
      where tenant_id = ${tenant} and sequence = any(array(${sequences}))`,
  )
}

/** @param chosen rows of `feed` */
function selectEvents(tenant: string, chosen: Statement): Statement {
  return statement`
    with chosen as (${chosen})
    select f.sequence, f.tombstone, e.id, e.action as type, e.occurred_at as timestamp, e.organization_id, ${spokenColumns}, a.via,
      case when e.action = 'organization.created' then ${firstOwner(tenant)}
        when e.action = 'organization.ownership_transferred' then ${formerOwner(tenant)} end as other_id
    from chosen f
    left join audit_entries e on e.tenant_id = ${tenant} and e.id = f.entry_id and (e.organization_id is null or
      (select o.id from organizations o where o.tenant_id = ${tenant} and o.id = e.organization_id) is not null)
    ${joinDetails(tenant)}
    order by f.sequence`
}

/** They joined at the moment at which the organization of the entry `e` was made. */
function firstOwner(tenant: string): Statement {
  return statement`(
    select m.user_id
    from organizations o
    join memberships m on m.tenant_id = ${tenant} and m.organization_id = o.id and m.joined_at = o.created_at
    where o.tenant_id = ${tenant} and o.id = e.organization_id
    limit 1)`
}

/** The transfer of the entry `e` has another entry, which tells of the former owner. */
function formerOwner(tenant: string): Statement {
  return statement`(
    select d.user_id
    from audit_entries s
    join audit_details d on d.tenant_id = ${tenant} and d.entry_id = s.id and d.subject || '' = s.target_subject
    where s.tenant_id = ${tenant} and s.organization_id = e.organization_id and s.action = 'member.role_changed'
      and s.occurred_at between e.occurred_at and e.occurred_at + interval '1 minute' and s.request_id = e.request_id
    limit 1)`
}
