/** The write side of the feed: each entry of the audit log gets one place in it, in order, and goes from it with its age or its subject. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { stopInHour } from '../../../test/earlier.ts'
import { hold, holdRelay } from '../../../test/holding.ts'
import { finishJobs, outboxIsEmpty } from '../../../test/queue.ts'
import { until } from '../../../test/smtp.ts'
import { openPatient } from '../../../test/timeout.ts'
import { createWorld, type Person, password } from '../../../test/world.ts'
import { Relay } from '../../platform/jobs/relay.ts'
import { runRetention } from '../../tasks.ts'
import { selectWakes } from '../webhooks/schedule.ts'
import { purgeEvents } from './feed-erasure.ts'
import { openTombstone, purgeTombstones } from './tombstones.ts'

const world = await createWorld({ processes: 3 })
const { query } = world.postgres

interface Placed {
  readonly sequence: string
  readonly id: string
  readonly action: string
  readonly tombstone: string | null
}

/** The events of an organization, or with an action, in the order of the feed. */
const feedOf = (what: string) =>
  query<Placed>(
    `select sequence, entry_id as id, action, tombstone from feed where $1 in (organization_id, action) order by sequence`,
    [what],
  )
const actionsOf = (events: readonly Placed[]) => events.map(({ action }) => action)

/** Moves the feed of the tenant into the past, as the clock would. */
const age = (days: number) =>
  query('update feed set sequence = sequence - $1 * 86400 * 1000000::bigint where tenant_id = $2', [
    days,
    world.tenantId,
  ])
const purge = (what: typeof purgeEvents, batch = 1_000) =>
  world.database.inTenant(world.tenantId, (sql) => what(sql, batch))
/** Sets the retention of events, and of the audit log, in days. */
const retain = (events: number, log = 400) =>
  query('update tenants set event_retention_seconds = $1, audit_retention_seconds = $2 where id = $3', [
    events * 86_400,
    log * 86_400,
    world.tenantId,
  ])
const trimmed = async () =>
  Number(
    (await query<{ trimmed: string }>('select trimmed from feeds where tenant_id = $1', [world.tenantId]))[0]?.trimmed,
  )

test('each entry of an organization’s log is one event, in the order of the changes', async () => {
  const { ann, ben, id, path, members } = await world.organization()
  for (let round = 0; round < 10; round++) {
    const changes = [ann, ben].map((person, index) => person.patch(path, { name: `Acme ${round} ${index}` }))
    for (const { status } of await Promise.all(changes)) assert.equal(status, 200)
  }
  await ann.patch(`${path}/members/${members.cleo.id}`, { role: 'admin' })
  await ann.delete(`${path}/members/${members.cleo.id}`)
  await outboxIsEmpty(world)

  const events = await feedOf(id)
  const entries = await query<{ id: string; from: string; to: string }>(
    `select e.id, coalesce(e.details, d.details) #>> '{name,from}' as from, coalesce(e.details, d.details) #>> '{name,to}' as to
     from audit_entries e left join audit_details d on d.tenant_id = e.tenant_id and d.entry_id = e.id and d.details is not null where e.organization_id = $1`,
    [id],
  )
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length)
  assert.deepEqual(events.map(({ id }) => id).sort(), entries.map(({ id }) => id).sort())
  assert.equal(events[0]?.action, 'organization.created')
  assert.equal(events.at(-1)?.action, 'member.removed')
  // Each change of the name begins where the one before has ended.
  const names = events.flatMap((event) => entries.filter(({ id, to }) => id === event.id && to !== null))
  assert.equal(names.length, 20)
  for (const [index, { from }] of names.entries()) if (index > 0) assert.equal(from, names[index - 1]?.to)
})

test('sequences follow the clock, and never go back behind the last one', async () => {
  const { ann, id, path } = await world.organization()
  await outboxIsEmpty(world)
  const [before] = await query<{ now: string }>('select extract(epoch from now()) * 1000000 as now')
  await ann.patch(path, { name: 'Now' })
  await outboxIsEmpty(world)
  const now = Number((await feedOf(id)).at(-1)?.sequence)
  assert.ok(now > Number(before?.now) && now < Number(before?.now) + 3600 * 1_000_000)

  // As if the clock of the server had been an hour ahead, and were set back.
  const ahead = now + 3600 * 1_000_000
  await query('update feeds set head = $1 where tenant_id = $2', [ahead, world.tenantId])
  await ann.patch(path, { name: 'Later' })
  await outboxIsEmpty(world)
  assert.equal(Number((await feedOf(id)).at(-1)?.sequence), ahead + 1)
  await query('update feeds set head = $1 where tenant_id = $2', [now, world.tenantId])
  await query('delete from feed where sequence > $1', [now])
})

