/** Rates: how often a network or a session may ask, told beforehand and when it is too often. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type Answer, Client, createWorld, password, type World } from '../../test/world.ts'
import { buildApp } from '../app.ts'
import { Database } from '../database/database.ts'

const behind = { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Guildhall <a@example.com>' }
const settings = { ...behind, LIMITS: 'on', LIMIT_ANONYMOUS: '5/60', LIMIT_REQUESTS: '7/60', LIMIT_SIGN_UP: '3/3600' }
const world = await createWorld({ settings: { ...settings, LIMIT_SIGN_IN_NETWORK: '3/600' } })

/** Somebody of a network that nobody else is in. */
function stranger(at: World = world, address = `2001:db8:${randomBytes(2).toString('hex')}:1::1`): Client {
  return new Client(at, { 'x-forwarded-for': address })
}

async function repeat(times: number, send: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let time = 0; time < times; time++) answers.push(await send())
  return answers
}

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)

test('a network without a session asks so often, and is told how much is left', async () => {
  const client = stranger()
  const answers = await repeat(7, () => client.get('/api/tenant'))
  assert.deepEqual(statuses(answers), [200, 200, 200, 200, 200, 429, 429])
  assert.equal(answers[0]?.headers.get('ratelimit-policy'), '"anonymous";q=5;w=60')
  assert.match(answers[0]?.headers.get('ratelimit') ?? '', /^"anonymous";r=4;t=60$/)
  const { body, headers } = answers[6] ?? assert.fail()
  assert.deepEqual([body.code, body.policy], ['rate_limited', 'anonymous'])
  assert.ok(Number(headers.get('retry-after')) > 50)
  assert.match(headers.get('ratelimit') ?? '', /^"anonymous";r=0;t=\d+$/)
})

test('a network of IPv6 is its /64, and no header of a stranger makes another one of it', async () => {
  const prefix = `2001:db8:${randomBytes(2).toString('hex')}:2`
  for (let host = 1; host <= 5; host++) {
    const client = stranger(world, `6.6.6.${host}, ${prefix}::${host}`) // the first is what the client claims
    assert.equal((await client.get('/api/tenant')).status, 200)
  }
  assert.equal((await stranger(world, `${prefix}::ffff`).get('/api/tenant')).status, 429)
  assert.equal((await stranger(world, `${prefix}1::1`).get('/api/tenant')).status, 200)
})

test('each session has a measure of its own, whatever network it comes from', async () => {
  const [ann, ben] = await Promise.all([world.person(), world.person('Ben')])
  const answers = await repeat(8, () => ann.get('/api/users/me'))
  assert.deepEqual(statuses(answers), [...Array(7).fill(200), 429])
  assert.equal(answers[0]?.headers.get('ratelimit-policy'), '"requests";q=7;w=60')
  assert.equal((await ben.get('/api/users/me')).status, 200)
})

test('made-up tokens are no way around: their network answers for them, and a session that serves goes on', async () => {
  const address = `2001:db8:${randomBytes(2).toString('hex')}:3::1`
  const ann = await world.person()
  const mine = { 'x-forwarded-for': address }
  assert.equal((await ann.get('/api/users/me', mine)).status, 200)
  const [prefix] = ann.token.split('.')
  const madeUp = () =>
    stranger(world, address).get('/api/users/me', {
      authorization: `Bearer ${prefix}.${randomBytes(32).toString('base64url')}`,
    })
  assert.deepEqual(statuses(await repeat(7, madeUp)), [401, 401, 401, 401, 401, 429, 429])
  assert.equal((await ann.get('/api/users/me', mine)).status, 200)
})

test('sign-ins of a network are counted, right or wrong, whatever the accounts', async () => {
  const client = stranger()
  const ann = await world.person()
  const attempts = [ann.email, 'nobody@example.com', ann.email, ann.email]
  const answers: Answer[] = []
  for (const email of attempts) answers.push(await client.post('/api/auth/sign-in', { email, password }))
  assert.deepEqual(statuses(answers), [200, 401, 200, 429])
  assert.equal(answers[3]?.body.policy, 'sign-in')
  assert.equal(answers[0]?.headers.get('ratelimit-policy'), '"anonymous";q=5;w=60, "sign-in";q=3;w=600')
})

test('sign-ups of a network are counted, whatever becomes of them', async () => {
  const client = stranger()
  const email = `new-${randomBytes(5).toString('hex')}@example.com`
  const answers = await repeat(4, () => client.post('/api/auth/sign-up', { email, password }))
  assert.deepEqual(statuses(answers), [201, 409, 409, 429])
  assert.equal(answers[3]?.body.policy, 'sign-up')
})

test('the sensitive rates hold across processes and restarts, and sign-in fails closed without them', async () => {
  const client = stranger()
  const email = 'nobody@example.com'
  assert.deepEqual(
    statuses(await repeat(3, () => client.post('/api/auth/sign-in', { email, password }))),
    [401, 401, 401],
  )
  await world.postgres.ask('alter table rates rename to rates_away')
  const closed = await stranger().post('/api/auth/sign-in', { email, password })
  assert.deepEqual([closed.status, closed.body.code], [503, 'unavailable'])
  await world.postgres.ask('alter table rates_away rename to rates')
  assert.equal((await client.post('/api/auth/sign-in', { email, password })).status, 429)

  const database = new Database(world.postgres.url)
  const other = await buildApp(
    { config: world.app.config, keyring: world.keyring, database },
    { log: false, mailboxKey: undefined },
  )
  const payload = { email, password }
  const answer = await other.inject({ method: 'POST', url: '/api/auth/sign-in', headers: client.headers, payload })
  assert.deepEqual([answer.statusCode, answer.json().policy], [429, 'sign-in'])
  await other.close()
  await database.close()
})

test('the sensitive rates go by the clock of the database, however wrong that of a process is', async (t) => {
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
