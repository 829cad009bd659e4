/** Rates: how often a network or a session may ask. Every answer says it, and a refusal says when to try again. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { available, until } from '../../../test/smtp.ts'
import { type Answer, Client, codeOf, createWorld, type Person, password, type World } from '../../../test/world.ts'
import { uuidToTenantId } from '../../platform/http/schemas.ts'
import { newKeyToken } from '../access/tokens.ts'

const behind = { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Guildhall <a@example.com>' }
const settings = { ...behind, LIMITS: 'on', LIMIT_ANONYMOUS: '5/60', LIMIT_REQUESTS: '7/60', LIMIT_SIGN_UP: '3/3600' }
const ofKeys = { LIMIT_KEY: '8/60', LIMIT_TENANT_KEY: '9/60' }
const world = await createWorld({ settings: { ...settings, ...ofKeys, LIMIT_SIGN_IN_NETWORK: '3/600' } })
await world.postgres.query('update tenants set personal_keys = true, organization_keys = true')

/** An address in a network that nobody else is in. */
function somewhere(): string {
  return `2001:db8:${randomBytes(2).toString('hex')}:1::1`
}

function stranger(at: World = world, address = somewhere()): Client {
  return new Client(at, { 'x-forwarded-for': address })
}

/** A token in the form of ours, of a tenant that there is, which no session has. */
function madeUp({ token }: Person): string {
  return `${token.split('.')[0]}.${randomBytes(32).toString('base64url')}`
}

async function repeat(times: number, send: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let time = 0; time < times; time++) answers.push(await send())
  return answers
}

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)

test('a network without a session has a limit of requests, and sees how many are left', async () => {
  const client = stranger()
  const began = performance.now()
  const answers = await repeat(7, () => client.get('/api/tenant'))
  const passed = (performance.now() - began) / 1_000
  assert.deepEqual(statuses(answers), [200, 200, 200, 200, 200, 429, 429])
  assert.equal(answers[0]?.headers.get('ratelimit-policy'), '"anonymous";q=5;w=60')
  assert.match(answers[0]?.headers.get('ratelimit') ?? '', /^"anonymous";r=4;t=60$/)
  const { body, headers } = answers[6] ?? assert.fail()
  assert.deepEqual([body.code, body.policy], ['rate_limited', 'anonymous'])
  const rest = Number(headers.get('retry-after'))
  assert.ok(rest >= 60 - passed && rest <= 60, `${rest} after ${passed} s`)
  assert.match(headers.get('ratelimit') ?? '', /^"anonymous";r=0;t=\d+$/)
})

