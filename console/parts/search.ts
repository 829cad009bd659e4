/** The query of an address. */

/**
 * The router passes on parameters that a reader omits, so they are set to undefined.
 *
 * @param read picks the valid parameters
 * @returns a reader that lets only these through
 */
export function exactly<Search extends object>(read: (given: Record<string, unknown>) => Search) {
  return (given: Record<string, unknown>): Search => {
    const nothing = Object.fromEntries(Object.keys(given).map((name) => [name, undefined]))
    return { ...nothing, ...read(given) }
  }
}

/** How many characters the API takes as the query of a list. */
export const longestQuery = 254

/** The query of a list. */
export function readQuery({ query }: Record<string, unknown>): { readonly query?: string } {
  const typed = readTyped(query)
  return typed === '' ? {} : { query: typed }
}

/** What was typed into a search field. The router reads digits as a number. @returns an empty text for anything else */
export function readTyped(given: unknown): string {
  return typeof given === 'string' || typeof given === 'number' ? String(given).slice(0, longestQuery) : ''
}
