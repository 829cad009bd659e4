/** Mixed load: how long `me` takes over four connections, alone, beside lists and beside writes, in alternating rounds. */
import { connections } from './contenders/contender.ts'
import type { Contest } from './contenders.ts'
import type { Data } from './data.ts'
import type { Outcome } from './load.ts'
import { latencyOf, readMe } from './me.ts'
import type { Operation } from './operations/operation.ts'
import { operations } from './operations.ts'
import type { Population } from './population.ts'
import type { Latency, Mixed } from './results.ts'
import { freshen } from './seed.ts'
import { milliseconds, table } from './tables.ts'

/** Of a load, in seconds. */
const duration = 4

export async function measureMixed(
  { contenders, servers: { guildhall } }: Contest,
  data: Data,
  population: Population,
  rounds: number,
): Promise<Mixed> {
  const service = contenders.find(({ name }) => name === 'guildhall')
  const [lists, writes] = ['list members', 'update profile'].map((name) =>
    operations.find((each) => each.name === name),
  )
  if (!service || !lists || !writes) throw new Error('A part of the mixed load is missing.')
  for (const { callers } of [lists, writes]) {
    const [from, to] = callers(population)
    await data.guildhall.query(freshen(data.tenant, from, to))
  }
  const read = () => readMe(guildhall.port, data, duration)
  const readBeside = async (other: Operation) => {
    const [outcome] = await Promise.all([read(), service.measure(other, duration)])
    return outcome
  }
  await read() // warms up
  const all = { alone: [] as Outcome[], besideLists: [] as Outcome[], besideWrites: [] as Outcome[] }
  for (let round = 0; round < rounds; round++) {
    all.alone.push(await read())
    all.besideLists.push(await readBeside(lists))
    all.besideWrites.push(await readBeside(writes))
  }
  return {
    alone: latencyOf(all.alone),
    besideLists: latencyOf(all.besideLists),
    besideWrites: latencyOf(all.besideWrites),
  }
}

export function mixed({ alone, besideLists, besideWrites }: Mixed): string {
  const row = (name: string, { p50, p99 }: Latency) => [
    name,
    milliseconds(p50),
    milliseconds(p99),
    `${(p99 / alone.p99).toFixed(1)} times`,
  ]
  return table(
    ['`me` over four connections', 'p50, ms', 'p99, ms', 'of the p99 alone'],
    [
      row('alone', alone),
      row(`beside lists of members over ${connections}`, besideLists),
      row(`beside changes of profiles over ${connections}`, besideWrites),
    ],
  )
}
