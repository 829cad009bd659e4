/** The service for benchmarks: with its worker, in a process of its own, on a fresh database. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buildApp } from '../src/app.ts'
import { builtConsole } from '../src/features/pages/console.ts'
import { ensureDefaultTenant } from '../src/features/tenants/tenants.ts'
import { Keyring } from '../src/platform/cryptography.ts'
import { Database } from '../src/platform/database/database.ts'
import { readConfig } from '../src/platform/settings/config.ts'
import { startTasks } from '../src/tasks.ts'
import { createDatabase } from '../test/database.ts'

if (import.meta.main && process.send) await serve(process.argv[2] ?? '')

/** Runs the service until the measuring process ends. */
async function serve(databaseUrl: string): Promise<void> {
  const database = new Database(databaseUrl)
  await ensureDefaultTenant(database)
  const resources = {
    config: readConfig({ LOG_LEVEL: 'silent', LIMITS: 'off' }),
    database,
    keyring: new Keyring(['a bench']),
  }
  const app = await buildApp(resources, { log: false, mailboxKey: undefined, consoleFolder: builtConsole })
  await app.listen({ host: '127.0.0.1', port: 0 })
  await startTasks({ ...resources, transport: undefined }, app.log) // mails are stored
  process.send?.((app.server.address() as AddressInfo).port) // listens on TCP
  process.on('disconnect', () => process.exit())
}

/** @returns its origin, a way to its database, and a function that stops it and drops its database */
export async function startService() {
  const postgres = await createDatabase()
  const service = fork(import.meta.filename, [postgres.url])
  const [port] = await once(service, 'message')
  return {
    url: `http://127.0.0.1:${port}`,
    query: postgres.query,
    async stop() {
      service.disconnect()
      await once(service, 'exit')
      await postgres.drop()
    },
  }
}

/** @throws Error for an unexpected status */
export async function post(url: string, body: object, expected: number): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const content = await answer.text()
  if (answer.status !== expected) throw new Error(`${url} answered ${answer.status}: ${content}`)
  return content === '' ? undefined : JSON.parse(content)
}

/** @param parts quantiles such as 0.99 */
export function quantiles(values: readonly number[], parts: readonly number[] = [0.1, 0.5, 0.9]): string {
  const sorted = values.toSorted((one, other) => one - other)
  return parts.map((part) => `${part * 100}%: ${sorted[Math.floor(part * sorted.length)]?.toFixed(2)} ms`).join('  ')
}
