import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedsOf, readPage, tenantWithEvents, typesOf } from '../../../test/events.ts'
import { holdRelay } from '../../../test/holding.ts'
import { outboxIsEmpty } from '../../../test/queue.ts'
import { codeOf, createWorld, type Json, password } from '../../../test/world.ts'
import { purgeEvents } from '../../domain/record/feed-erasure.ts'
import { purgeTombstones } from '../../domain/record/tombstones.ts'
import { newId, uuidToTenantId } from '../../platform/http/schemas.ts'

const world = await createWorld()
const { query } = world.postgres
const { eventsOf, follow } = feedsOf(world)
const expired = (earliest: number) => [410, 'events_expired', earliest]

test('each entry of the audit log is one event, in the order of the changes', async () => {
  const { tess, ann, ben, cleo, path, members, tenantId } = await tenantWithEvents(world)
  const before = await follow(tess, '/api/admin/events')
  await ann.patch(path, { name: 'Renamed' })
  await ben.patch(`${path}/members/${members.cleo.id}`, { role: 'admin' })
  await cleo.patch('/api/users/me', { name: 'Clea' })

  const all = await follow(tess, '/api/admin/events', { limit: 3 })

  const whole: Json[] = (await tess.get('/api/admin/audit?limit=100')).body.data
  assert.deepEqual(all.map(({ id }) => id).sort(), whole.map(({ id }) => id).sort())
  assert.deepEqual(
    all.slice(0, before.length).map(({ id }) => id),
    before.map(({ id }) => id),
  )
  const events = all.slice(before.length)
  const log = whole.slice(0, events.length).reverse()
  assert.deepEqual(typesOf(events), ['organization.updated', 'member.role_changed', 'profile.updated'])
  assert.deepEqual(
    events.map(({ id, type, timestamp, organizationId, details }) => [id, type, timestamp, organizationId, details]),
    log.map(({ id, action, occurredAt, organizationId, details }) => [id, action, occurredAt, organizationId, details]),
  )
  assert.deepEqual(
    events.map(({ actor }) => [actor.type, actor.id]),
    log.map(({ actor }) => [actor.type, actor.id]),
  )
  const sequences = all.map(({ sequence }) => sequence)
  assert.deepEqual(
    sequences,
    [...new Set(sequences)].sort((one, other) => one - other),
  )
  const renamed = events.find(({ type }) => type === 'organization.updated')
  assert.deepEqual(new Set(all.map((each) => each.tenantId)), new Set([uuidToTenantId(tenantId)]))
  assert.deepEqual(Object.keys(renamed ?? {}).sort(), [
    ...['actor', 'data', 'details', 'id', 'organizationId', 'sequence', 'tenantId', 'timestamp', 'type'],
  ])
  assert.deepEqual(renamed?.actor, { type: 'user', id: ann.id, via: null })
})

test('pages follow each other without a gap, also those of a list of types', async () => {
  const { tess, ann, path } = await tenantWithEvents(world)
  for (const name of ['One', 'Two', 'Three']) await ann.patch(path, { name })
  for (const filter of [{}, { types: 'member.*,organization.updated' }, { types: 'session.refused' }]) {
    const whole = await eventsOf(tess, '/api/admin/events', { ...filter, limit: 100 })
    assert.equal(whole.hasMore, false)
    for (const limit of [1, 2, 7])
      assert.deepEqual(await follow(tess, '/api/admin/events', { ...filter, limit }), whole.data)
    const { data, nextAfter } = await eventsOf(tess, '/api/admin/events', { ...filter, after: whole.nextAfter })
    assert.deepEqual([data, nextAfter], [[], whole.nextAfter])
    assert.ok(nextAfter > 0)
  }
})

test('types are exact or families, and an organization is chosen by its id', async () => {
  const { tess, id, ann, tenant } = await tenantWithEvents(world)
  const other = await world.organization({ tenant })
  await ann.post('/api/organizations', { name: 'Another' })

  const { data } = await eventsOf(tess, '/api/admin/events', { types: 'member.*,organization.created', limit: 100 })
  const ofAcme = await eventsOf(tess, '/api/admin/events', { organizationId: id, limit: 100 })

  assert.deepEqual(new Set(typesOf(data)), new Set(['member.joined', 'organization.created']))
  assert.deepEqual(new Set(ofAcme.data.map((each) => each.organizationId)), new Set([id]))
  const joined = { organizationId: other.id, types: 'member.joined' }
  assert.deepEqual(
    (await eventsOf(tess, '/api/admin/events', joined)).data.map(({ data: { member } }) => member.user.id).sort(),
    [other.ben.id, other.cleo.id].sort(),
  )
  assert.deepEqual((await eventsOf(tess, '/api/admin/events', { organizationId: newId('org') })).data, [])
})

