/** What webhooks send, and what is kept of it. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { feedsOf } from '../../../test/events.ts'
import { until } from '../../../test/smtp.ts'
import {
  failsForAnHour,
  postAnywhere,
  type Received,
  startEndpoints,
  tenantWithWebhooks,
} from '../../../test/webhooks.ts'
import { createWorld, type Json, password } from '../../../test/world.ts'
import { version } from '../../platform/version.ts'
import { addWebhookSecret, newWebhookSecret } from '../webhooks/secrets.ts'

/** A slow webhook, whose runs wait for their answers for as long as those take. */
const slow = { slow_until: new Date(Date.now() + 3_600_000) }

const world = await createWorld()
const endpoints = await startEndpoints()
const worker = await world.startWorker({ post: postAnywhere })
after(() => worker.stop())
const { query } = world.postgres
const { follow } = feedsOf(world)

const libraries = { standardwebhooks: StandardWebhook, svix: SvixWebhook }

/** The libraries by which a secret verifies what was received. */
function verifiersOf(secret: string, { headers, text }: Received): string[] {
  return Object.entries(libraries).flatMap(([name, Library]) => {
    try {
      new Library(secret).verify(text, headers as Record<string, string>) // none of them is sent twice
      return [name]
    } catch {
      return []
    }
  })
}

test('an event is posted as the feed shows it, signed', async () => {
  const { tess, rename, addWebhook, logOf, sentTo, stateWhen } = await tenantWithWebhooks(world, endpoints)
  const webhook = await addWebhook()
  await rename('Renamed')

  const [received] = await sentTo(webhook)

  const event = (await follow(tess, '/api/admin/events', { types: 'organization.updated' })).at(-1)
  assert.ok(received)
  assert.deepEqual(received.event, event)
  const { headers } = received
  assert.equal(headers['content-type'], 'application/json')
  assert.equal(headers['user-agent'], `Guildhall/${version}`)
  assert.equal(headers['webhook-id'], event?.id)
  assert.ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000) < 3_600)
  assert.deepEqual(verifiersOf(webhook.secret, received), Object.keys(libraries))
  assert.deepEqual(verifiersOf(newWebhookSecret(), received), [])
  assert.deepEqual(verifiersOf(webhook.secret, { ...received, text: `${received.text} ` }), [])
  await stateWhen(webhook.id, ({ place }) => Number(place) >= event?.sequence, 'the place to move')
  const [row] = await until(async () => {
    const rows = await logOf(webhook)
    return rows[0]?.response_status ? rows : undefined
  }, 'the answer to be logged')
  assert.deepEqual(
    [row?.entry_id, row?.action, row?.status, row?.attempts, row?.response_status, row?.error, row?.next_at],
    [event?.id, 'organization.updated', 'delivered', 1, 204, null, null],
  )
})

test('both secrets sign after a rotation', async () => {
  const { tenantId, rename, addWebhook, sentTo } = await tenantWithWebhooks(world, endpoints)
  const webhook = await addWebhook()
  const second = newWebhookSecret()
  await world.database.inTenant(tenantId, (sql) => addWebhookSecret(sql, world.keyring, webhook.id, second, 3_600))
  await rename('Renamed')

  const [received] = await sentTo(webhook)

  assert.ok(received)
  for (const secret of [webhook.secret, second]) assert.deepEqual(verifiersOf(secret, received), Object.keys(libraries))
  assert.deepEqual(verifiersOf(newWebhookSecret(), received), [])
  assert.equal(`${received.headers['webhook-signature']}`.split(' ').length, 2)
})

