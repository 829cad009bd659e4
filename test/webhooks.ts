/** Webhooks in tests, stored past the API, and a server that receives what they send. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { queueRun } from '../src/domain/webhooks/schedule.ts'
import { addWebhookSecret, newWebhookSecret } from '../src/domain/webhooks/secrets.ts'
import type { Outbound } from '../src/platform/outbound/outbound.ts'
import { feedsOf, tenantWithEvents } from './events.ts'
import { listenLocally } from './listening.ts'
import { until } from './smtp.ts'
import { onStoredWebhooks, type StoredWebhook } from './stored-webhooks.ts'
import { openPatientOutbound } from './timeout.ts'
import { type Json, type World, wakeWorkers } from './world.ts'

/** A request for an endpoint. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly event: Json
}

/** How an endpoint answers: by a status, or not before the test answers. */
type Manner = number | 'stall' | { readonly status: number; readonly headers: Readonly<Record<string, string>> }

/** A failure after which nothing is sent again by itself during a test. */
export const failsForAnHour: Manner = { status: 500, headers: { 'retry-after': '3600' } }

export interface Endpoints {
  readonly origin: string
  /** By path. By default they answer 204. */
  readonly manners: Map<string, Manner>
  /** What an endpoint got, in order. */
  to(path: string): readonly Received[]
  /** Waits until nobody is connected. What was sent has then been received. */
  nobodyIsConnected(): Promise<void>
  /** How many of its requests have no answer yet. */
  waiting(path: string): number
  /** Answers them. */
  answerWaiting(path: string, status: number): void
}

/** Call it once in a test file. */
export async function startEndpoints(): Promise<Endpoints> {
  const manners = new Map<string, Manner>()
  const received: Received[] = []
  const stalled = new Map<ServerResponse, string>()
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const body = await text(request)
    received.push({ path, headers: request.headers, text: body, event: JSON.parse(body) })
    const manner = manners.get(path) ?? 204
    if (manner === 'stall') {
      stalled.set(response, path)
      response.once('close', () => stalled.delete(response))
    } else if (typeof manner === 'number') response.writeHead(manner, { location: '/elsewhere' }).end()
    else response.writeHead(manner.status, manner.headers).end()
  })
  return {
    origin: await listenLocally(server),
    manners,
    to: (path) => received.filter((each) => each.path === path),
    nobodyIsConnected: async () => {
      await until(async () => (await promisify(server.getConnections.bind(server))()) === 0, 'all to have left')
    },
    waiting: (path) => [...stalled.values()].filter((each) => each === path).length,
    answerWaiting: (path, status) => {
      for (const [response, each] of stalled) if (each === path) response.writeHead(status).end()
    },
  }
}

/** In milliseconds, and shorter than the minute for which an attempt may be handed over. */
const bounds = { connect: 50_000, headers: 50_000, all: 50_000 }

/** Posts to servers of tests also for webhooks of organizations, and waits longer for an answer than a service. */
export const postAnywhere: Outbound['post'] = (url, request) =>
  openPatientOutbound(['127.0.0.1'], bounds).post(url, { ...request, isPrivateAllowed: true })

export interface Endpoint {
  readonly id: string
  readonly path: string
  readonly secret: string
}

let made = 0

/** A tenant of its own, whose events so far have their places, with functions on its webhooks. */
export async function tenantWithWebhooks(world: World, endpoints: Endpoints) {
  const acme = await tenantWithEvents(world)
  await feedsOf(world).follow(acme.tess, '/api/admin/events')
  let renamed = 0
  /** Changes the organization, which makes an event. */
  const rename = (name = `Renamed ${++renamed}`) => acme.ann.patch(acme.path, { name })

  /** Makes events by one change, past the API. @returns the place before them */
  async function makeEvents(count: number): Promise<number> {
    await rename()
    const [last] = (await feedsOf(world).follow(acme.tess, '/api/admin/events')).slice(-1)
    const { query } = world.postgres
    await query(
      `insert into feed (tenant_id, sequence, entry_id, action, organization_id)
       select tenant_id, sequence + n, entry_id, action, organization_id from feed, generate_series(1, $3) n
       where tenant_id = $1 and entry_id = $2`,
      [acme.tenantId, last?.id, count],
    )
    await query('update feeds set head = head + $2 where tenant_id = $1', [acme.tenantId, count])
    return last?.sequence
  }

  return { ...acme, rename, makeEvents, ...onWebhooks(world, endpoints, acme.tenantId) }
}

/** @returns functions on webhooks of a tenant */
export function onWebhooks(world: World, endpoints: Endpoints, tenantId: string) {
  const { query } = world.postgres
  const { add, stateOf } = onStoredWebhooks({ postgres: world.postgres, tenantId })

  /** Adds a webhook that sends what comes from now on. @param columns those that differ */
  async function addWebhook(columns: Readonly<Record<string, unknown>> = {}): Promise<Endpoint> {
    const path = `/${++made}`
    const secret = newWebhookSecret()
    await query('update tenants set has_webhooks = true, organization_webhooks = true where id = $1', [tenantId])
    const [feed] = await query<{ head: string }>('select head from feeds where tenant_id = $1', [tenantId])
    const id = await add({ url: `${endpoints.origin}${path}`, place: feed?.head ?? 0, ...columns })
    await world.database.inTenant(tenantId, async (sql) => {
      await addWebhookSecret(sql, world.keyring, id, secret, 0)
      await queueRun(sql, id, false)
    })
    return { id, path, secret }
  }

  /** What an endpoint got, once it is as much. */
  async function sentTo({ path }: Endpoint, count = 1): Promise<readonly Received[]> {
    await until(() => endpoints.to(path).length >= count, `${count} requests for ${path}`)
    return endpoints.to(path)
  }

  /** A webhook, once a condition on its row holds. */
  const stateWhen = (id: string, condition: (row: StoredWebhook) => boolean, what: string): Promise<StoredWebhook> =>
    until(async () => {
      const row = await stateOf(id)
      return condition(row) ? row : undefined
    }, what)

  /** The log of a webhook, in the order of the feed. */
  const logOf = ({ id }: Endpoint) =>
    query<Json>('select *, sequence::float8 as place from webhook_deliveries where webhook_id = $1 order by sequence', [
      id,
    ])

  /** Has what was set aside, and trials, be due now. */
  async function makeDue({ id }: Endpoint): Promise<void> {
    await query('update webhook_deliveries set next_at = now() where webhook_id = $1 and next_at is not null', [id])
    await query('update webhooks set next_at = now() where id = $1 and next_at is not null', [id])
    await run(id)
  }

  /** Has a webhook run now, as its job for later would. */
  async function run(id: string): Promise<void> {
    const { status } = await stateOf(id)
    await world.database.inTenant(tenantId, (sql) => queueRun(sql, id, status === 'failing'))
    await query(wakeWorkers)
  }

  return { addWebhook, logOf, makeDue, run, sentTo, stateOf, stateWhen }
}
