/** Mails, as the mailbox reads them: page by page, and every few seconds the newest. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { useEndless } from '../parts/endless.tsx'

export type Mail = Schemas['Mail']

/** While somebody looks, in milliseconds. */
const every = 3000

/** @param to a whole address, or nothing for all mails */
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
    refetchInterval: every,
    staleTime: 0,
  })

  const news = newest.data?.data ?? []
  const known = new Set(items.map(({ id }) => id))
  // So many came at once that the list does not go on where they end.
  const hasGap =
    news.length > 0 && items.length > 0 && newest.data?.nextCursor != null && !news.some(({ id }) => known.has(id))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is made of these
  useEffect(() => {
    if (hasGap) void queries.invalidateQueries({ queryKey: listKey })
  }, [hasGap, mailboxKey, to])

  return {
    query,
    mails: [...news.filter(({ id }) => !known.has(id)), ...items],
    isRefused: isRefusal(query.error ?? newest.error, 'not_found'),
  }
}

/** A whole address is looked up by the service; a part of one filters what was read. */
export function wholeAddress(text: string): string | undefined {
  const typed = text.trim()
  return /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i.test(typed) ? typed : undefined
}
