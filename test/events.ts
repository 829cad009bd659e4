/** Reading the feed of events. */
import type { Client } from './client.ts'
import { outboxIsEmpty } from './queue.ts'
import type { Json, World } from './world.ts'

export interface EventPage {
  readonly data: Json[]
  readonly nextAfter: number
  readonly hasMore: boolean
}

type Query = Readonly<Record<string, string | number | undefined>>

/** Reads a page. The service gives events a place first, but not for longer than a second. */
export async function readPage(reader: Client, feed: string, query: Query = {}): Promise<EventPage> {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]]))
  const { status, body } = await reader.get(`${feed}?${new URLSearchParams(given)}`)
  if (status !== 200) throw new Error(`${feed} answered ${status} ${JSON.stringify(body)}`)
  return body
}

/** Readers of the feeds of a world, for whom all that was committed before has its place. */
export function feedsOf(world: World) {
  /** Reads a page. */
  async function eventsOf(reader: Client, feed: string, query: Query = {}): Promise<EventPage> {
    await outboxIsEmpty(world)
    return readPage(reader, feed, query)
  }

  /** Reads page by page, from the oldest event to the end. */
  async function follow(reader: Client, feed: string, query: Query = {}): Promise<Json[]> {
    const events: Json[] = []
    let after: number | undefined
    for (;;) {
      const page = await eventsOf(reader, feed, { ...query, after })
      events.push(...page.data)
      if (!page.hasMore) return events
      after = page.nextAfter
    }
  }

  return { eventsOf, follow }
}

export function typesOf(events: readonly Json[]): string[] {
  return events.map(({ type }) => type)
}

/** A tenant of its own, with an admin and an organization. */
export async function tenantWithEvents(world: World) {
  const { id, slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  return { ...(await world.organization({ tenant })), tenant, tenantId: id, tess }
}
