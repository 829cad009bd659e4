/**
 * Webhooks: how long `me` takes over four connections while people change their profiles, without webhooks and with twenty, half of which are
 * dead; how long an event takes to an endpoint; and what a change costs with no webhook, with one and with twenty; and how
 * fast the relay is. In alternating rounds.
 */
import { setTimeout } from 'node:timers/promises'
import type { Contest } from './contenders.ts'
import type { Data } from './data.ts'
import { startEndpoints } from './endpoints.ts'
import { load, type Outcome } from './load.ts'
import { latencyOf, readMe } from './me.ts'
import { admins } from './population.ts'
import { measureRelay, waiting } from './relay.ts'
import { median, type Webhooks } from './results.ts'
import { freshen } from './seed.ts'
import {
  type Bench,
  changeOnce,
  changesOf,
  findDead,
  halfDead,
  makeWebhooks,
  people,
  rest,
  use,
  wanted,
  webhooks,
} from './senders.ts'
import { cpuOf, cpuOfFamily } from './usage.ts'

/** In seconds: how long a round waits for the events of its changes. */
const timeout = 60
/** How much is measured in a round. */
export interface Extent {
  /** Of a load. */
  readonly seconds: number
  /** How many changes a cost is measured with, if they are all answered in a load. */
  readonly counted: number
  /** How many changes are followed to the endpoints: alone, and in a storm. */
  readonly followed: number
  /** How many rows wait for the relay. */
  readonly waiting: number
}
const usual: Extent = { seconds: 3, counted: 200, followed: 20, waiting }

export async function measureWebhooks(
  { servers: { guildhall: server } }: Contest,
  data: Data,
  rounds: number,
  extent = usual,
): Promise<Webhooks> {
  for (const [from, to] of [
    [1, admins],
    [people.first, people.onceTo],
  ] as const)
    await data.guildhall.query(freshen(data.tenant, from, to))
  const endpoints = await startEndpoints()
  const bench = { server, data, endpoints, nextOnce: people.onceFrom, nextName: 0 }
  try {
    await makeWebhooks(bench)
    return await measureRounds(bench, rounds, extent)
  } finally {
    endpoints.close()
  }
}

async function measureRounds(bench: Bench, rounds: number, extent: Extent): Promise<Webhooks> {
  const { server, data } = bench
  const { seconds } = extent
  const read = () => readMe(server.port, data, seconds)
  const storm = async () => {
    const [me, changes] = await Promise.all([read(), change(bench, seconds)])
    return { me, changes }
  }
  const latencies = { quiet: [] as Outcome[], changes: [] as Outcome[], storm: [] as Outcome[] }
  const rates = { changes: [] as Outcome[], storm: [] as Outcome[] }
  const delays = { alone: [] as number[], storm: [] as number[] }
  const costs = { none: [] as number[], one: [] as number[], all: [] as number[] }
  const events: number[] = []
  const relayed: number[] = []
  await use(bench, [])
  await storm() // warms up
  for (let round = 0; round < rounds; round++) {
    await use(bench, [])
    latencies.quiet.push(await read())
    const without = await storm()
    latencies.changes.push(without.me)
    rates.changes.push(without.changes)

    await use(bench, halfDead)
    await findDead(bench)
    const [before, begun] = [bench.endpoints.received, performance.now()]
    const [within, ofStorm] = await Promise.all([storm(), follow(bench, extent)])
    latencies.storm.push(within.me)
    rates.storm.push(within.changes)
    delays.storm.push(...(await ofStorm.delays))
    events.push((bench.endpoints.received - before) / ((performance.now() - begun) / 1000))

    await rest(bench)
    delays.alone.push(...(await (await follow(bench, extent)).delays))

    const turns = [
      ['none', 0],
      ['one', 1],
      ['all', webhooks],
    ] as const
    for (const [name, count] of round % 2 === 0 ? turns : turns.toReversed())
      costs[name].push(await costOf(bench, count, extent))

    await use(bench, [])
    relayed.push(await measureRelay(server, data, extent.waiting))
  }
  return {
    quiet: latencyOf(latencies.quiet),
    changes: latencyOf(latencies.changes),
    storm: latencyOf(latencies.storm),
    rates: { changes: rateOf(rates.changes), storm: rateOf(rates.storm), events: median(events) },
    delays: { alone: quantilesOf(delays.alone), storm: quantilesOf(delays.storm) },
    costs: { none: median(costs.none), one: median(costs.one), all: median(costs.all) },
    relayed: median(relayed),
  }
}

/** Changes profiles at the wanted rate. */
function change(bench: Bench, seconds: number): Promise<Outcome> {
  return load({ ...changesOf(bench, wanted.rate * seconds), seconds, isOnce: false, rate: wanted.rate })
}

/** Makes changes, a few each second. @returns when all are made: how long each event took to each endpoint that answers, in milliseconds */
async function follow(bench: Bench, { seconds, followed }: Extent): Promise<{ readonly delays: Promise<number[]> }> {
  const { endpoints } = bench
  const made: { readonly user: string; readonly at: number }[] = []
  for (let count = 0; count < followed; count++) {
    made.push({ user: await changeOnce(bench), at: performance.now() })
    await setTimeout((seconds * 1000) / followed / 2)
  }
  const awaitAll = async () => {
    const isThere = ({ user }: { user: string }) => endpoints.about(user).size >= webhooks / 2
    for (const end = performance.now() + timeout * 1000; !made.every(isThere); await setTimeout(50))
      if (performance.now() > end) throw new Error(`Events did not come in ${timeout} seconds.`)
    // An event may come before its change was answered here.
    return made.flatMap(({ user, at }) => [...endpoints.about(user).values()].map((time) => Math.max(0, time - at)))
  }
  return { delays: awaitAll() }
}

/** @returns the CPU time of a change with all that follows from it, of server and PostgreSQL together, in microseconds */
async function costOf(bench: Bench, count: number, { seconds, counted }: Extent): Promise<number> {
  const { server, data } = bench
  await use(
    bench,
    Array.from({ length: count }, () => 'answers' as const),
  )
  const spent = () => cpuOf(server.pid) + cpuOfFamily(data.postmaster)
  const before = spent()
  const { sent } = await load({ ...changesOf(bench, counted), seconds, isOnce: true })
  await rest(bench)
  return (spent() - before) / sent
}

function rateOf(outcomes: readonly Outcome[]): number {
  return median(outcomes.map(({ requests, microseconds }) => requests / (microseconds / 1e6)))
}

function quantilesOf(values: readonly number[]) {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (part: number) => (sorted[Math.floor(part * sorted.length)] ?? 0) * 1000
  return { p50: at(0.5), p95: at(0.95) }
}