test('somebody whom an application sends here too often reads on a page to wait', async () => {
  const client = stranger()
  const path = `/api/tenants/${uuidToTenantId(world.tenantId)}/authorize`
  const answers = await repeat(6, () => client.get(path, { accept: 'text/html' }))
  assert.deepEqual(statuses(answers), [404, 404, 404, 404, 404, 429])
  assert.equal(answers[5]?.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(
    `${answers[5]?.body}`,
    /<h1>We cannot answer right now<\/h1>\n<p>.*Wait a minute, then reload this page\./,
  )
})

test('pages, documents and unknown paths count for their network; probes and cached files do not', async () => {
  const seven = async (path: string, method = 'GET') => {
    const headers = { 'x-forwarded-for': somewhere(), accept: 'text/html' }
    return repeat(7, async () => {
      const { status, headers: answered, ...answer } = await fetch(world.url + path, { method, headers })
      return { status, headers: answered, body: answer }
    })
  }
  for (const path of ['/', '/sign-in', '/t/acme/me', '/docs', '/openapi.json', '/nothing', '/api/nothing']) {
    const answers = await seven(path)
    assert.ok(!statuses(answers.slice(0, 5)).includes(429), path)
    assert.deepEqual(statuses(answers.slice(5)), [429, 429], path)
    assert.match(answers[6]?.headers.get('ratelimit') ?? '', /^"anonymous";r=0;/)
  }
  assert.deepEqual(statuses(await seven('/api/tenant', 'PUT')), [405, 405, 405, 405, 405, 429, 429])
  for (const path of ['/livez', '/readyz', '/assets/index-1a2b.js']) {
    assert.ok(!statuses(await seven(path)).includes(429), path)
  }
})

test("an IPv6 network is its /64, and a client's own forwarding header does not change it", async () => {
  const prefix = `2001:db8:${randomBytes(2).toString('hex')}:2`
  for (let host = 1; host <= 5; host++) {
    const client = stranger(world, `6.6.6.${host}, ${prefix}::${host}`) // the first is what the client claims
    assert.equal((await client.get('/api/tenant')).status, 200)
  }
  assert.equal((await stranger(world, `${prefix}::ffff`).get('/api/tenant')).status, 429)
  assert.equal((await stranger(world, `${prefix}1::1`).get('/api/tenant')).status, 200)
})

test('each session has its own limit, whatever network it comes from', async () => {
  const [ann, ben] = await Promise.all([world.person(), world.person('Ben')])
  const answers = await repeat(8, () => ann.get('/api/users/me'))
  assert.deepEqual(statuses(answers), [...Array(7).fill(200), 429])
  assert.equal(answers[0]?.headers.get('ratelimit-policy'), '"requests";q=7;w=60')
  assert.equal((await ben.get('/api/users/me')).status, 200)
})

test('each key has its own limit, and a key of the tenant a larger one', async () => {
  const { ann, id, path } = await world.organization()
  const ofAnn = await world.key(['organization:read'], { person: ann })
  const ofAcme = await world.key(['organization:read'], { organization: id })
  const ofTenant = await world.key(['organization:read'])
  for (const [key, limit, policy] of [
    [ofAnn, 8, 'key'],
    [ofAcme, 8, 'key'],
    [ofTenant, 9, 'tenant-key'],
  ] as const) {
    const from = { 'x-forwarded-for': somewhere() }
    const answers = await repeat(limit + 1, () => key.get(path, from))
    assert.deepEqual(statuses(answers), [...Array(limit).fill(200), 429], policy)
    const { body, headers } = answers[limit] ?? assert.fail()
    assert.deepEqual([body.policy, headers.get('ratelimit-policy')], [policy, `"${policy}";q=${limit};w=60`])
  }
  assert.equal((await ann.get(path)).status, 200)
})

test('a key counts in its one limit wherever it is sent, and verifying it counts for the key that asks', async () => {
  const { ann, id, path } = await world.organization()
  const key = await world.key(['organization:read', 'me:read', 'tokens:create'], { person: ann })
  const backend = await world.key(['credentials:verify'])
  const verified = await repeat(9, () => backend.post('/api/credentials/verify', { credential: key.token }))
  assert.deepEqual(statuses(verified), Array(9).fill(200))
  // In better-auth (issue 2482), a key that was taken as a session had no limit.
  const ways = [
    () => key.get(path),
    () => key.get('/api/users/me'),
    () => key.get('/api/caller'),
    () => key.post('/api/check', { checks: [{ organizationId: id, permission: 'organization:read' }] }),
    () => key.post('/api/tokens'),
  ]
  const answers: Answer[] = []
  while (answers.length < 8) answers.push(await (ways[answers.length % ways.length] ?? assert.fail())())
  assert.deepEqual(statuses(answers), Array(8).fill(200))
  for (const way of ways) assert.deepEqual(codeOf(await way()), [429, 'rate_limited'])
  const asked = await backend.post('/api/credentials/verify', { credential: key.token })
  assert.deepEqual([asked.status, asked.body.policy], [429, 'tenant-key'])
})

test('both secrets of a key count as one', async () => {
  const person = await world.person()
  const [key, other] = [await world.key(['me:read'], { person }), await world.key(['me:read'], { person })]
  await world.postgres.query('update api_key_secrets set key_id = $1 where key_id = $2', [key.id, other.id])

  const answers = [
    ...(await repeat(5, () => key.get('/api/users/me'))),
    ...(await repeat(5, () => other.get('/api/users/me'))),
  ]

  assert.deepEqual(statuses(answers), [...Array(8).fill(200), 429, 429])
})

test('made-up keys count for their network, apart from sessions, and do not affect valid keys there', async () => {
  const ann = await world.person()
  const key = await world.key(['me:read'], { person: ann })
  const from = { 'x-forwarded-for': somewhere() }
  const ask = () => {
    const { token } = newKeyToken(world.tenantId)
    return world.nobody.get('/api/users/me', { ...from, authorization: `Bearer ${token}` })
  }
  assert.equal((await key.get('/api/users/me', from)).status, 200)

  const answers = await repeat(7, ask)

  assert.deepEqual(statuses(answers), [401, 401, 401, 401, 401, 429, 429])
  assert.equal(answers[6]?.body.policy, 'unknown-key')
  for (const known of [key, ann]) assert.equal((await known.get('/api/users/me', from)).status, 200)
})

test('made-up tokens count for their network, and do not affect valid sessions there', async () => {
  const ann = await world.person()
  const from = { 'x-forwarded-for': somewhere() }
  assert.equal((await ann.get('/api/users/me', from)).status, 200)
  const ask = () => world.nobody.get('/api/users/me', { ...from, authorization: `Bearer ${madeUp(ann)}` })
  const answers = await repeat(7, ask)
  assert.deepEqual(statuses(answers), [401, 401, 401, 401, 401, 429, 429])
  assert.equal(answers[6]?.body.policy, 'unknown-session')
  assert.equal((await ann.get('/api/users/me', from)).status, 200)

  const together = { 'x-forwarded-for': somewhere() }
  const burst = await Promise.all(
    Array.from({ length: 30 }, () =>
      world.nobody.get('/api/users/me', { ...together, authorization: `Bearer ${madeUp(ann)}` }),
    ),
  )
  assert.equal(burst.filter(({ status }) => status === 401).length, 5)
})

test('made-up tokens are counted before the rest of the request is checked', async (t) => {
  const ann = await world.person()
  const pipeline = t.mock.method(world.database, 'read').mock // which goes on doing what it does
  const client = stranger()
  const tokens = Array.from({ length: 7 }, () => ({ authorization: `Bearer ${madeUp(ann)}` }))
  const refused: Answer[] = []
  for (const token of tokens) refused.push(await client.get('/api/organizations?limit=0', token))
  assert.deepEqual(statuses(refused), [400, 400, 400, 400, 400, 429, 429])
  for (const token of tokens) assert.equal((await client.get('/api/users/me', token)).status, 429)
  assert.equal(pipeline.callCount(), 0)

  const across = t.mock.method(world.database, 'acrossTenants').mock
  const other = stranger()
  const answers = await repeat(7, () => {
    const origin = `https://${randomBytes(5).toString('hex')}.example.com`
    return other.patch('/api/users/me', {}, { cookie: `guildhall=${madeUp(ann)}`, origin })
  })
  assert.deepEqual(statuses(answers), [403, 403, 403, 403, 403, 429, 429])
  assert.equal(across.callCount(), 5)
})

test('a request counts even if the client hangs up before the answer', async (t) => {
  const ann = await world.person()
  const address = somewhere()
  const pipeline = world.database.read.bind(world.database)
  let hangUp = () => {}
  let taken: Socket | undefined
  const take = (socket: Socket) => (taken = socket)
  world.app.server.on('connection', take)
  t.after(() => world.app.server.off('connection', take))
  const { mock } = t.mock.method(world.database, 'read', async (...sent: Parameters<typeof pipeline>) => {
    hangUp()
    await until(() => taken?.destroyed, 'the server to notice')
    return pipeline(...sent)
  })
  for (let time = 0; time < 12; time++) {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1').resume()
    hangUp = () => socket.destroy()
    const fields = [`host: 127.0.0.1`, `x-forwarded-for: ${address}`, `authorization: Bearer ${madeUp(ann)}`]
    socket.write(`GET /api/users/me HTTP/1.1\r\n${fields.join('\r\n')}\r\nconnection: close\r\n\r\n`)
    await once(socket, 'close')
  }
  assert.equal(mock.callCount(), 5)
})

test('an invalid token leaves no count of its own', async () => {
  const client = stranger()
  const token = { authorization: `Bearer ${madeUp(await world.person())}` }
  const answers = await repeat(3, () => client.get('/api/users/me', token))
  for (const { headers } of answers) assert.match(headers.get('ratelimit') ?? '', /^"requests";r=6;/)
})

test("requests without a session do not lock out sessions of the same network, and sessions do not use up the network's limit", async () => {
  const client = stranger()
  assert.equal((await repeat(6, () => client.get('/api/tenant'))).at(-1)?.status, 429)
  for (let person = 0; person < 7; person++) {
    const { status, headers } = await (await world.person()).get('/api/users/me', client.headers)
    assert.equal(status, 200)
    assert.match(headers.get('ratelimit') ?? '', /^"requests";r=6;t=60$/)
  }
})

test('a used session stays known long after its window, until it ends', async (t) => {
  const ann = await world.person()
  const from = { 'x-forwarded-for': somewhere() }
  assert.equal((await ann.get('/api/users/me', from)).status, 200)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 1_800_000 })
  await repeat(6, () => world.nobody.get('/api/users/me', { ...from, authorization: `Bearer ${madeUp(ann)}` }))
  assert.equal((await (await world.person()).get('/api/users/me', from)).body.policy, 'unknown-session')
  assert.equal((await ann.get('/api/users/me', from)).status, 200)

  assert.equal((await ann.post('/api/auth/sign-out')).status, 204)
  const ended = await repeat(2, () => ann.get('/api/users/me', from))
  assert.deepEqual(statuses(ended), [401, 429])
})

