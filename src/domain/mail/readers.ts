/** Mailing all readers of a notice, in parts. */
import type { Sql } from '../../platform/database/database.ts'
import { type NewMail, queueMails } from './queue.ts'

/** How many readers are read at a time: nobody bounds how many admins a tenant has. */
export const mostRead = 500

/**
 * Mails all readers of a notice.
 *
 * @param find    reads `mostRead` readers at most, those after the given one
 * @param mailsTo makes the mails to some of them
 */
export async function mailAll<Reader>(
  sql: Sql,
  find: (last: Reader | undefined) => Promise<Reader[]>,
  mailsTo: (readers: readonly Reader[]) => readonly NewMail[],
): Promise<void> {
  for (let last: Reader | undefined, isMore = true; isMore; ) {
    const readers = await find(last)
    const mails = mailsTo(readers)
    if (mails.length > 0) await queueMails(sql, mails)
    last = readers.at(-1)
    isMore = readers.length === mostRead
  }
}
