/** What an address says after its question mark. */

/**
 * The router hands on whatever a reader leaves out, as it stands in the address.
 *
 * @param read picks what makes sense
 * @returns a reader that lets nothing else through
 */
export function exactly<Search extends object>(read: (given: Record<string, unknown>) => Search) {
  return (given: Record<string, unknown>): Search => {
    const nothing = Object.fromEntries(Object.keys(given).map((name) => [name, undefined]))
    return { ...nothing, ...read(given) }
  }
}

/** What a list is searched for. */
export function readQuery({ query }: Record<string, unknown>): { readonly query?: string } {
  const isWord = (typeof query === 'string' && query !== '') || typeof query === 'number'
  return isWord ? { query: String(query).slice(0, 100) } : {}
}
