/** What becomes of a webhook when somebody changes it, and when several do at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedsOf, tenantWithEvents } from '../../../test/events.ts'
import { statuses, together } from '../../../test/races.ts'
import { onStoredWebhooks } from '../../../test/stored-webhooks.ts'
import { requestWebhook, webhookUrl } from '../../../test/webhook-requests.ts'
import { createWorld, type Json } from '../../../test/world.ts'
import { caps } from '../limits/caps.ts'

const world = await createWorld({ processes: 4 })
const { query } = world.postgres
const { follow } = feedsOf(world)
const { stateOf } = onStoredWebhooks(world)
const elsewhere = 'https://93.184.215.15/events'

/** What sending has found out about an endpoint that fails. */
const troubled = `status = 'failing', failures = 7, failing_since = now(), failing_told = true, trials = 3,
  next_at = now() + interval '1 hour', slow_until = now() + interval '1 hour', recovered_at = now(), setter_left = true`

async function tenantWithWebhook() {
  const acme = await tenantWithEvents(world)
  await query('update tenants set organization_webhooks = true where id = $1', [acme.tenantId])
  const events = await follow(acme.tess, '/api/admin/events')
  const { webhook } = await requestWebhook(acme.tess, '/api/admin/webhooks')
  const path = `/api/admin/webhooks/${webhook.id}`
  const setAside = (sequence: number, status: 'retrying' | 'failed' | 'delivered', action = 'user.created') =>
    query(
      `insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at, milliseconds)
       values ($1, $2, $3, 'aud_1', $5, $4, 1, now(), 1)`,
      [acme.tenantId, webhook.id, sequence, status, action],
    )
  const logged = async () =>
    (
      await query<{ sequence: number }>(
        'select sequence::float8 as sequence from webhook_deliveries where webhook_id = $1 order by sequence',
        [webhook.id],
      )
    ).map(({ sequence }) => sequence)
  const entriesOf = async (action: string): Promise<Json[]> =>
    (await acme.tess.get(`/api/admin/audit?action=${action}`)).body.data
  return { ...acme, organization: acme.path, events, webhook, path, setAside, logged, entriesOf }
}

test('of twenty people who make webhooks at once no more succeed than there is room for', async () => {
  const { tess, ann, organization } = await tenantWithWebhook()
  for (const [maker, list, room] of [
    [ann, `${organization}/webhooks`, caps.organizationWebhooks.most],
    [tess, '/api/admin/webhooks', caps.webhooks.most - 1],
  ] as const) {
    const answers = await together(
      ...Array.from({ length: 20 }, (_, index) => () => maker.post(list, { name: `Number ${index}`, url: webhookUrl })),
    )
    assert.deepEqual(statuses(answers), [...Array(room).fill('201'), ...Array(20 - room).fill('409 limit_reached')])
  }
})

test('a place further back has events sent again in order, and no longer by retries', async () => {
  const { tess, events, webhook, path, setAside, logged, entriesOf } = await tenantWithWebhook()
  const [first, second, third, fourth] = events.map(({ sequence }) => sequence as number)
  assert.ok(first && second && third && fourth)
  await setAside(first, 'retrying')
  await setAside(second, 'delivered')
  await setAside(third, 'retrying')
  await setAside(fourth, 'failed')

  const moved = await tess.patch(path, { after: String(second) })

  assert.deepEqual([moved.status, moved.body.deliveredThrough], [200, second])
  assert.deepEqual(await logged(), [first, second, fourth])
  const [entry] = await entriesOf('webhook.updated')
  assert.deepEqual(entry?.details, { deliveredThrough: { from: webhook.deliveredThrough, to: second } })
})

test('a place further on keeps what was set aside', async () => {
  const { tess, events, path, setAside, logged } = await tenantWithWebhook()
  const [first, second, third] = events.map(({ sequence }) => sequence as number)
  assert.ok(first && second && third)
  await tess.patch(path, { after: String(first) })
  await setAside(second, 'retrying')
  const { body } = await tess.patch(path, { after: String(third) })
  assert.deepEqual([body.deliveredThrough, await logged()], [third, [second]])
})

test('types that were taken away are no longer sent by retries, and what was sent of them stays in the log', async () => {
  const { tess, path, setAside, logged } = await tenantWithWebhook()
  const actions = ['member.joined', 'user.created', 'user.deleted', 'organization.updated']
  for (const [index, action] of actions.entries()) await setAside(index + 1, 'retrying', action)
  await setAside(5, 'failed', 'user.created')
  await setAside(6, 'delivered', 'user.created')
  const sequencesAfter = async (types: string[]) => {
    assert.equal((await tess.patch(path, { types })).status, 200)
    return logged()
  }

  assert.deepEqual(await sequencesAfter(['member.*', 'user.created', 'user.deleted']), [1, 2, 3, 5, 6])
  assert.deepEqual(await sequencesAfter(['member.*', 'user.created']), [1, 2, 5, 6])
  assert.deepEqual(await sequencesAfter([]), [1, 2, 5, 6])
  assert.deepEqual(await sequencesAfter(['user.*']), [2, 5, 6])
})

