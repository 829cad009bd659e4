/** Reads the mailbox: page by page, and the newest mails every few seconds. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { useEndless } from '../parts/endless.tsx'

export type Mail = Schemas['Mail']

/** Milliseconds between two reads of the newest mails. */
const pollInterval = 3000

/** @param to a whole address; undefined for all mails */
export function useMails(mailboxKey: string, to: string | undefined) {
  const read = (cursor: string | undefined) =>
    ask(
      api.GET('/api/mailbox', {
        params: { query: { ...(to !== undefined && { to }), ...(cursor !== undefined && { cursor }) } },
        headers: { 'Guildhall-Mailbox-Key': mailboxKey },
      }),
    )
  const listKey = ['mailbox', 'list', mailboxKey, to]
  const { query, items } = useEndless(listKey, read)
  const newest = useQuery({
    queryKey: ['mailbox', 'newest', mailboxKey, to],
    queryFn: () => read(undefined),
    enabled: query.isSuccess,
    refetchInterval: pollInterval,
    staleTime: 0,
  })

  const news = newest.data?.data ?? []
  const known = new Set(items.map(({ id }) => id))
  // More mails came at once than one page holds, so the list has a gap.
  const hasGap =
    news.length > 0 && items.length > 0 && newest.data?.nextCursor != null && !news.some(({ id }) => known.has(id))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key consists of these
  useEffect(() => {
    if (hasGap) void queries.invalidateQueries({ queryKey: listKey })
  }, [hasGap, mailboxKey, to])

  return {
    query,
    mails: [...news.filter(({ id }) => !known.has(id)), ...items],
    isRefused: isRefusal(query.error ?? newest.error, 'not_found'),
  }
}

/** The text if it is a whole address, which the service looks up. A part of an address only filters the list. */
export function wholeAddress(text: string): string | undefined {
  const typed = text.trim()
  return /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i.test(typed) ? typed : undefined
}
