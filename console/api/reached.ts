/** Loading the code of a page or a dialog. It fails when the service is away, and when a newer build has replaced this one. */
import { noteNoResponse } from './connection.ts'
import { Refusal } from './refusal.ts'

/** How the messages of browsers begin if a script could not be loaded, and that of Vite if a style could not. */
const gone =
  /^(Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS)/

/**
 * The router reloads the whole page if the script of a page is gone, which it sees by the message. Without a response from the service the
 * reload would lose the page, so this throws another Refusal.
 *
 * @param load imports a part of the console
 * @returns the same, which may throw Refusal outdated, offline or unreachable
 */
export function reached<Module>(load: () => Promise<Module>): () => Promise<Module> {
  return () =>
    load().catch(async (error: unknown) => {
      const isThere = await fetch('/livez').then(
        ({ ok }) => ok,
        () => false,
      )
      if (isThere) throw error instanceof Error && gone.test(error.message) ? Refusal.outdated(error) : error
      noteNoResponse()
      throw navigator.onLine ? Refusal.unreachable(true) : Refusal.offline(true)
    })
}
