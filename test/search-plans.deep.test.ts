/** Plans of searches: how many rows one reads in a large tenant, in every order, by rare words, frequent ones, and such that never meet. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import pg from 'pg'
import { fillWords } from '../src/domain/search/writing.ts'
import { connectExplainer, matchingOf, planner } from './explain.ts'
import { createWorld } from './world.ts'

const world = await createWorld()
const { query } = world.postgres
const { tenantId: tenant } = world
const tess = await world.tenantAdmin()
/** Of 60,000 users, a tenth each is called Anna and Smith, and nobody both. One is called Zora Unique. */
const people = 60_000

await query(
  `insert into users (tenant_id, id, email, name, name_key, created_at)
   select $1, 'user_' || lpad(n::text, 26, '0'), substr(md5(n::text), 1, 8) || n || '@example.com', name, lower(name),
     '2025-01-01'::timestamptz + make_interval(mins => n)
   from generate_series(1, $2::integer) n,
     lateral (select case when n = 777 then 'Zora Unique' when n % 10 = 0 then 'Anna' when n % 10 = 1 then 'Smith' when n % 10 > 2 then
       initcap(substr(md5('name' || n), 1, 6)) end as name) named`,
  [tenant, people],
)
await query(
  `insert into organizations (tenant_id, id, slug, name, name_key, owner_count, member_count)
   select $1, 'org_' || lpad(n::text, 26, '0'), 'slug-' || n, name, lower(name), 1, 1
   from generate_series(1, $2::integer) n,
     lateral (select case n % 10 when 0 then 'Acme' when 1 then 'Labs' else initcap(substr(md5('name' || n), 1, 6)) end as name) named`,
  [tenant, people],
)
/** The organization of all of them. */
const everybody = `org_${'1'.padStart(26, '0')}`
await query(
  `insert into memberships (tenant_id, id, organization_id, user_id, role, joined_at, last_active_at)
   select $1, 'mem_' || lpad(n::text, 26, '0'), $3, 'user_' || lpad(n::text, 26, '0'), case when n = 1 then 'owner' when n % 4 = 0 then 'admin' else 'member' end, joined, joined
   from generate_series(1, $2::integer) n, lateral (select '2025-01-01'::timestamptz + make_interval(mins => n) as joined) time`,
  [tenant, people, everybody],
)
await query('update organizations set member_count = $3 where tenant_id = $1 and id = $2', [tenant, everybody, people])
// They were invited: half of them on the same day as another one. The newest are of last year.
await query(
  `insert into invitations (tenant_id, id, organization_id, email, role, status, created_at, expires_at)
   select $1, 'inv_' || lpad(n::text, 26, '0'), $3,
     case when n = 777 then 'zora.unique' when n % 10 = 0 then 'anna.' || n when n % 10 = 1 then 'smith.' || n
       when n < 4000 then 'early.' || n else 'x' || n end || '@example.com',
     'member', case when n % 2 = 0 then 'accepted' else 'revoked' end,
     '2025-01-01'::timestamptz + make_interval(mins => n / 2), '2025-01-02'
   from generate_series(1, $2::integer) n`,
  [tenant, people, everybody],
)
await query('analyze')
assert.equal(await fillWords(world.database, tenant), 3 * people)
await query('vacuum analyze')

const driver = mock.method(pg.Client.prototype, 'query')
const tables = new Set([
  ...['users', 'user_words', 'organizations', 'organization_words', 'memberships', 'invitations', 'invitation_words'],
])
const { plansOf, rowsOf } = planner(await connectExplainer(world), tables)

/** Requests a list. @returns how many rows its statements read, by the costlier of their plans, and how many it shows */
async function readsOf(path: string, searching = /\bwords\b|_words/): Promise<{ read: number; shown: number }> {
  driver.mock.resetCalls()
  const { status, body } = await tess.get(path)
  assert.equal(status, 200, path)
  const statements = matchingOf(driver, searching)
  assert.ok(statements.length > 0, path)
  let read = 0
  for (const each of statements) {
    const { keepsGeneric } = await plansOf(each)
    const kinds = keepsGeneric ? (['custom', 'generic'] as const) : (['custom'] as const)
    let most = 0
    for (const kind of kinds) most = Math.max(most, await rowsOf(each, kind))
    read += most
  }
  return { read, shown: body.data.length }
}

