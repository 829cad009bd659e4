/** What age takes from webhooks: their logs, and events that they had not sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Client } from '../../../test/client.ts'
import { feedsOf, tenantWithEvents } from '../../../test/events.ts'
import { holdRow } from '../../../test/holding.ts'
import { until } from '../../../test/smtp.ts'
import { webhookUrl } from '../../../test/webhook-requests.ts'
import { onWebhooks, startEndpoints } from '../../../test/webhooks.ts'
import { createWorld } from '../../../test/world.ts'
import type { Sql } from '../../platform/database/database.ts'
import { eraseOrganization } from '../erasure/organizations.ts'
import { purgeEvents } from '../record/feed-erasure.ts'
import { tellOfNotices } from './notices.ts'
import { purgeDeliveries, purgeLostDeliveries } from './retention.ts'

const world = await createWorld()
const endpoints = await startEndpoints()
const { query, awaitLine } = world.postgres
const { follow } = feedsOf(world)

async function tenantWithOldEvents() {
  const acme = await tenantWithEvents(world)
  const { tenantId, tess, ann, path } = acme
  const webhooks = onWebhooks(world, endpoints, tenantId)
  await ann.patch(path, { name: 'Renamed' })
  const events = await follow(tess, '/api/admin/events')
  const past = 31 * 86_400_000_000
  // `update` may meet another sequence on its way.
  await query('update feed set sequence = -sequence where tenant_id = $1', [tenantId])
  await query('update feed set sequence = -sequence - $2::bigint where tenant_id = $1', [tenantId, past])
  const old = events.map(({ sequence, ...event }) => ({ ...event, sequence: sequence - past }))
  const purge = (which: typeof purgeEvents, batch = 1_000) =>
    world.database.inTenant(tenantId, (sql) => which(sql, batch))

  /** Writes a row of a log. */
  const log = (webhookId: string, sequence: number, status = 'delivered') =>
    query(
      `insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at, milliseconds, next_at)
       values ($1, $2, $3, 'aud_1', 'organization.updated', $4, 1, now(), 5, case $4 when 'retrying' then now() end)`,
      [tenantId, webhookId, sequence, status],
    )
  return { ...acme, ...webhooks, old, purge, log }
}

const list = '/api/admin/webhooks'
const timeOf = (sequence: number) => new Date(sequence / 1_000).getTime()

test('events that go before a webhook has sent them are missed, and it goes on after them', async () => {
  const { id, tenant, old, purge, addWebhook, stateOf } = await tenantWithOldEvents()
  const other = await world.organization({ tenant })
  const first = old[0]?.sequence ?? 0
  const end = old.at(-1)?.sequence ?? 0
  const [all, done, some, none, own, others] = await Promise.all([
    addWebhook({ place: first - 1 }),
    addWebhook({ place: end }),
    addWebhook({ place: first - 1, types: ['member.*'] }),
    addWebhook({ place: first - 1, types: ['key.created'], status: 'disabled' }),
    addWebhook({ place: first - 1, organization_id: id, status: 'failing' }),
    addWebhook({ place: first - 1, organization_id: other.id }),
  ])
  const removed = await purge(purgeEvents)
  assert.equal(removed.length, old.length)

  const lastOf = (wanted: (event: (typeof old)[number]) => boolean) => old.findLast(wanted)?.sequence ?? 0
  for (const [webhook, through] of [
    [all, end],
    [some, lastOf(({ type }) => type.startsWith('member.'))],
    [own, lastOf(({ organizationId }) => organizationId === id)],
  ] as const) {
    const state = await stateOf(webhook.id)
    assert.equal(Number(state.place), through)
    assert.ok(Math.abs(Number(state.missed_until) - timeOf(through)) <= 1)
    assert.equal(state.missed_told, false)
  }
  for (const webhook of [done, none, others]) {
    const state = await stateOf(webhook.id)
    assert.deepEqual([state.missed_until, state.missed_told], [null, true])
  }
})

test('a webhook misses only what a batch has removed', async () => {
  const { old, purge, addWebhook, stateOf } = await tenantWithOldEvents()
  const webhook = await addWebhook({ place: 0 })

  await purge(purgeEvents, 2)

  assert.equal(Number((await stateOf(webhook.id)).place), old[1]?.sequence)
})

test('one mail tells of a webhook that goes on missing events, and another one after a day without any', async () => {
  const { tenantId, tess, old, purge, addWebhook, stateOf } = await tenantWithOldEvents()
  const { id } = await addWebhook({ place: (old[0]?.sequence ?? 0) - 1, url_set_by: tess.id })
  const missOne = async () => {
    assert.equal((await purge(purgeEvents, 1)).length, 1)
    return tellOfNotices(world, tenantId)
  }
  assert.equal(await missOne(), 1)

  assert.equal(await missOne(), 0)

  assert.equal(Number((await stateOf(id)).place), old[1]?.sequence, 'it has missed another one')
  await query(`update webhooks set missed_until = missed_until - interval '25 hours' where id = $1`, [id])
  assert.equal(await missOne(), 1)
})

for (const [what, choose] of [
  ['made', (tess, after) => tess.post(list, { name: 'Late', url: webhookUrl, after })],
  ['moved', (tess, after, id) => tess.patch(`${list}/${id}`, { after })],
] satisfies [string, (tess: Client, after: string, id: string) => Promise<Answer>][]) {
  test(`a webhook that is ${what} to a place whose events are being removed is refused`, async () => {
    const { tenantId, tess, old, addWebhook } = await tenantWithOldEvents()
    const { id } = await addWebhook()

    const { answering } = await world.database.inTenant(tenantId, async (sql) => {
      await purgeEvents(sql, 1_000)
      let isAnswered = false
      const answering = choose(tess, String(old[0]?.sequence), id)
      void answering.then(() => {
        isAnswered = true
      })
      const isWaiting = async () => (await world.postgres.waiting('from feeds%for key share')).length > 0
      await until(async () => isAnswered || (await isWaiting()), 'it to wait or to be answered')
      return { answering }
    })

    const { status, body } = await answering
    assert.deepEqual([status, body.code, body.earliest], [410, 'events_expired', old.at(-1)?.sequence])
  })
}

