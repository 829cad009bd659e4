import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { run } from '../../../test/processes.ts'
import { openPatientOutbound } from '../../../test/timeout.ts'
import { version } from '../version.ts'
import { isPublic } from './addresses.ts'

const secret = 'what the peer says'

/** @returns the port of a server on an address of this machine, and how often it was called */
async function serve(t: TestContext, answer: RequestListener, host = '127.0.0.1') {
  const server = createServer(answer)
  const served = { port: 0, calls: 0 }
  server.on('request', () => served.calls++)
  await new Promise<void>((done) => server.listen(0, host, done))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  served.port = (server.address() as AddressInfo).port
  return served
}

const hello: RequestListener = (_request, response) => response.setHeader('content-type', 'text/plain').end('hello')

function failsWith(call: Promise<unknown>, reason: string) {
  return assert.rejects(call, (error: Error & { reason: string }) => {
    assert.equal(error.reason, reason)
    assert.ok(!`${error.stack}${JSON.stringify(error)}${error.cause}`.includes(secret))
    return true
  })
}

test('a call sends method, headers and body, and answers status, type and body', async (t) => {
  const { port } = await serve(t, async (request, response) => {
    const chunks = await request.toArray()
    response.writeHead(201, { 'content-type': 'application/json', 'x-other': secret })
    response.end(JSON.stringify([request.method, request.headers['x-own'], Buffer.concat(chunks).toString()]))
  })
  const { fetch } = openPatientOutbound(['127.0.0.1'])

  const answer = await fetch(`http://127.0.0.1:${port}/token`, {
    method: 'POST',
    headers: { 'x-own': 'yes' },
    body: new URLSearchParams({ code: 'a b' }),
  })

  assert.deepEqual([answer.status, answer.headers.get('content-type')], [201, 'application/json'])
  assert.equal(answer.headers.get('x-other'), null)
  assert.deepEqual(await answer.json(), ['POST', 'yes', 'code=a+b'])
})

test('a private address is not called, in whatever form the URL names it', async (t) => {
  const served = await serve(t, hello, '::')
  const { fetch } = openPatientOutbound([])
  for (const host of [
    '127.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '0.0.0.0',
    '[::]',
    'localhost',
    '2130706433',
  ])
    for (const scheme of ['http', 'https']) await failsWith(fetch(`${scheme}://${host}:${served.port}/`), 'forbidden')
  assert.equal(served.calls, 0)
})

test('plain HTTP is for named hosts and networks alone', async (t) => {
  const { port } = await serve(t, hello)
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  for (const named of ['127.0.0.1', '127.0.0.0/8', '::ffff:127.0.0.0/104', '::ffff:127.0.0.1', 'Login.internal'])
    assert.equal(
      await openPatientOutbound([named], { resolve })
        .fetch(`http://login.internal:${port}/`)
        .then((it) => it.text()),
      'hello',
    )
  const mapped = openPatientOutbound(['127.0.0.0/8'], { resolve })
  assert.equal(await (await mapped.fetch(`http://[::ffff:127.0.0.1]:${port}/`)).text(), 'hello')

  const strange = openPatientOutbound(['other.internal', '10.0.0.0/8', '::1'], { resolve })
  await failsWith(strange.fetch(`http://login.internal:${port}/`), 'forbidden')
  const everybody = openPatientOutbound([], { resolve: async () => [{ address: '93.184.215.14', family: 4 }] })
  await failsWith(everybody.fetch('http://example.com/'), 'forbidden')
})

test('a name with one private address among public ones is not called', async () => {
  const resolve = async () => [
    { address: '93.184.215.14', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ]
  await failsWith(openPatientOutbound([], { resolve }).fetch('https://example.com/'), 'forbidden')
})

test('a name that leads elsewhere after it was judged does not lead the connection there', async (t) => {
  const judged = await serve(t, hello)
  const hidden = createServer(hello)
  let calls = 0
  hidden.on('request', () => calls++)
  await new Promise<void>((done) => hidden.listen(judged.port, '127.0.0.2', done))
  t.after(() => hidden.close())
  let asked = 0
  const resolve = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }]
  const { fetch } = openPatientOutbound(['127.0.0.1'], { resolve })

  assert.equal((await fetch(`http://flips.example.com:${judged.port}/`)).status, 200)
  assert.deepEqual([asked, judged.calls, calls], [1, 1, 0])
  await failsWith(fetch(`http://flips.example.com:${judged.port}/`), 'forbidden')
  assert.deepEqual([asked, judged.calls, calls], [2, 1, 0])
})

test('a server without a certificate for its name is not spoken to', async (t) => {
  let spoken = 0
  const server = createTlsServer(() => spoken++)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  await failsWith(openPatientOutbound(['127.0.0.1']).fetch(`https://127.0.0.1:${port}/`), 'unreachable')
  assert.equal(spoken, 0)
})

test('a redirect is not followed', async (t) => {
  const { port } = await serve(t, (_request, response) => response.writeHead(302, { location: `/${secret}` }).end())
  await failsWith(openPatientOutbound(['127.0.0.1']).fetch(`http://127.0.0.1:${port}/`), 'redirected')
})

test('an answer of more than 256 KiB is not read to its end', async (t) => {
  const { port } = await serve(t, (request, response) =>
    response.end('x'.repeat(256 * 1024 + (request.url === '/more' ? 1 : 0))),
  )
  const { fetch } = openPatientOutbound(['127.0.0.1'])
  assert.equal((await (await fetch(`http://127.0.0.1:${port}/`)).text()).length, 256 * 1024)
  await failsWith(fetch(`http://127.0.0.1:${port}/more`), 'too_large')
})