test('a retry of a type that was taken away earlier goes on when other types change', async () => {
  const { tess, path, setAside, logged } = await tenantWithWebhook()
  const change = async (types: string[]) => assert.equal((await tess.patch(path, { types })).status, 200)
  await change(['member.*', 'user.created'])
  await setAside(1, 'retrying', 'organization.updated')
  await setAside(2, 'retrying', 'user.created')

  await change(['member.*'])
  assert.deepEqual(await logged(), [1])
  await change(['member.joined', 'user.*'])
  assert.deepEqual(await logged(), [1])
  await change([])
  await change(['member.*'])
  assert.deepEqual(await logged(), [], 'it was of the types in between, which were all')
})

test('a webhook that was disabled goes on from its place, as a healthy one', async () => {
  const { tess, webhook, path, entriesOf } = await tenantWithWebhook()
  await query(`update webhooks set ${troubled} where id = $1`, [webhook.id])

  const disabled = (await tess.patch(path, { status: 'disabled' })).body
  assert.deepEqual([disabled.status, disabled.disabledBecause, disabled.failingSince], ['disabled', 'person', null])
  const active = (await tess.patch(path, { status: 'active' })).body

  assert.deepEqual(
    [active.status, active.disabledBecause, active.failingSince, active.deliveredThrough],
    ['active', null, null, webhook.deliveredThrough],
  )
  const { failures, trials, failing_told, next_at } = await stateOf(webhook.id)
  assert.deepEqual([failures, trials, failing_told, next_at], [0, 0, false, null])
  assert.equal((await entriesOf('webhook.disabled')).length, 1)
  const [entry] = await entriesOf('webhook.updated')
  assert.deepEqual(entry?.details, { status: { from: 'disabled', to: 'active' } })
})

test('another URL makes a failing webhook active, and names who has set it', async () => {
  const { tess, tenant, webhook, path } = await tenantWithWebhook()
  await query(`update webhooks set ${troubled} where id = $1`, [webhook.id])
  const second = await world.tenantAdmin(tenant)
  assert.equal((await tess.get(path)).body.urlSetBy.hasLostRight, true)

  const { body } = await second.patch(path, { url: elsewhere })

  assert.deepEqual([body.url, body.status, body.urlSetBy.id], [elsewhere, 'active', second.id])
  const { failures, slow_until, recovered_at, setter_left, next_at } = await stateOf(webhook.id)
  assert.deepEqual([failures, slow_until, recovered_at, setter_left, next_at], [0, null, null, false, null])
})

test('another URL forgets the test of the one before, and other changes keep it', async () => {
  const { tess, webhook, path } = await tenantWithWebhook()
  const test = { at: '2026-01-31T09:30:00.000Z', status: 204, error: null, milliseconds: 85 }
  await query('update webhooks set last_test = $2 where id = $1', [webhook.id, JSON.stringify(test)])
  assert.deepEqual(
    (await tess.patch(path, { name: 'Invoices', types: ['member.*'], url: webhookUrl })).body.lastTest,
    test,
  )

  assert.equal((await tess.patch(path, { url: elsewhere })).body.lastTest, null)
})

test('another URL does not switch on a webhook that is disabled', async () => {
  const { tess, path } = await tenantWithWebhook()
  await tess.patch(path, { status: 'disabled' })
  const { body } = await tess.patch(path, { url: elsewhere })
  assert.deepEqual([body.status, body.disabledBecause], ['disabled', 'person'])
})

test('a run that has begun ends after another place, URL, status, secret or other types, but not after another name', async () => {
  const { tess, events, webhook, path } = await tenantWithWebhook()
  const movesAfter = async (change: () => Promise<{ status: number }>) => {
    const before = Number((await stateOf(webhook.id)).moves)
    assert.equal((await change()).status, 200)
    return Number((await stateOf(webhook.id)).moves) - before
  }
  const change = (body: Json) => movesAfter(() => tess.patch(path, body))
  assert.equal(await change({ after: String(events[0]?.sequence) }), 1)
  assert.equal(await change({ url: elsewhere }), 1)
  assert.equal(await change({ types: ['member.*'] }), 1)
  assert.equal(await change({ status: 'disabled' }), 1)
  assert.equal(await change({ name: 'Invoices' }), 0)
  assert.equal(await movesAfter(() => tess.post(`${path}/rotate`)), 1)
})

test('of two people who change and delete a webhook at once each has a sound answer', async () => {
  const { tess, path } = await tenantWithWebhook()
  const answers = await together(
    () => tess.delete(path),
    () => tess.delete(path),
    () => tess.patch(path, { name: 'Invoices' }),
    () => tess.post(`${path}/rotate`),
  )
  const [first, second, changed, rotated] = answers.map(({ status }) => status)
  assert.deepEqual([first, second].sort(), [200, 404])
  for (const status of [changed, rotated]) assert.ok(status === 200 || status === 404, String(status))
})