test('after somebody has deleted their account, webhooks learn whose it was by the id alone', async () => {
  const { id, ben, addWebhook, sentTo } = await tenantWithWebhooks(world, endpoints)
  assert.equal((await ben.patch('/api/users/me', { name: 'Benedict' })).status, 200)
  const types = ['user.deleted', 'member.left']
  const [ofTenant, ofOrganization] = [await addWebhook({ types }), await addWebhook({ types, organization_id: id })]
  assert.equal((await ben.delete('/api/users/me', { password })).status, 200)

  const received = [...(await sentTo(ofTenant, 2)), ...(await sentTo(ofOrganization))]

  const told = received.map(({ event: { type, data } }) => JSON.stringify({ type, data })).sort()
  const left = JSON.stringify({ type: 'member.left', data: { member: { id: null, userId: ben.id } } })
  const deleted = JSON.stringify({ type: 'user.deleted', data: { user: { id: ben.id } } })
  assert.deepEqual(told, [left, left, deleted])
  for (const { event, text } of received) {
    assert.deepEqual([event.actor.type, event.details], ['deleted_user', null])
    for (const trace of [ben.email, 'Benedict']) assert.ok(!text.includes(trace), `${event.type} has ${trace}`)
  }
})

test('a webhook gets the types that it wants, and that of an organization nothing of others', async () => {
  const { id, ann, tess, path, members, rename, addWebhook, sentTo, tenant } = await tenantWithWebhooks(
    world,
    endpoints,
  )
  const other = await world.organization({ tenant })
  await follow(tess, '/api/admin/events')
  const all = await addWebhook()
  const some = await addWebhook({ types: ['member.*'] })
  const own = await addWebhook({ organization_id: id })
  const others = await addWebhook({ organization_id: other.id })
  await rename('Renamed')
  await ann.patch(`${path}/members/${members.cleo.id}`, { role: 'admin' })
  await other.ann.patch(other.path, { name: 'Another' })

  const typesOf = async (endpoint: typeof all, count: number) =>
    (await sentTo(endpoint, count)).map(({ event }) => [event.type, event.organizationId]).sort()
  const mine = [
    ['member.role_changed', id],
    ['organization.updated', id],
  ]
  const theirs = ['organization.updated', other.id]
  assert.deepEqual(await typesOf(all, 3), [...mine, theirs].sort())
  assert.deepEqual(await typesOf(some, 1), [['member.role_changed', id]])
  assert.deepEqual(await typesOf(own, 2), mine)
  assert.deepEqual(await typesOf(others, 1), [theirs])
})

test('many events arrive once each, over several runs', async () => {
  const { makeEvents, addWebhook, sentTo, stateWhen } = await tenantWithWebhooks(world, endpoints)
  const place = await makeEvents(130)
  const webhook = await addWebhook({ place })

  const received = await sentTo(webhook, 130)

  await stateWhen(webhook.id, (row) => Number(row.place) === place + 130, 'the place to be at the end')
  assert.equal(received.length, 130)
  assert.equal(new Set(received.map(({ event }) => event.sequence)).size, 130)
})

test('a failed event is set aside, sent again after growing times, and then given up', async () => {
  const { rename, addWebhook, logOf, makeDue, sentTo, stateWhen } = await tenantWithWebhooks(world, endpoints)
  const webhook = await addWebhook()
  endpoints.manners.set(webhook.path, 500)
  await rename('Renamed')
  await rename('Again')
  await sentTo(webhook, 2)
  const schedule = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
  const seen = new Set<number>()
  for (let round = 1; round <= 10; round++) {
    // The second attempts may have come by themselves.
    const rows = await until(async () => {
      const rows = await logOf(webhook)
      const isSent = (row: Json) => row.attempts >= round && !(row.next_at && row.next_at <= Date.now())
      return rows.length === 2 && rows.every(isSent) ? rows : undefined
    }, `${round} attempts of each`)
    for (const { attempts, attempted_at: attemptedAt, error, next_at: nextAt, response_status, status } of rows) {
      assert.deepEqual([response_status, error, status], [500, 'status', attempts < 10 ? 'retrying' : 'failed'])
      const [delay, seconds = 0] = [(nextAt - attemptedAt) / 1_000, schedule[attempts - 1]]
      if (attempts < 10) assert.ok(delay > seconds * 0.79 && delay < seconds * 1.2 + 60, `${delay} after ${attempts}`)
      seen.add(attempts)
    }
    if (round < 10) await makeDue(webhook)
  }
  for (let attempts = 3; attempts <= 10; attempts++) assert.ok(seen.has(attempts), `${attempts}`)
  const state = await stateWhen(webhook.id, ({ failures }) => Number(failures) >= 2, 'the failures')
  assert.deepEqual([state.status, state.failures], ['active', 2])
})

