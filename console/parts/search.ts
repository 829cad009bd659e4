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

/** The query of a list. */
export function readQuery({ query }: Record<string, unknown>): { readonly query?: string } {
  const isWord = (typeof query === 'string' && query !== '') || typeof query === 'number'
  return isWord ? { query: String(query).slice(0, 100) } : {}
}
