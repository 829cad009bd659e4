/** What a webhook shows of the events that wait for it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedsOf, tenantWithEvents } from '../../../test/events.ts'
import { onStoredWebhooks } from '../../../test/stored-webhooks.ts'
import { createWorld, type Json } from '../../../test/world.ts'

const world = await createWorld()
const { query } = world.postgres
const { follow } = feedsOf(world)

test('a webhook shows since when an event of its types waits, and looks at a thousand events', async () => {
  const { tess, ann, id, path, tenantId } = await tenantWithEvents(world)
  await query('update tenants set organization_webhooks = true where id = $1', [tenantId])
  const { add } = onStoredWebhooks({ postgres: world.postgres, tenantId })
  const events = await follow(tess, '/api/admin/events')
  const own = events.filter(({ organizationId }) => organizationId === id)
  const place = (events[0]?.sequence ?? 0) - 1
  const addOf = async (types: string[], columns: Json = {}) => {
    const webhook = await add({ place, types, status: 'disabled', disabled_because: 'person', ...columns })
    return () =>
      columns.organization_id ? ann.get(`${path}/webhooks/${webhook}`) : tess.get(`/api/admin/webhooks/${webhook}`)
  }
  const [any, family, none, ofOrganization, noneOfOrganization] = [
    await addOf([]),
    await addOf(['member.*']),
    await addOf(['key.created']),
    await addOf(['member.joined'], { organization_id: id }),
    await addOf(['key.created'], { organization_id: id }),
  ]
  const shows = async (webhook: typeof any, sequence: number | null) => {
    const { oldestUnsentAt } = (await webhook()).body
    if (sequence === null) assert.equal(oldestUnsentAt, null)
    else assert.ok(Math.abs(Date.parse(oldestUnsentAt) - sequence / 1_000) <= 1, `${oldestUnsentAt}, not ${sequence}`)
  }
  const firstOf = (list: Json[], isOne: (type: string) => boolean) => list.find(({ type }) => isOne(type))?.sequence
  await shows(any, events[0]?.sequence)
  await shows(
    family,
    firstOf(events, (type) => type.startsWith('member.')),
  )
  await shows(none, null)
  await shows(
    ofOrganization,
    firstOf(own, (type) => type === 'member.joined'),
  )
  await shows(noneOfOrganization, null)

  const last = events.at(-1)?.sequence
  const addEvents = (first: number, through: number) =>
    query(
      `insert into feed (tenant_id, sequence, entry_id, action, organization_id)
       select $1, $2::bigint + n * 1000000, 'aud_' || n, 'user.created', $3 from generate_series($4::int, $5::int) n`,
      [tenantId, last, id, first, through],
    )
  const missing = 1_000 - events.length
  await addEvents(1, missing)
  await shows(none, null)
  await addEvents(missing + 1, missing + events.length + 2)
  await shows(none, last + (missing + 1) * 1_000_000)
  await shows(noneOfOrganization, last + (1_001 - own.length) * 1_000_000)
  await shows(
    family,
    firstOf(events, (type) => type.startsWith('member.')),
  )
})
