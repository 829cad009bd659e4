/** What failures and successes make of webhooks. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { feedsOf } from '../../../test/events.ts'
import { until } from '../../../test/smtp.ts'
import { failsForAnHour, postAnywhere, startEndpoints, tenantWithWebhooks } from '../../../test/webhooks.ts'
import { createWorld, type Json, type Person } from '../../../test/world.ts'
import { jobKeysOf } from '../webhooks/schedule.ts'
import type { SentItem } from './deliveries.ts'
import { atOnce } from './delivery.ts'
import { isFailing, judge } from './health.ts'

const world = await createWorld({ settings: { WEBHOOK_CONCURRENCY: '1' } })
const endpoints = await startEndpoints()
const worker = await world.startWorker({ post: postAnywhere })
after(() => worker.stop())
const { query } = world.postgres
const { follow } = feedsOf(world)

async function tenantWithHealth() {
  const acme = await tenantWithWebhooks(world, endpoints)

  /** What the feed has about webhooks, as type and id. */
  async function told(): Promise<Json[]> {
    const events = await follow(acme.tess, '/api/admin/events', { types: 'webhook.*' })
    return events.map(({ type, actor, organizationId, data }) => [type, actor.type, organizationId, data.webhook.id])
  }

  /** A webhook that five events have made failing, each by one request. */
  async function failingWebhook(columns: Readonly<Record<string, unknown>> = {}) {
    const webhook = await acme.addWebhook({ types: ['organization.updated'], ...columns })
    // By itself the first event may come again before the fifth one.
    endpoints.manners.set(webhook.path, failsForAnHour)
    for (let count = 1; count <= 5; count++) {
      await acme.rename()
      await acme.sentTo(webhook, count)
    }
    await statusIs(webhook.id, 'failing')
    endpoints.manners.set(webhook.path, 500)
    return webhook
  }

  const statusIs = (id: string, status: string) =>
    acme.stateWhen(id, (row) => row.status === status, `the webhook to be ${status}`)

  return { ...acme, told, failingWebhook, statusIs }
}

test('five different events in a row make a webhook failing, and a success sets the count to zero', () => {
  const sent = (outcomes: string, isNext = true) =>
    [...outcomes].map((each) => ({ isNext, outcome: { error: each === '-' ? 'status' : null, milliseconds: 5 } }))
  const failures = (before: number, ...parts: ReturnType<typeof sent>[]) =>
    judge(before, parts.flat() as unknown as SentItem[]).failures
  assert.equal(failures(0, sent('----')), 4)
  assert.equal(failures(3, sent('--')), 5)
  assert.equal(failures(4, sent('-+--')), 2)
  assert.equal(failures(4, sent('+')), 0)
  // Those that were set aside may be the ones that had failed.
  assert.equal(failures(3, sent('--', false)), 3)
  assert.equal(failures(3, sent('--', false), sent('-')), 4)
  assert.equal(failures(0, sent('-----', false)), 5)
  const of = (failures: number, isGone = false) => isFailing({ failures, isGone })
  assert.deepEqual([of(4), of(5), of(0, true)], [false, true, true])
})

test('an answer that took more than three seconds makes a webhook slow', () => {
  const slow = (milliseconds: number) =>
    judge(0, [{ isNext: true, outcome: { error: null, milliseconds } }] as unknown as SentItem[]).isSlow
  assert.deepEqual([slow(3_000), slow(3_001)], [false, true])
})

test('a failing webhook keeps its place, and says so to others than itself', async () => {
  const { rename, addWebhook, failingWebhook, sentTo, stateOf, told } = await tenantWithHealth()
  const witness = await addWebhook({ types: ['webhook.*', 'organization.updated'] })
  const webhook = await failingWebhook({ types: [] })
  const before = await stateOf(webhook.id)
  assert.ok(before.failing_since && before.next_at)
  assert.deepEqual(await told(), [['webhook.failing', 'system', null, webhook.id]])
  await rename()

  const received = await sentTo(witness, 7)

  const failing = received.map(({ event }) => event).find(({ type }) => type === 'webhook.failing')
  assert.equal(failing?.data.webhook.id, webhook.id)
  assert.equal(failing?.data.webhook.status, 'failing')
  assert.equal((await stateOf(webhook.id)).place, before.place)
})

