/** Paginated lists: `useEndless` reads the pages, `More` asks for the next one. */
import { Button, Stack } from '@mantine/core'
import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Refused } from './form.tsx'

interface PageOf<Item> {
  readonly data: readonly Item[]
  readonly nextCursor: string | null
}

/**
 * @param read reads a page; `cursor` is undefined for the first one
 * @param enabled whether anything is read
 * @returns the query, and the items of all pages so far
 */
export function useEndless<Item, Body extends PageOf<Item>>(
  queryKey: readonly unknown[],
  read: (cursor: string | undefined) => Promise<Body & PageOf<Item>>,
  enabled = true,
) {
  const query = useInfiniteQuery({
    queryKey,
    enabled,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: (before) => before, // while a filter changes, the last list stays
  })
  const items: readonly Body['data'][number][] = query.data?.pages.flatMap(({ data }) => data) ?? []
  return { query, items, first: query.data?.pages[0] }
}

/** What `More` needs of a query. */
export type NextPage = Pick<
  UseInfiniteQueryResult,
  'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'error'
>

/** The button below a list that has more pages. */
export function More({ query }: { readonly query: NextPage }) {
  const { t } = useTranslation()
  if (!query.hasNextPage) return null
  return (
    <Stack mt="lg" align="center">
      {query.isFetchNextPageError && <Refused error={query.error} />}
      <Button variant="default" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
        {t('general.more')}
      </Button>
    </Stack>
  )
}
