/** When runs of webhooks are queued, by the relay and without it. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { feedsOf } from '../../../test/events.ts'
import { outboxIsEmpty, queueIsDone } from '../../../test/queue.ts'
import { until } from '../../../test/smtp.ts'
import { postAnywhere, startEndpoints, tenantWithWebhooks } from '../../../test/webhooks.ts'
import { createWorld, type Json } from '../../../test/world.ts'
import { runEverywhere } from '../../tasks.ts'
import { queueRun, queueTest, queueWakes, wakeDue } from './schedule.ts'

const world = await createWorld()
const endpoints = await startEndpoints()
const { query } = world.postgres
const { follow } = feedsOf(world)

/** The jobs of webhooks in the queue, by webhook. */
async function jobs(): Promise<Map<string, Json>> {
  await outboxIsEmpty(world)
  const rows = await query<Json>(`
    select p.payload ->> 'webhookId' as webhook, j.task_identifier as task, j.queue_name as queue, j.key
    from graphile_worker.jobs j join graphile_worker._private_jobs p on p.id = j.id
    where j.task_identifier in ('send_webhook', 'send_failing_webhook')`)
  return new Map(rows.map((row) => [row.webhook, row]))
}

const forgetJobs = async () => {
  await outboxIsEmpty(world)
  await query('delete from graphile_worker._private_jobs')
}

test('new events wake the webhooks that may read them, each in one queue of its lane', async () => {
  const { id, tenant, tenantId, rename, addWebhook } = await tenantWithWebhooks(world, endpoints)
  const other = await world.organization({ tenant })
  const [all, own, others, slow, failing, disabled] = [
    await addWebhook(),
    await addWebhook({ organization_id: id }),
    await addWebhook({ organization_id: other.id }),
    await addWebhook({ slow_until: new Date(Date.now() + 3_600_000) }),
    await addWebhook({ status: 'failing' }),
    await addWebhook({ status: 'disabled', disabled_because: 'person' }),
  ]
  await forgetJobs()
  await rename()

  const found = await jobs()

  assert.deepEqual([...found.keys()].sort(), [all.id, own.id, slow.id].sort())
  for (const [webhook, task, lane] of [
    [all, 'send_webhook', 'webhooks'],
    [own, 'send_webhook', 'webhooks'],
    [slow, 'send_failing_webhook', 'webhooks-failing'],
  ] as const) {
    const { key, queue, ...job } = found.get(webhook.id) ?? {}
    assert.deepEqual([job.task, key], [task, `webhook:${webhook.id}`])
    assert.equal(queue, `${lane}:${tenantId}:${webhook.id.charCodeAt(webhook.id.length - 1) % 8}`)
  }
  await query('update tenants set organization_webhooks = false where id = $1', [tenantId])
  await forgetJobs()
  await rename()
  assert.deepEqual([...(await jobs()).keys()].sort(), [all.id, slow.id].sort())
  for (const { id: webhook } of [others, failing, disabled]) assert.equal(found.get(webhook), undefined)
})

/** When the run of a webhook is due that waits, as text. */
async function turnOf(webhookId: string): Promise<string | undefined> {
  await outboxIsEmpty(world)
  const [job] = await query<{ at: string }>('select run_at::text as at from graphile_worker.jobs where key = $1', [
    `webhook:${webhookId}`,
  ])
  return job?.at
}

test('a run that waits keeps its turn when more events come, and when a person has it run', async () => {
  const { tenantId, rename, addWebhook } = await tenantWithWebhooks(world, endpoints)
  const webhook = await addWebhook()
  await forgetJobs()
  await rename()
  const turn = await turnOf(webhook.id)

  await rename()
  assert.equal(await turnOf(webhook.id), turn)
  await world.database.inTenant(tenantId, (sql) => queueRun(sql, webhook.id, false))
  await rename()
  assert.equal(await turnOf(webhook.id), turn)
})

test('a run whose turn is in the future, because the clock was set back, is woken', async () => {
  const { tenantId, rename, addWebhook } = await tenantWithWebhooks(world, endpoints)
  const webhook = await addWebhook()
  await forgetJobs()
  await rename()
  const turn = await turnOf(webhook.id)
  assert.equal(await wakeDue(world.database, tenantId), 0, 'its run is due')
  await query(`update graphile_worker._private_jobs set run_at = now() + interval '1 hour' where key = $1`, [
    `webhook:${webhook.id}`,
  ])

  assert.equal(await wakeDue(world.database, tenantId), 1)

  const woken = new Date((await turnOf(webhook.id)) ?? '').getTime()
  assert.ok(woken >= new Date(turn ?? '').getTime() && woken <= Date.now() + 60_000, 'it is due')
})

