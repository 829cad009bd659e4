/** pgbench: the statement of an operation without an HTTP server in front of PostgreSQL. It comes with PostgreSQL. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Data } from '../data.ts'
import { hashSql, type Operation, type Place } from '../operations/operation.ts'
import { run } from '../programs.ts'
import { cpuOfFamily } from '../usage.ts'
import { type Contender, connections } from './contender.ts'
import { awaitRest } from './http.ts'

/** Debian's folder for it. */
const versions = '/usr/lib/postgresql'

/** @returns the newest one installed */
export function findPgbench(): string | undefined {
  const found = existsSync(versions) ? readdirSync(versions).sort((one, other) => Number(other) - Number(one)) : []
  return found.map((version) => join(versions, version, 'bin/pgbench')).find((path) => existsSync(path))
}

export function pgbench(program: string, data: Data, place: Place): Contender {
  /** For each operation, the number of each client's next transaction, so that none is repeated. */
  const next = new Map<string, number>()
  const start = async (operation: Operation, limits: readonly string[]): Promise<Transaction[]> => {
    const folder = mkdtempSync(join(tmpdir(), 'guildhall-pgbench-'))
    try {
      const file = join(folder, 'script')
      writeFileSync(file, scriptOf(operation, place))
      const options = [
        '--no-vacuum',
        '--protocol=prepared',
        `--file=${file}`,
        '--log',
        `--log-prefix=${join(folder, 'log')}`,
      ]
      const from = next.get(operation.name) ?? 0
      const said = await run(program, [...options, `--define=k=${from}`, ...limits, data.guildhall.adminUrl])
      const logs = readdirSync(folder).filter((name) => name.startsWith('log'))
      const done = logs.flatMap((name) => readLog(readFileSync(join(folder, name), 'utf8')))
      if (!/failed transactions: 0/.test(said)) throw new Error(`pgbench, ${operation.name}: ${said}`)
      next.set(operation.name, from + done.reduce((most, { number }) => Math.max(most, number), 0) + 1)
      return done
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  return {
    name: 'pgbench',
    has: ({ bare }) => bare?.numbered !== undefined,
    async check(operation) {
      const { length } = await start(operation, ['--client=1', '--transactions=1'])
      if (length !== 1) throw new Error(`pgbench, ${operation.name}: ${length} transactions instead of 1`)
    },
    async measure(operation, seconds) {
      const clients = operation.connections ?? connections
      const samples: { readonly at: number; readonly cpu: number }[] = []
      const sample = () => samples.push({ cpu: cpuOfFamily(data.postmaster), at: Date.now() * 1000 })
      const sampling = setInterval(sample, 100)
      let all: Transaction[] = []
      let counted: Span | undefined
      // On a busy machine, more than half of the time may be over before all clients are connected.
      for (let time = 2 * seconds; !counted && time <= 32 * seconds; time *= 2) {
        all = await start(operation, [`--client=${clients}`, '--jobs=1', `--time=${time}`])
        counted = spanOf(all, clients, (seconds / 2) * 1e6)
      }
      clearInterval(sampling)
      await awaitRest(undefined, data) // its connections take a while to end
      if (!counted) return { requests: 0, microseconds: 0, p50: 0, p99: 0, cpu: 0, cpuOfPostgres: 0 }
      const { from, to } = counted
      const times = all
        .filter(({ at }) => at >= from)
        .map(({ took }) => took)
        .sort((one, other) => one - other)
      const quantile = (part: number) => times[Math.floor(part * times.length)] ?? 0
      const within = samples.filter(({ at }) => at >= from && at <= to)
      const [first, last] = [within[0], within.at(-1)]
      const perMicrosecond = first && last && last.at > first.at ? (last.cpu - first.cpu) / (last.at - first.at) : 0
      const microseconds = to - from
      const cpuOfPostgres = perMicrosecond * microseconds
      return { requests: times.length, microseconds, p50: quantile(0.5), p99: quantile(0.99), cpu: 0, cpuOfPostgres }
    },
  }
}

/** PostgreSQL plans a statement at each of its first five executions, and may keep a plan from the sixth on. */
const planned = 6

/** The part of a load that counts, in microseconds. */
interface Span {
  readonly from: number
  readonly to: number
}

/**
 * Begins when each client has loaded the catalog and has a plan, but at the earliest after half of the time.
 *
 * @param shortest the microseconds that it must have
 * @returns undefined if too little is left
 */
function spanOf(all: readonly Transaction[], clients: number, shortest: number): Span | undefined {
  const ready = all.filter(({ number }) => number === planned - 1).map(({ at }) => at)
  if (ready.length < clients) return
  const begin = all.reduce((least, { at, took }) => Math.min(least, at - took), Infinity)
  const to = all.reduce((most, { at }) => Math.max(most, at), 0)
  const from = ready.reduce((most, at) => Math.max(most, at), (begin + to) / 2)
  return to - from < shortest ? undefined : { from, to }
}

/** Times are in microseconds. */
interface Transaction {
  /** The number of the transaction within its client, from 0. */
  readonly number: number
  readonly took: number
  /** When it ended. */
  readonly at: number
}

/** The log's lines: client, transaction, microseconds, script, and the end in seconds and microseconds. */
function readLog(text: string): Transaction[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' ').map(Number))
    .map(([, number = 0, took = 0, , seconds = 0, rest = 0]) => ({ number, took, at: seconds * 1e6 + rest }))
}

/** The statement with its values, each computed from the number of the transaction. No number is used twice. */
function scriptOf({ bare, name }: Operation, place: Place): string {
  if (!bare?.caller || !bare.numbered) throw new Error(`pgbench has no ${name}.`)
  const caller = bare.caller(place)
  const values = [`'${place.tenant}'`, hashSql(place, caller), ...bare.numbered(place)]
  const statement = bare.statement(place).replace(/\$(\d+)(?!\w)/g, (_, n: string) => `(${values[Number(n) - 1]})`)
  return `\\set i :client_id + ${connections} * :k\n\\set k :k + 1\n${statement.replace(/\s+/g, ' ').trim()};\n`
}
