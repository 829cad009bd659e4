/** Exports without an end on our side, whose readers read nothing. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import { timeout } from '../../../test/timeout.ts'
import { sendCsv } from './exports.ts'

const columns = [['Text', (text: string) => text]] as const
const rows = Array<string>(101).fill('a'.repeat(1000))

/** Opens an endless export and reads nothing of it. @returns the response, and the end of the export */
async function openEndless(t: TestContext, timeout: number) {
  const app = Fastify()
  const stop = new AbortController()
  app.decorate('ending', { getter: () => stop.signal })
  const over = Promise.withResolvers<void>()
  const list = {
    columns,
    begin: async () => ({ name: 'list', end: over.resolve }),
    read: async () => ({ caller: { id: 'somebody' }, rows, show: (text: string) => text }),
    position: () => [],
  }
  app.get('/', (request, reply) => sendCsv(request, reply, list, timeout))
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  const request = get({ port: (app.server.address() as AddressInfo).port, agent: false })
  t.after(() => request.destroy())
  request.on('error', () => {}) // the response has it, too
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.on('error', () => {}) // it may be cut before it is read
  return { stop, response, over: over.promise }
}

test('a reader that takes nothing is cut off, and its export ends', async (t) => {
  const { response, over } = await openEndless(t, 50)
  await over
  await assert.rejects(response.toArray(), { code: 'ECONNRESET' })
})

test('a reader is cut off when the service stops', async (t) => {
  const { stop, response, over } = await openEndless(t, timeout)
  stop.abort()
  await over
  await assert.rejects(response.toArray(), { code: 'ECONNRESET' })
})