test('what is recorded once is one event, and a change that is rolled back is none', async (t) => {
  const ann = await world.person()
  await outboxIsEmpty(world)
  const before = (await feedOf('session.refused')).length
  stopInHour(t) // it is recorded once an hour
  for (let round = 0; round < 3; round++) {
    await world.nobody.post('/api/auth/sign-in', { email: ann.email, password: 'wrong' })
    await finishJobs(world)
  }
  t.mock.timers.reset()
  assert.equal((await ann.patch('/api/users/me', { email: 'taken', currentPassword: password })).status, 400)
  const { ben, path, members } = await world.organization()
  assert.equal((await ben.patch(`${path}/members/${members.ann.id}`, { role: 'member' })).status, 403)
  await outboxIsEmpty(world)

  assert.equal((await feedOf('session.refused')).length, before + 1)
  const strays = await query(
    'select from feed f left join audit_entries e on e.tenant_id = f.tenant_id and e.id = f.entry_id where e.id is null',
  )
  assert.equal(strays.length, 0)
})

test('a locked row is waited for: no later event of its tenant overtakes it', async (t) => {
  const { ann, id, path } = await world.organization()
  await outboxIsEmpty(world)
  const release = await world.database.inTenant(world.tenantId, async (sql) => {
    await sql`select from feeds where tenant_id = ${sql.tenant} for update` // else a relay may take the row before it is locked
    await ann.patch(path, { name: 'First' })
    return hold(t, world.postgres, 'select from outbox where tenant_id = $1 and organization_id = $2 for update', [
      world.tenantId,
      id,
    ])
  })
  await ann.patch(path, { name: 'Second' })
  const drained = world.database.relay.drain(world.tenantId)
  await world.postgres.awaitLine(1)
  await drained
  assert.ok(!actionsOf(await feedOf(id)).includes('organization.updated'))
  await release()
  await outboxIsEmpty(world)

  const names = await query<{ name: string }>(
    `select d.details #>> '{name,to}' as name from feed f join audit_details d on d.tenant_id = f.tenant_id and d.entry_id = f.entry_id
     where f.organization_id = $1 and f.action = 'organization.updated' order by f.sequence`,
    [id],
  )
  assert.deepEqual(
    names.map(({ name }) => name),
    ['First', 'Second'],
  )
})

test('an event is relayed within ten seconds, and at once with a job, or if the tenant has webhooks', async (t) => {
  const database = openPatient(world.postgres.url)
  const relay = new Relay(database, assert.fail, selectWakes)
  t.after(async () => {
    await relay.stop()
    await database.close()
  })
  const { id } = await world.tenant()
  await outboxIsEmpty(world) // so that no other relay has the tenant
  const relayed = t.mock.method(database, 'inTenant')
  /** Drains the outbox, which gives up after a second, and waits for batches that then go on: the next one begins after them. */
  const drain = async () => {
    await database.relay.drain(id)
    for (let known = -1; known < relayed.mock.callCount(); ) {
      known = relayed.mock.callCount()
      await Promise.allSettled(relayed.mock.calls.map(({ result }) => result))
      await setImmediate()
    }
  }
  const batches = async (hear: () => void) => {
    const before = relayed.mock.callCount()
    hear()
    const begun = relayed.mock.callCount() - before
    await drain()
    return begun
  }
  const hear = (what: 'events' | 'jobs') => () => database.relay.onCommit(id, what)

  assert.equal(await batches(hear('jobs')), 1)
  const later = () => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    hear('events')()
    t.mock.timers.tick(10_000)
    t.mock.timers.reset()
  }
  assert.equal(await batches(later), 1)
  assert.equal(await batches(hear('events')), 0)

  await query('update tenants set has_webhooks = true where id = $1', [id])
  await drain()
  assert.equal(await batches(hear('events')), 1)
  await query('update tenants set has_webhooks = false where id = $1', [id])
  await drain()
  assert.equal(await batches(hear('events')), 0)
})

