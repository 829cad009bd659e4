/** Paginated lists: `useEndless` reads the pages, `More` asks for the next one. */
import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
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

/** The button below a list that has more pages. Once somebody has read on to the last one, the end of the list says so. */
export function More({ query }: { readonly query: NextPage }) {
  const { t } = useTranslation()
  const [hasReadOn, readingOn] = useDisclosure()
  if (!query.hasNextPage) return hasReadOn && <End />
  const readOn = () => {
    readingOn.open()
    void query.fetchNextPage()
  }
  return (
    <Stack mt="lg" align="center">
      {query.isFetchNextPageError && <Refused error={query.error} />}
      <Button variant="default" loading={query.isFetchingNextPage} onClick={readOn}>
        {t('general.more')}
      </Button>
    </Stack>
  )
}

/** Takes the focus of the button that was here: otherwise it would be at the beginning of the page. */
function End() {
  const { t } = useTranslation()
  const end = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (document.activeElement === document.body) end.current?.focus({ preventScroll: true })
  }, [])
  return (
    <Text ref={end} tabIndex={-1} ta="center" size="sm" c="dimmed" mt="lg">
      {t('general.end')}
    </Text>
  )
}
