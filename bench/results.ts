/** Results: the measurements of a run, as they are stored in results/. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ContenderName, Round } from './contenders/contender.ts'
import type { Operation } from './operations/operation.ts'
import { operations } from './operations.ts'

/** The summary of all rounds. Times are in microseconds; CPU times are per request. */
export interface Summary {
  readonly cpu: number
  readonly cpuOfPostgres: number
  readonly rate: number
  readonly p50: number
  readonly p99: number
}

export interface Measured {
  readonly name: string
  readonly kind: Operation['kind']
  readonly by: Readonly<Partial<Record<ContenderName, Summary>>>
  /** How many requests the service answers in the CPU time of one of `beside`: the median of the rounds. */
  readonly ofBeside?: number
}

/** In microseconds. */
export interface Latency {
  readonly p50: number
  readonly p99: number
}

export interface SignIns {
  /** Of the service, per second, with 32 at a time. */
  readonly rate: number
  readonly rateOfBetterAuth: number
  /** Of the hash alone: as many at once as the service computes, and as many as there are cores. */
  readonly hashes: number
  readonly hashesOfAllCores: number
  readonly quiet: Latency
  readonly storm: Latency
}

/** Of `me`, while the service does nothing else, answers lists, or makes changes. */
export interface Mixed {
  readonly alone: Latency
  readonly besideLists: Latency
  readonly besideWrites: Latency
}

/** The rates of writers who send one key of the tenant, each to a user of their own. */
export interface Writers {
  readonly one: number
  readonly sixteen: number
}

export interface Webhooks {
  /** Of `me`: while the service does nothing else, while it makes changes, and while twenty webhooks send them, half of which are dead. */
  readonly quiet: Latency
  readonly changes: Latency
  readonly storm: Latency
  /** Per second: changes without webhooks, changes with them, and events that came to endpoints. */
  readonly rates: { readonly changes: number; readonly storm: number; readonly events: number }
  /** From the answer of a change to its event at an endpoint, in microseconds: of one change at a time, and in the storm. */
  readonly delays: Readonly<Record<'alone' | 'storm', { readonly p50: number; readonly p95: number }>>
  /** The CPU time of a change, with no webhook, with one and with twenty, all of which answer. */
  readonly costs: { readonly none: number; readonly one: number; readonly all: number }
  /** How many rows of the outbox a second the relay brings into the feed. */
  readonly relayed: number
}

export interface Results {
  readonly date: string
  readonly machine: {
    readonly cores: number
    readonly processor: string
    readonly gibibytes: number
    readonly kernel: string
    readonly node: string
    readonly postgres: string
    readonly betterAuth: string
  }
  /** The part of the cores' time that went to other processes meanwhile. */
  readonly others: number
  readonly scale: number
  readonly rounds: number
  /** Of CPU time, in each round. */
  readonly seconds: number
  readonly operations: readonly Measured[]
  readonly constant: Summary
  /** The most resident memory, in bytes: in total, and of the service just after its start. */
  readonly memory: { readonly guildhall: number; readonly atStart: number; readonly betterAuth: number }
  /** From the command to the answer of /readyz, in milliseconds; absent if it was not measured. */
  readonly starts?: readonly number[]
  readonly mixed?: Mixed
  readonly signIns?: SignIns
  readonly writers?: Writers
  readonly webhooks?: Webhooks
}

const folder = join(import.meta.dirname, 'results')

export function summarize(rounds: readonly Round[]): Summary {
  const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0)
  const medianOf = (of: (round: Round) => number) => median(rounds.map(of))
  return {
    // A round in which PostgreSQL vacuumed, or Node.js compiled, does not count.
    cpu: medianOf((round) => round.cpu / round.requests),
    cpuOfPostgres: medianOf((round) => round.cpuOfPostgres / round.requests),
    rate: sum((round) => round.requests) / (sum(({ microseconds }) => microseconds) / 1e6),
    p50: medianOf(({ p50 }) => p50),
    p99: medianOf(({ p99 }) => p99),
  }
}

/** The CPU time of server and PostgreSQL together; of a summary, that of a request. */
export function costOf({ cpu, cpuOfPostgres }: Pick<Summary, 'cpu' | 'cpuOfPostgres'>): number {
  return cpu + cpuOfPostgres
}

/** The CPU time of a request of one by that of the other: the median of the rounds' ratios. */
export function ratioOf(one: readonly Round[], other: readonly Round[]): number {
  const [costs, others] = [one, other].map((rounds) => rounds.map((round) => costOf(round) / round.requests))
  return median((costs ?? []).map((cost, index) => cost / (others?.[index] ?? 0)))
}

/** One round of several parts. */
export function joined(parts: readonly Round[]): Round {
  const sum = (of: (part: Round) => number) => parts.reduce((total, part) => total + of(part), 0)
  return {
    requests: sum(({ requests }) => requests),
    microseconds: sum(({ microseconds }) => microseconds),
    p50: median(parts.map(({ p50 }) => p50)),
    p99: median(parts.map(({ p99 }) => p99)),
    cpu: sum(({ cpu }) => cpu),
    cpuOfPostgres: sum(({ cpuOfPostgres }) => cpuOfPostgres),
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const half = values.length / 2
  const [below = 0, above = 0] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]]
  return (below + above) / 2
}

/** @returns the path of the file */
export function keep(results: Results): string {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${results.date.replaceAll(':', '-')}.json`)
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  return file
}

/** The latest results of a complete run. */
export function findLatest(): Results | undefined {
  return readAll().find(
    ({ operations: of, signIns, starts, writers, scale }) =>
      of.length === operations.length && signIns && starts && writers && scale === 1,
  )
}

/** The latest results in which all these operations were measured. */
export function findMeasured(names: readonly string[]): Results | undefined {
  return readAll().find(({ operations: of }) => names.every((name) => of.some((operation) => operation.name === name)))
}

/** The latest results of webhooks, with data of the usual size. */
export function findWebhooks(): Results | undefined {
  return readAll().find(({ webhooks, scale }) => webhooks && scale === 1)
}

/** The latest result of each read at each scale, smallest first, for scales at which all reads were measured. */
export function readGrowth(): Results[] {
  const wanted = operations.filter(({ kind }) => kind !== 'write')
  const scales = Map.groupBy(readAll(), ({ scale }) => scale)
  const found = [...scales.values()].flatMap((all) => {
    const latest = wanted.flatMap(({ name }) => {
      const measured = all.flatMap((results) => results.operations).find((operation) => operation.name === name)
      return measured ? [measured] : []
    })
    return all[0] && latest.length === wanted.length ? [{ ...all[0], operations: latest }] : []
  })
  return found.sort((one, other) => one.scale - other.scale)
}

/** Latest first. */
function readAll(): Results[] {
  mkdirSync(folder, { recursive: true })
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .reverse()
  return names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Results) // written by us
}

/** Keeps the results of a part that is measured by itself. They do not replace those of the API. */
export function keepApart(part: string, results: object): void {
  mkdirSync(join(folder, part), { recursive: true })
  writeFileSync(latestOf(part), `${JSON.stringify(results, null, 2)}\n`)
}

/** @returns the latest results of such a part; undefined if it was not measured */
export function findApart(part: string): unknown {
  return existsSync(latestOf(part)) ? JSON.parse(readFileSync(latestOf(part), 'utf8')) : undefined
}

function latestOf(part: string): string {
  return join(folder, part, 'latest.json')
}
