import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, createWorld, type Json, type Person } from '../../../test/world.ts'
import { fillWords } from '../../domain/search/writing.ts'

const world = await createWorld()
const { query } = world.postgres

const emailsOf = ({ body }: Answer): string[] => body.data.map(({ email }: Json) => email)
const list = (admin: Person, query: Readonly<Record<string, string>> = {}) =>
  admin.get(`/api/admin/users?${new URLSearchParams(query)}`)

/** A tenant of its own with an admin, and users with these names and addresses, a minute apart, in this order. */
async function populate(
  users: readonly { readonly name: string | null; readonly email: string }[],
): Promise<{ slug: string; admin: Person }> {
  const { slug, id: tenant } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  // Later than everybody else, so that it stands at an end of the list by time.
  await query(
    `update users set created_at = '2030-01-01', email = 'zz-admin@example.com', name = 'zz admin', name_key = 'zz admin'
    where id = $1`,
    [admin.id],
  )
  for (const [index, { name, email }] of users.entries()) {
    await query(
      `insert into users (tenant_id, id, email, name, name_key, created_at)
      select id, 'user_' || lpad($2, 26, '0'), $3, $4, lower($4), '2026-01-01'::timestamptz + make_interval(mins => $5)
      from tenants where slug = $1`,
      [slug, String(index), email, name, index],
    )
  }
  await query(`update users set words = null, keys_version = null where id = $1`, [admin.id])
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

test('only tenant admins can use the directory of users', async () => {
  const { ann, id } = await world.organization()

  for (const path of ['/api/admin/users', `/api/admin/users/${ann.id}`]) {
    const asOwner = await ann.get(path)
    assert.deepEqual([asOwner.status, asOwner.body.code], [403, 'forbidden'], `the owner of ${id} is no admin`)
    assert.equal((await world.nobody.get(path)).status, 401)
  }
})

test('an admin sees only users of their own tenant', async () => {
  const { admin } = await populate([{ name: 'Ann', email: 'ann@example.com' }])
  const stranger = await world.person('Stranger')

  assert.deepEqual(emailsOf(await list(admin)), ['zz-admin@example.com', 'ann@example.com'])
  const other = await admin.get(`/api/admin/users/${stranger.id}`)
  assert.deepEqual([other.status, other.body.code], [404, 'not_found'])
  assert.equal((await list(admin, { query: 'stranger' })).body.data.length, 0)
  const { id } = await world.organization()
  assert.equal((await list(admin, { organizationId: id })).body.data.length, 0)
})

test('a single user is shown with all fields', async () => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const ann = await world.person('Ann', { tenant: slug })
  const { body: me } = await ann.get('/api/users/me')

  const { status, body } = await admin.get(`/api/admin/users/${ann.id}`)

  assert.equal(status, 200)
  assert.deepEqual({ ...body, lastActiveAt: '' }, { ...me, externalId: null, lastActiveAt: '' })
  assert.equal((await admin.get(`/api/admin/users/user_${'0'.repeat(26)}`)).status, 404)
  assert.deepEqual((await admin.get('/api/admin/users/org_1')).body.code, 'invalid_id')
})

test('a demoted admin sees nothing from the next request on', async () => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  assert.equal((await list(admin)).status, 200)

  await query(`update users set role = 'user' where id = $1`, [admin.id])

  assert.equal((await list(admin)).status, 403)
})

const mixed = [
  { name: 'Bea', email: 'e@example.com' },
  { name: null, email: 'b@example.com' },
  { name: 'ann', email: 'd@example.com' },
  { name: 'Bea', email: 'a@example.com' },
  { name: null, email: 'c@example.com' },
  { name: 'Ann', email: 'f@example.com' },
]

