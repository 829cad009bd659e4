/** Posts to webhooks: which hosts get them, what is read of answers, and how each failure is named. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createSocketServer, type Server as SocketServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { until } from '../../../test/smtp.ts'
import { openPatientOutbound } from '../../../test/timeout.ts'
import { hostOf } from './addresses.ts'
import { detailOf } from './errors.ts'
import { Outbound, type OutboundError, type Post } from './outbound.ts'

const secret = 'what the receiver says'

/** A post of a tenant's webhook. */
const ofTenant: Post = {
  headers: { 'content-type': 'application/json' },
  body: '{}',
  isPrivateAllowed: true,
  ownHosts: new Set(),
}
const ofOrganization: Post = { ...ofTenant, isPrivateAllowed: false }

/** @returns the port on which a server listens from now on */
async function listen(t: TestContext, server: Server | SocketServer, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((done) => server.listen(0, host, done))
  t.after(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port // listens on TCP
}

/** A receiver on an address of this machine, and how often it was called. */
async function receive(t: TestContext, answer: RequestListener, host?: string) {
  const server = createServer(answer)
  const received = { url: '', port: 0, calls: 0 }
  server.on('request', () => received.calls++)
  received.port = await listen(t, server, host)
  received.url = `http://127.0.0.1:${received.port}/`
  return received
}

const take: RequestListener = (_request, response) => response.writeHead(204).end()

function leadTo(...addresses: string[]) {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

async function failsWith(call: Promise<unknown>, detail: string, status: number | null = null): Promise<void> {
  await assert.rejects(call, (error: OutboundError) => {
    assert.deepEqual([error.name, error.detail, error.status], ['OutboundError', detail, status])
    assert.ok(!`${error.stack}${JSON.stringify(error)}${error.cause}`.includes(secret))
    return true
  })
}

test('a post sends headers and body, and answers status and Retry-After', async (t) => {
  const got: unknown[] = []
  const { url } = await receive(t, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    got.push([request.method, request.url, request.headers['webhook-id'], request.headers['content-length'], body])
    response.writeHead(429, { 'retry-after': '120', 'x-other': secret }).end(secret)
  })
  const { post } = openPatientOutbound(['127.0.0.1'])

  for (const body of ['{"é":1}', Buffer.from('{"é":1}')])
    assert.deepEqual(await post(`${url}a?b=c`, { ...ofTenant, headers: { 'webhook-id': 'evt_1' }, body }), {
      status: 429,
      retryAfter: '120',
    })

  const each = ['POST', '/a?b=c', 'evt_1', '8', '{"é":1}']
  assert.deepEqual(got, [each, each])
})

test('every status but a redirect is an answer, with a Retry-After that is short', async (t) => {
  const { url } = await receive(t, (request, response) => {
    const status = Number(request.url?.slice(1))
    response.writeHead(status, status === 503 ? { 'retry-after': 'x'.repeat(65) } : {}).end()
  })
  const { post } = openPatientOutbound(['127.0.0.1'])

  for (const status of [200, 202, 204, 299, 400, 404, 410, 500, 503])
    assert.deepEqual(await post(`${url}${status}`, ofTenant), { status, retryAfter: null })
})

test('hosts that the operator names are for webhooks of tenants alone, and so is plain http', async (t) => {
  const receiver = await receive(t, take)
  const { port } = receiver
  const resolve = leadTo('127.0.0.1')
  for (const named of ['127.0.0.1', '127.0.0.0/8', 'Hooks.internal']) {
    const { post } = openPatientOutbound([named], { resolve })
    for (const host of ['hooks.internal', 'HOOKS.internal.'])
      assert.equal((await post(`http://${host}:${port}/`, ofTenant)).status, 204)
    for (const scheme of ['http', 'https'])
      await failsWith(post(`${scheme}://hooks.internal:${port}/`, ofOrganization), 'address')
  }
  const unnamed = openPatientOutbound(['other.internal', '10.0.0.0/8'], { resolve })
  await failsWith(unnamed.post(`http://hooks.internal:${port}/`, ofTenant), 'address')
  assert.equal(receiver.calls, 6)

  const everybody = leadTo('93.184.215.14')
  for (const post of [ofTenant, ofOrganization])
    await failsWith(openPatientOutbound([], { resolve: everybody }).post('http://example.com/', post), 'address')
  const named = openPatientOutbound(['example.com'], { resolve: everybody })
  await failsWith(named.judge('https://example.com/', ofOrganization), 'address')
  await named.judge('http://example.com/', ofTenant)
  await openPatientOutbound([], { resolve: everybody }).judge('https://example.com/', ofOrganization)
})

test('this machine gets no post, in whatever form a URL names it', async (t) => {
  const receiver = await receive(t, take, '::')
  const hosts = [
    ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '2130706433', '017700000001', '0177.0.0.01', '0x7f000001'],
    ...['0x7f.0.0.1', '127.255.255.254', '%31%32%37.0.0.1', '①②⑦.⓪.⓪.①', '127。0。0。1', '0', '0.0.0.0', '0x0'],
    ...['[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[::127.0.0.1]', '[::7f00:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
    ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', 'localhost', 'LOCALHOST', 'localhost.'],
  ]
  for (const scheme of ['http', 'https'])
    for (const host of hosts) {
      const url = `${scheme}://${host}:${receiver.port}/`
      await failsWith(openPatientOutbound([]).post(url, ofTenant), 'address')
      await failsWith(openPatientOutbound(['127.0.0.0/8', '::1', 'localhost']).post(url, ofOrganization), 'address')
    }
  assert.equal(receiver.calls, 0)
})

test('our own hosts get no post, by whatever name they are called', async (t) => {
  const receiver = await receive(t, take)
  const { port } = receiver
  const { post } = openPatientOutbound(['127.0.0.0/8', 'localhost', 'accounts.example'], {
    resolve: leadTo('127.0.0.1'),
  })
  const toUs = (url: string, ...ownHosts: string[]) => post(url, { ...ofTenant, ownHosts: new Set(ownHosts) })

  for (const host of ['accounts.example', 'ACCOUNTS.example', 'accounts.example.'])
    await failsWith(toUs(`http://${host}:${port}/`, `accounts.example:${port}`), 'address')
  for (const host of ['127.0.0.1', '127.1', '[::ffff:127.0.0.1]', 'localhost', 'localhost.', 'alias.example'])
    await failsWith(toUs(`http://${host}:${port}/`, hostOf(new URL(`http://127.0.0.1:${port}`))), 'address')
  assert.equal(receiver.calls, 0)

  const { status } = await toUs(`http://accounts.example:${port}/`, 'accounts.example:80', `other.example:${port}`)
  assert.equal(status, 204)
})

test('hosts have one spelling, with the port of the scheme', () => {
  const spelled = (url: string, host?: string) => hostOf(new URL(url), host)
  assert.equal(spelled('https://Accounts.Example./a'), 'accounts.example:443')
  assert.equal(spelled('http://accounts.example'), 'accounts.example:80')
  assert.equal(spelled('https://accounts.example:8443', 'other.example'), 'other.example:8443')
  assert.equal(spelled('http://[2001:DB8:0::1]:3000'), '2001:db8::1:3000')
  assert.equal(spelled('http://[::ffff:10.0.0.5]:3000'), '10.0.0.5:3000')
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]', '[::ffff:127.0.0.1]'])
    assert.equal(spelled(`http://${host}:3000`), 'localhost:3000')
})

