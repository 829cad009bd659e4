/** Faults beside a provider: it is down, the service is killed, or the database has few connections. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { afterEach, test } from 'node:test'
import { hold } from './holding.ts'
import { start } from './processes.ts'
import { startProviderDouble } from './provider-double.ts'
import { startSecond, statuses } from './races.ts'
import { addProvider, continueWith, link, visit } from './sign-in.ts'
import { until } from './smtp.ts'
import { Client, createWorld, type Json, type Person } from './world.ts'

const secret = 'a secret that is only used in tests'
const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1', GUILDHALL_SECRET: secret } })
const double = await startProviderDouble()
const providerId = await addProvider(world, double.origin)
const { query, awaitLine, url } = world.postgres

afterEach(() => double.reset())

/** Somebody with an account at the provider. */
async function linked(): Promise<{ person: Person; sub: string }> {
  const person = await world.person()
  const sub = `sub-${person.id}`
  assert.equal((await link(double, person, providerId, { sub })).status, 201)
  return { person, sub }
}

const sessionsOf = async ({ id }: Person) => (await query('select from sessions where user_id = $1', [id])).length

test('if the provider is down, nobody is signed in, everything else works, and one begins again', async () => {
  const { person, sub } = await linked()
  const outages: ((response: ServerResponse) => unknown)[] = [
    (response) => response.destroy(),
    (response) => response.writeHead(503).end(),
  ]
  for (const fail of outages) {
    const { attempt, callback } = await visit(world, double, providerId, { sub })
    double.intercepts = (path, response) => path === '/token' && Boolean(fail(response))
    const failed = await continueWith(world, attempt, { callback })
    assert.deepEqual([failed.status, failed.body.code], [502, 'provider_unavailable'])
    double.intercepts = () => false
    const again = await continueWith(world, attempt, { callback })
    assert.deepEqual([again.status, again.body.code], [410, 'attempt_spent'], 'a code is sent to the provider once')
  }
  assert.equal(await sessionsOf(person), 1)
  assert.ok(await world.signIn(person))
  const { attempt, callback } = await visit(world, double, providerId, { sub })
  assert.equal((await continueWith(world, attempt, { callback })).status, 200)
})

test('if the service is killed after the exchange and before the commit, nobody is signed in, and one begins again', async (t) => {
  const { person, sub } = await linked()
  const env = { DATABASE_URL: url, GUILDHALL_SECRET: secret, OUTBOUND_PRIVATE: '127.0.0.1' }
  const service = await start({ env })
  t.after(() => service.child.kill('SIGKILL'))
  const { attempt, callback } = await visit(world, double, providerId, { sub })
  const calls = double.calls.length
  const release = await hold(t, world.postgres, 'lock table known_devices in exclusive mode')
  const lost = new Client({ ...world, url: service.url }, {}).post('/api/auth/sign-in/continue', { attempt, callback })
  const isLost = lost.then(
    ({ status }) => assert.equal(status, 503, 'it has waited for the lock as long as a statement may take'),
    () => {}, // the kill has ended its connection
  )
  await awaitLine(1)
  service.child.kill('SIGKILL')
  assert.equal(await service.ended, 'SIGKILL')
  await isLost
  await release()

  assert.ok(double.calls.slice(calls).includes('/token'), 'the provider has answered')
  assert.equal(await sessionsOf(person), 1)
  const again = await continueWith(world, attempt, { callback })
  assert.deepEqual([again.status, again.body.code], [410, 'attempt_spent'])
  const fresh = await visit(world, double, providerId, { sub })
  assert.equal((await world.nobody.post('/api/auth/sign-in/continue', fresh)).status, 200)
})

test('fifty callbacks need no more than one connection, and hold none while the provider thinks', async (t) => {
  const { sub } = await linked()
  const small = await startSecond(world, t, 1)
  const arriving: Json[] = []
  for (let each = 0; each < 50; each++) arriving.push(await visit(world, double, providerId, { sub }))
  const held: ServerResponse[] = []
  double.intercepts = (path, response) => {
    if (path !== '/token') return false
    held.push(response)
    return true
  }
  const first = arriving.splice(0, 8).map((sent) => small.nobody.post('/api/auth/sign-in/continue', sent))
  await until(() => held.length === 8, 'the provider to be asked')
  assert.equal((await small.nobody.get('/api/tenant')).status, 200, 'nobody else waits for it')
  double.intercepts = () => false
  for (const response of held) response.writeHead(503).end()
  assert.deepEqual([...new Set(statuses(await Promise.all(first)))], ['502 provider_unavailable'])

  // As many at once as a tenant has calls. With more, the last ones wait for the connection longer than a loaded machine gives them.
  while (arriving.length > 0) {
    const some = arriving.splice(0, 8)
    const answers = await Promise.all(some.map((sent) => small.nobody.post('/api/auth/sign-in/continue', sent)))
    assert.deepEqual([...new Set(statuses(answers))], ['200'])
  }
})
