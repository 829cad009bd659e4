/**
 * Sockets: bytes that no client library would send. All are answered properly or cut off. Nothing hangs or causes an internal error, no
 * request is taken for two, and the service goes on.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { addFormats } from '../src/platform/http/formats.ts'
import { until } from './smtp.ts'
import { ambiguousRequests, unusualRequests } from './smuggling.ts'
import { answersIn, holdAnswers, open, requestOf, speak } from './sockets.ts'
import { createWorld, type Json, password } from './world.ts'

const world = await createWorld()
const { ann, cleo, dan } = await world.organization()

const close = 'connection: close'
/** A request that would rename Ann, as the hidden second request. */
const hidden = requestOf('PATCH', '/api/users/me', ann, '{"name":"Smuggled"}')

async function livesOn(): Promise<void> {
  assert.equal((await world.nobody.get('/livez')).status, 200)
  const { body } = await ann.get('/api/users/me')
  assert.deepEqual([body.name, body.updatedAt], ['Ann', body.createdAt], 'nothing was changed')
}

for (const [name, bytes] of Object.entries(ambiguousRequests(hidden))) {
  test(`${name}: refused or cut off, and the service goes on`, async () => {
    const answer = await speak(world.url, Buffer.concat([Buffer.from(bytes), Buffer.from(hidden)]))
    assert.match(answer, /^(HTTP\/1\.1 4\d\d |$)/)
    assert.ok(answersIn(answer).length <= 1, 'one request, one answer')
    holdAnswers(answer)
    await livesOn()
  })
}

for (const [name, bytes] of Object.entries(unusualRequests(hidden))) {
  test(`${name}: answered once, and the service goes on`, async () => {
    const answer = await speak(world.url, bytes)
    const answers = answersIn(answer.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, ''))
    assert.equal(answers.length, 1, answer)
    holdAnswers(answer.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, ''))
    await livesOn()
  })
}

test('bytes that are not UTF-8 are refused in a body, and harmless in headers', async () => {
  const send = async (head: string, body: Buffer = Buffer.alloc(0)) => {
    const bytes = Buffer.concat([Buffer.from(head, 'latin1'), body])
    const [answer] = answersIn(await speak(world.url, bytes))
    assert.ok(answer && answer.status < 500, head)
    return answer
  }
  const rename = (bytes: Buffer) =>
    send(
      `PATCH /api/users/me HTTP/1.1\r\nhost: x\r\n${close}\r\nauthorization: Bearer ${ann.token}\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\n\r\n`,
      bytes,
    )
  const named = (...bytes: number[]) =>
    Buffer.concat([Buffer.from('{"name":"A'), Buffer.from(bytes), Buffer.from('"}')])
  for (const [what, bytes] of Object.entries({
    'a stray byte': named(0xff),
    'a continuation without a beginning': named(0x80),
    'a beginning without an end': named(0xe2, 0x82),
    'an overlong slash': named(0xc0, 0xaf),
    'a surrogate': named(0xed, 0xa0, 0x80),
    'beyond Unicode': named(0xf4, 0x90, 0x80, 0x80),
    'UTF-16': Buffer.from('{"name":"Ann"}', 'utf16le'),
    'a NUL': named(0),
    'a line break': named(0x0a),
  })) {
    const { status, body } = await rename(bytes)
    assert.deepEqual([status, JSON.parse(body).code], [400, 'malformed_json'], what)
  }

  const path = (line: string) => `GET /api/users/me HTTP/1.1\r\nhost: x\r\n${close}\r\n${line}\r\n\r\n`
  for (const line of [
    'authorization: Bearer \xff\xfe',
    'cookie: guildhall=\xff',
    'guildhall-tenant: \xff',
    `authorization: Bearer ${ann.token}\r\nguildhall-tenant: \xe2\x82`,
    `authorization: Bearer ${ann.token}\r\nuser-agent: \xff\xfe\x80`,
    `authorization: Bearer ${ann.token}\r\nif-none-match: "\xff"`,
    `authorization: Bearer ${ann.token}\r\norigin: https://\xff`,
    `authorization: Bearer ${ann.token}\r\nreferer: \x80`,
  ]) {
    await send(path(line))
  }
  const sign = `{"email":"${ann.email}","password":"${password}"}`
  const agent = `user-agent: Mozilla/5.0 (\xff\xfe) Chrome/\x80`
  const signedIn = await send(requestOf('POST', '/api/auth/sign-in', undefined, sign, close, agent))
  assert.equal(signedIn.status, 200)
  const keyed = await send(
    requestOf('POST', '/api/organizations', ann, '{"name":"Acme"}', close, 'idempotency-key: \xff\xfe'),
  )
  assert.ok([201, 400].includes(keyed.status))
  await livesOn()
})

test('a character that arrives in two chunks arrives whole', async () => {
  const bytes = Buffer.from('{"name":"李🦄"}')
  const { socket, answer } = open(world.url)
  socket.write(
    requestOf('PATCH', '/api/users/me', dan, '', close, 'content-type: application/json', 'transfer-encoding: chunked'),
  )
  for (const byte of bytes)
    socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]))
  socket.write('0\r\n\r\n')
  const [{ status, body } = { status: 0, body: '' }] = answersIn(await answer)
  assert.deepEqual([status, JSON.parse(body).name], [200, '李🦄'])
})