test('what cannot be asked is refused, with every fault', async () => {
  const { tess, ann, path } = await tenantWithEvents(world)
  for (const [reader, feed] of [
    [tess, '/api/admin/events'],
    [ann, `${path}/events`],
  ] as const)
    for (const [wrong, fault] of [
      ['after=1&from=2026-01-01T00:00:00Z', ['?from', 'not_allowed']],
      ['types=', ['?types', 'not_allowed']],
      ['types=member.joined,nonsense', ['?types', 'not_allowed']],
      ['types=member.joined&types=member.left', ['?types', 'wrong_type']],
      ['after=-1', ['?after', 'invalid_format']],
      ['after=1.5', ['?after', 'invalid_format']],
      ['after=9007199254740993', ['?after', 'invalid_format']],
      ['after=', ['?after', 'invalid_format']],
      ['from=yesterday', ['?from', 'invalid_format']],
      ['limit=101', ['?limit', 'out_of_range']],
      ['cursor=x', ['?cursor', 'unknown_field']],
    ] as const) {
      const { status, body } = await reader.get(`${feed}?${wrong}`)
      assert.equal(status, 400, wrong)
      assert.deepEqual([body.errors[0].pointer, body.errors[0].code], fault, wrong)
    }
})

test('from the latest place on, one gets what comes, and from a time on, what has come since', async () => {
  const { tess, ann, path } = await tenantWithEvents(world)
  await eventsOf(tess, '/api/admin/events')
  const latest = await eventsOf(tess, '/api/admin/events', { after: 'latest' })
  const before = (await eventsOf(tess, '/api/admin/events', { limit: 100 })).data
  assert.deepEqual([latest.data, latest.hasMore, latest.nextAfter], [[], false, before.at(-1)?.sequence])

  await ann.patch(path, { name: 'Renamed' })

  const { data } = await eventsOf(tess, '/api/admin/events', { after: latest.nextAfter })
  assert.deepEqual(typesOf(data), ['organization.updated'])
  const [renamed] = data
  for (const [from, types] of [
    [renamed?.timestamp, ['organization.updated']],
    [new Date(Date.parse(renamed?.timestamp) + 3600_000).toISOString(), []],
    ['2000-01-01T00:00:00Z', [...typesOf(before), 'organization.updated']],
    ['1960-01-01T00:00:00Z', [...typesOf(before), 'organization.updated']],
    ['9999-01-01T00:00:00Z', []],
  ] as const) {
    const found = typesOf((await eventsOf(tess, '/api/admin/events', { from, limit: 100 })).data)
    assert.deepEqual(found, types, from)
  }
})

test('who reads has waiting events relayed, and who finds a full page or none waiting has not', async (t) => {
  const { tess, ann, path, tenantId } = await tenantWithEvents(world)
  await eventsOf(tess, '/api/admin/events')
  const release = await holdRelay(t, { postgres: world.postgres, tenantId }) // else it takes the event after ten seconds
  const drain = t.mock.method(world.database.relay, 'drain')
  await ann.patch(path, { name: 'Renamed' })
  await readPage(tess, '/api/admin/events', { limit: 1 })
  assert.equal(drain.mock.callCount(), 0)
  await readPage(tess, '/api/admin/events', { limit: 100 })
  assert.equal(drain.mock.callCount(), 1)
  await release()
  assert.equal(typesOf((await eventsOf(tess, '/api/admin/events', { limit: 100 })).data).at(-1), 'organization.updated')
})

test('a place in the far future waits for it', async () => {
  const { tess } = await tenantWithEvents(world)
  const { data, nextAfter } = await eventsOf(tess, '/api/admin/events', { from: '9999-01-01T00:00:00Z' })
  assert.deepEqual([data, nextAfter], [[], 8_999_999_999_999_999])
  assert.equal((await eventsOf(tess, '/api/admin/events', { after: nextAfter })).nextAfter, nextAfter)
})

test('a page looks at five thousand events, and says where it has stopped', async () => {
  const { tess, ann, path, tenantId } = await tenantWithEvents(world)
  const { nextAfter } = await eventsOf(tess, '/api/admin/events')
  await query(
    `insert into feed (tenant_id, sequence, entry_id, action)
     select $1, $2::bigint + n, 'aud_gone', 'session.started' from generate_series(1, 5500) n`,
    [tenantId, nextAfter],
  )
  await query('update feeds set head = head + 5500 where tenant_id = $1', [tenantId])
  await ann.patch(path, { name: 'Renamed' })

  const types = 'organization.updated'
  const first = await eventsOf(tess, '/api/admin/events', { after: nextAfter, types })
  const second = await eventsOf(tess, '/api/admin/events', { after: first.nextAfter, types })

  assert.deepEqual([first.data, first.nextAfter, first.hasMore], [[], nextAfter + 5000, true])
  assert.deepEqual([typesOf(second.data), second.hasMore], [['organization.updated'], false])
})

