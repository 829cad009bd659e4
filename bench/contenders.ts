/** Starts all contenders on the data of a run. */
import { join } from 'node:path'
import { ensureInstalled } from '../tools/on-demand.ts'
import type { Contender } from './contenders/contender.ts'
import { bare, betterAuth, guildhall } from './contenders/http.ts'
import { findPgbench, pgbench } from './contenders/pgbench.ts'
import { type Data, folder } from './data.ts'
import type { Place } from './operations/operation.ts'
import { origin } from './passkeys.ts'
import { type Population, secret, tokenOf } from './population.ts'
import { type Server, startServer } from './programs.ts'
import { peakMemoryOf } from './usage.ts'

export interface Contest {
  readonly contenders: readonly Contender[]
  /** Of the service: the most resident memory until it was ready, in bytes. */
  readonly memoryAtStart: number
  readonly servers: Readonly<Record<'guildhall' | 'fastify' | 'betterAuth', Server>>
  stop(): Promise<void>
}

/** Each contender's callers, and the rows that it may use up. better-auth has data of its own. */
const shares = {
  guildhall: { name: 'guildhall', from: 0, to: 0.2 },
  bare: { name: 'bare', from: 0.2, to: 0.5 },
  pgbench: { name: 'pgbench', from: 0.5, to: 1 },
  betterAuth: { name: 'better-auth', from: 0, to: 1 },
}

/** Installs the other contenders at the first run, and after their lock has changed. */
export function installOthers(): void {
  ensureInstalled(import.meta.dirname, '--ignore-scripts')
}

export async function startContest(data: Data, population: Population): Promise<Contest> {
  const program = findPgbench()
  if (!program) console.error('\nPGBENCH IS MISSING, so it is left out of the comparison: apt-get install postgresql\n')
  const servers: Server[] = []
  const start = async (...args: Parameters<typeof startServer>) => {
    const server = await startServer(...args)
    servers.push(server)
    return server
  }
  try {
    // As the launcher starts it (tools/launch.mjs).
    const service = await start(
      ['--max-semi-space-size=4', join(import.meta.dirname, '../src/main.ts'), 'serve'],
      '/readyz',
      {
        MALLOC_ARENA_MAX: '1',
        DATABASE_URL: data.guildhall.url,
        GUILDHALL_SECRET: secret,
        GUILDHALL_DATA: join(folder, 'service'),
        LIMITS: 'off',
        PUBLIC_URL: origin,
        OUTBOUND_PRIVATE: '127.0.0.1', // where webhooks send to
      },
    )
    const memoryAtStart = peakMemoryOf(service.pid)
    const place = { population, tenant: data.tenant, deep: await findDeepPage(service, data, population) }
    const fastify = await start([join(import.meta.dirname, 'contenders/fastify.ts')], '/constant', {
      DATABASE_URL: data.guildhall.adminUrl,
      PLACE: JSON.stringify({ ...place, share: shares.bare } satisfies Place),
    })
    const other = await start([join(import.meta.dirname, 'contenders/better-auth.mjs')], '/api/auth/ok', {
      DATABASE_URL: data.betterAuth.url,
      BETTER_AUTH_SECRET: secret,
    })
    return {
      contenders: [
        guildhall(service, data, { ...place, share: shares.guildhall }),
        bare(fastify, data, { ...place, share: shares.bare }),
        ...(program ? [pgbench(program, data, { ...place, share: shares.pgbench })] : []),
        betterAuth(other, data, { ...place, share: shares.betterAuth }),
      ],
      memoryAtStart,
      servers: { guildhall: service, fastify, betterAuth: other },
      stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
    }
  } catch (error) {
    await Promise.all(servers.map((server) => server.stop()))
    throw error
  }
}

/** The start of the thousandth page of users, or of the middle one if there are fewer; found by following the cursors. */
async function findDeepPage({ port }: Server, data: Data, { users }: Population): Promise<Place['deep']> {
  const offset = Math.min(999 * 50, Math.floor(users / 100) * 50)
  const headers = { authorization: `Bearer ${tokenOf(data.tenant, 1)}` }
  let last = { id: '', createdAt: '' }
  let cursor = ''
  for (let read = 0; read < offset; ) {
    const limit = Math.min(100, offset - read)
    const query = new URLSearchParams({ limit: String(limit), ...(cursor && { cursor }) })
    const answer = await fetch(`http://127.0.0.1:${port}/api/admin/users?${query}`, { headers })
    const page = (await answer.json()) as { data: (typeof last)[]; nextCursor: string } // the API's form
    last = page.data.at(-1) ?? last
    cursor = page.nextCursor
    read += page.data.length
  }
  return { offset, id: last.id, createdAt: last.createdAt, cursor }
}