test('users are sorted as requested, those without a name last in both directions, and ties are split across pages', async () => {
  const { admin } = await populate(mixed)
  const orders: [string | undefined, string][] = [
    [undefined, 'zz f c a d b e'],
    ['-createdAt', 'zz f c a d b e'],
    ['createdAt', 'e b d a c f zz'],
    ['email', 'a b c d e f zz'],
    ['-email', 'zz f e d c b a'],
    // Ties go by id: d before f, e before a.
    ['name', 'd f e a zz b c'],
    ['-name', 'zz a e f d c b'],
  ]
  for (const [sort, expected] of orders) {
    const query: Record<string, string> = sort === undefined ? {} : { sort }
    for (const limit of [1, 2, 3, 4, 5, 7, 100]) {
      const found = await pages(admin, query, limit)
      const shown = found.map(({ email }) => email.split(/[-@]/)[0]).join(' ')
      assert.equal(shown, expected, `${sort} by ${limit}`)
    }
  }
})

test('users created in the same millisecond are split across pages', async () => {
  const { admin, slug } = await populate(mixed)
  await query(`update users set created_at = '2026-01-01' where tenant_id = (select id from tenants where slug = $1)`, [
    slug,
  ])
  for (const sort of ['createdAt', '-createdAt']) {
    const found = await pages(admin, { sort }, 2)
    assert.equal(new Set(found.map(({ id }) => id)).size, 7, sort)
    assert.equal(found.length, 7, sort)
  }
})

test('all of more than a hundred users are reachable', async () => {
  const many = Array.from({ length: 130 }, (_, index) => ({
    name: index % 3 ? 'Same' : null,
    email: `u${index}@example.com`,
  }))
  const { admin } = await populate(many)
  for (const sort of ['name', '-name', 'email', '-createdAt']) {
    const found = await pages(admin, { sort }, 100)
    assert.equal(new Set(found.map(({ id }) => id)).size, 131, sort)
  }
})

test('a user who is added or removed between two pages makes no other user appear twice or disappear', async () => {
  const { admin, slug } = await populate(mixed)
  const first = (await list(admin, { sort: 'email', limit: '3' })).body
  await query(`delete from users where email = 'b@example.com'`)
  await query(
    `insert into users (tenant_id, id, email) select id, 'user_' || repeat('1', 26), 'aa@example.com' from tenants where slug = $1`,
    [slug],
  )
  const second = (await list(admin, { sort: 'email', limit: '100', cursor: first.nextCursor })).body
  assert.deepEqual([...first.data, ...second.data].map(({ email }: Json) => email[0]).join(''), 'abcdefz')
})

test('a search matches the beginning of each word of name and address, and every letter literally', async () => {
  const { admin } = await populate([
    { name: 'Anna Percent', email: 'percent%@example.com' },
    { name: '100% Bea', email: 'under_score@example.com' },
    { name: 'Ünal Öz', email: 'back\\slash@example.com' },
    { name: "O'Brien", email: 'o.brien@example.com' },
    { name: null, email: 'underxscore@example.com' },
    { name: null, email: 'max@xn--mller-kva.test' },
  ])
  const searches: [string, number][] = [
    ['anna', 1],
    ['ANNA P', 1],
    ['Percent', 1],
    ['bea', 1],
    ['%', 0],
    ['percent%', 1],
    ['100%', 1],
    ['_', 0],
    ['under_', 2],
    ['under_s', 1],
    ['under', 2],
    ['back\\', 1],
    ['\\', 0],
    ['ün', 3],
    ['ünal', 1],
    ['U\u0308NAL', 1],
    ["o'", 2],
    ["o'b", 1],
    ["' or true --", 0],
    ['example.com', 6],
    ['ample', 0],
    ['max@müller.test', 1],
    [' Max@MÜLLER.test ', 1],
    ['max@xn--mller', 1],
  ]
  for (const [query, count] of searches) {
    assert.equal((await list(admin, { query })).body.data.length, count, query)
  }
})

