/** Contenders that speak HTTP: the service, Fastify with one statement, better-auth. */
import { setTimeout } from 'node:timers/promises'
import type { Data } from '../data.ts'
import { contentOf, load, type Request } from '../load.ts'
import type { Asked, Operation, Place } from '../operations/operation.ts'
import { operations } from '../operations.ts'
import { keyOf, sessionCookieOf, tokenOf } from '../population.ts'
import type { Server } from '../programs.ts'
import { cpuOf, cpuOfFamily } from '../usage.ts'
import { type Contender, type ContenderName, type Round, connections as usual } from './contender.ts'

/** The number of different requests if they may be repeated. */
const inTurn = 2048
/** The number of requests for each second if none may be repeated. If a contender answers more, the load ends sooner. */
const atMost = 4000

interface HttpContender {
  readonly name: ContenderName
  readonly server: Server
  readonly place: Place
  /** @returns undefined if it has no such operation */
  request(operation: Operation, i: number): Request | undefined
  statusOf(operation: Operation): number
  /** Ends what the requests of a round have begun. It is part of their cost. */
  settle?(): Promise<void>
  /** Runs after each round, before the next contender is measured. */
  clear?(): Promise<void>
}

function httpContender(contender: HttpContender, data: Data): Contender {
  const { name, server, place, request, statusOf, settle, clear } = contender
  const next = new Map<string, number>()
  const bytes = new Map<string, number>()
  const requestsFrom = (operation: Operation, first: number, count: number) =>
    Array.from({ length: count }, (_, index) => request(operation, first + index)).filter((each) => each !== undefined)

  return {
    name,
    has: (operation) => request(operation, 0) !== undefined,
    async check(operation) {
      const [asked] = requestsFrom(operation, 0, 1)
      if (!asked) throw new Error(`${name} has no ${operation.name}.`)
      const { method, path } = asked
      const { headers, content: body } = contentOf(asked)
      const address = `http://127.0.0.1:${server.port}${path}`
      const answer = await fetch(address, { method, headers, ...(body && { body }), redirect: 'manual' })
      const location = answer.headers.get('location')
      const content = operation.location === undefined ? await answer.text() : JSON.stringify({ location })
      const isElsewhere = operation.location !== undefined && !location?.startsWith(operation.location)
      if (answer.status !== statusOf(operation) || isElsewhere || ['', 'null'].includes(content))
        throw new Error(`${name} answered ${answer.status} to ${method} ${path}: ${content.slice(0, 500)}`)
      next.set(operation.name, 1)
      bytes.set(operation.name, Buffer.byteLength(content))
      return JSON.parse(content)
    },
    async measure(operation, seconds): Promise<Round> {
      const first = next.get(operation.name) ?? 0
      const left = (operation.limit?.(place) ?? Infinity) - first
      const count = operation.isOnce ? Math.min(left, atMost * seconds) : inTurn
      if (count < 1) throw new Error(`${name} has no rows left for ${operation.name}: choose a larger scale.`)
      const requests = requestsFrom(operation, first, count)
      const before = spent(server, data)
      const [{ port }, { isOnce, connections = usual }, isRefused] = [server, operation, statusOf(operation) >= 400]
      const outcome = await load({ port, connections, seconds, requests, isOnce, isRefused })
      await settle?.()
      await awaitRest(server, data)
      const after = spent(server, data)
      await clear?.()
      next.set(operation.name, operation.isOnce ? first + outcome.sent : 0)
      // An answer without the requested data is shorter.
      const expected = bytes.get(operation.name) ?? 0
      if (outcome.bytes < 0.5 * expected * outcome.requests)
        throw new Error(
          `${name} answered ${operation.name} in ${outcome.bytes / outcome.requests} bytes and not in ${expected}.`,
        )
      const { requests: answered, sent, microseconds, p50, p99 } = outcome
      // Requests that nobody waited for any more were still executed.
      const [cpu, cpuOfPostgres] = [after.cpu - before.cpu, after.cpuOfPostgres - before.cpuOfPostgres].map(
        (time) => (time * answered) / sent,
      ) as [number, number]
      return { requests: answered, microseconds, p50, p99, cpu, cpuOfPostgres }
    },
  }
}

