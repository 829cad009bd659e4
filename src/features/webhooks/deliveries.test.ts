import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedsOf, tenantWithEvents } from '../../../test/events.ts'
import { requestWebhook } from '../../../test/webhook-requests.ts'
import { codeOf, createWorld, type Json } from '../../../test/world.ts'
import { newId } from '../../platform/http/schemas.ts'

const world = await createWorld({ settings: { LIMITS: 'on' } })
const { query } = world.postgres
const { follow } = feedsOf(world)

type Status = 'delivered' | 'retrying' | 'failed'

/** A webhook with a log, as if it had sent the events of its tenant. */
async function webhookWithLog(statusOf: (index: number) => Status = () => 'delivered') {
  const acme = await tenantWithEvents(world)
  const events = await follow(acme.tess, '/api/admin/events')
  const { webhook } = await requestWebhook(acme.tess, '/api/admin/webhooks')
  const path = `/api/admin/webhooks/${webhook.id}`
  const addToLog = (sequence: number, type: string, status: Status) =>
    query(
      `insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at,
         response_status, error, milliseconds, next_at)
       values ($1, $2, $3, $4, $5, $6, $7, now(), $8, $9, 85, $10)`,
      [
        acme.tenantId,
        webhook.id,
        sequence,
        newId('aud'),
        type,
        status,
        status === 'failed' ? 10 : 1,
        status === 'delivered' ? 204 : 500,
        status === 'delivered' ? null : 'status',
        status === 'retrying' ? '2100-01-01T00:00:00Z' : null,
      ],
    )
  for (const [index, { sequence, type }] of events.entries()) await addToLog(sequence, type, statusOf(index))
  const logged = async (parameters = '') => (await acme.tess.get(`${path}/deliveries${parameters}`)).body.data as Json[]
  const numbers = async (parameters = '') => (await logged(parameters)).map(({ sequence }) => sequence)
  const rowsOf = (condition: string) =>
    query<Json>(
      `select sequence::float8 as sequence, status, attempts, next_at <= now() as is_due from webhook_deliveries
       where webhook_id = $1 and ${condition} order by sequence`,
      [webhook.id],
    )
  return { ...acme, organization: acme.path, events, webhook, path, addToLog, logged, numbers, rowsOf }
}

const sequencesOf = (events: readonly Json[]): number[] => events.map(({ sequence }) => sequence)

test('the log is read newest first, page by page', async () => {
  const { tess, events, path, logged } = await webhookWithLog((index) => (index === 0 ? 'retrying' : 'delivered'))
  const newest = sequencesOf(events).reverse()
  const read: Json[] = []
  let cursor = ''
  do {
    const { data, nextCursor } = (await tess.get(`${path}/deliveries?limit=2${cursor}`)).body
    read.push(...data)
    cursor = nextCursor && `&cursor=${nextCursor}`
  } while (cursor)
  assert.deepEqual(sequencesOf(read), newest)
  const [oldest] = (await logged()).slice(-1)
  assert.ok(oldest)
  const { at: _, ...attempt } = oldest.lastAttempt
  assert.deepEqual(
    [oldest.type, oldest.status, oldest.attempts, attempt, oldest.nextAt],
    [events[0]?.type, 'retrying', 1, { status: 500, error: 'status', milliseconds: 85 }, '2100-01-01T00:00:00.000Z'],
  )
})

test('the log is filtered by status, types and time', async () => {
  const { events, numbers } = await webhookWithLog(
    (index) => (['delivered', 'retrying', 'failed'] as const)[index % 3] ?? 'failed',
  )
  const newest = [...events].reverse()
  for (const [status, rest] of [
    ['delivered', 0],
    ['retrying', 1],
    ['failed', 2],
  ] as const)
    assert.deepEqual(
      await numbers(`?status=${status}`),
      sequencesOf(events.filter((_, index) => index % 3 === rest)).reverse(),
      status,
    )

  const members = newest.filter(({ type }) => type.startsWith('member.'))
  assert.deepEqual(await numbers('?types=member.*'), sequencesOf(members))
  const some = newest.filter(({ type }) => type === 'member.joined' || type === 'organization.created')
  assert.deepEqual(await numbers('?types=member.joined,organization.created'), sequencesOf(some))
  assert.deepEqual(await numbers('?types=member.joined,organization.created&limit=1'), sequencesOf(some.slice(0, 1)))

  const middle = new Date(Math.ceil((events[2]?.sequence ?? 0) / 1_000)).toISOString()
  const isLater = ({ sequence }: Json) => sequence >= Date.parse(middle) * 1_000
  assert.deepEqual(await numbers(`?from=${middle}`), sequencesOf(newest.filter(isLater)))
  assert.deepEqual(await numbers(`?to=${middle}`), sequencesOf(newest.filter((event) => !isLater(event))))
  assert.deepEqual(await numbers(`?from=${middle}&types=member.*`), sequencesOf(members.filter(isLater)))
})

