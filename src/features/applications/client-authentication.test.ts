import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { statementsOf } from '../../../test/explain.ts'
import { errorOf, makeProduct, type Product, postForm } from '../../../test/grants.ts'
import { until } from '../../../test/smtp.ts'
import { Client, createWorld } from '../../../test/world.ts'
import { newToken } from '../../domain/access/tokens.ts'
import { sha256 } from '../../platform/cryptography.ts'

const behind = { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Guildhall <a@example.com>' }
const rates = { LIMITS: 'on', LIMIT_ANONYMOUS: '5/60', LIMIT_APPLICATION: '8/60', LIMIT_REQUESTS: '999/60' }
const world = await createWorld({ settings: { ...behind, ...rates } })
const { query } = world.postgres
const [server, browser] = [await makeProduct(world), await makeProduct(world, { kind: 'browser' })]

let networks = 0
/** A sender in a network that nobody else is in. */
const sender = () => new Client(world, { 'x-forwarded-for': `2001:db8:${(++networks).toString(16)}::1` })

const basic = (id: string, secret = '') => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
})
const form = { grant_type: 'refresh_token', refresh_token: 'x' }
const ask = (
  { path }: Product,
  fields: Readonly<Record<string, string | undefined>>,
  headers: Record<string, string> = {},
  from = sender(),
) => postForm(from, `${path}/token`, { ...form, ...fields }, headers)

test('an application proves who it is by HTTP Basic or in the body, and one without a secret only says it', async () => {
  const { id, secret } = server
  for (const answer of [
    await ask(server, {}, basic(id, secret)),
    await ask(server, { client_id: id }, basic(id, secret)),
    await ask(server, {}, { authorization: basic(id, secret).authorization.replace('Basic', 'basic') }),
    await ask(server, { client_id: id, client_secret: secret }),
    await ask(browser, { client_id: browser.id }),
  ])
    assert.deepEqual(errorOf(answer), [400, 'invalid_grant'], 'it is known: only its token is not')
})

test('two ways at once, a wrong secret, and a secret of an application that has none are refused alike', async () => {
  const { id, secret = '' } = server
  const other = await makeProduct(world)
  const elsewhere = await makeProduct(world, { tenant: (await world.tenant()).id })
  for (const [fields, headers] of [
    [{}, {}],
    [{ client_id: id }, {}],
    [{ client_id: id, client_secret: other.secret }, {}],
    [{ client_id: id, client_secret: newToken('ghx', world.tenantId).token }, {}],
    [{ client_id: id, client_secret: 'x' }, {}],
    [{ client_id: id, client_secret: 'x'.repeat(16_384) }, {}],
    [{}, basic(id, 'x'.repeat(4_000))],
    [{ client_secret: secret }, {}],
    [{ client_id: 'app_unknown' }, {}],
    [{ client_id: elsewhere.id, client_secret: elsewhere.secret }, {}],
    [{ client_id: browser.id, client_secret: secret }, {}],
    [{ client_id: id, client_secret: secret }, basic(id, secret)],
    [{ client_id: other.id }, basic(id, secret)],
    [{}, basic(browser.id)],
    [{}, basic(id)],
    [{}, basic('\0', secret)],
    [{}, { authorization: `Basic ${Buffer.from(`${id}\0:x`).toString('base64')}` }],
    [{ client_id: browser.id }, { authorization: 'Bearer x' }],
    [{ client_id: browser.id }, { authorization: 'Basic !' }],
    [{}, { authorization: `Basic ${Buffer.from(`${id}:%ff`).toString('base64')}` }],
    [{}, { authorization: `Basic ${Buffer.from(id).toString('base64')}` }],
  ] as const) {
    const answer = await ask(server, fields, headers)
    assert.deepEqual(errorOf(answer), [401, 'invalid_client'], JSON.stringify([fields, headers]))
    const challenge = 'authorization' in headers ? 'Basic realm="applications"' : null
    assert.equal(answer.headers.get('www-authenticate'), challenge)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
  }
})

test('a secret whose time after a rotation is over proves nothing', async () => {
  const app = await makeProduct(world)
  const fields = { client_id: app.id, client_secret: app.secret }
  await query(`update application_secrets set expires_at = now() + interval '1 hour' where application_id = $1`, [
    app.id,
  ])
  assert.deepEqual(errorOf(await ask(app, fields)), [400, 'invalid_grant'])
  await query(`update application_secrets set expires_at = now() - interval '1 second' where application_id = $1`, [
    app.id,
  ])
  assert.deepEqual(errorOf(await ask(app, fields)), [401, 'invalid_client'])
})

/** Waits until the use of an application's secret is noted. */
async function untilNoted({ id }: Product): Promise<void> {
  const isNoted = async () => {
    const [row] = await query<{ at: Date | null }>(
      'select last_used_at as at from application_secrets where application_id = $1',
      [id],
    )
    return row?.at !== null
  }
  await until(isNoted, 'the use of the secret to be noted')
}

test('that a secret was used is noted after the answer', async () => {
  const app = await makeProduct(world)
  await ask(app, { client_id: app.id, client_secret: app.secret })
  await untilNoted(app)
})

