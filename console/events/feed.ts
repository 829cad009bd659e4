/** The feed of the tenant, read from its newest event back. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../api/client.ts'
import { waitForNames } from '../api/names.ts'
import { isRefusal } from '../api/refusal.ts'
import { organizationNameQuery } from '../organizations/directory-search.ts'
import type { EventType } from '../webhooks/webhook.ts'
import { type Position, type ReadAfter, readBack, readNewest } from './backwards.ts'
import { placeOf } from './places.ts'

export type Event = Schemas['Event']

export interface FeedFilters {
  readonly types?: EventType[]
  readonly organizationId?: string
  /** Times: from the first on, and before the second. */
  readonly from?: string
  readonly to?: string
}

export function useFeed({ to, from, ...filters }: FeedFilters) {
  const readAfter: ReadAfter<Event> = (place) => {
    const query = { ...filters, after: String(place), limit: 100 }
    return ask(api.GET('/api/admin/events', { params: { query } })).catch((error: unknown) => {
      if (!isRefusal(error, 'events_expired') || error.problem.earliest === undefined) throw error
      return { earliest: error.problem.earliest }
    })
  }
  const floor = from === undefined ? 0 : Math.max(0, placeOf(from) - 1)
  const through = to === undefined ? undefined : placeOf(to) - 1
  return useInfiniteQuery({
    queryKey: ['admin', 'events', { ...filters, from, to }],
    queryFn: async ({ pageParam }) => {
      const page =
        pageParam === undefined
          ? await readNewest(readAfter, Date.now() * 1000, floor, through)
          : await readBack(readAfter, pageParam)
      await waitForNames(page.data.flatMap(({ organizationId: id }) => (id === null ? [] : organizationNameQuery(id))))
      return page
    },
    initialPageParam: undefined as Position | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before, // while a filter changes, the last list stays
  })
}
