/** Very many webhooks whose servers do not answer, beside one whose server does. It prints how long events wait. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { feedsOf, tenantWithEvents } from '../../../test/events.ts'
import { until } from '../../../test/smtp.ts'
import { onWebhooks, postAnywhere, startEndpoints } from '../../../test/webhooks.ts'
import { createWorld } from '../../../test/world.ts'
import { wakeAllWebhooks } from '../../tasks.ts'
import { addWebhookSecret, newWebhookSecret } from '../webhooks/secrets.ts'

const world = await createWorld()
const endpoints = await startEndpoints()
const dead = '/dead'
const [tenants, each, events] = [50, 20, 60]
const { query } = world.postgres

test('a thousand webhooks that do not answer delay no event of another one', async () => {
  endpoints.manners.set(dead, 'stall')
  for (let count = 0; count < tenants; count++) {
    const { id: tenantId, slug } = await world.tenant()
    await world.tenantAdmin(slug)
    await query('update tenants set has_webhooks = true where id = $1', [tenantId])
    const rows = await query<{ id: string }>(
      `insert into webhooks (tenant_id, id, name, url, place, status, failing_since, next_at)
       select $1, 'whk_' || lpad(($2 * 20 + n)::text, 26, '0'), 'Dead', $3, 0, 'failing', now(), now() from generate_series(1, $4::integer) n
       returning id`,
      [tenantId, count, `${endpoints.origin}${dead}`, each],
    )
    await world.database.inTenant(tenantId, async (sql) => {
      for (const { id } of rows) await addWebhookSecret(sql, world.keyring, id, newWebhookSecret(), 0)
    })
    await world.database.relay.drain(tenantId)
  }
  const { tess, ann, path, tenantId } = await tenantWithEvents(world)
  await feedsOf(world).follow(tess, '/api/admin/events')
  const { addWebhook, sentTo } = onWebhooks(world, endpoints, tenantId)
  const alive = await addWebhook({ types: ['organization.updated'] })
  assert.equal(await wakeAllWebhooks(world.database), tenants * each)
  const worker = await world.startWorker({ post: postAnywhere })
  after(async () => {
    endpoints.answerWaiting(dead, 500)
    await worker.stop()
  })
  await until(() => endpoints.waiting(dead) === 16, 'dead ones to have all the places that there are for them')

  const delays: number[] = []
  for (let count = 1; count <= events; count++) {
    const begun = performance.now()
    await ann.patch(path, { name: `Renamed ${count}` })
    await sentTo(alive, count)
    delays.push(performance.now() - begun)
  }

  assert.ok(endpoints.waiting(dead) <= 16)
  assert.ok(endpoints.to(dead).length < tenants * each, 'most of them wait for their turn')
  delays.sort((one, other) => one - other)
  const [half, most] = [0.5, 0.95].map((part) => Math.round(delays[Math.floor(part * events)] ?? 0))
  console.log(
    `from a request to the event: ${half} ms (half), ${most} ms (95 %), ${Math.round(delays.at(-1) ?? 0)} ms (all)`,
  )
})
