/** Roles and memberships: what they cost, compared with other operations of the service, as a table. */
import { about } from './report.ts'
import { costOf, type Results } from './results.ts'
import { judged, round, short, table } from './tables.ts'

interface Comparison {
  readonly of: string
  readonly with: string
  /** How many requests a core answers, in place of one of the other operation, at least. */
  readonly least?: number
  /** How many times as much CPU time a request takes, at most. */
  readonly most?: number
}

const comparisons: readonly Comparison[] = [
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
  const costIn = (name: string) => {
    const own = results.operations.find((operation) => operation.name === name)?.by.guildhall
    return own && costOf(own)
  }
  const rows = comparisons.flatMap(({ of, with: other, least, most }) => {
    const [cost, base] = [costIn(of), costIn(other)]
    if (!cost || !base) return []
    const [requests, times] = [base / cost, cost / base]
    return [
      [
        of,
        round(cost),
        other,
        round(base),
        least ? judged(requests, least, requests >= least, 'at least') : short(requests),
        most ? judged(times, most, times <= most, 'at most') : short(times),
      ],
    ]
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
