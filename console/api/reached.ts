/** Loading a page's code: it fails when the service is away, and when a newer build has taken the place of this one. */
import { noteNoResponse } from './connection.ts'
import { Refusal } from './refusal.ts'

/**
 * @param load imports a part of the console
 * @returns the same; the router loads the whole page anew where the code is gone, which must not be tried while nobody answers
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