test('who drains the outbox finds what another process has committed, and does not wait for a lock that stays', async (t) => {
  const reader = openPatient(world.postgres.url)
  const relay = new Relay(reader, assert.fail, selectWakes)
  t.after(async () => {
    await relay.stop()
    await reader.close()
  })
  const { ann, id, path } = await world.organization()
  for (const name of ['One', 'Two', 'Three']) {
    await ann.patch(path, { name })
    await until(async () => {
      await reader.relay.drain(world.tenantId)
      return (await query('select from outbox where organization_id = $1', [id])).length === 0
    }, 'the event to have a place')
  }
  assert.equal(actionsOf(await feedOf(id)).filter((action) => action === 'organization.updated').length, 3)

  const release = await holdRelay(t, world)
  await ann.patch(path, { name: 'Four' })
  await reader.relay.drain(world.tenantId)
  await release()
})

test('events go when they are older than the tenant’s retention, or that of its audit log, and the feed says up to where', async (t) => {
  const { ann, id, path } = await world.organization()
  await outboxIsEmpty(world)
  t.after(() => retain(30))
  await purge(purgeEvents)
  await age(20)
  await ann.patch(path, { name: 'Newer' })
  await outboxIsEmpty(world)
  const before = await trimmed()
  const kept = await feedOf(id)
  await purge(purgeEvents)
  assert.deepEqual([await feedOf(id), await trimmed()], [kept, before])

  await retain(10)
  assert.equal((await purge(purgeEvents, 1)).length, 1)
  const [oldest] = await query<{ sequence: string }>(
    'select min(sequence) as sequence from feed where tenant_id = $1',
    [world.tenantId],
  )
  assert.ok((await trimmed()) > before && (await trimmed()) < Number(oldest?.sequence))
  await purge(purgeEvents)
  assert.deepEqual(await feedOf(id), kept.slice(-1))
  const last = Number(kept.at(-2)?.sequence)
  assert.ok((await trimmed()) >= last && (await trimmed()) < Number(kept.at(-1)?.sequence))

  await age(2)
  await retain(10, 1)
  await runRetention(world.database)
  assert.deepEqual(await feedOf(id), [])
})

test('an event goes before its entry, also if it came into the feed hours after it', async (t) => {
  t.after(() => retain(30))
  await retain(10, 10)
  const { ann, id, path } = await world.organization()
  await outboxIsEmpty(world)
  // The entries end in an hour, and the events would go in two.
  const hours = 3600 * 1_000_000
  await query('update feed set sequence = sequence - $1::bigint where organization_id = $2', [236 * hours, id])
  await query(`update audit_entries set occurred_at = now() - interval '239 hours' where organization_id = $1`, [id])
  await ann.patch(path, { name: 'Newer' })
  await outboxIsEmpty(world)

  await purge(purgeEvents)

  assert.deepEqual(actionsOf(await feedOf(id)), ['organization.updated'])
})

test('a tombstone names a person who was erased, to its own event alone, and is gone after 30 days', async (t) => {
  t.after(() => retain(30))
  await retain(60)
  const { ben, id, members, path } = await world.organization()
  const erase = (person: Person) => person.delete('/api/users/me', { password })
  assert.equal((await ben.delete(`${path}/members/${members.cleo.id}`)).status, 200)
  assert.equal((await erase(ben)).status, 200)
  await outboxIsEmpty(world)

  const open = (event: Placed | undefined, tenant = world.tenantId, entry = event?.id ?? '') =>
    openTombstone(world.keyring, tenant, entry, event?.tombstone ?? '')
  const deleted = (await feedOf('user.deleted')).at(-1)
  const left = (await feedOf(id)).find(({ action }) => action === 'member.left')
  assert.deepEqual([open(deleted), open(left)], [ben.id, ben.id])
  assert.equal(open(deleted, world.tenantId, left?.id), undefined)
  assert.equal(open(deleted, (await world.tenant()).id), undefined)
  const others = (await feedOf(id)).filter(({ action }) => action !== 'member.left')
  assert.ok(others.every(({ tombstone }) => tombstone === null))

  const sealed = async () => (await query('select from feed where tombstone is not null')).length
  await age(29)
  await purge(purgeTombstones)
  assert.ok((await sealed()) >= 2)
  await age(1)
  await runRetention(world.database)
  assert.equal(await sealed(), 0)
  assert.equal((await feedOf(id)).at(-1)?.action, 'member.left')
})
