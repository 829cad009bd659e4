import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, codeOf, createWorld, type Json, type Person } from '../../../test/world.ts'
import { fillWords } from '../../domain/search/writing.ts'
import { searchKey } from '../../platform/http/schemas.ts'

const world = await createWorld()
const { query } = world.postgres
const namesOf = ({ body }: Answer): string[] => body.data.map(({ name }: Json) => name)
const list = (admin: Person, query: Readonly<Record<string, string>> = {}) =>
  admin.get(`/api/admin/organizations?${new URLSearchParams(query)}`)

/** A tenant of its own with an admin, and organizations with these names, a minute apart, in this order. */
async function populate(names: readonly string[]): Promise<{ slug: string; admin: Person }> {
  const { slug, id: tenant } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  await query(
    `insert into organizations (tenant_id, id, slug, name, name_key, owner_count, member_count, created_at)
     select t.id, 'org_' || lpad(o.n::text, 26, '0'), 'made-' || o.n, o.name, o.key, 1, 1,
       '2026-01-01'::timestamptz + make_interval(mins => o.n::integer)
     from tenants t, unnest($2::text[], $3::text[]) with ordinality as o (name, key, n)
     where t.slug = $1`,
    [slug, names, names.map(searchKey)],
  )
  await fillWords(world.database, tenant)
  return { slug, admin }
}

/** Every page of a list, one after the other. */
async function pages(admin: Person, query: Readonly<Record<string, string>>, limit: number): Promise<Json[]> {
  const found: Json[] = []
  let cursor: string | null = null
  do {
    const { status, body, headers } = await list(admin, { ...query, limit: String(limit), ...(cursor && { cursor }) })
    assert.equal(status, 200)
    assert.ok(body.data.length <= limit)
    found.push(...body.data)
    cursor = body.nextCursor
    assert.equal(headers.has('link'), cursor !== null)
  } while (cursor !== null)
  return found
}

test('only tenant admins can read and change the directory of organizations', async () => {
  const { ann, id, slug, members } = await world.organization()
  const path = `/api/admin/organizations/${id}`

  for (const request of [
    ann.get('/api/admin/organizations'),
    ann.get(path),
    ann.get(`${path}/members`),
    ann.delete(path, { confirm: slug }),
    ann.post(`${path}/transfer`, { memberId: members.ben.id }),
  ]) {
    assert.deepEqual(codeOf(await request), [403, 'forbidden'], 'owning it is another matter')
  }
  assert.equal((await ann.get(`/api/organizations/${id}`)).status, 200)
})

test('an admin sees every organization as its members do, except for the role, even as an outsider', async () => {
  const { slug: tenant } = await world.tenant()
  const admin = await world.tenantAdmin(tenant)
  const { ann, id, slug, path } = await world.organization({ tenant })
  await ann.patch(path, { logoUrl: 'https://example.com/l.png', metadata: { plan: 'team' } })
  const { permissions: _, ...shown } = (await ann.get(path)).body
  const expected = { ...shown, externalId: null, membership: null, role: null, roles: [] }

  assert.deepEqual((await list(admin)).body, { data: [expected], nextCursor: null })
  for (const name of [id, slug]) {
    assert.deepEqual((await admin.get(`/api/admin/organizations/${name}`)).body, expected)
  }
  await world.join(ann, id, admin, 'owner')
  const { body } = await admin.get(`/api/admin/organizations/${id}`)
  assert.deepEqual([body.role, body.roles, body.memberCount], [null, [], 4])
})

