/**
 * Whether the time of "forgot password" tells known addresses from unknown ones: 300 samples, known and unknown in random order,
 * compared by the Mann–Whitney rank test. The service and its worker run in a process of their own, as they do for a caller.
 *
 *   node bench/forgot-password.ts [samples]
 */
import { fork } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { Keyring } from '../src/cryptography.ts'
import { Database } from '../src/database/database.ts'
import { startWorker } from '../src/jobs/worker.ts'
import { ensureDefaultTenant } from '../src/tenants/tenants.ts'
import { createDatabase } from '../test/database.ts'

const [argument = '300'] = process.argv.slice(2)
await (process.send ? serve(argument) : measure(Number(argument)))

/** The service, until the one who measures is gone. */
async function serve(databaseUrl: string): Promise<void> {
  const database = new Database(databaseUrl)
  await ensureDefaultTenant(database)
  const resources = { config: readConfig({ LOG_LEVEL: 'silent' }), database, keyring: new Keyring(['a bench']) }
  const app = await buildApp(resources, { log: false, mailboxKey: undefined })
  await app.listen({ host: '127.0.0.1', port: 0 })
  await startWorker({ ...resources, transport: undefined }, app.log) // mails are kept
  process.send?.((app.server.address() as AddressInfo).port) // listens on TCP
  process.on('disconnect', () => process.exit())
}

async function measure(samples: number): Promise<void> {
  const postgres = await createDatabase()
  const service = fork(import.meta.filename, [postgres.url])
  try {
    const [port] = await once(service, 'message')
    const url = `http://127.0.0.1:${port}/api/auth`
    const warmUp = 20
    const addresses = Array.from({ length: warmUp + samples }, () => ({
      kind: randomInt(2) === 0 ? ('known' as const) : ('unknown' as const),
      email: `somebody-${randomBytes(6).toString('hex')}@example.com`,
    }))
    for (const { kind, email } of addresses) {
      if (kind === 'known') await post(`${url}/sign-up`, { email, password: 'a long enough passphrase' }, 201)
    }
    const times = { known: [] as number[], unknown: [] as number[] }
    for (const [index, { kind, email }] of addresses.entries()) {
      await setTimeout(randomInt(30)) // what earlier ones left to the worker is done at any moment, for either kind
      const started = performance.now()
      await post(`${url}/forgot-password`, { email }, 202)
      if (index >= warmUp) times[kind].push(performance.now() - started)
    }
    for (const [kind, of] of Object.entries(times)) console.log(`${kind.padEnd(8)} n=${of.length}  ${quantiles(of)}`)
    const z = compare(times.known, times.unknown)
    console.log(`Mann–Whitney: z = ${z.toFixed(2)}; beyond ±2.58 (p < 0.01) the two can be told apart`)
  } finally {
    service.disconnect()
    await once(service, 'exit')
    await postgres.drop()
  }
}

async function post(url: string, body: object, expected: number): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  await answer.arrayBuffer()
  if (answer.status !== expected) throw new Error(`${url} answered ${answer.status}`)
}

function quantiles(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other)
  const parts = [0.1, 0.5, 0.9].map(
    (part) => `${part * 100}%: ${sorted[Math.floor(part * sorted.length)]?.toFixed(2)} ms`,
  )
  return parts.join('  ')
}

/** @returns the z of the rank test, by its normal approximation; times have no ties to speak of */
function compare(one: readonly number[], other: readonly number[]): number {
  const all = [...one, ...other].sort((left, right) => left - right)
  const ranks = one.reduce((sum, value) => sum + all.indexOf(value) + 1, 0)
  const [n, m] = [one.length, other.length]
  const u = ranks - (n * (n + 1)) / 2
  return (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12)
}