test('a URL with user info, of another scheme, or that is none, gets no post', async () => {
  const { post } = openPatientOutbound(['127.0.0.1'])
  for (const url of [`http://ann:${'x'}@127.0.0.1/`, 'http://ann@127.0.0.1/', 'ftp://127.0.0.1/', 'nonsense', '/a'])
    await failsWith(post(url, ofTenant), 'address')
})

test('a name that leads elsewhere after it was judged does not lead the post there', async (t) => {
  const judged = await receive(t, take)
  const hidden = createServer(take)
  let calls = 0
  hidden.on('request', () => calls++)
  await new Promise<void>((done) => hidden.listen(judged.port, '127.0.0.2', done))
  t.after(() => hidden.close())
  let asked = 0
  const resolve = () => leadTo(asked++ === 0 ? '127.0.0.1' : '127.0.0.2')()
  const { post } = openPatientOutbound(['127.0.0.1'], { resolve })

  assert.equal((await post(`http://flips.example:${judged.port}/`, ofTenant)).status, 204)
  assert.deepEqual([asked, judged.calls, calls], [1, 1, 0])
  await failsWith(post(`http://flips.example:${judged.port}/`, ofTenant), 'address')
  assert.deepEqual([asked, judged.calls, calls], [2, 1, 0])
})

test('a redirect is not followed, and its status is said', async (t) => {
  const inside = await receive(t, take)
  const { url } = await receive(t, (request, response) =>
    response.writeHead(Number(request.url?.slice(1)), { location: inside.url, 'x-other': secret }).end(),
  )
  const { post } = openPatientOutbound(['127.0.0.1'])
  for (const status of [301, 302, 303, 304, 307, 308])
    await failsWith(post(`${url}${status}`, ofTenant), 'redirect', status)
  assert.equal(inside.calls, 0)
})

