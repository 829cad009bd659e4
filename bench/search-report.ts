/** The report on searches, as tables. */
import { findApart, keepApart } from './results.ts'
import type { Searched, SearchResults } from './search.ts'
import { round, table } from './tables.ts'

export function searchTables({ date, searches }: SearchResults): string {
  const users = searches.filter(({ list }) => list === 'users')
  const sizes = [...new Set(users.map((each) => each.users))]
  const last = users.filter((each) => each.users === sizes.at(-1))
  const others = searches.filter(({ list }) => list !== 'users')
  return [
    `Measured on ${date.slice(0, 10)}.`,
    '### Users, by how many there are',
    'The fewest and the most pages of all orders:',
    table(
      ['Query', ...sizes.map((size) => size.toLocaleString('en'))],
      groupsOf(users, ({ query }) => query).map(([query, all]) => [
        code(query),
        ...sizes.map((size) => rangeOf(all.filter((each) => each.users === size))),
      ]),
    ),
    '### A million users, by each order',
    table(
      ['Query', ...new Set(last.map(({ sort }) => code(sort)))],
      groupsOf(last, ({ query }) => query).map(([query, all]) => [
        code(query),
        ...all.map(({ buffers }) => round(buffers)),
      ]),
    ),
    '### Other lists, of 100,000 each',
    table(
      ['List', 'query', 'rows of the page', 'pages touched'],
      groupsOf(others, ({ list, query }) => `${list} ${query}`).map(([, all]) => [
        all[0]?.list ?? '',
        code(all[0]?.query ?? ''),
        String(all[0]?.shown),
        rangeOf(all),
      ]),
    ),
  ].join('\n\n')
}

const code = (text: string) => `\`${text}\``

function groupsOf(all: readonly Searched[], keyOf: (each: Searched) => string): [string, Searched[]][] {
  return [...Map.groupBy(all, keyOf)]
}

function rangeOf(all: readonly Searched[]): string {
  const buffers = all.map((each) => each.buffers)
  const ends = [Math.min(...buffers), Math.max(...buffers)].map(round)
  return [...new Set(ends)].join(' to ')
}

export function keepSearch(results: SearchResults): void {
  keepApart('search', results)
}

export function findSearch(): SearchResults | undefined {
  return findApart('search') as SearchResults | undefined // written by `keepSearch`
}
