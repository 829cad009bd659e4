/** The report on the console, as a table. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConsoleResults, PageWeight } from './console.ts'
import { table } from './tables.ts'

/** Results of the console only, which do not replace those of the API. */
const file = join(import.meta.dirname, 'results', 'console', 'latest.json')

/** At most this for the page to sign in, which most people see first. */
export const targetsOfFirst = { requests: 12, kilobytes: 200, seconds: 2.5 } as const
/** At most this for other pages. */
export const requestsOfOthers = 15

export function consoleTable({ date, visits, pages }: ConsoleResults): string {
  const head = ['Page', 'requests', 'kB', 'LCP, s', 'layout shift, 390 px', '1440 px']
  const rows = pages.map((page, index) => rowOf(page, index === 0))
  return `Measured on ${date.slice(0, 10)}; ${visits} visits of each page at each width.\n\n${table(head, rows)}`
}

function rowOf({ page, requests, bytes, lcp, shifts }: PageWeight, isFirst: boolean): string[] {
  const [kilobytes, seconds] = [bytes / 1000, lcp / 1000]
  const bound = (shown: string, value: number, most: number) =>
    `${shown} (at most ${most}: ${value <= most ? 'met' : '**missed**'})`
  return [
    page,
    bound(String(requests), requests, isFirst ? targetsOfFirst.requests : requestsOfOthers),
    isFirst ? bound(kilobytes.toFixed(0), kilobytes, targetsOfFirst.kilobytes) : kilobytes.toFixed(0),
    isFirst ? bound(seconds.toFixed(2), seconds, targetsOfFirst.seconds) : seconds.toFixed(2),
    shifts.phone.toFixed(3),
    shifts.desktop.toFixed(3),
  ]
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