function spent(server: Server | undefined, data: Data) {
  return { cpu: server ? cpuOf(server.pid) : 0, cpuOfPostgres: cpuOfFamily(data.postmaster) }
}

/**
 * Waits until the server, if there is one, and PostgreSQL are idle, for a minute at most. Otherwise the last requests of a round would run
 * while the next contender is measured; some lists of a million users take long.
 */
export async function awaitRest(server: Server | undefined, data: Data): Promise<void> {
  for (let waited = 0; waited < 600; waited++) {
    const before = spent(server, data)
    await setTimeout(100)
    const after = spent(server, data)
    if (after.cpu + after.cpuOfPostgres - before.cpu - before.cpuOfPostgres <= 20_000) return
  }
}

export function guildhall(server: Server, data: Data, place: Place): Contender {
  const request = ({ ask }: Operation, i: number) => withToken(ask(i, place), data.tenant)
  const [settle, clear] = [() => awaitQueue(server, data), () => emptyQueue(data)]
  const statusOf = ({ status }: Operation) => status
  return httpContender({ name: 'guildhall', server, place, request, statusOf, settle, clear }, data)
}

export function bare(server: Server, data: Data, place: Place): Contender {
  const request = (operation: Operation, i: number) => {
    if (!operation.bare) return undefined
    const asked = operation.ask(i, place)
    return withToken({ ...asked, path: `/${operations.indexOf(operation)}${asked.path}` }, data.tenant)
  }
  return httpContender({ name: 'bare', server, place, request, statusOf: ({ status }) => status }, data)
}

export function betterAuth(server: Server, data: Data, place: Place): Contender {
  const request = ({ askOther }: Operation, i: number) => {
    if (!askOther) return undefined
    const { method, path, user, cookie = '', body } = askOther(i, place)
    const headers = {
      cookie: user === undefined ? cookie : sessionCookieOf(user),
      origin: `http://127.0.0.1:${server.port}`,
    }
    return { method, path, headers, ...(body && { body }) }
  }
  const statusOf = ({ statusOfOther = 200 }: Operation) => statusOfOther
  return httpContender({ name: 'better-auth', server, place, request, statusOf }, data)
}

/** Waits until the service has relayed all events and done all jobs that are due, for two minutes at most. */
export async function awaitQueue(server: Server, data: Data): Promise<void> {
  for (let waited = 0; waited < 1200; waited++) {
    const [left] = await data.guildhall.query(`
      select exists (select from outbox where tenant_id = '${data.tenant}') as has_events,
        exists (select from graphile_worker.jobs where run_at <= now() and attempts < max_attempts) as has_jobs`)
    if (!left?.has_events && !left?.has_jobs) return
    if (left.has_events) await relayEvents(server, data)
    else await setTimeout(100)
  }
  throw new Error('The service has not done all its jobs in two minutes.')
}

/** Has events relayed that would wait for others: a pull at the end of the feed does it. */
export async function relayEvents({ port }: Server, { tenant }: Data): Promise<void> {
  const headers = { authorization: `Bearer ${tokenOf(tenant, 1)}` }
  const answer = await fetch(`http://127.0.0.1:${port}/api/admin/events?from=${new Date().toISOString()}`, { headers })
  if (answer.status !== 200) throw new Error(`The events were not read: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

/** Discards jobs that are due later, such as mails about roles. They would run while others are measured. */
export async function emptyQueue(data: Data): Promise<void> {
  await data.guildhall.query(
    'select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs where locked_at is null))',
  )
}

function withToken(asked: Asked, tenant: string): Request {
  const { method, path, user, key, body, form, isBrowser } = asked
  const token = asked.token ?? (key === undefined ? user && tokenOf(tenant, user) : keyOf(tenant, key))
  const header = isBrowser ? { cookie: `guildhall=${token}` } : { authorization: `Bearer ${token}` }
  return { method, path, headers: token ? header : {}, ...(body && { body }), ...(form && { form }) }
}