test('of an answer at most 64 KiB are read, and 16 KiB of headers', async (t) => {
  const left = Promise.withResolvers<void>()
  const { url } = await receive(t, (request, response) => {
    const [kind, length] = request.url?.slice(1).split('-') ?? []
    if (kind === 'body') response.end('x'.repeat(Number(length)))
    if (kind === 'headers') response.writeHead(200, { 'x-long': 'x'.repeat(Number(length)) }).end()
    if (kind === 'provisional')
      for (let each = 0; each < Number(length); each++) response.writeEarlyHints({ link: '</a>' })
    if (kind === 'provisional') response.end()
    if (kind !== 'endless') return
    const more = () => {
      while (!response.closed && response.write('x'.repeat(64 * 1024)));
    }
    response.on('drain', more).on('close', left.resolve)
    more()
  })
  const { post } = openPatientOutbound(['127.0.0.1'])

  for (const path of [`body-${64 * 1024}`, `headers-${15 * 1024}`, 'provisional-4'])
    assert.equal((await post(`${url}${path}`, ofTenant)).status, 200, path)
  for (const path of [`body-${64 * 1024 + 1}`, `headers-${16 * 1024}`, 'provisional-5', 'endless'])
    await failsWith(post(`${url}${path}`, ofTenant), 'too_large')
  await left.promise
})

test('a post has five seconds to connect', async (t) => {
  const signals: AbortSignal[] = []
  const never = (_host: string, signal: AbortSignal) => {
    signals.push(signal)
    return new Promise<never>(() => {})
  }
  let connections = 0
  const silent = createSocketServer((socket) => socket.on('error', () => {}).resume())
  silent.on('connection', () => connections++)
  const port = await listen(t, silent)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const resolving = watch(new Outbound([], { resolve: never }).post('https://example.com/', ofTenant))
  const securing = watch(new Outbound(['127.0.0.1']).post(`https://127.0.0.1:${port}/`, ofTenant))
  await turnsUntil(() => signals.length === 1 && connections === 1)

  t.mock.timers.tick(4_999)
  await turns()
  assert.deepEqual([resolving.isSettled, securing.isSettled, signals[0]?.aborted], [false, false, false])

  t.mock.timers.tick(1)
  await failsWith(resolving.call, 'timeout')
  await failsWith(securing.call, 'timeout')
  assert.equal(signals[0]?.aborted, true)
})

test('a connected post has fifteen seconds in all, with the body of the answer', async (t) => {
  const held = new Map<string | undefined, () => void>()
  const { url } = await receive(t, (request, response) => {
    if (request.url === '/body') response.write(secret)
    held.set(request.url, () => response.writeHead(204).end())
  })
  const { post } = new Outbound(['127.0.0.1'])
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const [late, silent, body] = ['late', 'silent', 'body'].map((path) => watch(post(`${url}${path}`, ofTenant)))
  await turnsUntil(() => held.size === 3)

  t.mock.timers.tick(14_999)
  await turns()
  assert.deepEqual([late?.isSettled, silent?.isSettled, body?.isSettled], [false, false, false])
  held.get('/late')?.()
  assert.equal((await late?.call)?.status, 204)

  t.mock.timers.tick(1)
  for (const each of [silent, body]) await failsWith(each?.call ?? Promise.resolve(), 'timeout')
})

/** Whether a call has ended, which fails later than it is looked at. */
function watch<T>(call: Promise<T>): { readonly call: Promise<T>; isSettled: boolean } {
  const watched = { call, isSettled: false }
  const settle = () => {
    watched.isSettled = true
  }
  call.then(settle, settle)
  return watched
}

const turn = () => new Promise((done) => setImmediate(done))

/** As `until`, without the timer that a test replaces. */
async function turnsUntil(holds: () => boolean): Promise<void> {
  while (!holds()) await turn()
}

async function turns(): Promise<void> {
  for (let each = 0; each < 20; each++) await turn()
}

for (const [what, said] of [
  ['no HTTP', `${secret}\r\n\r\n`],
  ['half of its headers', `HTTP/1.1 200 OK\r\nx-other: ${secret}`],
  ['half an answer', `HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n${secret}`],
  ['another protocol', `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${secret}\r\n\r\n`],
  ['an unknown status', `HTTP/1.1 999 ${secret}\r\ncontent-length: 0\r\n\r\n`],
  ['two lengths', `HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 22\r\n\r\n${secret}`],
  ['nothing', ''],
] as const)
  test(`a receiver that answers ${what} has reset the connection`, async (t) => {
    const server = createSocketServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(said)))
    const port = await listen(t, server)
    await failsWith(openPatientOutbound(['127.0.0.1']).post(`http://127.0.0.1:${port}/`, ofTenant), 'reset')
  })

