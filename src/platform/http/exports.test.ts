/** Exports without an end on our side, whose readers read nothing. */
import assert from 'node:assert/strict'
import { getEventListeners, once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import { until } from '../../../test/smtp.ts'
import { timeout } from '../../../test/timeout.ts'
import { sendCsv } from './exports.ts'

const columns = [['Text', (text: string) => text]] as const
const rows = Array<string>(101).fill('a'.repeat(1000))

/** Serves an endless export. @returns the port, what stops the service, and the end of the export */
async function serveEndless(t: TestContext, timeout: number) {
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
  app.get('/long', async () => Buffer.alloc(64 * 1024 * 1024))
  app.get('/', (request, reply) => sendCsv(request, reply, list, timeout))
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  return { port: (app.server.address() as AddressInfo).port, stop, over: over.promise }
}

/** Opens an endless export and reads nothing of it. @returns the response, and the end of the export */
async function openEndless(t: TestContext, timeout: number) {
  const { port, stop, over } = await serveEndless(t, timeout)
  const request = get({ port, agent: false })
  t.after(() => request.destroy())
  request.on('error', () => {}) // the response has it, too
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.on('error', () => {}) // it may be cut before it is read
  return { stop, response, over }
}

/** Opens an endless export behind an answer on the same connection that is too long for it, and reads nothing. */
async function openBehind(t: TestContext, timeout: number) {
  const { port, stop, over } = await serveEndless(t, timeout)
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}) // it is reset
  t.after(() => socket.destroy())
  socket.pause()
  socket.write('GET /long HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\n\r\n')
  return { stop, over }
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

test('a reader is cut off also behind an answer that they do not take', async (t) => {
  const { over } = await openBehind(t, 50)
  await over
})

test('the same when the service stops', async (t) => {
  const { stop, over } = await openBehind(t, timeout)
  await until(() => getEventListeners(stop.signal, 'abort').length > 0, 'the export to begin')
  stop.abort()
  await over
})