test('a server that says nothing, or never ends, is left', async (t) => {
  const { port } = await serve(t, (request, response) => {
    if (request.url === '/endless') setInterval(() => response.write(secret), 10).unref()
  })
  const { fetch } = openPatientOutbound(['127.0.0.1'], { headers: 100, all: 300 })
  await failsWith(fetch(`http://127.0.0.1:${port}/silent`), 'timeout')
  await failsWith(fetch(`http://127.0.0.1:${port}/endless`), 'timeout')
})

test('a name that is never resolved, or not at all, ends the call', async () => {
  const signals: AbortSignal[] = []
  const resolve = (_host: string, signal: AbortSignal) => {
    signals.push(signal)
    return new Promise<never>(() => {})
  }
  await failsWith(openPatientOutbound([], { resolve, all: 50 }).fetch('https://example.com/'), 'timeout')
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true],
    'the name is no longer resolved',
  )
  const unknown = openPatientOutbound([], { resolve: async () => Promise.reject(new Error(secret)) })
  await failsWith(unknown.fetch('https://example.com/'), 'unreachable')
})

for (const [what, said] of [
  ['no HTTP', `${secret}\r\n\r\n`],
  ['half an answer', `HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n${secret}`],
  ['another protocol', `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${secret}\r\n\r\n`],
  ['an unknown status', `HTTP/1.1 999 ${secret}\r\ncontent-length: 0\r\n\r\n`],
  ['a status that no Response can have', `HTTP/1.1 099 ${secret}\r\ncontent-length: 2\r\n\r\n{}`],
  ['the status zero', `HTTP/1.1 000 ${secret}\r\ncontent-length: 2\r\n\r\n{}`],
  ['nothing', ''],
] as const) {
  test(`a server that answers ${what} is unreachable`, async (t) => {
    const server = createSocketServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(said)))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    await failsWith(openPatientOutbound(['127.0.0.1']).fetch(`http://127.0.0.1:${port}/`), 'unreachable')
  })
}

test('a URL with a password, of another scheme, or that is none, is not called', async () => {
  const { fetch } = openPatientOutbound(['127.0.0.1'])
  for (const url of [`http://ann:${'x'}@127.0.0.1/`, 'file:///etc/passwd', 'nonsense'])
    await failsWith(fetch(url), 'forbidden')
})

test('a call that gets no place in time is refused, and not sent', async (t) => {
  const held: (() => void)[] = []
  const served = await serve(t, (_request, response) => {
    held.push(() => response.end('done'))
  })
  const { fetch } = openPatientOutbound(['127.0.0.1'], { places: 2, wait: 200 })
  const url = `http://127.0.0.1:${served.port}/`

  const calls = [fetch(url), fetch(url)]
  while (held.length < 2) await new Promise((done) => setImmediate(done))
  await failsWith(fetch(url), 'busy')
  assert.equal(served.calls, 2)
  for (const end of held) end()
  await Promise.all(calls)
})

test('a call waits for a place until another one ends', async (t) => {
  const held: (() => void)[] = []
  const served = await serve(t, (_request, response) => {
    held.push(() => response.end('done'))
  })
  const { fetch } = openPatientOutbound(['127.0.0.1'], { places: 2, wait: 60_000 })
  const url = `http://127.0.0.1:${served.port}/`

  const calls = [fetch(url), fetch(url), fetch(url)]
  while (held.length < 2) await new Promise((done) => setImmediate(done))
  assert.equal(served.calls, 2)
  held.shift()?.()
  while (held.length < 2) await new Promise((done) => setImmediate(done))
  for (const end of held) end()
  for (const call of calls) assert.equal((await call).status, 200)
})

test('a slow host holds up no others, and its calls wait for its own places', async (t) => {
  const held: (() => void)[] = []
  const slow = await serve(t, (_request, response) => {
    held.push(() => response.end('done'))
  })
  const { fetch } = openPatientOutbound(['127.0.0.1', 'slow.example', 'quick.example'], {
    places: 4,
    placesForHost: 3,
    wait: 300,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  const quick = await serve(t, (_request, response) => void response.end('done'))
  const call = () => fetch(`http://slow.example:${slow.port}/`)
  t.mock.timers.enable({ apis: ['setTimeout'] }) // no call waits in vain before the test lets time pass

  const calls = [call(), call(), call()]
  while (held.length < 3) await new Promise((done) => setImmediate(done))
  const refused = [failsWith(call(), 'busy'), failsWith(call(), 'busy')]
  for (let each = 0; each < 5; each++) {
    const { status } = await fetch(`http://quick.example:${quick.port}/`)
    assert.equal(status, 200)
  }
  t.mock.timers.tick(300)
  await Promise.all(refused)
  assert.deepEqual([slow.calls, quick.calls], [3, 5])
  const waiting = call()
  for (const end of held.splice(0)) end()
  await Promise.all(calls)
  while (held.length < 1) await new Promise((done) => setImmediate(done))
  held[0]?.()
  assert.equal((await waiting).status, 200)
})

test('only addresses that everybody can reach are public', () => {
  for (const address of ['93.184.215.14', '1.1.1.1', '2606:4700::1111', '2a00:1450:4001::71'])
    assert.ok(isPublic(address), address)
  for (const address of [
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:93.184.215.14',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:a00:1::',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '4000::1',
  ])
    assert.ok(!isPublic(address), address)
})

test('the process waits two seconds for each address of a name before it tries the next one', async () => {
  const program = encodeURIComponent(`
    import { getDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
    process.on('exit', () => console.log(getDefaultAutoSelectFamilyAttemptTimeout()))`)
  const child = run(['version'], { env: { NODE_OPTIONS: `--import "data:text/javascript,${program}"` } })
  assert.deepEqual([await child.ended, child.out, child.err], [0, `${version}\n2000\n`, ''])
})
