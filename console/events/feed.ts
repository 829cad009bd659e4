/** The feed of the tenant, read page by page. Events that come later are not waited for. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../api/client.ts'
import type { EventType } from '../webhooks/webhook.ts'
import { placeOf } from './places.ts'

export type Event = Schemas['Event']

export interface FeedFilters {
  readonly types?: EventType[]
  readonly organizationId?: string
  /** Times: from the first on, and before the second. */
  readonly from?: string
  readonly to?: string
}

/** How many requests are made for one page at most, until one finds an event. Each looks at 5,000. */
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