test('a body beyond its limit is refused before it is read to the end, however it is sent', async () => {
  const chunk = `1000\r\n${'x'.repeat(0x1000)}\r\n`
  for (const [what, bytes] of Object.entries({
    'in chunks':
      requestOf('PATCH', '/api/users/me', ann, '', 'content-type: application/json', 'transfer-encoding: chunked') +
      `${chunk.repeat(40)}0\r\n\r\n${hidden}`,
    'with its length': requestOf(
      'PATCH',
      '/api/users/me',
      ann,
      '',
      'content-type: application/json',
      'content-length: 10000000',
    ),
    'by somebody unknown':
      requestOf('POST', '/api/auth/sign-in', undefined, '', 'content-length: 65537') + 'x'.repeat(20_000),
    'after an expectation': requestOf(
      'PATCH',
      '/api/users/me',
      ann,
      '',
      'expect: 100-continue',
      'content-length: 10000000',
    ),
  })) {
    const text = (await speak(world.url, bytes)).replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
    assert.match(text, /^HTTP\/1\.1 413 .*"code":"too_large"/s, what)
    assert.equal(answersIn(text).length, 1)
  }
  await livesOn()
})

test('a client that sends too slowly gets an error and is cut off, and delays nobody', async (t) => {
  const { server } = world.app
  const { headersTimeout, requestTimeout } = server
  Object.assign(server, { headersTimeout: 2_000, requestTimeout: 2_000 })
  const restore = () => Object.assign(server, { headersTimeout, requestTimeout })
  t.after(restore)

  /** Sends the first part at once, and the second byte by byte until the connection is closed. */
  const slowly = async (first: string, rest = '') => {
    const { socket, answer } = open(world.url)
    let isClosed = false
    socket.on('close', () => (isClosed = true))
    socket.write(first)
    for (let sent = 0; !isClosed; sent++) {
      const byte = rest[sent]
      if (byte && socket.writable) socket.write(byte)
      await setTimeout(50)
    }
    return answer
  }
  const head = requestOf('PATCH', '/api/users/me', ann, '', 'content-type: application/json', 'content-length: 1000')
  const chunked = requestOf(
    'PATCH',
    '/api/users/me',
    ann,
    '',
    'content-type: application/json',
    'transfer-encoding: chunked',
  )
  const slow = {
    'a first line without an end': slowly('GET /livez'),
    'headers without an end': slowly('GET /livez HTTP/1.1\r\nhost: x\r\n'),
    'headers byte by byte': slowly('GET /livez HTTP/1.1\r\nhost: x\r\n', 'a: b\r\n'.repeat(1000)),
    'a body that does not come': slowly(head),
    'a body byte by byte': slowly(head, ' '.repeat(999)),
    'chunks byte by byte': slowly(chunked, '1\r\n \r\n'.repeat(1000)),
    'a chunk extension byte by byte': slowly(`${chunked}1;`, 'a'.repeat(10_000)),
  }
  const crowd = Array.from({ length: 100 }, () => slowly(head))
  const silent = slowly('')
  assert.equal((await ann.get('/api/users/me')).status, 200, 'meanwhile others are served')
  for (const [what, text] of Object.entries(slow)) {
    const answer = await text
    assert.match(answer, /^HTTP\/1\.1 408 /, what)
    holdAnswers(answer)
  }
  for (const text of await Promise.all(crowd)) assert.match(text, /^HTTP\/1\.1 408 /)
  assert.match(await silent, /^(HTTP\/1\.1 408 |$)/)
  restore() // else a slow machine is a client that sends too slowly
  await livesOn()
})

test('a connection that breaks during a request changes nothing, and the service goes on', async () => {
  const whole = requestOf('PATCH', '/api/users/me', ann, '{"name":"Half a name"}')
  await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const { socket, answer } = open(world.url)
      const part = whole.slice(0, Math.floor((whole.length * index) / 40))
      if (index % 2 === 0) socket.write(part, () => socket.resetAndDestroy())
      else socket.end(part) // ends its side
      holdAnswers(await answer)
    }),
  )
  await until(async () => (await world.nobody.get('/readyz')).status === 200, 'the service to be ready')
  await livesOn()
})

test('if a client hangs up before the answer, the change is made or not, and the service goes on', async () => {
  const fay = await world.person('Fay')
  const names = Array.from({ length: 20 }, (_, index) => `Fay ${index}`)
  await Promise.all(
    names.map(async (name) => {
      const { socket, answer } = open(world.url)
      socket.write(requestOf('PATCH', '/api/users/me', fay, JSON.stringify({ name })), () => socket.resetAndDestroy())
      await answer
      const again = open(world.url)
      const credentials = JSON.stringify({ email: fay.email, password })
      again.socket.write(requestOf('POST', '/api/auth/sign-in', undefined, credentials), () =>
        again.socket.resetAndDestroy(),
      )
      await again.answer
    }),
  )
  const { body } = await until(async () => {
    const answer = await fay.get('/api/users/me')
    return answer.status === 200 ? answer : undefined
  }, 'an answer')
  assert.ok([...names, 'Fay'].includes(body.name))
  await until(
    async () => (await world.nobody.post('/api/auth/sign-in', { email: fay.email, password })).status === 200,
    'a sign-in',
  )
  await livesOn()
})

