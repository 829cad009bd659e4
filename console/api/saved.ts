/** Keeping in the cache what a change has answered. */
import type { DataTag, QueryKey } from '@tanstack/react-query'
import { queries } from './queries.ts'

/** Keeps what was saved. A read that is under way is cancelled: it may have begun before the change, and would bring the old values back. */
export async function keepSaved<Data>(
  { queryKey }: { readonly queryKey: DataTag<QueryKey, Data, Error> },
  saved: NoInfer<Data> | ((known: NoInfer<Data> | undefined) => NoInfer<Data> | undefined),
): Promise<void> {
  await queries.cancelQueries({ queryKey, exact: true })
  queries.setQueryData(queryKey, saved)
}