test('`from` counts in and `to` does not, together and to the millisecond', async () => {
  const { tess, path, webhook, addToLog, numbers } = await webhookWithLog()
  await query('delete from webhook_deliveries where webhook_id = $1', [webhook.id])
  const start = Date.parse('2026-03-01T12:00:00Z') * 1_000
  const [before, at, within, next] = [start - 1, start, start + 999, start + 1_000] as const
  for (const sequence of [before, at, within, next]) await addToLog(sequence, 'organization.updated', 'delivered')
  const between = (from: string, to: string) => numbers(`?${new URLSearchParams({ from, to })}`)
  const [moment, later] = ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.001Z']

  assert.deepEqual(await numbers(`?from=${moment}`), [next, within, at])
  assert.deepEqual(await numbers(`?to=${moment}`), [before])
  assert.deepEqual(await between(moment, later), [within, at])
  assert.deepEqual(await between('2026-03-01T13:00:00+01:00', '2026-03-01T07:00:00.001-05:00'), [within, at])
  assert.deepEqual(await between(moment, moment), [])
  assert.deepEqual(await between(later, moment), [])
  assert.deepEqual(await between('1969-12-31T23:59:59Z', '9999-12-31T23:59:59Z'), [next, within, at, before])
  assert.deepEqual(await numbers(`?from=${moment}&to=${later}&types=organization.*&status=delivered`), [within, at])
  const finer = '2026-03-01T12:00:00.000999Z'
  assert.deepEqual([await numbers(`?to=${finer}`), await numbers(`?from=${finer}`)], [[before], [next, within, at]])
  for (const odd of ['2016-12-31T23:59:59Z', '2016-12-31t23:59:59z'])
    assert.deepEqual(await between(odd, later), [within, at, before], odd)
  for (const query of ['from=yesterday', 'to=', 'from=2016-12-31T23:59:60Z', `from=${moment}&from=${later}`])
    assert.deepEqual(codeOf(await tess.get(`${path}/deliveries?${query}`)), [400, 'invalid_request'], query)
})

test('what is set aside is due at the next trial of a failing webhook, and never while nothing is sent', async () => {
  const { tess, ann, id, tenantId, events, organization, webhook, path, logged } = await webhookWithLog((index) =>
    index < 2 ? 'retrying' : 'delivered',
  )
  const [past, trial, future] = ['2020-01-01T00:00:00.000Z', '2050-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z']
  await query(
    `update webhook_deliveries set next_at = $2
     where webhook_id = $1 and sequence = (select min(sequence) from webhook_deliveries where webhook_id = $1)`,
    [webhook.id, past],
  )
  const nextOf = async (log: Promise<Json[]>) => (await log).toReversed().map(({ nextAt }) => nextAt)
  const none = Array((await logged()).length - 2).fill(null)
  assert.deepEqual(await nextOf(logged()), [past, future, ...none])

  await query(`update webhooks set status = 'failing', failing_since = now(), next_at = $2 where id = $1`, [
    webhook.id,
    trial,
  ])
  assert.deepEqual(await nextOf(logged()), [trial, future, ...none])
  const types = `${events[0]?.type},${events[1]?.type}`
  assert.deepEqual(await nextOf(logged(`?status=retrying&types=${types}`)), [trial, future])
  assert.equal((await tess.get(path)).body.nextTrialAt, trial)

  await query('update webhooks set organization_id = $2 where id = $1', [webhook.id, id])
  const inside = `${organization}/webhooks/${webhook.id}`
  const loggedInside = async () => (await ann.get(`${inside}/deliveries`)).body.data as Json[]
  assert.deepEqual(await nextOf(loggedInside()), [null, null, ...none])
  assert.deepEqual((await ann.get(inside)).body.nextTrialAt, null)
  await query('update tenants set organization_webhooks = true where id = $1', [tenantId])
  assert.deepEqual(await nextOf(loggedInside()), [trial, future, ...none])
  assert.deepEqual((await ann.get(inside)).body.nextTrialAt, trial)

  assert.equal((await ann.patch(inside, { status: 'disabled' })).status, 200)
  assert.deepEqual(await nextOf(loggedInside()), [null, null, ...none])
  assert.deepEqual((await ann.get(inside)).body.nextTrialAt, null)
})

