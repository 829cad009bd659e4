/** Events whose delivery is not written down, since the service was killed between the answer of the endpoint and the commit. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { feedsOf } from '../../../test/events.ts'
import { freePort } from '../../../test/ports.ts'
import { root, run, start, stop } from '../../../test/processes.ts'
import { until } from '../../../test/smtp.ts'
import { startEndpoints, tenantWithWebhooks } from '../../../test/webhooks.ts'
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

/** The next service finds jobs of a killed one when their lease has ended. */
async function endLeases(): Promise<void> {
  await world.postgres.query(
    `update graphile_worker._private_jobs set locked_at = now() - interval '2 minutes' where locked_at is not null`,
  )
  await world.postgres.query('update graphile_worker._private_job_queues set locked_at = null, locked_by = null')
}

test('what was sent when the service was killed is sent again under the same id, and nothing is lost', async () => {
  const { tess, rename, addWebhook, logOf, sentTo, stateWhen } = await tenantWithWebhooks(world, endpoints)
  const webhook = await addWebhook({ types: ['organization.updated'] })
  for (let count = 1; count <= 30; count++) await rename()
  const events = await feedsOf(world).follow(tess, '/api/admin/events', { types: 'organization.updated' })
  // It may die before it says that it runs.
  const killed = run(['serve'], {
    main: join(root, 'test', 'killed-service.ts'),
    port: await freePort(),
    env: { ...env, KILL_AT: 'webhook' },
  })
  assert.equal(await killed.ended, 'SIGKILL')
  await endpoints.nobodyIsConnected() // else the last of its requests may be received later
  const before = (await sentTo(webhook)).map(({ event }) => event.id)
  assert.deepEqual(await logOf(webhook), [])

  await endLeases()
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

test('an attempt that went on without its run when the service was killed is sent again under the same id', async () => {
  const { tess, tenantId, rename, addWebhook, logOf, stateWhen } = await tenantWithWebhooks(world, endpoints)
  const webhook = await addWebhook({ types: ['organization.updated'] })
  endpoints.manners.set(webhook.path, 'stall')
  await rename()
  const [event] = await feedsOf(world).follow(tess, '/api/admin/events', { types: 'organization.updated' })
  const killed = await start({ env })
  await stateWhen(webhook.id, (row) => Number(row.place) >= event?.sequence, 'the place to move on')
  assert.equal(endpoints.waiting(webhook.path), 1)
  await stop(killed, 'SIGKILL')
  endpoints.manners.set(webhook.path, 204)
  const ofLease = `key = 'webhook-later:${webhook.id}'`
  const { query } = world.postgres
  await world.database.relay.drain(tenantId) // it may have been killed before it did so itself
  assert.equal((await query(`select from graphile_worker.jobs where ${ofLease}`)).length, 1)
  await query(`update graphile_worker._private_jobs set run_at = now() where ${ofLease}`)
  await query('update webhook_deliveries set next_at = now() where webhook_id = $1', [webhook.id])
  await endLeases()

  const service = await start({ env })
  const rows = await until(async () => {
    const found = await logOf(webhook)
    return found.every(({ status }) => status === 'delivered') ? found : undefined
  }, 'the event to be delivered')
  await stop(service)

  assert.deepEqual(
    rows.map(({ entry_id, attempts }) => [entry_id, attempts]),
    [[event?.id, 2]],
  )
  assert.deepEqual(
    endpoints.to(webhook.path).map(({ headers }) => headers['webhook-id']),
    [event?.id, event?.id],
  )
})