test('a reader who pulls while many write gets each change once, in order', async () => {
  const { tess, ann, ben, path, members } = await tenantWithEvents(world)
  let { nextAfter } = await eventsOf(tess, '/api/admin/events', { limit: 100 })
  const seen: Json[] = []
  const pull = async () => {
    const page = await readPage(tess, '/api/admin/events', { after: nextAfter, limit: 7 })
    seen.push(...page.data)
    nextAfter = page.nextAfter
    return page
  }
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let turn = 0; turn < 6; turn++) {
      const name = `${writer} ${turn}`
      if (writer % 2 === 0) await ann.patch(path, { name })
      else await ben.patch('/api/users/me', { name })
      // Refused after its locks: it leaves nothing.
      if (turn === 3) await ann.patch(`${path}/members/${members.ann.id}`, { role: 'member' })
    }
  })
  let areWriting = true
  const done = Promise.all(writers).finally(() => {
    areWriting = false
  })
  while (areWriting) await pull()
  await done
  await outboxIsEmpty(world)
  while ((await pull()).data.length > 0);

  const { body } = await tess.get('/api/admin/audit?limit=100&action=organization.updated,profile.updated')
  assert.deepEqual(seen.map(({ id }) => id).sort(), body.data.map(({ id }: Json) => id).sort())
  assert.equal(seen.length, 48)
  for (const type of ['organization.updated', 'profile.updated']) {
    const names = seen.filter((each) => each.type === type).map(({ details: { name } }) => name)
    for (const [index, { from }] of names.entries())
      if (index > 0) assert.equal(from, names[index - 1]?.to, 'each change begins where the one before has ended')
  }
})

test('a place before events that age has removed is refused, and the answer says from where there is no gap', async () => {
  const { tess, ann, path, tenantId } = await tenantWithEvents(world)
  const old = await eventsOf(tess, '/api/admin/events', { limit: 100 })
  await query('update feed set sequence = sequence - 40 * 86400000000 where tenant_id = $1', [tenantId])
  const [{ kept }] = (await query<{ kept: number }>(
    'select max(sequence)::float8 as kept from feed where tenant_id = $1',
    [tenantId],
  )) as [{ kept: number }]
  await ann.patch(path, { name: 'Renamed' })
  assert.equal((await follow(tess, '/api/admin/events')).length, old.data.length + 1)
  await world.database.inTenant(tenantId, (sql) => purgeEvents(sql, 1000))

  for (const feed of ['/api/admin/events', `${path}/events`])
    for (const query of [
      'after=0',
      'after=1',
      `after=${kept - 1}`,
      'from=1960-01-01T00:00:00Z',
      'from=2020-01-01T00:00:00Z',
    ]) {
      const { status, body } = await (feed === '/api/admin/events' ? tess : ann).get(`${feed}?${query}`)
      assert.deepEqual([status, body.code, body.earliest], expired(kept), `${feed}?${query}`)
    }

  const { data } = await eventsOf(tess, '/api/admin/events', { after: kept })
  assert.deepEqual(typesOf(data), ['organization.updated'])
  assert.deepEqual((await eventsOf(tess, '/api/admin/events')).data, data, 'without a place, it begins with the oldest')
})

test("an organization's admins and owners read its events, and nobody else's", async () => {
  const { ann, ben, cleo, dan, tess, path, id } = await tenantWithEvents(world)
  const other = await ann.post('/api/organizations', { name: 'Another' })
  await ann.patch('/api/users/me', { name: 'Anna' })

  for (const reader of [ann, ben]) {
    const { data } = await eventsOf(reader, `${path}/events`, { limit: 100 })
    assert.deepEqual(typesOf(data).slice(0, 2), ['organization.created', 'invitation.sent'])
    assert.deepEqual(new Set(data.map(({ organizationId }) => organizationId)), new Set([id]))
    assert.ok(!JSON.stringify(data).includes(other.body.id))
  }
  assert.deepEqual(codeOf(await cleo.get(`${path}/events`)), [403, 'forbidden'])
  for (const stranger of [dan, tess]) assert.deepEqual(codeOf(await stranger.get(`${path}/events`)), [404, 'not_found'])
  assert.deepEqual(codeOf(await ann.get('/api/admin/events')), [403, 'forbidden'])
  assert.deepEqual(codeOf(await world.nobody.get('/api/admin/events')), [401, 'unauthenticated'])
})