test('an event that was set aside is delivered in a later attempt', async () => {
  const { rename, addWebhook, logOf, makeDue, sentTo } = await tenantWithWebhooks(world, endpoints)
  const webhook = await addWebhook()
  endpoints.manners.set(webhook.path, 302)
  await rename('Renamed')
  const [first] = await sentTo(webhook)
  await until(async () => (await logOf(webhook))[0]?.error === 'redirect', 'the failure to be logged')
  endpoints.manners.set(webhook.path, 200)
  await makeDue(webhook)

  const [, second] = await sentTo(webhook, 2)

  assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id'])
  const [row] = await until(async () => {
    const rows = await logOf(webhook)
    return rows[0]?.status === 'delivered' ? rows : undefined
  }, 'the delivery to be logged')
  const attempts = endpoints.to(webhook.path).length // the second one may have come by itself, and failed
  assert.deepEqual([row?.attempts, row?.response_status, row?.next_at], [attempts, 200, null])
})

test('an event that was set aside and that age has removed from the feed is missed', async () => {
  const { tenantId, rename, addWebhook, logOf, makeDue, stateOf, sentTo } = await tenantWithWebhooks(world, endpoints)
  const webhook = await addWebhook()
  endpoints.manners.set(webhook.path, 500)
  await rename('Renamed')
  await sentTo(webhook)
  const [row] = await until(async () => {
    const rows = await logOf(webhook)
    return rows[0]?.error === 'status' ? rows : undefined
  }, 'the failure to be logged')
  // As retention removes it, whose next step would delete the log.
  await query('delete from feed where tenant_id = $1 and sequence <= $2', [tenantId, row?.sequence])
  await query('update feeds set trimmed = $2 where tenant_id = $1', [tenantId, row?.sequence])
  await makeDue(webhook)

  await until(async () => (await logOf(webhook)).length === 0, 'it to be gone')

  const { missed_until: missedUntil, missed_told: isTold } = await stateOf(webhook.id)
  assert.equal(Number(missedUntil), Math.round(Number(row?.sequence) / 1_000))
  assert.equal(isTold, false)
})

test('an answer may ask for a longer time, up to a day', async () => {
  const { rename, addWebhook, logOf, sentTo } = await tenantWithWebhooks(world, endpoints)
  for (const [asked, seconds] of [
    ['120', 120],
    [new Date(Date.now() + 7_200_000).toUTCString(), 7_200],
    ['9999999', 86_400],
    ['soon', 5],
    ['1', 5],
  ] as const) {
    const webhook = await addWebhook({ types: ['organization.updated'] })
    endpoints.manners.set(webhook.path, { status: 429, headers: { 'retry-after': asked } })
    await rename(`Renamed ${asked}`)
    await sentTo(webhook)
    const [row] = await until(async () => {
      const rows = await logOf(webhook)
      return rows[0]?.error === 'status' ? rows : undefined
    }, 'the failure to be logged')
    const delay = (row?.next_at - row?.attempted_at) / 1_000
    const expected = seconds === 5 && row?.attempts === 2 ? 300 : seconds // the second attempt may have come by itself
    assert.ok(delay > expected * 0.79 - 2 && delay < expected * 1.2 + 60, `${delay} for ${asked}`)
  }
})