test('an admin sees the members of an organization, and so to whom it can be transferred', async () => {
  const { slug: tenant } = await world.tenant()
  const admin = await world.tenantAdmin(tenant)
  const { ann, cleo, id, slug, path } = await world.organization({ tenant })
  const { body: shown } = await ann.get(`${path}/members?sort=name`)

  for (const name of [id, slug])
    assert.deepEqual((await admin.get(`/api/admin/organizations/${name}/members?sort=name`)).body, shown)
  const { body } = await admin.get(`/api/admin/organizations/${id}/members?query=${cleo.email}`)
  const transferred = await admin.post(`/api/admin/organizations/${id}/transfer`, { memberId: body.data[0].id })
  assert.deepEqual([transferred.status, transferred.body.to.user.id], [200, cleo.id])
  assert.deepEqual(codeOf(await admin.get('/api/admin/organizations/nothing/members')), [404, 'not_found'])
  const { path: foreign } = await world.organization()
  assert.equal((await admin.get(`${foreign.replace('/api/', '/api/admin/')}/members`)).status, 404)
})

test("an admin cannot see another tenant's organizations", async () => {
  const { admin } = await populate(['Ours'])
  const { id, slug, members, path, ann } = await world.organization()

  assert.deepEqual(namesOf(await list(admin)), ['Ours'])
  for (const name of [id, slug, `org_${'9'.repeat(26).replace(/^9/, '0')}`]) {
    const way = `/api/admin/organizations/${name}`
    assert.deepEqual(codeOf(await admin.get(way)), [404, 'not_found'])
    assert.deepEqual(codeOf(await admin.delete(way, { confirm: slug })), [404, 'not_found'])
    assert.deepEqual(codeOf(await admin.post(`${way}/transfer`, { memberId: members.ben.id })), [404, 'not_found'])
  }
  assert.deepEqual((await list(admin, { userId: ann.id })).body.data, [])
  assert.equal((await ann.get(path)).body.role, 'owner')
})

test('organizations are sorted by name or time of creation, in both directions, and ties are split across pages', async () => {
  const { admin, slug } = await populate(['beta', 'Alpha', 'Beta', 'gamma', 'alpha'])
  const orders: [string | undefined, string][] = [
    [undefined, '2 5 1 3 4'],
    ['name', '2 5 1 3 4'],
    ['-name', '4 3 1 5 2'],
    ['createdAt', '1 2 3 4 5'],
    ['-createdAt', '5 4 3 2 1'],
  ]
  for (const [sort, expected] of orders) {
    for (const limit of [1, 2, 3, 5, 100]) {
      const found = await pages(admin, sort === undefined ? {} : { sort }, limit)
      assert.equal(found.map(({ slug }) => slug.replace('made-', '')).join(' '), expected, `${sort} by ${limit}`)
    }
  }
  await query(
    `update organizations set created_at = '2026-01-01' where tenant_id = (select id from tenants where slug = $1)`,
    [slug],
  )
  for (const sort of ['createdAt', '-createdAt']) {
    assert.equal(new Set((await pages(admin, { sort }, 2)).map(({ id }) => id)).size, 5, sort)
  }
})

test('all of more than a hundred organizations are reachable, even if their names are the same', async () => {
  const { admin } = await populate(Array.from({ length: 230 }, (_, index) => (index < 120 ? 'Same' : `Name ${index}`)))
  for (const sort of ['name', '-name', 'createdAt', '-createdAt']) {
    assert.equal(new Set((await pages(admin, { sort }, 100)).map(({ id }) => id)).size, 230, sort)
  }
  assert.equal((await pages(admin, { query: 'same' }, 33)).length, 120)
})

test('a search matches the beginning of each word of name and slug, and every letter literally', async () => {
  const { admin } = await populate([
    '100% Acme',
    'Acme_x',
    'acmexx',
    'ACME',
    'back\\slash',
    "O'Brien & Co",
    'Über',
    'made-9',
    '𐐀 far',
  ])
  const searches: [string, number][] = [
    ['acme', 4],
    ['ACME', 4],
    ['acme_', 4],
    ['acme_x', 1],
    ['cme', 0],
    ['%', 0],
    ['100%', 1],
    ['_', 0],
    ['back\\', 1],
    ["o'b", 1],
    ["' or true --", 0],
    ['u\u0308ber', 1],
    ['made-', 9],
    ['made-9', 2],
    ['𐐀', 1],
    ['\u{10fffd}', 0],
    ['z', 0],
  ]
  for (const [query, count] of searches) {
    const { body } = await list(admin, { query, includeTotal: 'true' })
    assert.deepEqual([body.data.length, body.total], [count, count], query)
    for (const sort of ['-name', 'createdAt']) {
      assert.equal((await pages(admin, { query, sort }, 1)).length, count, `${query} by ${sort}`)
    }
  }
})