test('a failing webhook is tried by one event after another, which counts as no attempt', async () => {
  const { failingWebhook, logOf, makeDue, sentTo, stateWhen } = await tenantWithHealth()
  const webhook = await failingWebhook()
  const before = (await sentTo(webhook, 5)).map(({ event }) => event.id)
  const attempts = (await logOf(webhook)).map((row) => row.attempts)
  const delays: number[] = []
  for (let trials = 1; trials <= 6; trials++) {
    await makeDue(webhook)
    await sentTo(webhook, 5 + trials)
    const state = await stateWhen(webhook.id, (row) => row.trials === trials, `${trials} trials`)
    delays.push((Number(state.next_at) - Date.now()) / 1_000)
  }

  const tried = (await sentTo(webhook)).slice(5).map(({ event }) => event.id)

  assert.deepEqual(tried.slice(0, 5).sort(), before.sort())
  assert.equal(tried[5], tried[0])
  assert.deepEqual(
    (await logOf(webhook)).map((row) => row.attempts),
    attempts,
  )
  const schedule = [300, 1_800, 7_200, 18_000, 36_000, 50_400]
  for (const [index, delay] of delays.entries()) {
    const seconds = schedule[index] ?? 0
    assert.ok(delay > seconds * 0.79 - 60 && delay < seconds * 1.2 + 1, `${delay} after trial ${index + 1}`)
  }
})

test('a webhook that becomes failing is not tried before the time that its answer asked for', async () => {
  const { failingWebhook, stateOf } = await tenantWithHealth()

  const { id } = await failingWebhook()

  const { failing_since: since, next_at: next } = await stateOf(id)
  assert.equal(Number(next) - Number(since), 3_600_000)
})

for (const [what, activate] of Object.entries<
  (tess: Person, path: string, makeTrialDue: () => Promise<void>) => Promise<unknown>
>({
  'somebody makes a failing webhook active': (tess, path) => tess.patch(path, { status: 'active' }),
  'a failing webhook recovers': (_tess, _path, makeTrialDue) => makeTrialDue(),
}))
  test(`after ${what}, there is a run at the time of what was set aside`, async () => {
    const { tess, failingWebhook, run, statusIs } = await tenantWithHealth()
    const webhook = await failingWebhook()
    const [, later] = jobKeysOf(webhook.id)
    await query(`update webhook_deliveries set next_at = now() + interval '1 hour' where webhook_id = $1`, [webhook.id])
    await query('select graphile_worker.remove_job($1)', [later]) // as if the trial had come just now
    endpoints.manners.set(webhook.path, 204)

    await activate(tess, `/api/admin/webhooks/${webhook.id}`, async () => {
      await query('update webhooks set next_at = now() where id = $1', [webhook.id])
      await run(webhook.id)
    })

    await statusIs(webhook.id, 'active')
    await until(async () => {
      const [job] = await query<{ isInAnHour: boolean }>(
        `select run_at > now() + interval '50 minutes' as "isInAnHour" from graphile_worker.jobs where key = $1`,
        [later],
      )
      return job?.isInAnHour
    }, 'the run in an hour')
  })

for (const [what, ask] of Object.entries<(tess: Person, path: string, event: Json) => Promise<{ status: number }>>({
  'sending an event again': (tess, path, { place }) => tess.post(`${path}/retry`, { sequences: [place] }),
  'making it active': (tess, path) => tess.patch(path, { status: 'active' }),
  'another place': (tess, path, { place }) => tess.patch(path, { after: String(place) }),
}))
  test(`a failing webhook that is being tried is tried again at once after ${what}`, async () => {
    const { tess, failingWebhook, logOf, makeDue, sentTo, statusIs } = await tenantWithHealth()
    const webhook = await failingWebhook()
    endpoints.manners.set(webhook.path, 'stall')
    await makeDue(webhook)
    await sentTo(webhook, 6)
    const [oldest] = await logOf(webhook)
    const answer = await ask(tess, `/api/admin/webhooks/${webhook.id}`, oldest ?? {})
    assert.ok(answer.status < 300, `${answer.status}`)

    endpoints.manners.set(webhook.path, 204)
    endpoints.answerWaiting(webhook.path, 500)

    await sentTo(webhook, 7)
    await statusIs(webhook.id, 'active')
  })

