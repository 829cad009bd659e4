import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { offerKeys } from '../../../test/key-requests.ts'
import { onRows } from '../../../test/rows.ts'
import { type Answer, codeOf, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { newId } from '../../platform/http/schemas.ts'

const maxOrganizations = 5
const world = await createWorld({ settings: { MAX_ORGANIZATIONS: String(maxOrganizations) } })
const { query } = world.postgres
const { giveOrganizations } = onRows(world)
const unique = (name = 'x') => `${name}-${randomBytes(5).toString('hex')}`
const create = (person: Person, body: object = {}) => person.post('/api/organizations', { name: 'Acme', ...body })

const faultsOf = ({ body }: Answer) =>
  Object.fromEntries(body.errors.map(({ pointer, code }: Json) => [pointer, code]).sort())

test('the creator of an organization is its owner, and so an admin and a member', async () => {
  const ann = await world.person()

  const { status, body, headers } = await create(ann, { name: 'Acme' })

  assert.equal(status, 201)
  assert.deepEqual([body.role, body.roles], ['owner', ['owner', 'admin', 'member']])
  assert.deepEqual([body.name, body.logoUrl, body.metadata, body.memberCount], ['Acme', null, {}, 1])
  assert.equal(body.createdAt, body.updatedAt)
  assert.equal(headers.get('location'), `/api/organizations/${body.id}`)
  const { permissions: _, ...read } = (await ann.get(headers.get('location') ?? '')).body
  assert.deepEqual(read, body)
  const { body: members } = await ann.get(`/api/organizations/${body.id}/members`)
  assert.deepEqual(
    members.data.map(({ user, role, roles, invitedBy }: Json) => [user.id, role, roles, invitedBy]),
    [[ann.id, 'owner', ['owner', 'admin', 'member'], null]],
  )
})

test('an organization has the fields that it was created with', async () => {
  const ann = await world.person()
  const sent = {
    name: 'Ünïcode & Söhne 株式会社',
    slug: unique('own'),
    logoUrl: 'https://example.com/logo.png?size=2',
    metadata: { plan: 'team', nested: { list: [1, null, 'x'] } },
  }

  const { body } = await create(ann, sent)

  const { name, slug, logoUrl, metadata } = (await ann.get(`/api/organizations/${body.id}`)).body
  assert.deepEqual({ name, slug, logoUrl, metadata }, sent)
  assert.equal((await create(ann, { name: 'Cafe\u0301' })).body.name, 'Caf\u00e9', 'names are in NFC')
})

test('an invalid body is refused with all its faults at once', async () => {
  const ann = await world.person()
  const { body: acme } = await create(ann)
  const wrong = { name: '', slug: '-', logoUrl: 'http://example.com', metadata: [] }

  for (const answer of [
    await ann.post('/api/organizations', wrong),
    await ann.patch(`/api/organizations/${acme.id}`, wrong),
  ]) {
    assert.equal(answer.status, 400)
    assert.deepEqual(faultsOf(answer), {
      '/logoUrl': 'invalid_format',
      '/metadata': 'wrong_type',
      '/name': 'too_short',
      '/slug': 'too_short',
    })
  }
  assert.deepEqual(faultsOf(await ann.post('/api/organizations', {})), { '/name': 'required' })
  for (const name of [' ', 'x'.repeat(101), 'a\u202eb', 'a\nb', null, 5]) {
    assert.deepEqual(Object.keys(faultsOf(await create(ann, { name }))), ['/name'], JSON.stringify(name))
  }
})

test('a body cannot set role, owner, counts, ids or tenant', async () => {
  const ann = await world.person()
  const { body: acme } = await create(ann)
  for (const field of [
    'id',
    'tenantId',
    'role',
    'roles',
    'ownerId',
    'memberCount',
    'ownerCount',
    'createdAt',
    'organizationId',
  ]) {
    for (const answer of [
      await create(ann, { [field]: acme.id }),
      await ann.patch(`/api/organizations/${acme.id}`, { [field]: acme.id }),
    ]) {
      assert.equal(answer.status, 400)
      assert.deepEqual(faultsOf(answer), { [`/${field}`]: 'unknown_field' })
    }
  }
})

test('metadata is an object of at most 8 KiB and five levels', async () => {
  const ann = await world.person()
  const { body: acme } = await create(ann)
  const path = `/api/organizations/${acme.id}`
  const largest = { x: 'x'.repeat(8192 - '{"x":""}'.length) }
  const deepest = { 1: { 2: { 3: { 4: { 5: 5 } } } } }

  assert.deepEqual((await ann.patch(path, { metadata: largest })).body.metadata, largest)
  assert.deepEqual((await ann.patch(path, { metadata: { x: null, ...deepest } })).body.metadata, deepest)
  for (const metadata of [{ x: `${largest.x}x` }, { 0: deepest }, 'x', []]) {
    const answer = await ann.patch(path, { metadata })
    assert.deepEqual([answer.status, Object.keys(faultsOf(answer))], [400, ['/metadata']])
  }
  assert.deepEqual((await ann.get(path)).body.metadata, deepest)
})

test('an outsider cannot tell an organization from one that does not exist', async () => {
  const { id, slug, dan, members } = await world.organization()
  const never = { id: newId('org'), slug: unique('never') }
  const requests: readonly ((org: string) => Promise<Answer>)[] = [
    (org) => dan.get(`/api/organizations/${org}`),
    (org) => dan.patch(`/api/organizations/${org}`, { name: 'Mine' }),
    (org) => dan.delete(`/api/organizations/${org}`, { confirm: slug }),
    (org) => dan.get(`/api/organizations/${org}/members`),
    (org) => dan.get(`/api/organizations/${org}/members/${members.ann.id}`),
    (org) => dan.patch(`/api/organizations/${org}/members/${members.cleo.id}`, { role: 'admin' }),
    (org) => dan.delete(`/api/organizations/${org}/members/${members.cleo.id}`),
    (org) => dan.delete(`/api/organizations/${org}/members/me`),
    (org) => dan.get(`/api/organizations/${org}/invites`),
    (org) => dan.post(`/api/organizations/${org}/invites`, { email: dan.email }),
    (org) => dan.get(`/api/organizations/${org}/audit`),
  ]
  const told = ({ status, body: { instance: _path, requestId: _id, ...rest } }: Answer) => ({ status, ...rest })
  for (const request of requests) {
    const nothing = told(await request(never.id))
    assert.equal(nothing.status, 404)
    for (const org of [never.slug, id, slug]) assert.deepEqual(told(await request(org)), nothing)
  }
})

test('an id of another type or form in the path is a bad request', async () => {
  const { id, ann, members } = await world.organization()
  for (const org of [
    ann.id,
    members.ann.id,
    id.toUpperCase(),
    id.slice(0, -1),
    `${id}0`,
    'ab',
    'Acme',
    'a%20b',
    'x'.repeat(49),
  ]) {
    assert.deepEqual(codeOf(await ann.get(`/api/organizations/${org}`)), [400, 'invalid_id'], org)
  }
})

test('an update changes only the fields that are sent', async () => {
  const ann = await world.person()
  const { body: before } = await create(ann, { logoUrl: 'https://example.com/a.png', metadata: { a: 1 } })
  const path = `/api/organizations/${before.id}`

  const { status, body: renamed } = await ann.patch(path, { name: 'Renamed' })
  assert.equal(status, 200)
  assert.deepEqual({ ...renamed, updatedAt: before.updatedAt }, { ...before, name: 'Renamed' })
  assert.ok(renamed.updatedAt > before.updatedAt)

  const { body: cleared } = await ann.patch(path, { logoUrl: null, metadata: { a: null } })
  assert.deepEqual([cleared.name, cleared.slug, cleared.logoUrl, cleared.metadata], ['Renamed', before.slug, null, {}])
  const { permissions: _, ...read } = (await ann.get(path)).body
  assert.deepEqual(read, cleared)
  for (const field of ['name', 'slug']) {
    const answer = await ann.patch(path, { [field]: null })
    assert.deepEqual([answer.status, faultsOf(answer)], [400, { [`/${field}`]: 'wrong_type' }])
  }
})

test('metadata is merged member by member, and null removes a member, or all of them', async () => {
  const ann = await world.person()
  const { body: acme } = await create(ann, { metadata: { a: 1, b: { c: 1, d: [1] }, e: 1 } })

  const { body } = await ann.patch(`/api/organizations/${acme.id}`, {
    metadata: { a: null, b: { c: 2 }, f: { g: null, h: 3 } },
  })

  assert.deepEqual(body.metadata, { b: { c: 2, d: [1] }, e: 1, f: { h: 3 } })
  const cleared = await ann.patch(`/api/organizations/${acme.id}`, { metadata: null })
  assert.deepEqual([cleared.status, cleared.body.metadata], [200, {}])
  const [entry] = (await ann.get(`/api/organizations/${acme.id}/audit?action=organization.updated`)).body.data
  assert.deepEqual(entry.details.metadata.to, {})
  assert.equal((await create(ann, { metadata: null })).status, 400, 'there is nothing to clear')
})

test('an update that changes nothing writes nothing', async () => {
  const ann = await world.person()
  const { body: acme } = await create(ann, { metadata: { a: [1, { b: 2 }] } })
  const path = `/api/organizations/${acme.id}`

  for (const body of [{}, { name: acme.name, slug: acme.slug, logoUrl: null, metadata: acme.metadata }]) {
    assert.deepEqual((await ann.patch(path, body)).body, acme)
  }

  const { body } = await ann.get(`${path}/audit?action=organization.updated`)
  assert.deepEqual(body.data, [])
})

test('an update is recorded with the old and new values of the changed fields', async () => {
  const { path, ann, ben } = await world.organization()
  const { body: before } = await ann.get(path)

  await ben.patch(path, { name: 'Renamed', slug: before.slug, logoUrl: 'https://example.com/b.png' })

  const { data } = (await ann.get(`${path}/audit?action=organization.updated`)).body
  assert.equal(data.length, 1)
  assert.deepEqual([data[0].actor.id, data[0].target.id], [ben.id, before.id])
  assert.deepEqual(data[0].details, {
    name: { from: before.name, to: 'Renamed' },
    logoUrl: { from: null, to: 'https://example.com/b.png' },
  })
})

test('each member sees their own role on an organization', async () => {
  const { path, ann, ben, cleo } = await world.organization()
  for (const [person, roles] of [
    [ann, ['owner', 'admin', 'member']],
    [ben, ['admin', 'member']],
    [cleo, ['member']],
  ] as const) {
    for (const body of [(await person.get(path)).body, (await person.get('/api/organizations')).body.data[0]]) {
      assert.deepEqual([body.role, body.roles, body.memberCount], [roles[0], roles, 3])
    }
  }
})

test('each member sees their own membership in one form, alone and in the list', async () => {
  const { path, ann, ben, cleo, members } = await world.organization()
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { expiresAt })).status, 200)
  for (const [person, { id }, end] of [
    [ann, members.ann, null],
    [ben, members.ben, null],
    [cleo, members.cleo, expiresAt],
  ] as const) {
    for (const body of [(await person.get(path)).body, (await person.get('/api/organizations')).body.data[0]])
      assert.deepEqual(body.membership, { id, status: 'active', expiresAt: end })
  }
})

