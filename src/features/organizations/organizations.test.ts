import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type Answer, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { newId, searchKey } from '../../platform/http/schemas.ts'

const maxOrganizations = 5
const world = await createWorld({ settings: { MAX_ORGANIZATIONS: String(maxOrganizations) } })
const { ask } = world.postgres

const unique = (name = 'x') => `${name}-${randomBytes(5).toString('hex')}`
const create = (person: Person, body: object = {}) => person.post('/api/organizations', { name: 'Acme', ...body })
const codeOf = ({ status, body }: Answer) => [status, body.code]
const faultsOf = ({ body }: Answer) =>
  Object.fromEntries(body.errors.map(({ pointer, code }: Json) => [pointer, code]).sort())

/** Organizations that a person is in, written past the API where its limits and its pace would be in the way. */
async function give(person: Person, names: readonly string[], role = 'owner'): Promise<string[]> {
  const ids = names.map(() => newId('org'))
  await ask(
    `insert into organizations (tenant_id, id, slug, name, name_key, owner_count, member_count)
     select u.tenant_id, o.id, o.slug, o.name, o.name_key, 1, 1
     from users u, unnest($2::text[], $3::text[], $4::text[], $5::text[]) as o (id, slug, name, name_key)
     where u.id = $1`,
    [person.id, ids, names.map(() => unique()), names, names.map(searchKey)],
  )
  await ask(
    `insert into memberships (tenant_id, id, organization_id, user_id, role)
     select u.tenant_id, m.id, m.organization_id, u.id, $4
     from users u, unnest($2::text[], $3::text[]) as m (id, organization_id)
     where u.id = $1`,
    [person.id, names.map(() => newId('mem')), ids, role],
  )
  return ids
}

/** Every item of a list, by its cursors. */
async function readAll(person: Person, path: string): Promise<{ items: Json[]; pages: number }> {
  const items: Json[] = []
  const parameter = path.includes('?') ? '&' : '?'
  for (let cursor: string | null = '', pages = 0; ; pages++) {
    const { status, body }: Answer = await person.get(cursor ? `${path}${parameter}cursor=${cursor}` : path)
    assert.equal(status, 200)
    items.push(...body.data)
    cursor = body.nextCursor
    if (cursor === null) return { items, pages: pages + 1 }
    assert.ok(pages < 100, 'the list has an end')
  }
}

