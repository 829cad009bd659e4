/**
 * Webhooks of a bench: who changes profiles, and to which endpoints webhooks send that. Half of them may be dead: they are failing, the service
 * has found that out by itself, and it tries them now and then.
 */
import { setTimeout } from 'node:timers/promises'
import { awaitQueue, awaitRest, emptyQueue } from './contenders/http.ts'
import type { Data } from './data.ts'
import type { Endpoints, Manner } from './endpoints.ts'
import { contentOf, type Request } from './load.ts'
import { id, tokenOf } from './population.ts'
import type { Server } from './programs.ts'

/** How many changes a second are asked for, and over how many connections. */
export const wanted = { rate: 500, connections: 32 }
/** How many webhooks there are. */
export const webhooks = 20
/** How many changes it takes until the service has found which webhooks are dead. */
const enough = 20
/** Of the users who change their profiles, the first one and how many; and those of whom each changes it once. */
export const people = { first: 11, count: 1000, onceFrom: 1201, onceTo: 2000 }

export interface Bench {
  readonly server: Server
  readonly data: Data
  readonly endpoints: Endpoints
  /** The next of the users of whom each changes their profile once. */
  nextOnce: number
  /** The number of the next new name. */
  nextName: number
}

/** Makes the webhooks over HTTP, and waits for the mails about them. */
export async function makeWebhooks(bench: Bench): Promise<void> {
  const { server, data, endpoints } = bench
  const headers = { authorization: `Bearer ${tokenOf(data.tenant, 1)}` }
  for (let n = 0; n < webhooks; n++) {
    const body = { name: `Webhook ${n}`, url: endpoints.urlOf('answers', n) }
    await send(bench, { method: 'POST', path: '/api/admin/webhooks', headers, body })
  }
  await awaitQueue(server, data)
}

export const halfDead: readonly Manner[] = Array.from({ length: webhooks }, (_, n) =>
  n % 2 === 0 ? 'answers' : n % 4 === 1 ? 'refuses' : 'stalls',
)

/** Has the first webhooks send what comes from now on, as new ones, and the others nothing. Without any, it is as if none was ever made. */
export async function use(bench: Bench, manners: readonly Manner[]): Promise<void> {
  const { data, endpoints } = bench
  const { query } = data.guildhall
  await query(`update webhooks set status = 'disabled', disabled_because = 'person', moves = moves + 1`)
  await rest(bench)
  await query('delete from webhook_deliveries')
  const rows = await query('select id from webhooks order by id')
  for (const [n, { id }] of rows.entries()) {
    const manner = manners[n]
    if (!manner) continue
    await query(`
      update webhooks set status = 'active', disabled_because = null, url = '${endpoints.urlOf(manner, n)}', moves = moves + 1,
        place = (select head from feeds where tenant_id = '${data.tenant}'), failures = 0, failing_since = null, trials = 0,
        next_at = null, slow_until = null, recovered_at = null
      where id = '${id}'`)
  }
  await query(`update tenants set has_webhooks = ${manners.length > 0}`)
  // From a batch on, the relay knows whether there are webhooks.
  await changeAnother(bench)
  await rest(bench)
  await query('checkpoint')
}

/** Makes some changes, and waits until each dead webhook is failing and all that is due was tried. */
export async function findDead(bench: Bench): Promise<void> {
  const { data } = bench
  for (let count = 0; count < enough; count++) await changeAnother(bench)
  await hangingUp(bench, async () => {
    for (let waited = 0; waited < 600; waited++) {
      const [found] = await data.guildhall.query(`select count(*)::int as count from webhooks where status = 'failing'`)
      if (found?.count === webhooks / 2) return awaitQueue(bench.server, data)
      await setTimeout(100)
    }
    throw new Error('The service has not found in a minute which webhooks are dead.')
  })
}

/** Ends the connections to endpoints that do not answer, while something is awaited. */
async function hangingUp({ endpoints }: Bench, work: () => Promise<void>): Promise<void> {
  const interval = setInterval(() => endpoints.hangUp(), 200)
  await work().finally(() => clearInterval(interval))
}

/** Waits until nothing is under way, and discards what is due later. */
export async function rest(bench: Bench): Promise<void> {
  const { server, data } = bench
  await hangingUp(bench, () => awaitQueue(server, data))
  await emptyQueue(data)
  await awaitRest(server, data)
}

/** Requests that change profiles, each to another name. */
export function changesOf(bench: Bench, count: number) {
  const { server } = bench
  const requests = Array.from({ length: count }, () => nextChange(bench))
  return { port: server.port, connections: Math.min(count, wanted.connections), requests }
}

function nextChange(bench: Bench): Request {
  const name = bench.nextName++
  return renaming(bench.data, people.first + (name % people.count), `Somebody ${name}`)
}

function changeAnother(bench: Bench): Promise<void> {
  return send(bench, nextChange(bench))
}

/** Changes the profile of somebody whose profile was not changed before. @returns whose, after the answer */
export async function changeOnce(bench: Bench): Promise<string> {
  const user = bench.nextOnce++
  await send(bench, renaming(bench.data, user, `Followed ${user}`))
  return id('user', user)
}

function renaming({ tenant }: Data, user: number, name: string): Request {
  const headers = { authorization: `Bearer ${tokenOf(tenant, user)}` }
  return { method: 'PATCH', path: '/api/users/me', headers, body: { name } }
}

/** @throws Error if it is refused */
async function send({ server }: Bench, request: Request): Promise<void> {
  const { method, path } = request
  const { headers, content } = contentOf(request)
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers,
    ...(content && { body: content }),
  })
  if (!answer.ok) throw new Error(`${method} ${path} was answered by ${answer.status}: ${await answer.text()}`)
  await answer.arrayBuffer()
}