test('requests of several people on one connection are answered in order, each to its sender', async () => {
  const ended = await world.person('Gus')
  await ended.post('/api/auth/sign-out')
  const people = [ann, cleo, dan, undefined, ended]
  await Promise.all(
    Array.from({ length: 6 }, async (_, connection) => {
      const senders = Array.from({ length: 30 }, (_, index) => people[(index * 7 + connection) % people.length])
      const requests = senders.map((by, index) => {
        const last = index === senders.length - 1 ? [close] : []
        if (index % 5 === 3) return requestOf('PATCH', '/api/users/me', by, '{"name":5}', ...last)
        if (index % 5 === 4) return requestOf('POST', '/api/users/me/password', by, '{not json', ...last)
        return requestOf('GET', '/api/users/me', by, '', ...last)
      })
      const answers = answersIn(await speak(world.url, requests.join('')))
      assert.equal(answers.length, senders.length)
      for (const [index, { status, body }] of answers.entries()) {
        const by = senders[index]
        const parsed: Json = JSON.parse(body)
        // Without a session nothing else is checked; with an ended one the body is checked first.
        const isRead = index % 5 < 3
        const expected = !by || (by === ended && isRead) ? 401 : isRead ? 200 : 400
        assert.equal(status, expected, `${index}: ${body}`)
        if (status === 200) assert.equal(parsed.id, by?.id)
        else assert.match(parsed.instance, index % 5 === 4 ? /password$/ : /me$/)
      }
    }),
  )
  await livesOn()
})

test('a client that is refused and does not close its side of the connection is dropped', async (t) => {
  const taken = new Set<Socket>()
  const take = (socket: Socket) => taken.add(socket)
  world.app.server.on('connection', take)
  t.after(() => world.app.server.off('connection', take))
  const { hostname, port } = new URL(world.url)
  for (const bytes of ['no request', `GET / HTTP/1.1\r\na: ${'b'.repeat(40_000)}\r\n\r\n`]) {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    socket.on('error', () => {}) // it may be reset
    t.after(() => socket.destroy())
    socket.write(`${bytes}\r\n\r\n`)
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 4/)
  }
  await until(() => taken.size === 2 && [...taken].every(({ destroyed }) => destroyed), 'both to be dropped')
  await livesOn()
})

test('a client that does not read its answers is cut off', async (t) => {
  const other = await world.otherApp()
  t.after(() => other.close())
  assert.equal(other.server.timeout, 72_000, 'no test waits for so long')
  const { server } = world.app
  const sockets: Socket[] = []
  const take = (socket: Socket) => sockets.push(socket)
  server.on('connection', take)
  t.after(() => server.off('connection', take))
  const { timeout } = server
  server.setTimeout(200)
  t.after(() => server.setTimeout(timeout))
  const client = connect({ host: '127.0.0.1', port: Number(new URL(world.url).port) })
  t.after(() => client.destroy())
  client.on('error', () => {}) // it may be reset
  client.pause()
  // Longer together than what the operating system keeps for a reader.
  client.write(requestOf('GET', '/openapi.json', undefined).repeat(100))

  await until(() => sockets.length === 1 && sockets.every(({ destroyed }) => destroyed), 'the connection to be closed')

  server.setTimeout(timeout)
  await livesOn()
})

test('an answer to bytes that cannot be read as a request is a problem of the contract', async () => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, meta: false })
  addFormats(ajv)
  ajv.addSchema(world.app.swagger(), 'openapi')
  const validate = ajv.getSchema('openapi#/components/schemas/Problem') ?? assert.fail()
  const unreadable = { 400: 'no request', 431: `GET / HTTP/1.1\r\na: ${'b'.repeat(40_000)}` }
  for (const [expected, bytes] of Object.entries(unreadable)) {
    const [answer] = answersIn(await speak(world.url, `${bytes}\r\n\r\n`))
    assert.equal(`${answer?.status}`, expected)
    assert.ok(validate(JSON.parse(answer?.body ?? '')), ajv.errorsText(validate.errors))
  }
})

test('a request after a refused one on the same connection is answered on its own', async () => {
  const text = await speak(
    world.url,
    requestOf('GET', '/api/users/me', cleo) +
      requestOf('PATCH', '/api/users/me', dan, '{"name":') +
      requestOf('GET', '/api/none', undefined) +
      requestOf('GET', '/api/users/me', undefined) +
      requestOf('GET', '/api/users/me', dan, '', close),
  )
  assert.deepEqual(
    answersIn(text).map(({ status }) => status),
    [200, 400, 404, 401, 200],
  )
  await livesOn()
})
