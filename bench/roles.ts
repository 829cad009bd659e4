/** Roles and memberships: what they cost, compared with other operations of the service, as a table. */
import { about } from './report.ts'
import { costOf, type Results } from './results.ts'
import { round, short, table } from './tables.ts'

interface Comparison {
  readonly of: string
  readonly with: string
  /** How many requests a core answers, in place of one of the other operation, at least. */
  readonly least?: number
  /** How many times as much CPU time a request takes, at most. */
  readonly most?: number
}

export const comparisons: readonly Comparison[] = [
  { of: 'get organization, 3 grants', with: 'get organization', least: 0.9 },
  { of: 'members/me', with: 'get organization', least: 0.9 },
  { of: 'members/me, 3 grants', with: 'get organization, 3 grants', least: 0.9 },
  { of: 'list members, 3 grants', with: 'list members' },
  { of: '100 checks', with: 'check', most: 3 },
  { of: '100 invitations', with: 'invite', most: 10 },
]

/** The operations that are compared. */
export const compared: readonly string[] = [...new Set(comparisons.flatMap((each) => [each.of, each.with]))]

/** @returns undefined if nothing was measured beside what it is compared with */
export function roles(results: Results): string | undefined {
  const rows = comparisons.flatMap(({ of, with: other }) => {
    const [cost, base] = [costIn(results, of), costIn(results, other)]
    return cost && base ? [[of, round(cost), other, round(base), short(base / cost), short(cost / base)]] : []
  })
  if (rows.length === 0) return undefined
  const head = [
    'Operation',
    'CPU time, µs',
    'compared with',
    'CPU time, µs',
    'requests for the same CPU time',
    'times as much',
  ]
  return `${about(results)}\n\n${table(head, rows)}`
}

/** @returns the CPU time of a request of the service, in microseconds; undefined if it was not measured */
export function costIn({ operations }: Results, name: string): number | undefined {
  const own = operations.find((operation) => operation.name === name)?.by.guildhall
  return own && costOf(own)
}