/** A search, how many it shows, and how many rows it may read: those of the words, those in their order, and those of the page. */
const searches: readonly (readonly [string, number, number])[] = [
  ['unique', 1, 10],
  ['zora uni', 1, 10],
  ['nobody', 0, 0],
  ['abc', -1, 500],
  ['smith unique', 0, 2_100],
  ['anna', 50, 24_100],
  ['@example', 50, 10_200],
  ['anna smith', 0, 34_000],
]

for (const sort of ['createdAt', '-createdAt', 'email', '-email', 'name', '-name'])
  test(`a search of users by ${sort} reads no more than its words, and a bounded part of the list`, async () => {
    for (const [typed, count, most] of searches) {
      const { read, shown } = await readsOf(`/api/admin/users?${new URLSearchParams({ query: typed, sort })}`)
      if (count >= 0) assert.equal(shown, count, typed)
      assert.ok(read <= most, `${typed} by ${sort}: ${read} rows are read`)
    }
  })

for (const sort of ['name', '-name', 'createdAt', '-createdAt'])
  test(`a search of organizations by ${sort} reads no more than its words, and a bounded part of the list`, async () => {
    for (const [typed, count, most] of [
      ['slug 59999', 1, 2_100],
      ['nothing', 0, 0],
      ['acme', 50, 24_100],
      ['acme labs', 0, 34_000],
    ] as const) {
      const { read, shown } = await readsOf(`/api/admin/organizations?${new URLSearchParams({ query: typed, sort })}`)
      assert.equal(shown, count, typed)
      assert.ok(read <= most, `${typed} by ${sort}: ${read} rows are read`)
    }
  })

for (const [path, prefix] of [
  ['/api/admin/users', 'user'],
  ['/api/admin/organizations', 'org'],
] as const)
  test(`${path} by ids reads the rows of these ids alone, in every order`, async () => {
    for (const count of [1, 2, 100]) {
      const id = Array.from({ length: count }, (_, n) => `${prefix}_${String(n * 500 + 1).padStart(26, '0')}`).join()
      for (const sort of ['name', '-name', 'createdAt', '-createdAt']) {
        const { read, shown } = await readsOf(`${path}?${new URLSearchParams({ id, sort, limit: '100' })}`, /order by/)
        assert.equal(shown, count, sort)
        assert.ok(read <= 2 * count, `${count} by ${sort}: ${read} rows are read`)
      }
    }
  })

const membersPath = `/api/admin/organizations/${everybody}/members`

for (const sort of ['joinedAt', '-joinedAt', 'email', '-email', 'name', '-name', 'lastActiveAt', '-expiresAt'])
  test(`a search of a large organization’s members by ${sort} reads no more than its words, and a bounded part of the list`, async () => {
    for (const [typed, count, most] of [
      ['unique', 1, 20],
      ['nobody', 0, 10],
      // No membership has an end: with that order, all whom a word finds are sorted.
      ['@example', 50, sort === '-expiresAt' ? 400_000 : 20_000],
      ['anna', 50, 50_000],
      ['anna smith', 0, 50_000],
    ] as const) {
      const { read, shown } = await readsOf(`${membersPath}?${new URLSearchParams({ query: typed, sort })}`)
      assert.equal(shown, count, typed)
      assert.ok(read <= most, `${typed} by ${sort}: ${read} rows are read`)
    }
  })