test('to a personal key, an organization tells the end of the membership, and not that of the key', async () => {
  const { path, ann, ben, members } = await world.organization()
  await offerKeys(world)
  const key = await world.key(['organization:read', 'organization:update', 'me:read'], {
    person: ben,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  })
  const ends = async () => [
    (await key.get(path)).body.membership.expiresAt,
    (await key.patch(path, {})).body.membership.expiresAt,
    (await key.get('/api/organizations')).body.data[0].membership.expiresAt,
  ]
  assert.deepEqual(await ends(), [null, null, null])

  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { expiresAt })).status, 200)
  assert.deepEqual(await ends(), [expiresAt, expiresAt, expiresAt])
})

test('each member reads with an organization what they may do there', async () => {
  const { path, ann, ben, cleo } = await world.organization()
  for (const person of [ann, ben, cleo]) {
    const { permissions } = (await person.get(`${path}/members/me`)).body
    assert.ok(permissions.includes('organization:read'))
    assert.deepEqual((await person.get(path)).body.permissions, permissions)
  }
})

test('an admin can update the organization, and a member cannot', async () => {
  const { path, ben, cleo } = await world.organization()
  assert.equal((await ben.patch(path, { name: 'By an admin' })).body.name, 'By an admin')
  assert.deepEqual(codeOf(await cleo.patch(path, { name: 'By a member' })), [403, 'forbidden'])
  assert.equal((await cleo.get(path)).body.name, 'By an admin')
})