test("`userId` finds the organizations of a user, whatever the user's role", async () => {
  const { slug: tenant } = await world.tenant()
  const admin = await world.tenantAdmin(tenant)
  const acme = await world.organization({ tenant })
  const { body: bens } = await acme.ben.post('/api/organizations', { name: 'Ben alone' })

  const idsFor = async (query: Record<string, string>) => (await list(admin, query)).body.data.map(({ id }: Json) => id)

  assert.deepEqual((await idsFor({ userId: acme.ben.id })).sort(), [acme.id, bens.id].sort())
  assert.deepEqual(await idsFor({ userId: acme.cleo.id }), [acme.id])
  assert.deepEqual(await idsFor({ userId: acme.dan.id }), [])
  assert.deepEqual(await idsFor({ userId: acme.ben.id, query: 'ben' }), [bens.id])
  assert.equal((await list(admin, { userId: acme.ben.id, includeTotal: 'true' })).body.total, 2)
  await acme.cleo.delete(`${acme.path}/members/me`)
  assert.deepEqual(await idsFor({ userId: acme.cleo.id }), [])
})

test('`id` finds the organizations with these ids, in the order of the list, and none of another tenant', async () => {
  const { admin } = await populate(['Beta', 'Alpha', 'Gamma', 'Alpine'])
  const { id: foreign } = await world.organization()
  const [beta, alpha, gamma, alpine] = [1, 2, 3, 4].map((number) => `org_${String(number).padStart(26, '0')}`)
  const gone = `org_${'0'.repeat(25)}9`
  const found = async (ids: readonly unknown[], others: Record<string, string> = {}) =>
    namesOf(await list(admin, { id: ids.join(), ...others })).join(' ')

  assert.equal(await found([gamma, beta, alpine]), 'Alpine Beta Gamma')
  assert.equal(await found([gamma, beta, alpine], { sort: '-createdAt' }), 'Alpine Gamma Beta')
  assert.equal(await found([alpha]), 'Alpha')
  assert.equal(await found([beta, beta, gone]), 'Beta')
  assert.equal(await found([foreign]), '')
  assert.equal(await found([foreign, gone, gamma]), 'Gamma')
  assert.equal(await found([beta, gamma, alpine], { query: 'alp' }), 'Alpine')
  assert.equal((await pages(admin, { id: [alpha, beta, gamma].join() }, 1)).length, 3)
  const { body } = await list(admin, { id: [beta, foreign, alpine].join(), limit: '1', includeTotal: 'true' })
  assert.deepEqual([body.total, body.data.length], [2, 1])
})

test('a requested total is exact up to 10,000, and is marked when it is not', async () => {
  const { admin, slug } = await populate(Array.from({ length: 3 }, () => 'Acme'))
  assert.ok(!('total' in (await list(admin)).body))
  assert.equal((await list(admin, { includeTotal: 'true', limit: '1' })).body.total, 3)
  const fill = (from: number, to: number) =>
    query(
      `insert into organizations (tenant_id, id, slug, name, name_key, owner_count, member_count)
       select t.id, 'org_' || lpad(n::text, 26, '0'), 'fill-' || n, 'Fill', 'fill', 1, 1
       from tenants t, generate_series($2::integer, $3::integer) n where slug = $1`,
      [slug, from, to],
    )
  await fill(4, 10_000)
  const exact = (await list(admin, { includeTotal: 'true', limit: '1' })).body
  assert.deepEqual([exact.total, exact.totalCapped], [10_000, undefined])
  await fill(10_001, 10_001)
  const capped = (await list(admin, { includeTotal: 'true', limit: '1' })).body
  assert.deepEqual([capped.total, capped.totalCapped], [10_000, true])
})