test('what a person changes during a run holds: what was sent is kept in the log, and the place is theirs', async () => {
  const { rename, addWebhook, logOf, sentTo, stateOf, stateWhen } = await tenantWithWebhooks(world, endpoints)
  const webhook = await addWebhook(slow)
  const { place } = await stateOf(webhook.id)
  endpoints.manners.set(webhook.path, 'stall')
  await rename('Renamed')
  await sentTo(webhook)
  await query('update webhooks set place = $2, moves = moves + 1 where id = $1', [webhook.id, Number(place) - 1])
  endpoints.manners.set(webhook.path, 204)
  endpoints.answerWaiting(webhook.path, 204)

  await until(
    () => endpoints.to(webhook.path).filter(({ event }) => event.type === 'organization.updated').length >= 2,
    'the event to be sent again',
  )
  await stateWhen(webhook.id, (row) => Number(row.place) > Number(place), 'the place to move again')
  assert.equal((await logOf(webhook)).at(-1)?.status, 'delivered')
})

for (const [what, manner] of [
  ['fails', failsForAnHour],
  ['is handed over', 'stall'],
] as const)
  test(`an event that ${what} when it is sent again is tried again, also if the clock was ahead the first time`, async (t) => {
    const { tess, rename, addWebhook, logOf, sentTo, stateOf, stateWhen } = await tenantWithWebhooks(world, endpoints)
    const webhook = await addWebhook({ types: ['organization.updated'] })
    const { place } = await stateOf(webhook.id)
    await rename('Renamed')
    await sentTo(webhook)
    const moved = () => stateWhen(webhook.id, (row) => Number(row.place) > Number(place), 'the place to move')
    await moved()
    await query(`update webhook_deliveries set attempted_at = now() + interval '1 hour' where webhook_id = $1`, [
      webhook.id,
    ])
    endpoints.manners.set(webhook.path, manner)
    t.after(() => endpoints.answerWaiting(webhook.path, 204))

    assert.equal((await tess.patch(`/api/admin/webhooks/${webhook.id}`, { after: String(place) })).status, 200)

    await sentTo(webhook, 2)
    await moved()
    const [row] = await logOf(webhook)
    assert.deepEqual([row?.status, row?.attempts, row?.next_at !== null], ['retrying', 1, true])
  })

test('what fails in a run is not set aside if a person has moved the place before it meanwhile', async () => {
  const { rename, addWebhook, logOf, sentTo, stateOf, stateWhen } = await tenantWithWebhooks(world, endpoints)
  const webhook = await addWebhook(slow)
  const { place } = await stateOf(webhook.id)
  endpoints.manners.set(webhook.path, 'stall')
  await rename('Renamed')
  await sentTo(webhook)
  await query('update webhooks set place = $2, types = $3, moves = moves + 1 where id = $1', [
    webhook.id,
    Number(place) - 1,
    ['key.created'],
  ])
  endpoints.answerWaiting(webhook.path, 500)

  await stateWhen(webhook.id, (row) => Number(row.place) > Number(place), 'the place to move again')
  assert.deepEqual(await logOf(webhook), [])
})

