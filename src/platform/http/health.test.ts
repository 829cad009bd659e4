import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import timers, { setImmediate } from 'node:timers/promises'
import { openPatient } from '../../../test/timeout.ts'
import { createWorld } from '../../../test/world.ts'
import { buildApp } from '../../app.ts'

const world = await createWorld()

/** An app that waits before it stops, in seconds. */
async function build(t: TestContext, shutdownDelay: number) {
  const database = openPatient(world.postgres.url)
  t.after(() => database.close())
  const resources = { config: { ...world.app.config, shutdownDelay }, database, keyring: world.keyring }
  return await buildApp(resources, { log: false, mailboxKey: undefined })
}

/** One that listens, and whose timers the test turns on. Its pool has none that began before. */
async function buildStopping(t: TestContext, shutdownDelay: number) {
  const app = await build(t, shutdownDelay)
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  return app
}

test('a service that is asked to stop reports that it is not ready, and keeps serving until proxies have noticed', async (t) => {
  const app = await buildStopping(t, 1)
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` // listens on TCP
  const statusOf = async (path: string) => (await fetch(origin + path)).status
  assert.deepEqual([await statusOf('/readyz'), await statusOf('/livez')], [200, 200])

  const closed = app.close()
  const asked = await fetch(`${origin}/readyz`)
  assert.deepEqual(
    [asked.status, asked.headers.get('connection'), ((await asked.json()) as { code: string }).code],
    [503, 'close', 'unavailable'],
  )
  assert.deepEqual([await statusOf('/livez'), await statusOf('/api/tenant')], [200, 200])
  t.mock.timers.tick(1_000)
  t.mock.timers.reset()
  await closed
  await assert.rejects(statusOf('/livez'))
})

test('a stop waits for the last requests and the proxies, however long they take', async (t) => {
  const app = await buildStopping(t, 60)
  const closed = app.close()
  while (!app.isStopping) await setImmediate()
  t.mock.timers.tick(59_000)
  await setImmediate()
  assert.equal(app.server.listening, true)
  t.mock.timers.tick(1_000)
  t.mock.timers.reset()
  await closed
  assert.equal(app.server.listening, false)
})

test('a service that never listened, because its port is taken, waits for no proxy before it ends', async (t) => {
  const app = await build(t, 0.001)
  const waits = t.mock.method(timers, 'setTimeout')
  await app.close()
  assert.deepEqual(
    waits.mock.calls.map(({ arguments: [delay] }) => delay).filter((delay) => delay === 1),
    [],
  )
})