test('beyond the rate, a page of an allowed origin can read the refusal, which costs no look-up', async (t) => {
  const origin = 'https://app.example.com'
  await world.updateTenant('default', { allowedOrigins: [origin] })
  const allowed = ({ headers }: Answer) => headers.get('access-control-allow-origin') === origin
  await until(async () => allowed(await stranger().get('/api/tenant', { origin })), 'the origin to be known')
  const client = stranger()
  // If the origins were not read in time, a request is refused, and not counted.
  const answer = () => available(() => client.get('/api/tenant', { origin }))
  await repeat(5, answer)
  const { mock } = t.mock.method(world.database, 'acrossTenants')
  const started = performance.now()
  const refused = await repeat(40, answer)
  assert.ok(refused.every((answer) => answer.status === 429 && allowed(answer)))
  // There are two a second: for the origins, and for the domains.
  const passed = Math.floor((performance.now() - started) / 1_000)
  assert.ok(mock.callCount() < 10 + 2 * passed, `${mock.callCount()} look-ups in ${passed} s`)
})

test('sign-ins of a network are counted, successful or not, for all accounts together', async () => {
  const client = stranger()
  const ann = await world.person()
  const attempts = [ann.email, 'nobody@example.com', ann.email, ann.email]
  const answers: Answer[] = []
  for (const email of attempts) answers.push(await client.post('/api/auth/sign-in', { email, password }))
  assert.deepEqual(statuses(answers), [200, 401, 200, 429])
  assert.equal(answers[3]?.body.policy, 'sign-in')
  assert.equal(answers[0]?.headers.get('ratelimit-policy'), '"anonymous";q=5;w=60, "sign-in";q=3;w=600')
})