test('the first success makes a failing webhook active, and everything is sent', async () => {
  const { rename, failingWebhook, logOf, makeDue, sentTo, statusIs, told } = await tenantWithHealth()
  const webhook = await failingWebhook({ types: [] })
  await rename()
  endpoints.manners.set(webhook.path, 204)
  await makeDue(webhook)

  const state = await statusIs(webhook.id, 'active')
  assert.deepEqual([state.failures, state.trials, state.failing_since, state.next_at], [0, 0, null, null])
  await sentTo(webhook, 7) // five, one that was tried, and the one that came meanwhile
  await makeDue(webhook)
  await until(async () => (await logOf(webhook)).every(({ status }) => status === 'delivered'), 'all to be delivered')

  assert.deepEqual(
    (await told()).map(([type]) => type),
    ['webhook.failing', 'webhook.recovered'],
  )
  const received = await sentTo(webhook, 11)
  assert.deepEqual(new Set(received.map(({ event }) => event.type)), new Set(['organization.updated']))
  assert.equal((await logOf(webhook)).length, 6)
})

test('a webhook that soon fails again is not recorded again', async () => {
  const { rename, failingWebhook, makeDue, sentTo, statusIs, told } = await tenantWithHealth()
  const webhook = await failingWebhook()
  endpoints.manners.set(webhook.path, 204)
  await makeDue(webhook)
  await statusIs(webhook.id, 'active')
  await makeDue(webhook)
  const before = (await sentTo(webhook, 10)).length
  endpoints.manners.set(webhook.path, 500)
  for (let count = 1; count <= 5; count++) {
    await rename()
    await sentTo(webhook, before + count)
  }
  await statusIs(webhook.id, 'failing')
  endpoints.manners.set(webhook.path, 204)
  await makeDue(webhook)
  await statusIs(webhook.id, 'active')

  assert.deepEqual(
    (await told()).map(([type]) => type),
    ['webhook.failing', 'webhook.recovered'],
  )
})

test('a thousand events that are set aside make a webhook failing when another one fails', async () => {
  const { tenantId, rename, addWebhook, stateOf, statusIs } = await tenantWithHealth()
  const webhook = await addWebhook({ types: ['organization.updated'] })
  const { place } = await stateOf(webhook.id)
  await query(
    `insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at, error,
       milliseconds, next_at)
     select $1, $2, n, 'aud_' || n, 'organization.updated', 'retrying', 1, now(), 'timeout', 5, now() + interval '1 hour'
     from generate_series($3::bigint - 998, $3::bigint) n`,
    [tenantId, webhook.id, place],
  )
  endpoints.manners.set(webhook.path, 500)
  await rename()

  assert.equal((await statusIs(webhook.id, 'failing')).failures, 1)
})

test('an answer 410 disables a webhook at once, which is recorded and mailed', async () => {
  const { tess, tenant, rename, addWebhook, sentTo, statusIs, told } = await tenantWithHealth()
  const webhook = await addWebhook({ types: ['organization.updated'] })
  endpoints.manners.set(webhook.path, 410)
  await rename()

  const state = await statusIs(webhook.id, 'disabled')

  assert.equal(state.disabled_because, 'gone')
  assert.deepEqual(await told(), [['webhook.disabled', 'system', null, webhook.id]])
  await until(async () => (await world.mails(tess.email, tenant)).length > 0, 'a mail about it')
  assert.equal((await sentTo(webhook)).length, 1)
})

test('a webhook that fails for five days is disabled, which is recorded and mailed to the owners', async () => {
  const { id, ann, tenant, failingWebhook, makeDue, statusIs, told } = await tenantWithHealth()
  const webhook = await failingWebhook({ organization_id: id })
  const mailed = async () => (await world.mails(ann.email, tenant)).length
  const before = await mailed()
  await query(`update webhooks set failing_since = now() - interval '5 days' where id = $1`, [webhook.id])
  await makeDue(webhook)

  const state = await statusIs(webhook.id, 'disabled')

  assert.deepEqual([state.disabled_because, state.next_at], ['failures', null])
  const failing = ['webhook.failing', 'system', id, webhook.id]
  assert.deepEqual(await told(), [failing, ['webhook.disabled', 'system', id, webhook.id]])
  await until(async () => (await mailed()) > before, 'a mail about it')
})

