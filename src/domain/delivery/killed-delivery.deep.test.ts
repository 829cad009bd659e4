/** Events whose delivery is not written down, since the service was killed between the answer of the endpoint and the commit. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { feedsOf, tenantWithEvents } from '../../../test/events.ts'
import { freePort, root, run, start, stop } from '../../../test/processes.ts'
import { onWebhooks, startEndpoints } from '../../../test/webhooks.ts'
import { createWorld } from '../../../test/world.ts'

const secret = randomBytes(32).toString('hex')
const world = await createWorld({ settings: { GUILDHALL_SECRET: secret, OUTBOUND_PRIVATE: '127.0.0.1' } })
const endpoints = await startEndpoints()
const env = {
  DATABASE_URL: world.postgres.url,
  GUILDHALL_SECRET: secret,
  OUTBOUND_PRIVATE: '127.0.0.1',
  LIMITS: 'off',
}

test('what was sent when the service was killed is sent again under the same id, and nothing is lost', async () => {
  const { tess, ann, path, tenantId } = await tenantWithEvents(world)
  await feedsOf(world).follow(tess, '/api/admin/events')
  const { addWebhook, logOf, sentTo, stateWhen } = onWebhooks(world, endpoints, tenantId)
  const webhook = await addWebhook({ types: ['organization.updated'] })
  for (let count = 1; count <= 30; count++) await ann.patch(path, { name: `Renamed ${count}` })
  const events = await feedsOf(world).follow(tess, '/api/admin/events', { types: 'organization.updated' })
  // It may die before it says that it runs.
  const killed = run(['serve'], {
    main: join(root, 'test', 'killed-service.ts'),
    port: await freePort(),
    env: { ...env, KILL_AT: 'webhook' },
  })
  assert.equal(await killed.ended, 'SIGKILL')
  const before = (await sentTo(webhook)).map(({ event }) => event.id)
  assert.deepEqual(await logOf(webhook), [])

  // The next service finds the job when its lease has ended.
  await world.postgres.query(
    `update graphile_worker._private_jobs set locked_at = now() - interval '2 minutes' where locked_at is not null`,
  )
  await world.postgres.query('update graphile_worker._private_job_queues set locked_at = null, locked_by = null')
  const service = await start({ env })
  await stateWhen(webhook.id, ({ place }) => Number(place) >= events.at(-1)?.sequence, 'the place to be at the end')
  await stop(service)

  const after = (await sentTo(webhook)).slice(before.length).map(({ headers }) => headers['webhook-id'])
  assert.ok(before.length <= 4)
  assert.deepEqual(after.toSorted(), events.map(({ id }) => id).toSorted())
  assert.deepEqual(
    (await logOf(webhook)).map(({ entry_id, status, attempts }) => [entry_id, status, attempts]),
    events.map(({ id }) => [id, 'delivered', 1]),
  )
})