test('the pages of a search of a large organization’s members have each of them once, with a name or without', async () => {
  const found: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = new URLSearchParams({
      query: 'f',
      role: 'admin',
      sort: 'name',
      limit: '100',
      ...(cursor && { cursor }),
    })
    const { body } = await tess.get(`${membersPath}?${page}`)
    found.push(...body.data.map(({ user }: { user: { id: string } }) => user.id))
    cursor = body.nextCursor ?? undefined
  }
  const expected = await query<{ id: string }>(
    `select u.id
     from users u join memberships m on m.tenant_id = u.tenant_id and m.user_id = u.id
     where u.tenant_id = $1 and m.role = 'admin' and strpos(u.words, ' f') > 0`,
    [tenant],
  )
  assert.ok(expected.length > 1_000)
  assert.deepEqual([...found].sort(), expected.map(({ id }) => id).sort())
})

const invitationsPath = `/api/admin/organizations/${everybody}/invites`

/** As `searches`: an invitation's organization and who sent it are read with the page. Early ones are the last in the order. */
const inInvitations: readonly (readonly [string, number, number])[] = [
  ['unique', 1, 10],
  ['zora uni', 1, 10],
  ['zora.unique@ex', 1, 10],
  ['zora @example', 1, 2_100],
  ['nobody', 0, 10],
  ['smith unique', 0, 2_100],
  ['anna', 50, 2_600],
  ['@example', 50, 2_100],
  ['early', 50, 16_000],
  ['anna smith', 0, 27_000],
]

test('a search of a large organization’s invitations reads no more than its words, and a bounded part of the list', async () => {
  for (const [typed, count, most] of inInvitations) {
    const { read, shown } = await readsOf(`${invitationsPath}?${new URLSearchParams({ query: typed })}`)
    assert.equal(shown, count, typed)
    assert.ok(read <= most, `${typed}: ${read} rows are read`)
  }
  for (const [typed, count] of [
    ['unique', 1],
    ['zora uni', 1],
  ] as const) {
    const { read, shown } = await readsOf(
      `${invitationsPath}?${new URLSearchParams({ query: typed, status: 'revoked' })}`,
    )
    assert.equal(shown, count, typed)
    assert.ok(read <= 10, `${typed}, revoked: ${read} rows are read`)
  }
})

/** Searches by frequent words whom the first rows in the order do not have, and how many rows are read for the page that the words find. */
const frequent: readonly (readonly [string, number])[] = [
  ['/api/admin/users?query=anna&sort=-name', 6_100],
  ['/api/admin/users?query=anna+smith&sort=name', 12_000],
  ['/api/admin/organizations?query=acme&sort=-name', 6_100],
  [`${invitationsPath}?query=early`, 3_500],
  [`${invitationsPath}?query=unique`, 10],
]

for (const [statistics, change] of [
  ['without statistics', 'update pg_class set reltuples = -1, relpages = 0, relallvisible = 0'],
  ['with statistics of tables a thousand times as large', 'update pg_class set reltuples = 60000000'],
] as const)
  test(`a search sorts the keys of its words first, and looks up a page, ${statistics}`, async () => {
    const ours = `relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`
    await query(`delete from pg_statistic where starelid in (select oid from pg_class where ${ours})`)
    await query(`${change} where ${ours}`)
    for (const [path, most] of frequent) {
      const { read } = await readsOf(path, /sort_key/)
      assert.ok(read <= most, `${path}: ${read} rows are read`)
    }
  })

test('the words of an organization are written without a look at the others, however many there are', async () => {
  // Of this size, PostgreSQL would sooner read all organizations than look up a hundred.
  await query('delete from organizations where tenant_id = $1 and slug > $2', [tenant, 'slug-2'])
  await query('vacuum analyze')
  driver.mock.resetCalls()
  const { body } = await tess.post('/api/organizations', { name: 'Quill and Feather' })
  assert.equal((await tess.patch(`/api/organizations/${body.id}`, { name: 'Feather and Quill' })).status, 200)
  const written = matchingOf(driver, /insert into organization_words/)
  assert.equal(written.length, 2)
  for (const each of written)
    for (const kind of ['custom', 'generic'] as const) {
      const read = await rowsOf(each, kind)
      assert.ok(read <= 10, `${kind}: ${read} rows are read`)
    }
})
