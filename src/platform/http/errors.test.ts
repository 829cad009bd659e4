/** Errors: what is answered to bytes that become no request, and to a request without its host; what is logged of an internal error. */
import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { until } from '../../../test/smtp.ts'
import { answersIn, open, requestOf, speak } from '../../../test/sockets.ts'
import { createWorld, type Json } from '../../../test/world.ts'
import { createServer } from './server.ts'

const world = await createWorld()
const ann = await world.person()

const refused = {
  'no host': 'GET /livez HTTP/1.1\r\n\r\n',
  'two hosts': 'GET /livez HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n',
  'a host that is none': 'GET /livez HTTP/1.1\r\nhost: a b\r\n\r\n',
  'what is no HTTP': 'GET /livez HTTP/9.9\r\nhost: x\r\n\r\n',
}

for (const [name, bytes] of Object.entries(refused)) {
  test(`${name}: refused with a list of faults, like every invalid request`, async () => {
    const [{ status, body } = assert.fail()] = answersIn(await speak(world.url, bytes))
    const { code, detail, errors } = JSON.parse(body)
    assert.deepEqual(
      [status, code, errors],
      [400, 'invalid_request', [{ pointer: '', code: 'invalid_format', detail }]],
    )
  })
}

const read = `GET /api/users/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ann.token}\r\n\r\n`
const chunks = 'POST /api/auth/sign-out HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'

for (const [name, bytes] of Object.entries({ 'what is no request': 'NO REQUEST\r\n\r\n', 'half a request': chunks })) {
  test(`${name} after other requests on one connection is refused after their answers`, async () => {
    const answers = answersIn(await speak(world.url, `${read}${read}${bytes}`))
    assert.deepEqual(
      answers.map(({ status, body }) => [status, JSON.parse(body).id ?? JSON.parse(body).code]),
      [
        [200, ann.id],
        [200, ann.id],
        [400, 'invalid_request'],
      ],
    )
  })
}

/** A server with a route that always fails. @returns its URL, and the lines of its log */
async function serveFault(t: TestContext): Promise<{ url: string; lines: Json[] }> {
  const lines: Json[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const { config, database } = world.app
  const log = { level: 'info', stream }
  const app = createServer({ config, database, keyring: world.keyring }, log)
  app.post('/fault', async () => {
    throw new Error('broken')
  })
  t.after(() => app.close())
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), lines }
}

test('an internal error is logged as an error, though the body of its request was read', async (t) => {
  const { url, lines } = await serveFault(t)
  for (const body of ['{"name":"Acme"}', '']) {
    lines.length = 0
    const [answer] = answersIn(await speak(url, requestOf('POST', '/fault', undefined, body, 'connection: close')))
    assert.equal(answer?.status, 500)
    const failures = lines.filter(({ level }) => level === 50)
    assert.deepEqual(
      failures.map(({ msg, err }) => [msg, err.message]),
      [['failed', 'broken']],
    )
  }
})

test('a client that goes away in the middle of its request is logged, and not as an error', async (t) => {
  const { url, lines } = await serveFault(t)
  const { socket } = open(url)
  socket.write(requestOf('POST', '/fault', undefined, '{"name":"Acme"}').slice(0, -5), () => socket.resetAndDestroy())
  await until(() => lines.some(({ msg }) => msg === 'the client went away'), 'the line about the client')
  assert.deepEqual(
    lines.filter(({ level }) => level > 30),
    [],
  )
})