test('a connection that is reset, one that is refused, and a name without addresses have errors of their own', async (t) => {
  const server = createSocketServer((socket) =>
    socket.on('error', () => {}).once('data', () => socket.resetAndDestroy()),
  )
  const port = await listen(t, server)
  const { post } = openPatientOutbound(['127.0.0.1', '::1'], { resolve: leadTo('127.0.0.1', '::1') })
  for (const scheme of ['http', 'https']) await failsWith(post(`${scheme}://127.0.0.1:${port}/`, ofTenant), 'reset')
  const closed = createServer(take)
  const free = await listen(t, closed)
  await new Promise((done) => closed.close(done))
  for (const host of ['127.0.0.1', 'both.example'])
    for (const scheme of ['http', 'https']) await failsWith(post(`${scheme}://${host}:${free}/`, ofTenant), 'refused')

  for (const resolve of [leadTo(), async () => Promise.reject(new Error(secret))])
    await failsWith(openPatientOutbound([], { resolve }).post('https://example.com/', ofTenant), 'dns')
  for (const code of ['EHOSTUNREACH', 'ENETUNREACH'])
    assert.equal(detailOf({ name: '', message: '', code }, true), 'refused')
  assert.equal(detailOf({ name: '', message: '', code: 'ETIMEDOUT' }, true), 'timeout')
})

test('only a receiver with a certificate for its name gets the post', async (t) => {
  const certificates = getCACertificates('default')
  t.after(() => setDefaultCACertificates(certificates))
  const [known, unknown] = [makeCertificate('hooks.example'), makeCertificate('hooks.example')]
  setDefaultCACertificates([...certificates, known.cert])
  let calls = 0
  const answer: RequestListener = (_request, response) => {
    calls++
    response.writeHead(204).end()
  }
  const { post } = openPatientOutbound(['127.0.0.1'], { resolve: leadTo('127.0.0.1') })
  const servers = [createTlsServer(known, answer), createTlsServer(unknown, answer), createTlsServer(answer)]
  const [good = 0, ...bad] = await Promise.all([...servers, createServer(answer)].map((server) => listen(t, server)))

  assert.equal((await post(`https://hooks.example:${good}/`, ofTenant)).status, 204)
  await failsWith(post(`https://other.example:${good}/`, ofTenant), 'tls')
  for (const port of bad) await failsWith(post(`https://hooks.example:${port}/`, ofTenant), 'tls')
  assert.equal(calls, 1)
})

/** A certificate for a name that is signed by its own key, in DER (RFC 5280). */
function makeCertificate(name: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const part = (tag: number, ...content: Buffer[]): Buffer => {
    const value = Buffer.concat(content)
    const length = value.length < 128 ? [value.length] : [0x82, value.length >> 8, value.length & 255]
    return Buffer.concat([Buffer.from([tag, ...length]), value])
  }
  const object = (...bytes: number[]) => part(6, Buffer.from(bytes))
  const ecdsaWithSha256 = part(0x30, object(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2))
  const subject = part(0x30, part(0x31, part(0x30, object(0x55, 4, 3), part(12, Buffer.from(name)))))
  const times = ['20000101000000Z', '20991231000000Z'].map((time) => part(24, Buffer.from(time)))
  const names = part(4, part(0x30, part(0x82, Buffer.from(name))))
  const signed = part(
    0x30,
    part(0xa0, part(2, Buffer.from([2]))), // version 3
    part(2, Buffer.from([1])),
    ecdsaWithSha256,
    subject,
    part(0x30, ...times),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    part(0xa3, part(0x30, part(0x30, object(0x55, 29, 17), names))),
  )
  const signature = part(3, Buffer.from([0]), sign('sha256', signed, privateKey))
  const der = part(0x30, signed, ecdsaWithSha256, signature)
  const cert = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) }
}

test('a proxy that the environment names is not used', async (t) => {
  const receiver = await receive(t, take)
  const proxy = await receive(t, take)
  const program = `
    const { Outbound } = await import(${JSON.stringify(new URL('./outbound.ts', import.meta.url).href)})
    const rules = { headers: {}, body: '{}', isPrivateAllowed: true, ownHosts: new Set() }
    const { status } = await new Outbound(['127.0.0.1']).post('${receiver.url}', rules)
    console.log(status)`
  const variables = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']
  const env = { NODE_USE_ENV_PROXY: '1', ...Object.fromEntries(variables.map((name) => [name, proxy.url])) }
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, [...process.execArgv, '--input-type=module', '-e', program], { env })
  assert.deepEqual([stdout.trim(), receiver.calls, proxy.calls], ['204', 1, 0])
})

test('a post that gets no place in time is not sent', async (t) => {
  const held: (() => void)[] = []
  const receiver = await receive(t, (_request, response) => {
    held.push(() => response.writeHead(204).end())
  })
  const { post } = openPatientOutbound(['127.0.0.1'], { places: 2, wait: 100 })
  const calls = [post(receiver.url, ofTenant), post(receiver.url, ofTenant)]
  await until(() => held.length === 2, 'both to be sent')

  await failsWith(post(receiver.url, ofTenant), 'busy')

  assert.equal(receiver.calls, 2)
  for (const end of held) end()
  await Promise.all(calls)
})