for (const [when, isUnderWay] of [
  ['while it waits', false],
  ['during an attempt', true],
] as const)
  test(`what has failed is not sent again if its type is taken away ${when}`, async () => {
    const { tess, ann, path, members, rename, addWebhook, logOf, makeDue, sentTo } = await tenantWithWebhooks(
      world,
      endpoints,
    )
    const webhook = await addWebhook({ types: ['organization.updated'] })
    // By itself it would come after four seconds, perhaps before its type is taken away.
    endpoints.manners.set(webhook.path, failsForAnHour)
    await rename()
    await until(async () => (await logOf(webhook))[0]?.error === 'status', 'the failure to be logged')
    if (isUnderWay) {
      endpoints.manners.set(webhook.path, 'stall')
      await makeDue(webhook)
      await sentTo(webhook, 2)
    }

    const types = ['member.role_changed']
    assert.equal((await tess.patch(`/api/admin/webhooks/${webhook.id}`, { types })).status, 200)
    endpoints.manners.set(webhook.path, 204)
    endpoints.answerWaiting(webhook.path, 500)
    await makeDue(webhook)
    assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { role: 'admin' })).status, 200)

    const rows = await until(async () => {
      const log = await logOf(webhook)
      return log.some(({ status }) => status === 'delivered') ? log : undefined
    }, 'a delivery')
    assert.deepEqual(
      rows.map(({ action }) => action),
      types,
    )
    const before = isUnderWay ? 2 : 1
    assert.deepEqual(
      endpoints.to(webhook.path).map(({ event }) => event.type),
      [...Array(before).fill('organization.updated'), ...types],
    )
  })

test('what a person has sent again during an attempt gets all its attempts', async () => {
  const { tess, rename, addWebhook, logOf, makeDue, sentTo } = await tenantWithWebhooks(world, endpoints)
  for (const attempts of [3, 9]) {
    const webhook = await addWebhook({ types: ['organization.updated'] })
    const rowWith = (count: number) =>
      until(
        async () => (await logOf(webhook)).find((row) => row.attempts === count && row.error === 'status'),
        `${count} attempts`,
      )
    endpoints.manners.set(webhook.path, failsForAnHour)
    await rename(`Renamed ${attempts}`)
    const { place: sequence } = await rowWith(1)
    await query('update webhook_deliveries set attempts = $2 where webhook_id = $1', [webhook.id, attempts])
    endpoints.manners.set(webhook.path, 'stall')
    await makeDue(webhook)
    await sentTo(webhook, 2)

    const { body } = await tess.post(`/api/admin/webhooks/${webhook.id}/retry`, { sequences: [sequence] })
    assert.deepEqual(body, { retried: 1 })
    endpoints.manners.set(webhook.path, 500)
    endpoints.answerWaiting(webhook.path, 500)

    await sentTo(webhook, 3)
    assert.equal((await rowWith(1)).status, 'retrying')
  }
})

test('a webhook that is disabled during a run sends no more', async () => {
  const { rename, addWebhook, logOf, sentTo, stateOf } = await tenantWithWebhooks(world, endpoints)
  const webhook = await addWebhook(slow)
  const { place } = await stateOf(webhook.id)
  endpoints.manners.set(webhook.path, 'stall')
  await rename('Renamed')
  await sentTo(webhook)
  await query(`update webhooks set status = 'disabled', disabled_because = 'person', moves = moves + 1 where id = $1`, [
    webhook.id,
  ])
  endpoints.answerWaiting(webhook.path, 204)
  await until(async () => (await logOf(webhook)).length === 1, 'the delivery to be logged')
  await rename('Again')
  const witness = await addWebhook({ types: ['organization.updated'] })
  await rename('And again')
  await sentTo(witness)

  assert.equal(endpoints.to(webhook.path).length, 1)
  assert.equal((await stateOf(webhook.id)).place, place)
})

test('without a secret that opens, nothing is sent, and nothing is lost', async () => {
  const { rename, addWebhook, run, sentTo } = await tenantWithWebhooks(world, endpoints)
  const webhook = await addWebhook()
  const [sealed] = await query('select secret from webhook_secrets where webhook_id = $1', [webhook.id])
  await query(`update webhook_secrets set secret = 'none' where webhook_id = $1`, [webhook.id])
  const witness = await addWebhook()
  await rename('Renamed')
  await sentTo(witness)
  await query('update webhook_secrets set secret = $2 where webhook_id = $1', [webhook.id, sealed?.secret])
  assert.equal(endpoints.to(webhook.path).length, 0)
  await run(webhook.id)

  const [received] = await sentTo(webhook)

  assert.equal(received?.event.type, 'organization.updated')
})