test('search results are sorted and paged like the full list, and each user appears once', async () => {
  const { admin } = await populate([
    { name: 'Bea', email: 'ab1@example.com' },
    { name: 'Abby', email: 'zz1@example.com' },
    { name: null, email: 'ab2@example.com' },
    { name: 'Abe', email: 'ab3@example.com' },
    { name: 'Abe', email: 'a9@example.com' },
    { name: 'Ac', email: 'ac@example.com' },
    { name: 'Ab\u{10fffd}', email: 'yy@example.com' },
  ])
  const orders: [string, string][] = [
    ['createdAt', 'ab1 zz1 ab2 ab3 a9 yy'],
    ['-createdAt', 'yy a9 ab3 ab2 zz1 ab1'],
    ['email', 'a9 ab1 ab2 ab3 yy zz1'],
    ['-email', 'zz1 yy ab3 ab2 ab1 a9'],
    ['name', 'zz1 ab3 a9 yy ab1 ab2'],
    ['-name', 'ab1 yy a9 ab3 zz1 ab2'],
  ]
  for (const [sort, expected] of orders) {
    for (const limit of [1, 2, 3, 5, 100]) {
      const found = await pages(admin, { query: 'AB', sort }, limit)
      assert.equal(found.map(({ email }) => email.split('@')[0]).join(' '), expected, `${sort} by ${limit}`)
    }
  }
  assert.equal((await list(admin, { query: 'ab', includeTotal: 'true', limit: '2' })).body.total, 6)
})

test('each filter works alone and together with the others', async () => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const { ann, ben, cleo, dan, id } = await world.organization({ tenant: slug })
  const stranger = await world.person('Eve')
  await query(`update users set status = 'suspended' where id = $1`, [dan.id])
  await query(`update users set email_verified = false where id = any($1)`, [[cleo.id, dan.id]])
  const times = { [ann.id]: '01', [ben.id]: '02', [cleo.id]: '03', [dan.id]: '04', [admin.id]: '05' }
  for (const [user, day] of Object.entries(times)) {
    await query(`update users set created_at = $2 where id = $1`, [user, `2026-03-${day}T12:00:00.000Z`])
  }
  const filters: [Record<string, string>, Person[]][] = [
    [{ status: 'suspended' }, [dan]],
    [{ status: 'active' }, [admin, cleo, ben, ann]],
    [{ role: 'admin' }, [admin]],
    [{ role: 'user' }, [dan, cleo, ben, ann]],
    [{ emailVerified: 'true' }, [admin, ben, ann]],
    [{ emailVerified: 'false' }, [dan, cleo]],
    [{ organizationId: id }, [cleo, ben, ann]],
    [{ organizationId: `org_${'0'.repeat(26)}` }, []],
    [{ createdAfter: '2026-03-03T12:00:00.000Z' }, [admin, dan, cleo]],
    [{ createdAfter: '2026-03-03T12:00:00.001Z' }, [admin, dan]],
    [{ createdBefore: '2026-03-02T12:00:00.000Z' }, [ann]],
    [{ createdBefore: '2026-03-02T14:00:00.001+02:00' }, [ben, ann]],
    [{ createdAfter: '2026-03-02T00:00:00Z', createdBefore: '2026-03-04T00:00:00Z' }, [cleo, ben]],
    [{ email: `${cleo.email},${ann.email.toUpperCase()},nobody@example.com` }, [cleo, ann]],
    [{ id: `${ben.id},${dan.id},${stranger.id}` }, [dan, ben]],
    [{ id: `${ben.id},${dan.id}`, email: dan.email }, [dan]],
    [{ organizationId: id, emailVerified: 'true', query: 'be' }, [ben]],
    [{ organizationId: id, status: 'suspended' }, []],
    [{ query: 'dan', status: 'suspended', role: 'user', emailVerified: 'false' }, [dan]],
  ]
  for (const [filter, expected] of filters) {
    const found = await list(admin, { ...filter, includeTotal: 'true' })
    assert.deepEqual(
      emailsOf(found),
      expected.map(({ email }) => email),
      JSON.stringify(filter),
    )
    assert.equal(found.body.total, expected.length, JSON.stringify(filter))
    const paged = await pages(admin, filter, 1)
    assert.equal(paged.length, expected.length, JSON.stringify(filter))
  }
})

