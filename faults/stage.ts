/** The stage of a scenario: PostgreSQL behind a proxy, a mail server, and services that run as an operator runs them. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../test/ports.ts'
import { makeFolder, type Running, start, stop } from '../test/processes.ts'
import { startProxy, type Wire } from '../test/proxy.ts'
import { type Sink, startSink, until } from '../test/smtp.ts'
import { timeout } from '../test/timeout.ts'
import { password } from '../test/world.ts'
import { checkAudit, checkOrigins } from './audit.ts'
import { checkCounts, checkErasure, checkFeed, checkMails, checkSessions, checkStories } from './invariants.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { checkUnavailable, Journal, send } from './requests.ts'
import { type Load, startLoad } from './stories.ts'

/** A service with a fixed address across restarts. */
export interface Service {
  readonly url: string
  readonly process: Running
  /** Kills it. */
  kill(): Promise<void>
  /** Asks it to stop, and waits until it has. @returns its exit code */
  stop(): Promise<number | string | null>
  start(): Promise<void>
}

export interface Stage {
  readonly postgres: Postgres
  /** Between the services and PostgreSQL. */
  readonly proxy: Wire
  readonly sink: Sink
  readonly services: readonly Service[]
  readonly journal: Journal
  /** Starts the load of stories. */
  load(atOnce?: number): Load
  /**
   * Ends the load, and restarts the services as if a minute had passed, because a job stays locked that long for a process that may be
   * alive.
   */
  later(load: Load): Promise<void>
  /** Checks the invariants at the end; a mail may have come `mostMails` times. @returns the scenario's line */
  check(options?: { mostMails?: number }): Promise<string>
}

interface Options {
  readonly services?: number
  /** By default one of its own. The stage ends it. */
  readonly postgres?: Postgres
  /** Whether the services start and own PostgreSQL. Then there is no proxy before it. */
  readonly isEmbedded?: boolean
  /** The environment of all services. */
  readonly env?: Readonly<Record<string, string>>
  /** The environment of one service. */
  readonly envOf?: (index: number) => Readonly<Record<string, string>>
}

/** Milliseconds in which a service must recover after a fault. */
const recovery = 5_000