test('a place that is chosen before its events are removed is moved past them, and they count as missed', async (t) => {
  const { tess, old, purge, addWebhook, stateOf } = await tenantWithOldEvents()
  const end = old.at(-1)?.sequence ?? 0
  const { id } = await addWebhook({ place: end })
  const release = await holdRow(t, world.postgres, 'webhooks', id)
  let ended = 0
  const count = () => ended++

  const moving = tess.patch(`${list}/${id}`, { after: String((old[0]?.sequence ?? 0) - 1) })
  void moving.then(count)
  await world.postgres.awaitLine(1, () => ended)
  const purging = purge(purgeEvents)
  void purging.then(count)
  await world.postgres.awaitLine(2, () => ended)
  assert.equal(ended, 0)
  await release()

  assert.equal((await moving).status, 200)
  assert.equal((await purging).length, old.length)
  const state = await stateOf(id)
  assert.equal(Number(state.place), end)
  assert.ok(Math.abs(Number(state.missed_until) - timeOf(end)) <= 1)
})

test('the log goes with the events, and what was set aside is then missed', async () => {
  const { old, purge, log, addWebhook, logOf, stateOf } = await tenantWithOldEvents()
  const now = Date.now() * 1_000
  const [sent, behind] = await Promise.all([addWebhook({ place: now }), addWebhook({ place: now })])
  const [one = 0, two = 0, three = 0] = old.map(({ sequence }) => sequence)
  for (const sequence of [one, two, now]) await log(sent.id, sequence)
  await log(behind.id, one, 'retrying')
  await log(behind.id, two, 'retrying')
  await log(behind.id, three, 'failed')
  await log(behind.id, now, 'retrying')

  assert.equal((await purge(purgeDeliveries)).length, 5)

  assert.deepEqual(
    (await logOf(sent)).map(({ place }) => place),
    [now],
  )
  assert.deepEqual(
    (await logOf(behind)).map(({ place }) => place),
    [now],
  )
  assert.equal((await stateOf(sent.id)).missed_until, null)
  const state = await stateOf(behind.id)
  assert.ok(Math.abs(Number(state.missed_until) - timeOf(two)) <= 1)
  assert.deepEqual([Number(state.place), state.missed_told], [now, false])
})

test('the log of a webhook that was deleted goes in batches, and that of others stays', async () => {
  const { purge, log, addWebhook, logOf } = await tenantWithOldEvents()
  const now = Date.now() * 1_000
  const webhooks = await Promise.all([addWebhook(), addWebhook(), addWebhook()])
  for (const { id } of webhooks) for (const offset of [1, 2, 3]) await log(id, now + offset)
  const [first, second, third] = webhooks
  await query('delete from webhooks where id = any($1)', [[first?.id, third?.id]])

  assert.equal((await purge(purgeLostDeliveries, 4)).length, 4)
  assert.equal((await purge(purgeLostDeliveries, 4)).length, 2)
  assert.equal((await purge(purgeLostDeliveries, 4)).length, 0)

  assert.ok(second)
  assert.equal((await logOf(second)).length, 3)
})

test('while retention waits for a webhook it holds neither its log nor its events', async (t) => {
  const { tenantId, old, purge, log, addWebhook } = await tenantWithOldEvents()
  const webhook = await addWebhook({ place: 0 })
  await log(webhook.id, old[0]?.sequence ?? 0, 'retrying')
  for (const [what, table, count] of [
    [purgeDeliveries, 'webhook_deliveries', 1],
    [purgeEvents, 'feed', old.length],
  ] as const) {
    const release = await holdRow(t, world.postgres, 'webhooks', webhook.id, 'for no key update')
    const purged = purge(what)
    await awaitLine(1)
    assert.ok(await query(`select from ${table} where tenant_id = $1 for update nowait`, [tenantId]), table)
    await release()
    assert.equal((await purged).length, count)
  }
})

test('retention and the deletion of an organization with webhooks end without a deadlock', async (t) => {
  for (const which of ['first', 'last'] as const) {
    const { id, tenantId, old, addWebhook, log } = await tenantWithOldEvents()
    const webhooks = [
      await addWebhook({ place: 0, organization_id: id }),
      await addWebhook({ place: 0 }),
      await addWebhook({ place: 0, organization_id: id }),
    ]
    for (const webhook of webhooks) await log(webhook.id, old[0]?.sequence ?? 0, 'retrying')
    // A transaction that meets a deadlock is repeated.
    let tries = 0
    const inTenant = (work: (sql: Sql) => Promise<unknown>) =>
      world.database.inTenant(tenantId, (sql) => {
        tries++
        return work(sql)
      })
    const release = await holdRow(t, world.postgres, 'webhooks', webhooks[0]?.id, 'for no key update')
    const all = [
      () => inTenant((sql) => eraseOrganization(sql, id)),
      () => inTenant((sql) => purgeEvents(sql, 1_000)),
      () => inTenant((sql) => purgeDeliveries(sql, 1_000)),
    ]
    const under: Promise<unknown>[] = []
    for (const start of which === 'first' ? all : all.reverse()) {
      under.push(start())
      await awaitLine(under.length)
    }
    await release()
    await Promise.all(under)
    assert.equal(tries, all.length, `the deletion ${which}`)
  }
})