test('a failing webhook of an organization is tried at once after a pause, and has five days again', async () => {
  const { id, tess, failingWebhook, makeDue, sentTo, stateOf, stateWhen, statusIs, told } = await tenantWithHealth()
  const [webhook, ofTenant] = [await failingWebhook({ organization_id: id }), await failingWebhook()]
  const before = await told()
  const pause = (organizationWebhooks: boolean) => tess.patch('/api/admin/tenant', { organizationWebhooks })
  assert.equal((await pause(false)).status, 200)
  // It has failed soon after a recovery, so that this was not recorded.
  await query(
    `update webhooks set failing_since = now() - interval '5 days', recovered_at = now() - interval '5 days 10 minutes',
       failing_told = true, trials = 7, next_at = now() + interval '1 hour'
     where id = any($1)`,
    [[webhook.id, ofTenant.id]],
  )
  const unchanged = await stateOf(ofTenant.id)

  assert.equal((await pause(true)).status, 200)

  await sentTo(webhook, 6)
  const state = await stateWhen(webhook.id, ({ trials }) => trials === 1, 'the first trial')
  assert.deepEqual([state.status, state.failing_told], ['failing', false])
  assert.ok(Number(state.failing_since) > Date.now() - 86_400_000)
  assert.deepEqual(await stateOf(ofTenant.id), unchanged)
  endpoints.manners.set(webhook.path, 204)
  await makeDue(webhook)
  await statusIs(webhook.id, 'active')
  assert.deepEqual(await told(), before, 'what was not recorded does not end')
})

test('a failing webhook without any event left is active', async () => {
  const { failingWebhook, makeDue, sentTo, statusIs, stateOf } = await tenantWithHealth()
  const webhook = await failingWebhook()
  await query('delete from webhook_deliveries where webhook_id = $1', [webhook.id])
  const { place } = await stateOf(webhook.id)
  await makeDue(webhook)

  const state = await statusIs(webhook.id, 'active')

  assert.ok(Number(state.place) >= Number(place))
  assert.equal((await sentTo(webhook)).length, 5)
})

test('a slow webhook delays no other one', async () => {
  const { rename, addWebhook, sentTo, stateWhen } = await tenantWithHealth()
  const slow = await addWebhook({ slow_until: new Date(Date.now() + 3_600_000), types: ['organization.updated'] })
  endpoints.manners.set(slow.path, 'stall')
  await rename()
  await until(() => endpoints.waiting(slow.path) === 1, 'the slow one to be asked')
  const other = await addWebhook({ types: ['organization.updated'] })
  await rename()

  await sentTo(other)

  assert.equal(endpoints.waiting(slow.path), 1)
  endpoints.manners.set(slow.path, 204)
  endpoints.answerWaiting(slow.path, 204)
  await sentTo(slow, 2)
  await query(`update webhooks set slow_until = now() where id = $1`, [slow.id])
  await rename()
  await sentTo(slow, 3)
  await stateWhen(slow.id, ({ failures }) => failures === 0, 'the run to be over')
})

test('a webhook whose answers take a second waits behind the others of its queue after a few events', async (t) => {
  const { makeEvents, addWebhook } = await tenantWithHealth()
  const place = await makeEvents(30)
  const columns = { place, slow_until: new Date(Date.now() + 3_600_000) } // nothing is handed over
  const queueOf = ({ id }: { id: string }) => id.charCodeAt(id.length - 1) % 8
  const first = await addWebhook(columns)
  endpoints.manners.set(first.path, 'stall')
  await until(() => endpoints.waiting(first.path) === atOnce, 'the first one to be asked')
  let second = await addWebhook(columns)
  while (queueOf(second) !== queueOf(first)) second = await addWebhook(columns)
  await until(async () => {
    const jobs = await query(
      `select from graphile_worker.jobs where key = $1 and task_identifier = 'send_failing_webhook'`,
      [jobKeysOf(second.id)[0]],
    )
    return jobs.length === 1
  }, 'the second one to wait')
  t.after(() => {
    endpoints.manners.set(first.path, 204)
    endpoints.answerWaiting(first.path, 204)
  })
  const { now } = performance
  t.mock.method(performance, 'now', () => now.call(performance) + 1_000)
  endpoints.answerWaiting(first.path, 204)

  const asked = ({ path }: { path: string }) => endpoints.to(path).length
  await until(() => asked(second) > 0 || asked(first) > atOnce, 'the next request')

  assert.ok(asked(second) > 0)
})