test('a new role applies from the next request on', async () => {
  const { path, ann, ben, members } = await world.organization()
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' })
  assert.deepEqual(codeOf(await ben.patch(path, { name: 'Too late' })), [403, 'forbidden'])
  await ann.delete(`${path}/members/${members.ben.id}`)
  assert.deepEqual(codeOf(await ben.get(path)), [404, 'not_found'])
})

test('the count of members is exact after joining, leaving, removal and the deletion of an account', async () => {
  const { path, id, ann, ben, cleo, dan, members } = await world.organization()
  const count = async () => (await ann.get(path)).body.memberCount
  assert.equal(await count(), 3)
  await world.join(ben, id, dan, 'admin')
  assert.equal(await count(), 4)
  await cleo.delete(`${path}/members/me`)
  assert.equal(await count(), 3)
  await ann.delete(`${path}/members/${members.ben.id}`)
  assert.equal(await count(), 2)
  assert.equal((await dan.delete('/api/users/me', { password })).status, 200)
  assert.equal(await count(), 1)
  await world.join(ann, id, cleo, 'owner')
  assert.equal(await count(), 2)
  const counts = await query('select owner_count, member_count from organizations where id = $1', [id])
  assert.deepEqual(counts, [{ owner_count: 2, member_count: 2 }])
})