test('the creator of an organization is its owner, and so an admin and a member', async () => {
  const ann = await world.person()

  const { status, body, headers } = await create(ann, { name: 'Acme' })

  assert.equal(status, 201)
  assert.deepEqual([body.role, body.roles], ['owner', ['owner', 'admin', 'member']])
  assert.deepEqual([body.name, body.logoUrl, body.metadata, body.memberCount], ['Acme', null, {}, 1])
  assert.equal(body.createdAt, body.updatedAt)
  assert.equal(headers.get('location'), `/api/organizations/${body.id}`)
  assert.deepEqual((await ann.get(headers.get('location') ?? '')).body, body)
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

test('a slug is made from the name', async () => {
  const word = randomBytes(5).toString('hex')
  for (const [name, slug] of [
    [`Acme ${word}`, `acme-${word}`],
    [`  ÀCME & Söhne, ${word}!  `, `acme-sohne-${word}`],
    [`--${word}--.--`, word],
    [`株式会社 ${word} b`, `${word}-b`],
    [`Größe ${word}`, `grosse-${word}`],
    [`Łódź & Ærø, ${word} Þór`, `lodz-aero-${word}-thor`],
    [`ŒUVRE Đurđa ${word} ISTANBUL ı`, `oeuvre-durda-${word}-istanbul-i`],
    [`long ${word} ${'x'.repeat(80)}`, `long-${word}-${'x'.repeat(25)}`],
    [`cut ${word} ${'x'.repeat(25)} y`, `cut-${word}-${'x'.repeat(25)}`],
  ] as const) {
    const { status, body } = await create(await world.person(), { name })
    assert.deepEqual([status, body.slug], [201, slug])
  }
})

test('a slug from a name that is taken gets a suffix, within the limit of length', async () => {
  const ann = await world.person()
  for (const name of [unique('taken'), `${unique('taken')} ${'x'.repeat(80)}`]) {
    const [first, second] = [await create(ann, { name }), await create(ann, { name })]

    assert.match(second.body.slug, new RegExp(`^${first.body.slug}-[a-z0-9]{6}$`))
    assert.ok(second.body.slug.length <= 48)
  }
})

test('a name without letters for a slug gives org- and six characters', async () => {
  for (const name of ['株式会社', '!!!', '🚀', '- -', 'Ω']) {
    const { status, body } = await create(await world.person(), { name })
    assert.equal(status, 201)
    assert.match(body.slug, /^org-[a-z0-9]{6}$/, name)
  }
})

test('an explicit slug is used as it is, or refused if another organization has it', async () => {
  const [ann, ben] = await Promise.all([world.person(), world.person('Ben')])
  const slug = unique()
  await create(ann, { slug })

  assert.deepEqual(codeOf(await create(ben, { slug })), [409, 'slug_taken'])
  assert.deepEqual(codeOf(await create(ann, { slug })), [409, 'slug_taken'])
  assert.equal((await ben.get('/api/organizations')).body.data.length, 0, 'nothing is left of a refusal')

  const { slug: tenant } = await world.tenant()
  const elsewhere = await create(await world.person('Eve', { tenant }), { slug })
  assert.deepEqual([elsewhere.status, elsewhere.body.slug], [201, slug], 'another tenant has slugs of its own')
})

test('slugs have 3 to 48 lower-case letters, digits and hyphens, with no hyphen at an end', async () => {
  const ann = await world.person()
  const { body: acme } = await create(ann)
  for (const slug of [
    '',
    'ab',
    'x'.repeat(49),
    '-abc',
    'abc-',
    '---',
    'Abc',
    'a_bc',
    'a.bc',
    'a bc',
    'äbc',
    'abc\n',
    5,
    null,
    ['abc'],
  ]) {
    for (const answer of [await create(ann, { slug }), await ann.patch(`/api/organizations/${acme.id}`, { slug })]) {
      assert.deepEqual([answer.status, Object.keys(faultsOf(answer))], [400, ['/slug']], JSON.stringify(slug))
    }
  }
  const word = randomBytes(2).toString('hex')
  for (const slug of [`${word}`.slice(0, 3), `${word}${'x'.repeat(44)}`, `1--${word}`, `${word}-2`]) {
    assert.equal((await ann.patch(`/api/organizations/${acme.id}`, { slug })).body.slug, slug)
  }
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
  for (const metadata of [{ x: `${largest.x}x` }, { 0: deepest }, null, 'x', []]) {
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

test('an organization is found by its id or its slug', async () => {
  const { id, slug, ann, ben, members } = await world.organization()
  const bySlug = `/api/organizations/${slug}`
  for (const path of ['', '/members', `/members/${members.cleo.id}`, '/invites', '/audit']) {
    const [one, other] = [await ben.get(`/api/organizations/${id}${path}`), await ben.get(`${bySlug}${path}`)]
    assert.deepEqual([other.status, other.body], [200, one.body], path)
  }
  assert.equal((await ben.patch(bySlug, { name: 'By slug' })).body.id, id)
  assert.equal((await ben.patch(`${bySlug}/members/${members.cleo.id}`, { role: 'admin' })).body.role, 'admin')
  const { body: invitation } = await ben.post(`${bySlug}/invites`, { email: `${unique()}@example.com` })
  assert.equal(invitation.organization.id, id)
  assert.equal((await ben.post(`${bySlug}/invites/${invitation.id}/resend`)).status, 200)
  assert.equal((await ben.delete(`${bySlug}/invites/${invitation.id}`)).status, 200)
  assert.equal((await ben.delete(`${bySlug}/members/me`)).status, 200)
  assert.equal((await ann.delete(bySlug, { confirm: slug })).status, 200)
})

test('a former slug leads nowhere until another organization takes it', async () => {
  const [ann, ben] = await Promise.all([world.person(), world.person('Ben')])
  const [before, now] = [unique(), unique()]
  const { body: acme } = await create(ann, { slug: before })

  await ann.patch(`/api/organizations/${acme.id}`, { slug: now })

  assert.equal((await ann.get(`/api/organizations/${before}`)).status, 404)
  assert.equal((await ann.get(`/api/organizations/${now}`)).body.id, acme.id)
  assert.equal((await create(ben, { slug: before })).status, 201)
  assert.equal((await ann.get(`/api/organizations/${before}`)).status, 404)
})

test("a slug leads to an organization of the caller's own tenant", async () => {
  const slug = unique()
  const { slug: tenant } = await world.tenant()
  const [ann, eve] = await Promise.all([world.person(), world.person('Eve', { tenant })])
  const [here, there] = [await create(ann, { slug }), await create(eve, { slug })]

  assert.equal((await ann.get(`/api/organizations/${slug}`)).body.id, here.body.id)
  assert.equal((await eve.get(`/api/organizations/${slug}`)).body.id, there.body.id)
  assert.equal((await eve.get(`/api/organizations/${here.body.id}`)).status, 404)
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
  assert.deepEqual((await ann.get(path)).body, cleared)
  for (const field of ['name', 'slug', 'metadata']) {
    const answer = await ann.patch(path, { [field]: null })
    assert.deepEqual([answer.status, faultsOf(answer)], [400, { [`/${field}`]: 'wrong_type' }])
  }
})

test('metadata is merged member by member, and null removes a member', async () => {
  const ann = await world.person()
  const { body: acme } = await create(ann, { metadata: { a: 1, b: { c: 1, d: [1] }, e: 1 } })

  const { body } = await ann.patch(`/api/organizations/${acme.id}`, {
    metadata: { a: null, b: { c: 2 }, f: { g: null, h: 3 } },
  })

  assert.deepEqual(body.metadata, { b: { c: 2, d: [1] }, e: 1, f: { h: 3 } })
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

test("an organization cannot take another's slug, and can keep its own", async () => {
  const ann = await world.person()
  const [{ body: one }, { body: other }] = [await create(ann), await create(ann)]

  assert.deepEqual(codeOf(await ann.patch(`/api/organizations/${one.id}`, { name: 'New', slug: other.slug })), [
    409,
    'slug_taken',
  ])

  assert.deepEqual((await ann.get(`/api/organizations/${one.id}`)).body, one)
  assert.equal((await ann.patch(`/api/organizations/${one.id}`, { slug: one.slug })).status, 200)
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

test('an owner deletes an organization, confirmed by its slug', async () => {
  const { id, slug, path, ann, ben, cleo } = await world.organization()
  for (const confirm of [`${slug}x`, slug.toUpperCase(), id, slug.slice(0, -1)]) {
    assert.deepEqual(codeOf(await ann.delete(path, { confirm })), [400, 'confirmation_mismatch'])
  }
  assert.deepEqual(faultsOf(await ann.delete(path, {})), { '/confirm': 'required' })
  assert.equal((await ann.delete(path)).status, 400)
  assert.deepEqual(codeOf(await ben.delete(path, { confirm: slug })), [403, 'forbidden'])
  assert.deepEqual(codeOf(await cleo.delete(path, { confirm: slug })), [403, 'forbidden'])
  assert.equal((await ann.get(path)).body.memberCount, 3, 'a refusal changes nothing')

  const { status, body } = await ann.delete(path, { confirm: slug })

  assert.deepEqual([status, body.deleted], [200, true])
  assert.ok(Math.abs(Date.parse(body.deletedAt) - Date.now()) < 60_000)
})

test('a deleted organization vanishes from every response', async () => {
  const { id, slug, path, ann, ben, cleo, dan } = await world.organization()
  const { body: invitation } = await ann.post(`${path}/invites`, { email: dan.email })

  await ann.delete(path, { confirm: slug })

  for (const person of [ann, ben, cleo]) {
    for (const way of [path, `/api/organizations/${slug}`, `${path}/members`, `${path}/invites`, `${path}/audit`]) {
      assert.deepEqual(codeOf(await person.get(way)), [404, 'not_found'], way)
    }
    assert.deepEqual((await person.get('/api/organizations')).body.data, [])
  }
  assert.deepEqual(codeOf(await ann.delete(path, { confirm: slug })), [404, 'not_found'])
  assert.deepEqual(codeOf(await dan.post(`/api/invites/${invitation.id}/accept`)), [404, 'not_found'])
  assert.deepEqual(codeOf(await dan.post(`/api/invites/${invitation.id}/decline`)), [404, 'not_found'])
  for (const table of ['memberships', 'invitations', 'audit_entries', 'subjects']) {
    assert.deepEqual(await ask(`select organization_id from ${table} where organization_id = $1`, [id]), [], table)
  }
  assert.deepEqual(await ask('select id from organizations where id = $1', [id]), [])
})

test("a deleted organization's slug is free, and the next organization shows nothing of the old one", async () => {
  const { slug, path, ann, ben, dan } = await world.organization()
  await ann.delete(path, { confirm: slug })

  const { status, body } = await create(dan, { slug })

  assert.equal(status, 201)
  assert.deepEqual([body.slug, body.memberCount], [slug, 1])
  assert.equal((await ben.get(`/api/organizations/${slug}`)).status, 404)
  assert.deepEqual(
    (await dan.get(`/api/organizations/${slug}/audit`)).body.data.map(({ action }: Json) => action),
    ['organization.created'],
  )
})

test("the list has only the caller's organizations, by name", async () => {
  const [ann, ben] = await Promise.all([world.person(), world.person('Ben')])
  const names = ['beta', 'Alpha', 'émile', 'Gamma', 'alpha 2']
  const { body: other } = await create(ben, { name: 'Aaa' })
  await create(ben, { name: 'Not Ann’s' })
  await give(ann, names)
  await world.join(ben, other.id, ann)

  const { body } = await ann.get('/api/organizations')

  assert.deepEqual(
    body.data.map(({ name, role }: Json) => [name, role]),
    [['Aaa', 'member'], ...['Alpha', 'alpha 2', 'beta', 'Gamma', 'émile'].map((name) => [name, 'owner'])],
  )
  assert.equal(body.nextCursor, null)
})

test('the list is filtered by role and by the beginning of name or slug', async () => {
  const ann = await world.person()
  await give(ann, ['Acme', 'ACME Labs', 'Labs'])
  await give(ann, ['Acme as a member'], 'member')
  const [byAdmin] = await give(ann, ['An admin’s'], 'admin')
  const [{ slug }] = await ask<{ slug: string }>('select slug from organizations where id = $1', [byAdmin]).then(
    (rows) => rows as [{ slug: string }], // it was made just now
  )
  const names = async (query: string) =>
    (await ann.get(`/api/organizations?${query}`)).body.data.map(({ name }: Json) => name)

  assert.deepEqual(await names('query=acme'), ['Acme', 'Acme as a member', 'ACME Labs'])
  assert.deepEqual(await names('query=ACME%20L'), ['ACME Labs'])
  assert.deepEqual(await names(`query=${slug}`), ['An admin’s'])
  assert.deepEqual(await names('query=abs'), [])
  assert.deepEqual(await names('role=member'), ['Acme as a member'])
  assert.deepEqual(await names('role=admin'), ['An admin’s'])
  assert.deepEqual(await names('role=owner&query=labs'), ['Labs'])
})

test('`%`, `_` and `\\` in a search for organizations are literal', async () => {
  const ann = await world.person()
  await give(ann, ['100% wool', '100 sheep', 'a_b', 'axb', 'back\\slash', 'backXslash', "it's"])
  for (const [query, found] of [
    ['100%', ['100% wool']],
    ['%', []],
    ['_', []],
    ['a_', ['a_b']],
    ['back\\', ['back\\slash']],
    ["it's", ["it's"]],
    ["' or true --", []],
  ] as const) {
    const { body } = await ann.get(`/api/organizations?query=${encodeURIComponent(query)}`)
    assert.deepEqual(
      body.data.map(({ name }: Json) => name),
      found,
      query,
    )
  }
})

test('each of more than a hundred organizations is reachable once and in order, even if names are equal', async () => {
  const ann = await world.person()
  const names = Array.from({ length: 250 }, (_, index) => (index < 130 ? 'The same' : `Name ${index}`))
  const ids = await give(ann, names)

  for (const [limit, pages] of [
    ['', 3],
    ['?limit=50', 5],
    ['?limit=7', 36],
    ['?limit=100', 3],
  ] as const) {
    const read = await readAll(ann, `/api/organizations${limit}`)
    assert.equal(read.pages, pages, limit)
    assert.deepEqual(read.items.map(({ id }) => id).sort(), [...ids].sort())
    const keys = read.items.map(({ name }) => searchKey(name))
    assert.deepEqual(keys, [...keys].sort())
  }
  const filtered = await readAll(ann, '/api/organizations?limit=20&query=the&role=owner')
  assert.equal(filtered.items.length, 130)
})

test('rows that appear or vanish between pages neither repeat nor hide others', async () => {
  const ann = await world.person()
  await give(ann, ['b', 'c', 'd', 'e', 'f'])
  const { body: first } = await ann.get('/api/organizations?limit=2')
  await give(ann, ['a', 'd2'])
  await ask(`delete from organizations where id = $1`, [first.data[1].id])

  const { body: second } = await ann.get(`/api/organizations?limit=10&cursor=${first.nextCursor}`)

  assert.deepEqual(
    second.data.map(({ name }: Json) => name),
    ['d', 'd2', 'e', 'f'],
  )
})

test('the next page is linked', async () => {
  const ann = await world.person()
  await give(ann, ['a', 'b', 'c'])

  const first = await ann.get('/api/organizations?limit=2&role=owner')

  const [, link = ''] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? []
  const next = new URL(link, world.url)
  assert.deepEqual(Object.fromEntries(next.searchParams), { limit: '2', role: 'owner', cursor: first.body.nextCursor })
  const second = await ann.get(next.pathname + next.search)
  assert.deepEqual([second.body.data.map(({ name }: Json) => name), second.body.nextCursor], [['c'], null])
  assert.equal(second.headers.get('link'), null)
})

test('a cursor works only for its list, filters and caller', async () => {
  const [ann, ben] = await Promise.all([world.person(), world.person('Ben')])
  const [id] = await give(ann, ['a', 'b', 'c'])
  await give(ben, ['a', 'b', 'c'])
  const { nextCursor } = (await ann.get('/api/organizations?limit=1')).body
  const tampered = `${nextCursor.slice(0, -6)}${nextCursor.at(-6) === 'A' ? 'B' : 'A'}${nextCursor.slice(-5)}`

  for (const [person, path] of [
    [ben, `/api/organizations?limit=1&cursor=${nextCursor}`],
    [ann, `/api/organizations?limit=1&role=owner&cursor=${nextCursor}`],
    [ann, `/api/organizations?limit=1&query=a&cursor=${nextCursor}`],
    [ann, `/api/organizations/${id}/members?limit=1&cursor=${nextCursor}`],
    [ann, `/api/organizations?cursor=${tampered}`],
    [ann, '/api/organizations?cursor=x'],
  ] as const) {
    assert.deepEqual(codeOf(await person.get(path)), [400, 'invalid_cursor'], path)
  }
  assert.equal((await ann.get(`/api/organizations?limit=2&cursor=${nextCursor}`)).status, 200, 'the limit may change')
  assert.equal((await (await world.signIn(ann)).get(`/api/organizations?cursor=${nextCursor}`)).status, 200)
})

test('an invalid query is refused', async () => {
  const ann = await world.person()
  for (const [query, pointer] of [
    ['limit=0', '?limit'],
    ['limit=101', '?limit'],
    ['limit=-1', '?limit'],
    ['limit=1.5', '?limit'],
    ['limit=x', '?limit'],
    ['limit=', '?limit'],
    ['role=boss', '?role'],
    ['role=', '?role'],
    ['role=owner&role=member', '?role'],
    ['query=', '?query'],
    ['cursor=', '?cursor'],
    ['offset=1', '?offset'],
    ['userId=x', '?userId'],
  ] as const) {
    const answer = await ann.get(`/api/organizations?${query}`)
    assert.deepEqual([answer.status, Object.keys(faultsOf(answer))], [400, [pointer]], query)
  }
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
  const counts = await ask('select owner_count, member_count from organizations where id = $1', [id])
  assert.deepEqual(counts, [{ owner_count: 2, member_count: 2 }])
})

test('nobody can create organizations while they own MAX_ORGANIZATIONS', async () => {
  const [ann, ben] = await Promise.all([world.person(), world.person('Ben')])
  await give(ann, ['as a member', 'as a member too'], 'member')
  await give(ann, ['as an admin'], 'admin')
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
  await give(
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

test('deleting an organization deletes the queued jobs of its invitations', async () => {
  const { ann, path, slug } = await world.organization()
  const { body } = await ann.post(`${path}/invites`, { email: 'somebody@example.com' })
  const jobs = () => world.postgres.ask('select from graphile_worker.jobs where key = $1', [`invitation:${body.id}`])
  assert.equal((await jobs()).length, 1)
  await ann.delete(path, { confirm: slug })
  assert.equal((await jobs()).length, 0)
})
