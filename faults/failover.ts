/** Two PostgreSQL, a primary and its synchronous standby, behind an HAProxy that leads to the primary (docs/operate/postgres.md). */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { until } from '../test/smtp.ts'
import { startHaproxy, withoutHaproxy } from './haproxy.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { awaitRecovery, awaitUnready, raise } from './stage.ts'

/** What the service sees as one PostgreSQL. */
interface Pair extends Postgres {
  readonly primary: Postgres
  /** Makes the standby the primary, and HAProxy lead to it, as Patroni does once the old one has lost its lock. */
  promote(): Promise<void>
}

/** The primary is killed under load, and the standby is promoted. The service goes on without a restart, and has lost nothing. */
export async function killedPrimary(t: TestContext, outage = 2_000): Promise<string> {
  return lostPrimary(t, outage, async ({ primary }) => {
    await primary.end('SIGKILL')
    return () => {}
  })
}

/**
 * The primary freezes: its connections stay open, and nothing is answered. After the standby was promoted, it wakes up, and still believes
 * that it is the primary. It acknowledges nothing, since no standby confirms.
 */
export async function frozenPrimary(t: TestContext, outage = 2_000): Promise<string> {
  return lostPrimary(t, outage, async ({ primary }) => {
    const postmaster = await primary.pid()
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], { encoding: 'utf8' })
    const all = [postmaster, ...stdout.trim().split(/\s+/).map(Number)]
    const tell = (signal: NodeJS.Signals) => {
      for (const pid of all) {
        try {
          process.kill(pid, signal)
        } catch {
          // It had ended before it could be frozen.
        }
      }
    }
    tell('SIGSTOP')
    return () => tell('SIGCONT')
  })
}

/** @param lose takes the primary away; @returns what brings it back once another one leads */
async function lostPrimary(t: TestContext, outage: number, lose: (pair: Pair) => Promise<() => void>): Promise<string> {
  const skipped = withoutHaproxy()
  if (skipped) return skipped
  const pair = await startPair(t)
  const stage = await raise(t, { postgres: pair })
  const load = stage.load()
  await setTimeout(1_500)
  const comeBack = await lose(pair)
  t.after(comeBack) // what is frozen would not end
  await Promise.all([...stage.services.map(awaitUnready), setTimeout(outage)])
  const from = performance.now()
  await pair.promote()
  const recovered = await awaitRecovery(stage, from)
  comeBack()
  await setTimeout(1_000)
  await awaitRecovery(stage, performance.now())
  await stage.later(load) // the lost primary may have had a job in its hands
  return `${await stage.check({ mostMails: 4 })}; promoted: ${recovered}`
}

async function startPair(t: TestContext): Promise<Pair> {
  // Nothing is acknowledged that the standby has not written.
  // As many connections as at the first start: a standby may not have fewer.
  const settings = { max_connections: '100' }
  const primary = await startPostgres({ settings: { ...settings, synchronous_standby_names: '*' } })
  t.after(() => primary.end('SIGKILL').catch(() => {})) // it may have ended
  const standby = await startPostgres({ settings, primary })
  t.after(() => standby.end('SIGKILL').catch(() => {}))
  let leader = primary
  const health = await Promise.all([primary, standby].map((node) => startHealth(t, () => node === leader)))
  const port = await startHaproxy(t, 'haproxy-postgres.cfg', {
    POSTGRES_1: `127.0.0.1:${primary.port}`,
    POSTGRES_2: `127.0.0.1:${standby.port}`,
    HEALTH_1: String(health[0]),
    HEALTH_2: String(health[1]),
  })
  const isFollowed = () => primary.query(`select from pg_stat_replication where sync_state = 'sync'`)
  await until(async () => (await isFollowed()).length === 1, 'the standby to follow')
  return {
    ...primary,
    primary,
    port,
    url: (at = port) => primary.url(at),
    query: (text, values) => leader.query(text, values),
    end: async (how) => {
      await Promise.all([primary, standby].map((node) => node.end(how).catch(() => {}))) // one of them has ended
    },
    promote: async () => {
      const [promoted] = await standby.query<{ done: boolean }>('select pg_promote() as done')
      assert.equal(promoted?.done, true)
      leader = standby
    },
  }
}

/** Answers as Patroni's REST API does for `/primary`. @returns its port */
async function startHealth(t: TestContext, leads: () => boolean): Promise<number> {
  const server = createServer((_request, response) => response.writeHead(leads() ? 200 : 503).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port // listens on TCP
}