test('nobody can create organizations while they own MAX_ORGANIZATIONS', async () => {
  const [ann, ben] = await Promise.all([world.person(), world.person('Ben')])
  await giveOrganizations(ann, ['as a member', 'as a member too'], 'member')
  await giveOrganizations(ann, ['as an admin'], 'admin')
  for (let index = 0; index < maxOrganizations; index++) assert.equal((await create(ann)).status, 201)

  const slug = unique()
  assert.deepEqual(codeOf(await create(ann)), [409, 'limit_reached'])
  assert.deepEqual(codeOf(await create(ann, { slug })), [409, 'limit_reached'])

  const [one, other] = (await ann.get('/api/organizations?role=owner')).body.data
  await ann.delete(`/api/organizations/${one.id}`, { confirm: one.slug })
  assert.equal((await create(ann)).status, 201, 'deleting one makes room')
  await world.join(ann, other.id, ben, 'owner')
  await ann.delete(`/api/organizations/${other.id}/members/me`)
  assert.equal((await create(ann, { slug })).status, 201, 'giving one away makes room')
  assert.deepEqual(codeOf(await create(ann)), [409, 'limit_reached'])
})

test('MAX_ORGANIZATIONS limits only creating: transferred organizations are accepted, and count', async () => {
  const { ann, ben, path, members } = await world.organization()
  await giveOrganizations(
    ben,
    Array.from({ length: maxOrganizations }, (_, index) => `number ${index}`),
  )

  assert.equal((await ann.post(`${path}/transfer`, { memberId: members.ben.id })).status, 200)

  assert.deepEqual(codeOf(await create(ben)), [409, 'limit_reached'])
  const { data } = (await ben.get('/api/organizations?role=owner')).body
  assert.equal(data.length, maxOrganizations + 1)
})

test('organizations no longer show a member whose account is deleted', async () => {
  const { path, ann, cleo, members } = await world.organization()
  await cleo.delete('/api/users/me', { password })

  assert.equal((await cleo.get(path)).status, 401)
  assert.deepEqual(codeOf(await ann.get(`${path}/members/${members.cleo.id}`)), [404, 'not_found'])
  const { body } = await ann.get(`${path}/members`)
  assert.deepEqual(
    body.data.map(({ user }: Json) => user.name),
    ['Ann', 'Ben'],
  )
})

test('every response to a credential has `Cache-Control: no-store`, errors too', async () => {
  const { path, ann, cleo, dan } = await world.organization()
  for (const answer of [
    await ann.get(path),
    await ann.get('/api/organizations'),
    await dan.get(path),
    await cleo.patch(path, { name: 'x' }),
    await ann.get('/api/organizations?limit=0'),
    await ann.get('/api/organizations/a_b'),
    await ann.request(path, { method: 'PUT', body: {} }),
  ]) {
    assert.equal(answer.headers.get('cache-control'), 'no-store', String(answer.status))
  }
})

test('concurrent requests never mix identities', async () => {
  const { path, ann, ben, cleo, dan } = await world.organization()
  const people = [ann, ben, cleo, dan]
  const expected = [
    [200, 'owner'],
    [200, 'admin'],
    [200, 'member'],
    [404, undefined],
  ]
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, index) => (people[index % 4] as Person).get(path)), // one of the four
  )
  answers.forEach(({ status, body }, index) => {
    assert.deepEqual([status, body.role], expected[index % 4])
  })
})

test('who may not change whether members need a second factor is refused before the version is compared', async () => {
  const { ann, ben, path, members } = await world.organization()
  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { role: 'admin' })).status, 200)
  const change = { secondFactor: 'required' }
  const stale = { 'if-match': '"0"' }

  assert.deepEqual(codeOf(await ben.patch(path, change, stale)), [403, 'forbidden'])
  assert.deepEqual(codeOf(await ben.patch(path, { name: 'Other' }, stale)), [412, 'version_mismatch'])
})