export async function raise(
  t: TestContext,
  { services: count = 1, postgres: given, isEmbedded = false, env = {}, envOf = () => ({}) }: Options = {},
): Promise<Stage> {
  const postgres = given ?? (await startPostgres())
  const proxy = await startProxy(postgres.port)
  const sink = await startSink()
  const settings = {
    ...(isEmbedded ? { GUILDHALL_DATA: postgres.folder } : { DATABASE_URL: postgres.url(proxy.port) }),
    GUILDHALL_SECRET: 'a secret that is only used for faults',
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?socketTimeout=3000`,
    MAIL_FROM: 'Guildhall <no-reply@guildhall.example>',
    LIMITS: 'off',
    ...env,
  }
  const services: Service[] = []
  const journal = new Journal()
  const loads: Load[] = []
  t.after(async () => {
    journal.close()
    await Promise.all(services.map((service) => service.kill()))
    await postgres.end('SIGKILL').catch(() => {}) // it may have ended already
    proxy.close()
    await sink.stop()
  })
  for (let index = 0; index < count; index++) {
    const service = await startService({ ...settings, ...envOf(index) })
    services.push(service)
    journal.urls.push(service.url)
  }

  const { query } = postgres
  /** Verifies addresses, as soon as the database exists. */
  const verify = (ids: string[]) =>
    until(
      () =>
        query('update users set email_verified = true where id = any($1) returning true', [ids]).catch(() => undefined),
      'addresses to be proven',
    )
  return {
    postgres,
    proxy,
    sink,
    services,
    journal,
    load: (atOnce) => {
      const load = startLoad(journal, verify, atOnce)
      loads.push(load)
      return load
    },
    later: async (load) => {
      await load.finish()
      await Promise.all(services.map((service) => service.kill()))
      await query(`update graphile_worker._private_jobs set locked_at = locked_at - interval '1 minute'`)
      await Promise.all(services.map((service) => service.start()))
    },
    check: async ({ mostMails = 1 } = {}) => {
      const stories = loads.flatMap(({ stories }) => stories)
      await checkStories(query, stories)
      await checkCounts(query)
      await checkAudit(query, journal.attempts)
      await checkOrigins(query)
      await checkSessions(
        services.map(({ url }) => url),
        stories,
      )
      const { mails, duplicates } = await checkMails(query, sink, stories, mostMails)
      await checkErasure(query, stories)
      await checkFeed(query)
      const counts = { done: 0, refused: 0, unknown: 0 }
      let again = 0
      for (const { outcome, lost, isKeyed } of journal.attempts) {
        counts[outcome]++
        if (isKeyed) again += lost
      }
      const { done, refused, unknown } = counts
      assert.ok(done > 0, 'nothing was done at all')
      return `${done} done, ${refused} refused, ${unknown} unknown, ${again} sent again with their key; ${mails} mails, ${duplicates} of them twice`
    },
  }
}

async function startService(env: Record<string, string>): Promise<Service> {
  const folder = await makeFolder()
  const port = await freePort()
  let process = await start({ folder, port, env })
  return {
    url: process.url,
    get process() {
      return process
    },
    kill: async () => {
      process.child.kill('SIGKILL')
      await process.ended
    },
    stop: () => stop(process),
    start: async () => {
      process = await start({ folder, port, env })
    },
  }
}

/**
 * Stops and restarts each service in turn, while requests come without a pause: all are answered.
 *
 * @param pause before each stop, in milliseconds
 * @returns the scenario's line
 */
export async function stopInTurn(stage: Stage, rounds: number, pause: number): Promise<string> {
  const load = stage.load(8)
  for (let round = 0; round < rounds; round++) {
    for (const service of stage.services) {
      await setTimeout(pause)
      assert.equal(await service.stop(), 0)
      await setTimeout(300)
      await service.start()
    }
  }
  await load.finish()
  const lost = stage.journal.attempts.filter((attempt) => attempt.lost > 0)
  assert.deepEqual(lost, [], 'a request was lost')
  return `${await stage.check()}; ${rounds * stage.services.length} stops, no request lost`
}

/** Waits until a service reports that it is not ready, as it must while it cannot serve. */
export async function awaitUnready({ url }: Service): Promise<void> {
  for (const end = Date.now() + timeout; Date.now() < end; await setTimeout(50)) {
    const answer = await send(url, readiness).catch(() => undefined)
    if (answer?.status === 200) continue
    if (answer) checkUnavailable(readiness, answer)
    if (answer) return
  }
  throw new Error('the service never reported that it is not ready')
}

/**
 * Waits until the services recover by themselves: all report that they are ready, and requests succeed.
 *
 * @param from when the fault was over
 * @returns how long it took, for the scenario's line
 * @throws Error if it took too long
 */
export async function awaitRecovery({ services, journal }: Stage, from: number): Promise<string> {
  await within(from, () => areReady(services))
  await within(from, async () => (await signUp(journal)) !== undefined)
  return `well after ${((performance.now() - from) / 1000).toFixed(2)} s`
}

/** Waits until all report that they are ready. @param from when the fault was over */
export function awaitReady(services: readonly Service[], from: number): Promise<void> {
  return within(from, () => areReady(services))
}

async function within(from: number, isWell: () => Promise<boolean>): Promise<void> {
  while (!(await isWell())) {
    if (performance.now() - from > recovery) throw new Error(`not recovered ${recovery / 1000} s after the fault`)
    await setTimeout(20)
  }
}

async function areReady(services: readonly Service[]): Promise<boolean> {
  const answers = await Promise.all(services.map(({ url }) => send(url, readiness).catch(() => undefined)))
  return answers.every((answer) => answer?.status === 200)
}

/** A new person outside all stories. @returns the session's token, if there was an answer */
export async function signUp(journal: Journal): Promise<string | undefined> {
  const email = `zoe-${randomBytes(6).toString('hex')}@example.org`
  const { answer } = await journal.change({ method: 'POST', path: '/api/auth/sign-up', body: { email, password } })
  return answer?.body.session.token
}

const readiness = { method: 'GET', path: '/readyz' }