test('a failed query is an error, never an empty list; `limit=0` is refused', async () => {
  const { admin } = await populate([])
  for (const query of [
    'limit=0',
    'limit=101',
    'query=',
    'query=%00',
    'id=',
    'id=acme',
    `id=org_${'0'.repeat(26)},user_${'0'.repeat(26)}`,
    `id=${Array(101).fill(`org_${'0'.repeat(26)}`)}`,
    'userId=x',
    'userId=org_01k9zq3v5hf8gs4m2y7c6t0wdn',
    'sort=slug',
    'sort=name,createdAt',
    'role=owner',
    'includeTotal=1',
    'offset=5',
  ]) {
    const answer = await admin.get(`/api/admin/organizations?${query}`)
    assert.deepEqual(codeOf(answer), [400, 'invalid_request'], query)
    assert.equal(answer.body.errors[0].pointer, `?${query.split('=')[0]}`)
  }
})

test('a cursor works only for the order, filter and caller that it was made for', async () => {
  const { admin, slug } = await populate(['a', 'b', 'c'])
  const other = await world.tenantAdmin(slug)
  const cursor = (await list(admin, { limit: '1' })).body.nextCursor
  for (const [who, query] of [
    [admin, { sort: '-name', cursor }],
    [admin, { query: 'a', cursor }],
    [other, { cursor }],
  ] as const) {
    assert.deepEqual(codeOf(await list(who, query)), [400, 'invalid_cursor'])
  }
  assert.deepEqual(namesOf(await list(admin, { limit: '2', cursor })), ['b', 'c'])
})

test('an admin deletes an organization for good, confirmed by its slug', async () => {
  const { slug: tenant } = await world.tenant()
  const admin = await world.tenantAdmin(tenant)
  const { ann, id, slug, path } = await world.organization({ tenant })
  await ann.post(`${path}/invites`, { email: 'eve@example.com' })
  const way = `/api/admin/organizations/${id}`

  for (const confirm of ['another', id, slug.toUpperCase(), '']) {
    assert.deepEqual(codeOf(await admin.delete(way, { confirm })), [400, 'confirmation_mismatch'])
  }
  const deleted = await admin.delete(way, { confirm: slug })

  assert.deepEqual([deleted.status, deleted.body.deleted], [200, true])
  assert.deepEqual(codeOf(await admin.delete(way, { confirm: slug })), [404, 'not_found'])
  assert.deepEqual(codeOf(await ann.get(path)), [404, 'not_found'])
  for (const table of ['memberships', 'invitations', 'audit_entries', 'subjects', 'mails']) {
    assert.deepEqual(await query(`select from ${table} where organization_id = $1`, [id]), [], table)
  }
  const [entry] = await query<{ actor: string }>(
    `select d.user_id as actor from audit_entries e join audit_details d on d.tenant_id = e.tenant_id and d.entry_id = e.id
     where e.action = 'organization.deleted' and e.target_id = $1`,
    [id],
  )
  assert.equal(entry?.actor, admin.id)
})

test('a slug names only the organization that has it now', async () => {
  const { slug: tenant } = await world.tenant()
  const admin = await world.tenantAdmin(tenant)
  const { ann, slug, path } = await world.organization({ tenant })
  await ann.patch(path, { slug: `${slug}-moved` })

  assert.deepEqual(codeOf(await admin.delete(`/api/admin/organizations/${slug}`, { confirm: slug })), [
    404,
    'not_found',
  ])
  const { body: taken } = await ann.post('/api/organizations', { name: 'Other', slug })
  assert.equal((await admin.delete(`/api/admin/organizations/${slug}`, { confirm: slug })).status, 200)
  assert.deepEqual(codeOf(await ann.get(`/api/organizations/${taken.id}`)), [404, 'not_found'])
  assert.equal((await ann.get(path)).status, 200)
})
