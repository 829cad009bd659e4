/** Closing: a client gets the answer to a request that is refused before its body is here. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { until } from '../../../test/smtp.ts'
import { answersIn, open, requestOf } from '../../../test/sockets.ts'
import { timeout } from '../../../test/timeout.ts'
import { createWorld } from '../../../test/world.ts'
import { grace } from './closing.ts'

grace.silent = timeout // on a busy machine, both sides may be silent for longer

const world = await createWorld()
const ann = await world.person()
const part = Buffer.alloc(64 * 1024, 'a')
const bearer = `authorization: Bearer ${ann.token}\r\n`
const json = 'content-type: application/json\r\n'
const refused: Record<string, readonly [head: string, chunked: number, known?: number]> = {
  'JSON that is too large': [`PATCH /api/users/me HTTP/1.1\r\n${bearer}${json}`, 413],
  'a form that is too large': [
    'POST /api/tenants/default/token HTTP/1.1\r\ncontent-type: application/x-www-form-urlencoded\r\n',
    413,
  ],
  'a picture that is too large': [`PUT /api/users/me/avatar HTTP/1.1\r\n${bearer}content-type: image/png\r\n`, 413],
  "a stranger's picture": ['PUT /api/users/me/avatar HTTP/1.1\r\ncontent-type: image/png\r\n', 401, 413],
  'a body for a route that takes none': [`GET /api/users/me HTTP/1.1\r\n${bearer}${json}`, 200],
  'a body for a path that cannot be decoded': [`POST /api/%zz HTTP/1.1\r\n${json}`, 400],
  'a body for no route': [`POST /nowhere HTTP/1.1\r\n${json}`, 404],
}

/** Sends a body of some MiB, and reads nothing until all of it has left. @returns the answer */
async function sendAll(head: string, mebibytes: number, isChunked: boolean): Promise<{ status: number; head: string }> {
  const { socket, answer } = open(world.url)
  await once(socket, 'connect')
  socket.pause()
  const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${mebibytes * 1024 * 1024}`
  socket.write(`${head}host: x\r\nconnection: close\r\n${length}\r\n\r\n`)
  for (let sent = 0; sent < mebibytes * 16; sent++) {
    if (isChunked) socket.write('10000\r\n')
    if (!socket.write(isChunked ? Buffer.concat([part, Buffer.from('\r\n')]) : part)) await once(socket, 'drain')
  }
  if (isChunked) socket.write('0\r\n\r\n')
  socket.resume()
  const [first = assert.fail('no answer')] = answersIn(await answer)
  return first
}

for (const [name, [head, chunked, known = chunked]] of Object.entries(refused))
  test(`${name}: a client that sends all of it before it reads gets the answer`, async () => {
    const answers = await Promise.all([sendAll(head, 12, true), sendAll(head, 12, false)])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [chunked, known],
    )
  })

test('an answer that comes before a very long body closes the connection', async () => {
  const { socket, answer } = open(world.url)
  socket.write(
    requestOf('POST', '/nowhere', undefined, '', 'content-type: application/json', 'content-length: 1000000000'),
  )

  const [{ status, head } = assert.fail(), ...more] = answersIn(await answer)

  assert.deepEqual([status, more], [404, []])
  assert.match(head, /^connection: close$/im)
})

/** Has requests be too slow after two seconds, during a test. @returns ends it */
function beImpatient(t: TestContext): () => void {
  const { server } = world.app
  const { headersTimeout, requestTimeout } = server
  Object.assign(server, { headersTimeout: 2_000, requestTimeout: 2_000 })
  const restore = () => Object.assign(server, { headersTimeout, requestTimeout })
  t.after(restore)
  return restore
}

for (const [what, length] of Object.entries({ 'whose head was late': 30, 'whose body was late': -4 }))
  test(`a request ${what} is not done after its refusal`, async (t) => {
    const bob = await world.person('Bob')
    const bePatient = beImpatient(t)
    const request = requestOf('PATCH', '/api/users/me', bob, JSON.stringify({ name: 'Late' }))
    const { socket, answer } = open(world.url)
    socket.removeAllListeners('end') // it goes on sending
    socket.write(request.slice(0, length))
    const [refusal] = await once(socket, 'data')
    assert.match(String(refusal), /^HTTP\/1\.1 408 /)
    socket.end(`${request.slice(length)}${requestOf('PATCH', '/api/users/me', bob, JSON.stringify({ name: 'Next' }))}`)

    const answers = answersIn(await answer)

    bePatient() // else a slow machine is a client that is too slow
    assert.equal(answers.length, 1)
    assert.equal((await bob.get('/api/users/me')).body.name, 'Bob')
  })

test('a request whose body does not come after its answer gets no second one', async (t) => {
  const { socket, answer } = open(world.url)
  socket.write(requestOf('POST', '/nowhere', undefined, '', 'content-type: application/json', 'content-length: 1000'))
  await once(socket, 'data')
  beImpatient(t)

  const answers = answersIn(await answer)

  assert.deepEqual(
    answers.map(({ status }) => status),
    [404],
  )
})

test('what is no request after a body that nobody read is refused', async () => {
  const { socket, answer } = open(world.url)
  socket.write(requestOf('POST', '/nowhere', undefined, '', 'content-type: application/json', 'content-length: 10'))
  await once(socket, 'data')
  socket.write(`${'a'.repeat(10)}NO REQUEST\r\n\r\n`)

  const answers = answersIn(await answer)

  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 400],
  )
})

test('a client may be silent for a time after each part that it still sends', async (t) => {
  t.mock.property(grace, 'silent', timeout - 1)
  const { setTimeout } = globalThis
  let refreshed = () => 0
  t.mock.method(globalThis, 'setTimeout', (work: () => void, delay?: number, ...rest: []) => {
    const timer = setTimeout(work, delay, ...rest)
    if (delay === grace.silent) {
      const { mock } = t.mock.method(timer, 'refresh')
      refreshed = () => mock.callCount()
    }
    return timer
  })
  const { socket, answer } = open(world.url)
  socket.removeAllListeners('end') // it goes on sending
  socket.write(requestOf('POST', '/nowhere', undefined, '', 'content-type: text/plain', 'transfer-encoding: chunked'))
  await once(socket, 'end')
  for (const count of [1, 2]) {
    socket.write('1\r\na\r\n')
    await until(() => refreshed() >= count, 'the part to be received')
  }
  socket.end('0\r\n\r\n')

  assert.equal(answersIn(await answer)[0]?.status, 404)
})