test('sign-ups of a network are counted, successful or not', async () => {
  const client = stranger()
  const email = `new-${randomBytes(5).toString('hex')}@example.com`
  const answers = await repeat(4, () => client.post('/api/auth/sign-up', { email, password }))
  assert.deepEqual(statuses(answers), [201, 409, 409, 429])
  assert.equal(answers[3]?.body.policy, 'sign-up')
})

test('the sensitive rates hold across processes and restarts, and sign-in is refused if they cannot be counted', async () => {
  const client = stranger()
  const email = 'nobody@example.com'
  assert.deepEqual(
    statuses(await repeat(3, () => client.post('/api/auth/sign-in', { email, password }))),
    [401, 401, 401],
  )
  await world.postgres.query('alter table rates rename to rates_away')
  const closed = await stranger().post('/api/auth/sign-in', { email, password })
  assert.deepEqual([closed.status, closed.body.code], [503, 'unavailable'])
  await world.postgres.query('alter table rates_away rename to rates')
  assert.equal((await client.post('/api/auth/sign-in', { email, password })).status, 429)

  const other = await world.otherApp()
  const payload = { email, password }
  const answer = await other.inject({ method: 'POST', url: '/api/auth/sign-in', headers: client.headers, payload })
  assert.deepEqual([answer.statusCode, answer.json().policy], [429, 'sign-in'])
  await other.close()
})

test("the sensitive rates use the database's clock, even if the clock of a process is wrong", async (t) => {
  const client = stranger()
  const signIn = () => client.post('/api/auth/sign-in', { email: 'nobody@example.com', password })
  const weeksAhead = () => t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 20 * 86_400_000 })
  weeksAhead()
  await signIn()
  t.mock.timers.reset()
  const [, , over] = await repeat(3, signIn)
  assert.equal(over?.status, 429)
  assert.ok(Number(over.headers.get('retry-after')) <= 600)
  weeksAhead()
  assert.equal((await signIn()).status, 429)
})
