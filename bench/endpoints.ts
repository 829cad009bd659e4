/** Endpoints: servers that webhooks send to. Some answer at once; the others are dead: they refuse each connection, or answer nothing. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { freePort } from '../test/ports.ts'

export type Manner = 'answers' | 'refuses' | 'stalls'

export interface Endpoints {
  /** The URL of the nth endpoint of a manner. */
  urlOf(manner: Manner, n: number): string
  /** When each event about a user came to endpoints that answer, in milliseconds of `performance.now()`, by endpoint. */
  about(userId: string): ReadonlyMap<string, number>
  /** How many requests endpoints that answer have got. */
  readonly received: number
  /** Ends the connections of requests without an answer. */
  hangUp(): void
  close(): void
}

export async function startEndpoints(): Promise<Endpoints> {
  const arrivals = new Map<string, Map<string, number>>()
  let received = 0
  const answering = createServer(async (request, response) => {
    const { url = '' } = request
    const { data } = JSON.parse(await text(request)) as { data?: { user?: { id: string } } } // an event of the service
    const now = performance.now()
    response.writeHead(204).end()
    received++
    if (!data?.user) return
    const about = arrivals.get(data.user.id) ?? new Map<string, number>()
    arrivals.set(data.user.id, about)
    if (!about.has(url)) about.set(url, now)
  })
  const stalling = createServer((request) => request.resume())
  const ports: Readonly<Record<Manner, number>> = {
    answers: await listen(answering),
    stalls: await listen(stalling),
    refuses: await freePort(), // nobody listens there
  }
  return {
    urlOf: (manner, n) => `http://127.0.0.1:${ports[manner]}/${n}`,
    about: (userId) => arrivals.get(userId) ?? new Map(),
    get received() {
      return received
    },
    hangUp: () => stalling.closeAllConnections(),
    close() {
      for (const server of [answering, stalling]) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port // it listens on TCP
}
