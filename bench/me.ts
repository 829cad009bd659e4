/** `me` over four connections: how long it takes while the service does something else. */
import type { Data } from './data.ts'
import { load, type Outcome } from './load.ts'
import { tokenOf } from './population.ts'
import { type Latency, median } from './results.ts'

const readers = [1, 2, 3, 4]

export function readMe(port: number, { tenant }: Data, seconds: number): Promise<Outcome> {
  const requests = readers.map((user) => ({
    method: 'GET',
    path: '/api/users/me',
    headers: { authorization: `Bearer ${tokenOf(tenant, user)}` },
  }))
  return load({ port, connections: readers.length, seconds, requests, isOnce: false })
}

export function latencyOf(outcomes: readonly Outcome[]): Latency {
  return { p50: median(outcomes.map(({ p50 }) => p50)), p99: median(outcomes.map(({ p99 }) => p99)) }
}
