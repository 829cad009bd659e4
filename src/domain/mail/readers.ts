/** Mailing all readers of a notice, in parts. */
import { pipeline, type Sent } from '../../platform/database/database.ts'

/** How many readers are read at a time: nobody bounds how many admins a tenant has. */
export const mostRead = 500

/**
 * Mails all readers of a notice.
 *
 * @param find   reads `mostRead` readers at most, those after the given one
 * @param mailTo queues the mails to some of them, one at least
 */
export async function mailAll<Reader>(
  find: (last: Reader | undefined) => Promise<Reader[]>,
  mailTo: (readers: readonly Reader[]) => Sent<unknown>[],
): Promise<void> {
  for (let last: Reader | undefined, isMore = true; isMore; ) {
    const readers = await find(last)
    if (readers.length > 0) await pipeline(mailTo(readers))
    last = readers.at(-1)
    isMore = readers.length === mostRead
  }
}