test('all that failed is sent again', async () => {
  const { tess, events, path, rowsOf } = await webhookWithLog((index) => (index % 2 ? 'failed' : 'delivered'))
  const failed = sequencesOf(events.filter((_, index) => index % 2))

  const answer = await tess.post(`${path}/retry`, {})

  assert.deepEqual([answer.status, answer.body], [202, { retried: failed.length }])
  assert.deepEqual(
    await rowsOf(`status <> 'delivered'`),
    failed.map((sequence) => ({ sequence, status: 'retrying', attempts: 0, is_due: true })),
  )
  assert.deepEqual((await tess.post(`${path}/retry`, {})).body, { retried: 0 })
})

test('without a body, all that failed is sent again, of the tenant’s webhook and of an organization’s', async () => {
  const { tess, ann, id, tenantId, organization, webhook, path } = await webhookWithLog((index) =>
    index === 0 ? 'failed' : 'delivered',
  )
  const ofTenant = await tess.post(`${path}/retry`)
  assert.deepEqual([ofTenant.status, ofTenant.body], [202, { retried: 1 }])

  await query(`update webhook_deliveries set status = 'failed' where webhook_id = $1 and status = 'retrying'`, [
    webhook.id,
  ])
  await query('update webhooks set organization_id = $2 where id = $1', [webhook.id, id])
  await query('update tenants set organization_webhooks = true where id = $1', [tenantId])
  const ofOrganization = await ann.post(`${organization}/webhooks/${webhook.id}/retry`)
  assert.deepEqual([ofOrganization.status, ofOrganization.body], [202, { retried: 1 }])
})

test('of the events that a body names those of the log are sent again, whatever became of them, if the feed still has them', async () => {
  const { tess, events, path, addToLog, rowsOf } = await webhookWithLog(
    (index) => (['delivered', 'retrying', 'failed'] as const)[index] ?? 'delivered',
  )
  const chosen = sequencesOf(events.slice(0, 3))
  await addToLog(1, 'user.created', 'failed')

  const answer = await tess.post(`${path}/retry`, { sequences: [...chosen, 1, 2] })

  assert.deepEqual([answer.status, answer.body], [202, { retried: 3 }])
  assert.deepEqual(
    await rowsOf(`status = 'retrying'`),
    chosen.map((sequence) => ({ sequence, status: 'retrying', attempts: 0, is_due: true })),
  )
  assert.deepEqual(await rowsOf('sequence = 1'), [{ sequence: 1, status: 'failed', attempts: 10, is_due: null }])
})

test('at most 500 of those that failed are sent again at once, the oldest first', async () => {
  const { tess, tenantId, webhook, events, path, rowsOf } = await webhookWithLog()
  const first = events.at(-1)?.sequence + 1
  await query(
    `insert into feed (tenant_id, sequence, entry_id, action) select $1, $2::bigint + n, 'aud_' || n, 'user.created' from generate_series(0, 501) n`,
    [tenantId, first],
  )
  await query(
    `insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at, milliseconds)
     select $1, $2, $3::bigint + n, 'aud_' || n, 'user.created', 'failed', 10, now(), 1 from generate_series(0, 501) n`,
    [tenantId, webhook.id, first],
  )
  assert.deepEqual((await tess.post(`${path}/retry`, {})).body, { retried: 500 })
  assert.deepEqual(
    (await rowsOf(`status = 'failed'`)).map(({ sequence }) => sequence),
    [first + 500, first + 501],
  )
})

test('a disabled webhook is neither tested nor does it send again', async () => {
  const { tess, path } = await webhookWithLog(() => 'failed')
  await tess.patch(path, { status: 'disabled' })
  assert.deepEqual(codeOf(await tess.post(`${path}/test`)), [409, 'webhook_disabled'])
  assert.deepEqual(codeOf(await tess.post(`${path}/retry`, {})), [409, 'webhook_disabled'])
})

test('a webhook is tested ten times a minute', async () => {
  const { tess, path } = await webhookWithLog()
  const { webhook: other } = await requestWebhook(tess, '/api/admin/webhooks')
  const first = await tess.post(`${path}/test`)
  assert.match(first.headers.get('ratelimit-policy') ?? '', /"webhook-test";q=10;w=60/)
  await query(`update rates set expire = expire + 50 * 1000`) // so that the next requests are of the same minute
  const answers: (number | string)[][] = []
  for (let count = 0; count < 10; count++) answers.push(codeOf(await tess.post(`${path}/test`)))
  assert.deepEqual(answers, [...Array(9).fill([202]), [429, 'rate_limited']])
  const { status, body } = await tess.post(`/api/admin/webhooks/${other.id}/test`)
  assert.deepEqual([status, body.id], [202, other.id])
})