test('webhooks that have something to send and no run are woken, and no others', async () => {
  const { id, tenant, tenantId, tess, rename, addWebhook } = await tenantWithWebhooks(world, endpoints)
  const other = await world.organization({ tenant })
  await rename()
  const end = (await follow(tess, '/api/admin/events')).at(-1)?.sequence
  const before = { place: end - 1 }
  const set = (next: string) => `now() ${next} interval '1 hour'`
  const aside = async (webhook: string, next: string) =>
    query(
      `insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at, milliseconds, next_at)
       values ($1, $2, 1, 'aud_1', 'organization.updated', 'retrying', 1, now(), 5, ${set(next)})`,
      [tenantId, webhook],
    )
  const due = [
    await addWebhook(before),
    await addWebhook({ ...before, organization_id: id }),
    await addWebhook({ place: end }),
    await addWebhook({ place: end, status: 'failing', next_at: new Date(0) }),
  ]
  const notDue = [
    await addWebhook({ place: end }),
    await addWebhook({ place: end }),
    await addWebhook({ ...before, organization_id: other.id, place: end }),
    await addWebhook({ ...before, status: 'failing', next_at: new Date(Date.now() + 3_600_000) }),
    await addWebhook({ ...before, status: 'disabled', disabled_because: 'gone' }),
  ]
  await aside(due[2]?.id ?? '', '-')
  await aside(notDue[0]?.id ?? '', '+')
  await forgetJobs()

  const count = await runEverywhere(world, 'wake_all_webhooks')

  const found = await jobs()
  assert.deepEqual(
    due.filter((webhook) => !found.has(webhook.id)),
    [],
  )
  assert.deepEqual(
    notDue.filter((webhook) => found.has(webhook.id)),
    [],
  )
  assert.equal(count, found.size)
  assert.equal(await runEverywhere(world, 'wake_all_webhooks'), 0, 'they have runs')
})

test('many webhooks are woken bit by bit, and each runs', async () => {
  const { id, tenantId, tess, rename, addWebhook } = await tenantWithWebhooks(world, endpoints)
  await rename()
  const end = (await follow(tess, '/api/admin/events')).at(-1)?.sequence
  await addWebhook({ place: end })
  await query(
    `insert into webhooks (tenant_id, id, organization_id, name, url, place)
     select $1, 'whk_' || lpad(n::text, 26, '0'), $2, 'Many', 'https://example.com/', $3::bigint - 1 from generate_series(1, 1100) n`,
    [tenantId, id, end],
  )
  await query('update webhooks set types = $2 where tenant_id = $1', [tenantId, ['key.created']])
  await forgetJobs()
  const rows = mock.method(world.database.relay, 'onCommit')
  await world.database.inTenant(tenantId, (sql) => queueWakes(sql))
  const worker = await world.startWorker({ post: postAnywhere })
  try {
    const behind = 'select from webhooks where tenant_id = $1 and place < $2'
    await until(async () => (await query(behind, [tenantId, end])).length === 0, 'all of them to run')
    await queueIsDone(world.postgres)
  } finally {
    await worker.stop()
  }
  assert.ok(rows.mock.callCount() >= 4, 'one row of the outbox for 500 of them')
  rows.mock.restore()
})

test('a test is sent once, signed, and its outcome is kept', async () => {
  const { tenantId, id, addWebhook, sentTo, stateWhen } = await tenantWithWebhooks(world, endpoints)
  const worker = await world.startWorker({ post: postAnywhere })
  try {
    const good = await addWebhook({ organization_id: id })
    const bad = await addWebhook({ status: 'failing', failing_since: new Date() })
    endpoints.manners.set(bad.path, 503)
    for (const webhook of [good, bad]) await world.database.inTenant(tenantId, (sql) => queueTest(sql, webhook.id))

    const outcome = async (webhook: typeof good) =>
      (await stateWhen(webhook.id, (row) => row.last_test !== null, 'the outcome')).last_test as Json
    const { at, milliseconds, ...rest } = await outcome(good)

    assert.ok(Date.parse(at) > 0 && milliseconds >= 0)
    assert.deepEqual(rest, { status: 204, error: null })
    const failed = await outcome(bad)
    assert.deepEqual([failed.status, failed.error], [503, 'status'])
    const [received] = await sentTo(good)
    const { id: eventId, timestamp, tenantId: ten, ...event } = received?.event ?? {}
    assert.deepEqual([received?.headers['webhook-id'], eventId.slice(0, 4)], [eventId, 'aud_'])
    assert.ok(Date.parse(timestamp) > 0 && ten.startsWith('ten_'))
    assert.deepEqual(event, {
      type: 'webhook.test',
      sequence: 0,
      organizationId: id,
      actor: { type: 'system', id: null, via: null },
      details: null,
      data: {},
    })
    await queueIsDone(world.postgres)
    assert.equal((await sentTo(bad)).length, 1)
  } finally {
    await worker.stop()
  }
})
