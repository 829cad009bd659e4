/** Applications that are told of ends, what they hold of sessions, and a receiver of logout tokens. Rows are written past the API. */
import { randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { newId } from '../src/platform/http/schemas.ts'
import { storeApplication } from './authorizations.ts'
import { partsOf } from './jwt.ts'
import { listenLocally } from './listening.ts'
import { until } from './smtp.ts'
import type { Json, Person, World } from './world.ts'

/** A request for the address of an application. */
export interface Received {
  readonly token: string
  readonly method: string | undefined
  readonly type: string | undefined
  readonly header: Json
  readonly claims: Json
}

export interface Receiver {
  readonly origin: string
  /** How applications answer, by their ids: with a status, or not at all. By default with 204. */
  readonly manners: Map<string, number | 'stall'>
  /** How many requests for an application have no answer yet. */
  waiting(application: string): number
  /** Answers them. */
  answerWaiting(application: string, status: number): void
  /** How many of them there were at once. */
  mostWaiting(application: string): number
  /** What an application got, in order. */
  to(application: string): readonly Received[]
}

/** Call it once in a test file. */
export async function startReceiver(): Promise<Receiver> {
  const manners = new Map<string, number | 'stall'>()
  const received: (Received & { readonly application: string })[] = []
  const stalled = new Map<ServerResponse, string>()
  const most = new Map<string, number>()
  const waiting = (application: string) => [...stalled.values()].filter((each) => each === application).length
  const server = createServer(async (request, response) => {
    const application = request.url?.slice(1) ?? ''
    const token = new URLSearchParams(await text(request)).get('logout_token') ?? ''
    const { method, headers } = request
    received.push({ application, token, method, type: headers['content-type'], ...partsOf(token) })
    const manner = manners.get(application) ?? 204
    if (manner === 'stall') {
      stalled.set(response, application)
      most.set(application, Math.max(most.get(application) ?? 0, waiting(application)))
      response.once('close', () => stalled.delete(response))
    } else response.writeHead(manner, { location: '/elsewhere' }).end()
  })
  return {
    origin: await listenLocally(server),
    manners,
    waiting,
    answerWaiting: (id, status) => {
      for (const [response, application] of stalled) if (application === id) response.writeHead(status).end()
    },
    mostWaiting: (application) => most.get(application) ?? 0,
    to: (id) => received.filter(({ application }) => application === id),
  }
}

interface Grant {
  /** In minutes before now. */
  readonly used?: number
}

/** @returns the id of the session with which a person sends requests */
export async function sessionOf(person: Person): Promise<string> {
  const { body } = await person.get('/api/users/me/devices')
  return body.data.find(({ current }: Json) => current).id
}

/** @returns functions on applications of the world's default tenant */
export function onLogouts(world: World, receiver: Receiver) {
  const { postgres, tenantId: tenant } = world
  const { query } = postgres
  /** An application, by default one that the receiver stands for. @returns its id */
  async function makeApplication({ isTold = true }: { readonly isTold?: boolean } = {}): Promise<string> {
    const id = await storeApplication(world, tenant)
    const uri = isTold ? `${receiver.origin}/${id}` : null
    await query('update applications set back_channel_logout_uri = $2 where id = $1', [id, uri])
    return id
  }

  /** A grant of a person's session. @returns its id */
  async function makeGrant(person: Person, application: string, { used = 0 }: Grant = {}): Promise<string> {
    const id = newId('gra')
    await query(
      `insert into grants (tenant_id, id, session_id, application_id, code_hash, scopes, last_used_at)
       values ($1, $2, $3, $4, $5, '{openid}', now() - make_interval(mins => $6))`,
      [tenant, id, await sessionOf(person), application, randomBytes(32), used],
    )
    return id
  }

  /** Which of grants live. */
  async function living(ids: readonly string[]): Promise<string[]> {
    const rows = await query<{ id: string }>(
      'select id from grants where id = any($1) and ended_at is null order by id',
      [ids],
    )
    return rows.map(({ id }) => id)
  }

  /** What an application got, once it is as much. */
  async function told(application: string, count = 1): Promise<readonly Received[]> {
    await until(() => receiver.to(application).length >= count, `${count} logout tokens`)
    return receiver.to(application)
  }

  /** The jobs that tell applications, waiting and under way. */
  const jobs = () =>
    query<{ payload: Json; key: string | null; queue: string | null; attempts: number }>(
      `select p.payload, j.key, j.queue_name as queue, j.attempts
       from graphile_worker.jobs j join graphile_worker._private_jobs p on p.id = j.id
       where j.task_identifier = 'send_logout'`,
    )

  async function lastLogout(application: string): Promise<string | null | undefined> {
    const [row] = await query<{ outcome: string | null }>(
      'select logout_outcome as outcome from applications where id = $1',
      [application],
    )
    return row?.outcome
  }

  return { jobs, lastLogout, living, makeApplication, makeGrant, sessionOf, told }
}
