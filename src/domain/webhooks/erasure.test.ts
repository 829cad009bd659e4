/** Erasure of those who set the URLs of webhooks, and of those whose webhooks are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dump, traces } from '../../../test/dump.ts'
import { holdRelay } from '../../../test/holding.ts'
import { outboxIsEmpty } from '../../../test/queue.ts'
import { createWorld, type Person, password } from '../../../test/world.ts'
import { newId } from '../../platform/http/schemas.ts'
import { queueRun } from './schedule.ts'
import { addWebhookSecret, newWebhookSecret } from './secrets.ts'

const world = await createWorld()
const { database, keyring, tenantId } = world
const { query } = world.postgres

/** Stores a webhook as a person would make it, with runs that wait and what it has sent. @returns its id */
async function storeWebhook(setter: Person, organizationId: string | null): Promise<string> {
  const id = newId('whk')
  await database.inTenant(tenantId, async (sql) => {
    await sql`
      insert into webhooks (tenant_id, id, organization_id, name, url, url_set_by, place, last_test)
      values (${tenantId}, ${id}, ${organizationId}, 'Billing', 'https://billing.example.com/', ${setter.id}, 0, '{"status":200}')`
    await addWebhookSecret(sql, keyring, id, newWebhookSecret(), 0)
    await queueRun(sql, id, false)
    await queueRun(sql, id, false, 3_600)
    await sql`
      insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at, milliseconds, next_at)
      select tenant_id, ${id}, sequence, entry_id, action, case when sequence % 2 = 0 then 'delivered' else 'retrying' end, 1, now(), 5, now()
      from feed
      where tenant_id = ${tenantId} and (organization_id = ${organizationId} or ${organizationId}::text is null)`
  })
  return id
}

const rowsOf = async (table: string, webhookIds: readonly string[]) => {
  const column = table === 'webhooks' ? 'id' : 'webhook_id'
  return (await query(`select from ${table} where ${column} = any($1)`, [webhookIds])).length
}
const runsIn = async (place: 'outbox' | 'queue', webhookId: string) => {
  const waiting =
    place === 'outbox'
      ? `select from outbox, jsonb_array_elements(jobs) job where job ->> 'key' like '%' || $1`
      : `select from graphile_worker._private_jobs where key like '%' || $1`
  return (await query(waiting, [webhookId])).length
}

test('after deleting an account, webhooks whose URL the person set work on, and the database has no data of the person', async (t) => {
  const { ann, ben, id, path, members } = await world.organization()
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' })
  await outboxIsEmpty(world)
  const webhooks = [await storeWebhook(ben, id), await storeWebhook(ben, null)]
  const kept = await storeWebhook(ann, id)
  await outboxIsEmpty(world)
  const words = { email: ben.email, id: ben.id, 'suffix of the id': ben.id.slice(5) }
  assert.equal(traces(await dump(query), { id: ben.id }).filter((line) => line.includes('webhooks ')).length, 2)
  const secrets = () => query('select webhook_id, id, secret from webhook_secrets order by id')
  const [deliveries, before] = [await rowsOf('webhook_deliveries', webhooks), await secrets()]
  assert.ok(deliveries > 2)
  // What happens from here on is in the outbox when the account goes.
  const release = await holdRelay(t, world)
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'admin' })
  await storeWebhook(ben, id)

  assert.equal((await ben.delete('/api/users/me', { password })).status, 200)

  await release()
  await outboxIsEmpty(world)
  assert.deepEqual(traces(await dump(query), words), [])
  assert.equal(await rowsOf('webhooks', webhooks), 2)
  assert.equal(await rowsOf('webhook_deliveries', webhooks), deliveries)
  for (const webhook of webhooks) assert.equal(await runsIn('queue', webhook), 2)
  assert.deepEqual(
    (await secrets()).filter((each) => before.some(({ id }) => id === each.id)),
    before,
  )
  assert.deepEqual(await query('select url_set_by from webhooks where id = $1', [kept]), [{ url_set_by: ann.id }])
})

test('an organization that is deleted takes its webhooks, their secrets and waiting runs, and no others', async (t) => {
  const { ann, id, slug, path } = await world.organization()
  const other = await world.organization()
  const queued = await storeWebhook(ann, id)
  const kept = [await storeWebhook(other.ann, other.id), await storeWebhook(ann, null)]
  await outboxIsEmpty(world)
  assert.equal(await runsIn('queue', queued), 2)
  const release = await holdRelay(t, world)
  const waiting = await storeWebhook(ann, id)
  assert.equal(await runsIn('outbox', waiting), 2)

  assert.equal((await ann.delete(path, { confirm: slug })).status, 200)

  assert.equal(await runsIn('outbox', waiting), 0)
  await release()
  await outboxIsEmpty(world)
  for (const webhook of [queued, waiting]) assert.equal(await runsIn('queue', webhook), 0)
  for (const table of ['webhooks', 'webhook_secrets']) assert.equal(await rowsOf(table, [queued, waiting]), 0)
  for (const webhook of kept) assert.equal(await runsIn('queue', webhook), 2)
  for (const table of ['webhooks', 'webhook_secrets']) assert.equal(await rowsOf(table, kept), 2)
})
