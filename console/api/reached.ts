/** Loading the code of a page. It fails when the service is away, and when a newer build has replaced this one. */
import { noteNoResponse } from './connection.ts'
import { Refusal } from './refusal.ts'

/**
 * The router reloads the whole page if the code is gone. Without a response from the service the reload would lose the page, so this
 * throws a Refusal instead.
 *
 * @param load imports a part of the console
 * @returns the same, which may throw Refusal offline or unreachable
 */
export function reached<Module>(load: () => Promise<Module>): () => Promise<Module> {
  return () =>
    load().catch(async (error: unknown) => {
      const isThere = await fetch('/livez').then(
        ({ ok }) => ok,
        () => false,
      )
      if (isThere) throw error
      noteNoResponse()
      throw navigator.onLine ? Refusal.unreachable(true) : Refusal.offline(true)
    })
}