test('no statement notes the use of a secret for an application without one', async (t) => {
  const app = await makeProduct(world)
  const driver = t.mock.method(pg.Client.prototype, 'query') // which goes on doing what it does

  await ask(browser, { client_id: browser.id })
  await ask(app, { client_id: app.id, client_secret: app.secret })
  await untilNoted(app)

  const noted = statementsOf(driver)
    .filter(({ text }) => /update application_secrets/.test(text))
    .flatMap(({ values }) => values.filter(Buffer.isBuffer))
    .map((hash) => hash.toString('hex'))
  assert.ok(noted.includes(sha256(app.secret ?? '').toString('hex')))
  assert.ok(!noted.includes(''), 'the hash of no secret')
})

test('wrong secrets count for their network, and beyond its limit are refused', async () => {
  const { id, path } = server
  const attacker = sender()
  const wrong = { client_id: id, client_secret: 'x' }
  for (let times = 0; times < 4; times++) assert.equal((await ask(server, wrong, {}, attacker)).status, 401)
  assert.equal((await postForm(attacker, `${path}/token`, wrong)).status, 400, 'what is no request counts, too')

  for (const refused of [
    await ask(server, wrong, {}, attacker),
    await ask(server, {}, basic(id, 'x'), attacker),
    await ask(server, {}, {}, attacker),
    await ask(browser, { client_id: browser.id, client_secret: 'x' }, {}, attacker),
    await postForm(attacker, `${path}/revoke`, { ...wrong, token: 'x' }),
    await attacker.get(`${path}/userinfo`, { authorization: 'Bearer x' }),
  ]) {
    assert.deepEqual(errorOf(refused), [429, 'temporarily_unavailable'])
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal(refused.headers.get('ratelimit-policy'), '"unknown-application";q=5;w=60')
  }
  assert.equal((await attacker.get('/api/tenant')).status, 200, 'the network has its other limits')
})

test('nobody’s wrong secrets keep the right one of a product in their network from being served', async (t) => {
  const [neighbour, own] = [sender(), await makeProduct(world)]
  const { access_token: token } = await own.signIn(await world.person())
  for (let times = 0; times < 9; times++) {
    await ask(own, { client_id: own.id, client_secret: 'x' }, {}, neighbour)
    await neighbour.get(`${own.path}/userinfo`, { authorization: 'Bearer x' })
  }
  const right = { client_id: own.id, client_secret: own.secret }
  const { mock } = t.mock.method(world.database, 'read') // which goes on doing what it does

  const inBody = await ask(own, right, {}, neighbour)
  const lookUps = mock.callCount()
  const answers = [
    inBody,
    await ask(own, {}, basic(own.id, own.secret), neighbour),
    await postForm(neighbour, `${own.path}/revoke`, { ...right, token: 'x' }),
    await neighbour.get(`${own.path}/userinfo`, { authorization: `Bearer ${token}` }),
    await ask(server, { client_id: server.id, client_secret: server.secret }, {}, neighbour),
  ]

  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers.get('ratelimit-policy')]),
    [400, 400, 200, 200, 400].map((status) => [status, '"application";q=8;w=60']),
  )
  assert.equal(lookUps, 1)
  const asAnybody = await ask(browser, { client_id: browser.id }, {}, neighbour)
  assert.deepEqual([asAnybody.status, asAnybody.headers.get('ratelimit-policy')], [400, '"anonymous";q=5;w=60'])
  assert.equal((await ask(own, { ...right, client_secret: 'x' }, {}, neighbour)).status, 429)
})

test('beyond the rate of its network, a made-up access token costs no look-up', async (t) => {
  const [network, own] = [sender(), await makeProduct(world)]
  const { access_token: token } = await own.signIn(await world.person())
  const longer = token.replace(/\.(\d+)\./, (_: string, end: string) => `.${Number(end) + 1}.`)
  const { mock } = t.mock.method(world.database, 'read')
  for (let times = 0; times < 9; times++)
    await network.get(`${own.path}/userinfo`, { authorization: `Bearer ${longer}` })
  assert.equal(mock.callCount(), 5)
})

test('right secrets count for their application, in all networks together', async () => {
  const [backEnd, own] = [sender(), await makeProduct(world)]
  for (let times = 0; times < 8; times++) {
    const { status, headers } = await ask(own, { client_id: own.id, client_secret: own.secret }, {}, backEnd)
    assert.deepEqual([status, headers.get('ratelimit-policy')], [400, '"application";q=8;w=60'])
  }
  const beyond = await ask(own, { client_id: own.id, client_secret: own.secret }, {}, sender())
  assert.deepEqual(errorOf(beyond), [429, 'temporarily_unavailable'])
})

test('an application without a secret counts as its network', async () => {
  const device = sender()
  const answers = []
  for (let times = 0; times < 6; times++) answers.push(await ask(browser, { client_id: browser.id }, {}, device))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [400, 400, 400, 400, 400, 429],
  )
  assert.equal(answers[0]?.headers.get('ratelimit-policy'), '"anonymous";q=5;w=60')
  assert.equal((await device.get('/api/tenant')).status, 429)
})
