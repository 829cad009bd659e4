/** The report on the console, as a table. */
import type { ConsoleResults } from './console.ts'
import { findApart, keepApart } from './results.ts'
import { table } from './tables.ts'

export function consoleTable({ date, visits, pages }: ConsoleResults): string {
  const head = ['Page', 'requests', 'kB', 'LCP, s', 'layout shift at 390 px', 'at 1440 px']
  const rows = pages.map(({ page, requests, bytes, lcp, shifts }) => [
    page,
    String(requests),
    (bytes / 1000).toFixed(0),
    (lcp / 1000).toFixed(2),
    shifts.phone.toFixed(3),
    shifts.desktop.toFixed(3),
  ])
  return `Measured on ${date.slice(0, 10)}; ${visits} visits of each page at each width.\n\n${table(head, rows)}`
}

export function keepConsole(results: ConsoleResults): void {
  keepApart('console', results)
}

export function findConsole(): ConsoleResults | undefined {
  return findApart('console') as ConsoleResults | undefined // written by `keepConsole`
}
