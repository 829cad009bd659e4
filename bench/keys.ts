/** Keys: what requests of programs and for applications cost beside `me` by session; and writers who send one key, 16 beside one, in alternating rounds. */
import { awaitRest, emptyQueue } from './contenders/http.ts'
import type { Contest } from './contenders.ts'
import type { Data } from './data.ts'
import { load } from './load.ts'
import { id, keyOf } from './population.ts'
import { costOf, median, type Results, type Writers } from './results.ts'
import { round, short, table } from './tables.ts'

/** @returns undefined if nothing was measured beside `me` */
export function besideMe({ operations }: Results): string | undefined {
  const rows = operations.flatMap(({ name, by: { guildhall: own }, ofBeside: ratio }) =>
    own && ratio ? [[name, round(costOf(own)), short(ratio)]] : [],
  )
  return rows.length > 0 ? table(['Operation', 'CPU time, µs', 'requests for the CPU time of `me`'], rows) : undefined
}

export function writers({ one, sixteen }: Writers): string {
  return table(
    ['', 'requests/s', 'ratio'],
    [
      ['One writer', round(one), ''],
      ['16 writers, each of another user', round(sixteen), short(sixteen / one)],
    ],
  )
}

/** The users whom the writers change; none is an admin of the tenant. */
const changed = Array.from({ length: 16 }, (_, index) => 1001 + index)

export async function measureWriters(
  { servers: { guildhall } }: Contest,
  data: Data,
  rounds: number,
  seconds: number,
): Promise<Writers> {
  const headers = { authorization: `Bearer ${keyOf(data.tenant, 0)}` }
  /** Each writer has one connection. The names take turns, so that each request is a change. */
  const write = async (users: readonly number[]) => {
    const outcomes = await Promise.all(
      users.map((user) => {
        const requests = ['Robin', 'Robyn'].map((name) => {
          const path = `/api/admin/users/${id('user', user)}`
          return { method: 'PATCH', path, headers, body: { name } }
        })
        return load({ port: guildhall.port, connections: 1, seconds, requests, isOnce: false })
      }),
    )
    await emptyQueue(data)
    await awaitRest(guildhall, data)
    return outcomes.reduce((rate, { requests, microseconds }) => rate + requests / (microseconds / 1e6), 0)
  }
  await write(changed) // warms up
  const rates = { one: [] as number[], sixteen: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    rates.one.push(await write(changed.slice(0, 1)))
    rates.sixteen.push(await write(changed))
  }
  return { one: median(rates.one), sixteen: median(rates.sixteen) }
}
