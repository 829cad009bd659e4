/** The report on the console, as a table. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConsoleResults } from './console.ts'
import { table } from './tables.ts'

/** Results of the console only, which do not replace those of the API. */
const file = join(import.meta.dirname, 'results', 'console', 'latest.json')

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
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
}

export function findConsole(): ConsoleResults | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ConsoleResults // written by us
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined // of node:fs
    throw error
  }
}
