/** The feed of the tenant, read page by page. Events that come later are not waited for. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../api/client.ts'
import type { EventType } from '../webhooks/webhook.ts'

export type Event = Schemas['Event']

export interface FeedFilters {
  readonly types?: EventType[]
  readonly organizationId?: string
  /** Times: from the first on, and before the second. */
  readonly from?: string
  readonly to?: string
}

/** A request looks at 5,000 events. So many requests without an event that matches are made for one page. */
const patience = 10

export function useFeed({ to, from, ...filters }: FeedFilters) {
  // The API has no end: what comes after it is left out here.
  const end = to === undefined ? Number.POSITIVE_INFINITY : placeOf(to)
  const readOnce = (after: number | undefined) => {
    const place = after === undefined ? (from === undefined ? {} : { from }) : { after: String(after) }
    return ask(api.GET('/api/admin/events', { params: { query: { limit: 50, ...filters, ...place } } }))
  }
  return useInfiniteQuery({
    queryKey: ['admin', 'events', { ...filters, from, to }],
    queryFn: async ({ pageParam }) => {
      let page = await readOnce(pageParam)
      const isVain = () => page.data.length === 0 && page.hasMore && page.nextAfter < end
      for (let tries = 1; tries < patience && isVain(); tries++) page = await readOnce(page.nextAfter)
      return { ...page, data: page.data.filter(({ sequence }) => sequence < end) }
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ hasMore, nextAfter }) => (hasMore && nextAfter < end ? nextAfter : undefined),
    placeholderData: (before) => before, // while a filter changes, the last list stays
  })
}

/** Sequences follow the clock, in microseconds. */
function placeOf(time: string): number {
  return Date.parse(time) * 1000
}

/** When an event could have had a place. */
export function timeOf(place: number): string {
  return new Date(place / 1000).toISOString()
}