test('a requested total counts the whole list, not the page', async () => {
  const { admin } = await populate(mixed)

  const asked = await list(admin, { includeTotal: 'true', limit: '2' })
  assert.deepEqual([asked.body.total, asked.body.totalCapped, asked.body.data.length], [7, undefined, 2])
  for (const query of [{}, { includeTotal: 'false' }]) {
    assert.ok(!('total' in (await list(admin, query)).body))
  }
  const next = await list(admin, { includeTotal: 'true', limit: '2', cursor: asked.body.nextCursor })
  assert.equal(next.body.total, 7)
})

test('a total is exact up to 10,000, and is marked when it is not', async () => {
  const { admin, slug } = await populate([])
  const fill = (from: number, to: number) =>
    query(
      `insert into users (tenant_id, id, email)
      select t.id, 'user_' || lpad(n::text, 26, '0'), 'fill' || n || '@example.com'
      from tenants t, generate_series($2::integer, $3::integer) n where slug = $1`,
      [slug, from, to],
    )
  await fill(1, 9_999)
  const exact = (await list(admin, { includeTotal: 'true', limit: '1' })).body
  assert.deepEqual([exact.total, exact.totalCapped], [10_000, undefined])
  await fill(10_000, 10_000)
  const capped = (await list(admin, { includeTotal: 'true', limit: '1' })).body
  assert.deepEqual([capped.total, capped.totalCapped], [10_000, true])
})

test('an invalid filter is refused, and never answered with an empty list', async () => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const wrong: [string, string][] = [
    ['limit=0', '?limit'],
    ['limit=101', '?limit'],
    ['limit=-1', '?limit'],
    ['limit=ten', '?limit'],
    ['limit=1.5', '?limit'],
    ['limit=', '?limit'],
    ['limit=1&limit=2', '?limit'],
    ['status=gone', '?status'],
    ['status=', '?status'],
    ['role=owner', '?role'],
    ['role=', '?role'],
    ['emailVerified=yes', '?emailVerified'],
    ['email=', '?email'],
    ['email=ann', '?email'],
    ['id=ann', '?id'],
    [`id=${Array(101).fill(`user_${'0'.repeat(26)}`)}`, '?id'],
    ['organizationId=acme', '?organizationId'],
    ['createdAfter=yesterday', '?createdAfter'],
    ['createdBefore=2026-02-30T00:00:00Z', '?createdBefore'],
    ['sort=password_hash', '?sort'],
    ['sort=name;drop table users', '?sort'],
    ['query=', '?query'],
    ['query=%00', '?query'],
    ['includeTotal=1', '?includeTotal'],
    ['offset=5', '?offset'],
    ['__proto__=1', '?__proto__'],
  ]
  for (const [query, pointer] of wrong) {
    const { status, body } = await admin.get(`/api/admin/users?${query}`)
    assert.equal(status, 400, query)
    assert.equal(body.errors?.[0].pointer, pointer, query)
  }
})

test('a cursor works only for the list, order, filter and caller that it was made for', async () => {
  const { admin } = await populate(mixed)
  const cursor = (await list(admin, { sort: 'name', limit: '2' })).body.nextCursor
  const other = (await populate(mixed)).admin

  const wrong: [Person, Record<string, string>][] = [
    [admin, { sort: '-name', cursor }],
    [admin, { cursor }],
    [admin, { sort: 'name', status: 'active', cursor }],
    [admin, { sort: 'name', cursor: `${cursor}A` }],
    [admin, { sort: 'name', cursor: cursor.slice(0, -2) }],
    [admin, { sort: 'name', cursor: 'nonsense' }],
    [other, { sort: 'name', cursor }],
  ]
  for (const [who, query] of wrong) {
    const answer = await list(who, query)
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_cursor'], JSON.stringify(query))
  }
  assert.equal((await list(admin, { sort: 'name', limit: '50', cursor })).status, 200, 'pages may change their size')
  assert.ok(!Buffer.from(cursor, 'base64url').includes('Ann'), 'a cursor cannot be read')
})
