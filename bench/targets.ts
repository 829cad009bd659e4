/** Targets: what we want of the service, and whether results meet it. The bench prints this; docs/performance.md has the figures alone. */
import type { ConsoleResults } from './console.ts'
import { costOf, type Measured, type Results, type Summary } from './results.ts'
import { comparisons, costIn } from './roles.ts'
import { mebibyte, short, table } from './tables.ts'

/**
 * By kind, for the CPU time of server and PostgreSQL together: at most this multiple of Fastify with one statement; of better-auth's, at
 * least this multiple of ours. In the same CPU time, the service then answers at least 0.8 times as many reads of one thing as Fastify with
 * one statement, 0.75 times as many lists and half as many writes.
 */
const ratios: Readonly<Record<Measured['kind'], { readonly bare: number; readonly other: number }>> = {
  read: { bare: 1.25, other: 10 },
  list: { bare: 1.33, other: 10 },
  write: { bare: 2, other: 4 },
  administration: { bare: 1.33, other: 50 },
}

/** How many requests, in the CPU time of one of `me` by session, at least. */
const besideMe: Readonly<Record<string, number>> = {
  'me by key': 0.98,
  caller: 0.9,
  verify: 0.85,
  'mint a token': 0.4,
  authorize: 0.8,
  exchange: 0.3,
  refresh: 0.3,
  'me by application': 0.95,
}

/** One target: what it is about, the figure, and its bound. */
type Target = readonly [about: string, figure: string, bound: string, isMet: boolean]

const atMost = (about: string, value: number, most: number): Target => [
  about,
  short(value),
  `at most ${short(most)}`,
  value <= most,
]
const atLeast = (about: string, value: number, least: number): Target => [
  about,
  short(value),
  `at least ${short(least)}`,
  value >= least,
]

/** @returns a table of all targets about which the results say something */
export function targets(results: Results): string {
  const all = [
    ...results.operations.flatMap((operation) => ofOperation(operation, results.operations)),
    ...ofRoles(results),
    ...ofParts(results),
  ]
  return targetTable(all)
}

/** The same of the console: the page to sign in is what most people see first. */
export function consoleTargets({ pages }: ConsoleResults): string {
  return targetTable(
    pages.flatMap(({ page, requests, bytes, lcp, shifts }, index) => [
      atMost(`${page}: requests`, requests, index === 0 ? 12 : 15),
      ...(index === 0 ? [atMost(`${page}: kB`, bytes / 1000, 200), atMost(`${page}: LCP, s`, lcp / 1000, 2.5)] : []),
      // Shifts below half a thousandth, like those of a pixel when the font comes, count as none.
      atMost(`${page}: layout shift`, Math.round(Math.max(shifts.phone, shifts.desktop) * 1000) / 1000, 0),
    ]),
  )
}

function targetTable(all: readonly Target[]): string {
  const met = all.filter(([, , , isMet]) => isMet).length
  const rows = all.map(([about, figure, bound, isMet]) => [about, figure, bound, isMet ? 'met' : 'missed'])
  return `Targets: ${met} of ${all.length} are met.\n\n${table(['Target', 'seen', 'wanted', ''], rows)}`
}

function ofOperation({ name, kind, by, ofBeside }: Measured, all: readonly Measured[]): Target[] {
  const { guildhall: own, bare, 'better-auth': other } = by
  const me = all.find((operation) => operation.name === 'me')?.by.guildhall
  const wanted = besideMe[name]
  const cost = (one: Summary, another: Summary) => costOf(one) / costOf(another)
  return [
    ...(own && bare ? [atMost(`${name}: times Fastify with one statement`, cost(own, bare), ratios[kind].bare)] : []),
    ...(own && other ? [atLeast(`${name}: better-auth, times ours`, cost(other, own), ratios[kind].other)] : []),
    // A page of an admin's list may take three times as long as `me`.
    ...(own && me && kind === 'administration' ? [atMost(`${name}: p99, times that of me`, own.p99 / me.p99, 3)] : []),
    ...(ofBeside && wanted ? [atLeast(`${name}: requests for the CPU time of me`, ofBeside, wanted)] : []),
  ]
}

function ofRoles(results: Results): Target[] {
  return comparisons.flatMap(({ of, with: other, least, most }) => {
    const [cost, base] = [costIn(results, of), costIn(results, other)]
    if (!cost || !base) return []
    return [
      ...(least ? [atLeast(`${of}: requests for the CPU time of ${other}`, base / cost, least)] : []),
      ...(most ? [atMost(`${of}: times ${other}`, cost / base, most)] : []),
    ]
  })
}

function ofParts({ signIns, writers, webhooks, memory, starts }: Results): Target[] {
  return [
    ...(signIns
      ? [
          atLeast('sign-ins: of the rate of the hash alone', signIns.rate / signIns.hashes, 0.9),
          atMost('me in a storm of sign-ins: p99, times that without one', signIns.storm.p99 / signIns.quiet.p99, 5),
        ]
      : []),
    ...(writers ? [atLeast('16 writers with one key: times one writer', writers.sixteen / writers.one, 4)] : []),
    ...(webhooks
      ? [
          atMost('me beside webhooks: p99, times that without changes', webhooks.storm.p99 / webhooks.quiet.p99, 1.2),
          atLeast('rows a second that the relay brings into the feed', webhooks.relayed, 5_000),
        ]
      : []),
    atMost('memory resident under all of the load, MiB', memory.guildhall / mebibyte, 200),
    ...(starts ? [atMost('from the command to ready, s', Math.max(...starts) / 1000, 2)] : []),
  ]
}