test('a key reads events with the scope alone, and shows by which key a person has acted', async () => {
  const { tenant, ann, path, id } = await tenantWithEvents(world)
  await query('update tenants set personal_keys = true, organization_keys = true where slug = $1', [tenant])
  const own = await world.key(['organization:update'], { tenant, person: ann })
  await own.patch(path, { name: 'Renamed' })
  const types = 'organization.updated'

  for (const [key, feed] of [
    [await world.key(['events:read'], { tenant }), '/api/admin/events'],
    [await world.key(['events:read'], { tenant }), `${path}/events`],
    [await world.key(['events:read'], { tenant, organization: id }), `${path}/events`],
    [await world.key(['events:read'], { tenant, person: ann }), `${path}/events`],
  ] as const) {
    const [event] = (await eventsOf(key, feed, { types })).data
    assert.deepEqual(event?.actor, { type: 'user', id: ann.id, via: own.id })
  }
  const others = await world.key(['audit:read', 'organization:read', 'members:read'], { tenant })
  for (const feed of ['/api/admin/events', `${path}/events`])
    assert.deepEqual(codeOf(await others.get(feed)), [403, 'insufficient_scope'])
})

test('the events of a deleted person say who has gone, for thirty days, and nothing else', async () => {
  const { tess, ann, ben, path, tenantId } = await tenantWithEvents(world)
  await ben.patch(path, { name: 'Renamed' })
  await ben.patch('/api/users/me', { name: 'Benedict' })
  assert.equal((await ben.delete('/api/users/me', { password })).status, 200)

  const events = await follow(tess, '/api/admin/events')

  const of = (type: string) => events.filter((each) => each.type === type).at(-1) as Json
  assert.deepEqual(of('user.deleted').data, { user: { id: ben.id } })
  assert.deepEqual(of('member.left').data, { member: { id: null, userId: ben.id } })
  for (const type of ['user.deleted', 'member.left', 'organization.updated', 'profile.updated']) {
    const { actor, details } = of(type)
    assert.deepEqual([actor.type, actor.id.slice(0, 4), actor.via, details], ['deleted_user', 'sub_', null, null], type)
  }
  assert.deepEqual(of('profile.updated').data, { user: null })
  assert.equal(of('organization.updated').data.organization.name, 'Renamed')
  const told = JSON.stringify(events.filter(({ data: { user, member } }) => (user?.id ?? member?.userId) !== ben.id))
  for (const trace of [ben.id, ben.email, 'Benedict']) assert.ok(!told.includes(trace), trace)

  await query('update feed set sequence = sequence - 31 * 86400000000 where tenant_id = $1', [tenantId])
  await world.database.inTenant(tenantId, (sql) => purgeTombstones(sql, 1000))
  const later = await follow(tess, '/api/admin/events', { types: 'user.deleted,member.left' })
  assert.deepEqual(
    later.map(({ data }) => data),
    [{ user: null }, { member: null }],
  )
  assert.equal((await ann.get(`${path}/events`)).status, 200)
})

test('the end of a membership says whose it was, also if the deletion of the account comes upon it', async () => {
  const { tess, ben, cleo, members, id, tenantId } = await tenantWithEvents(world)
  await query('update memberships set expires_at = now() where organization_id = $1 and user_id = any($2)', [
    id,
    [ben.id, cleo.id],
  ])
  assert.equal((await ben.delete('/api/users/me', { password })).status, 200)

  const events = await follow(tess, '/api/admin/events', { types: 'member.expired' })

  const dataOf = (userId: string) => events.filter(({ data }) => data.member?.userId === userId).map(({ data }) => data)
  assert.equal(events.length, 2)
  assert.deepEqual(dataOf(ben.id), [{ member: { id: null, userId: ben.id } }])
  assert.deepEqual(dataOf(cleo.id), [{ member: { id: members.cleo.id, userId: cleo.id } }])
  const sealed = `select from feed where tenant_id = $1 and action = 'member.expired' and tombstone is not null`
  assert.equal((await query(sealed, [tenantId])).length, 1)
})

test('the events of a deleted organization go, and one tells that it has gone', async () => {
  const { tess, ann, path, id, slug } = await tenantWithEvents(world)
  await follow(tess, '/api/admin/events')
  assert.equal((await ann.delete(path, { confirm: slug })).status, 200)

  const events = await follow(tess, '/api/admin/events')

  assert.deepEqual(
    events.filter(({ organizationId }) => organizationId !== null),
    [],
  )
  const deleted = events.find(({ type }) => type === 'organization.deleted')
  assert.deepEqual(deleted?.data, { organization: { id } })
})
