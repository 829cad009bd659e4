/** Search by frequent words: its pages have everything that it finds, in each order of each list, though the first rows have none of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillWords } from '../src/domain/search/writing.ts'
import { createWorld, type Json, type Person } from './world.ts'

const world = await createWorld()
const { query } = world.postgres
const { id: tenant, slug } = await world.tenant()
const admin = await world.tenantAdmin(slug)

/**
 * Two frequent words, Anna and Smith. Few have both: some with two words that begin with `ann`, some without a name, many with an equal
 * name or time. By name those with one word come before and after them.
 */
const [frequent, both] = [4_200, 120]
const names = `case when n > ${frequent} then (array['Anna Smith', 'Anna Annette Smith', 'Smith Annabel', null])[1 + n % 4]
  when n % 2 = 0 then 'Aab Smith' else 'Anna Zorn' end`
const rows = `generate_series(1, ${frequent + both}) n, lateral (select ${names} as name) named`
const created = `'2026-01-01'::timestamptz + make_interval(mins => n * 37 % 301)`
await query(
  `insert into users (tenant_id, id, email, name, name_key, created_at, last_active_at)
   select $1, 'user_' || lpad((n * 7919 % 100003)::text, 26, '0'),
     coalesce(substr(md5(n::text), 1, 4) || '-', '') || case when name is null then 'anna.smith.' else 'x' end || n || '@example.com',
     name, lower(name), ${created}, case when n % 3 > 0 then ${created} end
   from ${rows}`,
  [tenant],
)
await query(
  `insert into organizations (tenant_id, id, slug, name, name_key, owner_count, member_count, created_at)
   select $1, 'org_' || lpad((n * 7919 % 100003)::text, 26, '0'), substr(md5(n::text), 1, 4) || '-x' || n, name, lower(name), 1, 1,
     ${created}
   from ${rows}
   where name is not null`,
  [tenant],
)
const everybody = `org_${'7919'.padStart(26, '0')}`
await query(
  `insert into memberships (tenant_id, id, organization_id, user_id, role, joined_at)
   select tenant_id, 'mem_' || lpad((row_number() over (order by md5(id)))::text, 26, '0'), $2, id, 'member', created_at
   from users where tenant_id = $1`,
  [tenant, everybody],
)
// Of fewer members, a search reads all.
await query('update organizations set member_count = 20000 where tenant_id = $1 and id = $2', [tenant, everybody])
await fillWords(world.database, tenant)
await query('vacuum analyze')

/** Each list, its orders with their columns, and what is sorted. The alias of its rows is `r`. */
const lists = [
  {
    path: '/api/admin/users',
    from: 'users r',
    sorts: { name: 'r.name_key', email: 'r.email', createdAt: 'r.created_at', lastActiveAt: 'r.last_active_at' },
  },
  {
    path: `/api/admin/organizations/${everybody}/members`,
    from: 'users r join memberships m on m.tenant_id = r.tenant_id and m.user_id = r.id',
    id: 'm.id',
    sorts: { name: 'r.name_key', email: 'r.email', joinedAt: 'm.joined_at' },
  },
  {
    path: '/api/admin/organizations',
    from: 'organizations r',
    sorts: { name: 'r.name_key', createdAt: 'r.created_at' },
  },
]

/** All pages of a search. @returns ids in the order of the list */
async function pages(person: Person, path: string, typed: string, sort: string, limit: number): Promise<string[]> {
  const found: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = { query: typed, sort, limit: String(limit), ...(cursor && { cursor }) }
    const { status, body } = await person.get(`${path}?${new URLSearchParams(page)}`)
    assert.equal(status, 200)
    found.push(...body.data.map(({ id }: Json) => id))
    cursor = body.nextCursor ?? undefined
  }
  return found
}

/** That each list has what a comparison of all rows finds, in each order and direction. @param typed the beginnings of words */
async function check(typed: string, limit: number): Promise<number> {
  let count = 0
  for (const { path, from, id = 'r.id', sorts } of lists)
    for (const [sort, column] of Object.entries(sorts))
      for (const direction of ['asc', 'desc']) {
        const tie = id === 'm.id' && ['name', 'email'].includes(sort) ? 'r.id' : id
        const expected = await query<{ id: string }>(
          `select ${id} as id
           from ${from}
           where r.tenant_id = $1 and ${typed
             .split(' ')
             .map((word) => `strpos(r.words, ' ${word}') > 0`)
             .join(' and ')}
           order by ${column} ${direction} nulls last, ${tie} ${direction}`,
          [tenant],
        )
        const order = direction === 'asc' ? sort : `-${sort}`
        assert.deepEqual(
          await pages(admin, path, typed, order, limit),
          expected.map((row) => row.id),
          `${path} ${typed} by ${order}`,
        )
        count += expected.length
      }
  return count
}

test('two frequent words find the few who have both, page by page in each order', async () => {
  assert.equal(await check('anna smith', 50), both * 14 + 90 * 4)
  assert.equal(await check('ann smi', 50), both * 14 + 90 * 4)
})

test('a frequent word finds everybody who has it, once, though the order begins with others', async () => {
  assert.ok((await check('ann', 100)) > 2_000 * 18)
})

test('a new name moves a user in the order, and an organization', async () => {
  const [{ id } = { id: '' }] = await query<{ id: string }>(
    `select id from users where tenant_id = $1 and name = 'Anna Smith' limit 1`,
    [tenant],
  )
  for (const name of ['Aaa Anna Smith', 'Zoe Anna Smith', 'Smith Anna Zoe']) {
    assert.equal((await admin.patch(`/api/admin/users/${id}`, { name })).status, 200)
    assert.equal((await admin.patch(`/api/admin/organizations/${id.replace('user', 'org')}`, { name })).status, 200)
    await check('anna smith', 50)
  }
})

test('what older code writes without sort keys is found, before it is filled in and after', async () => {
  const [first, second] = await query<{ id: string }>(
    `select id from users where tenant_id = $1 and name = 'Anna Smith' limit 2`,
    [tenant],
  )
  // As older code does it: it keeps the words that the new name has, too.
  await query(
    `update users
     set name = 'Smith Anna', name_key = 'smith anna', version = version + 1, words_version = version + 1
     where tenant_id = $1 and id = $2`,
    [tenant, first?.id],
  )
  await query(
    `update user_words set name_key = null, email = null, created_at = null where tenant_id = $1 and user_id = $2`,
    [tenant, second?.id],
  )
  await query(`update users set keys_version = null where tenant_id = $1 and id = $2`, [tenant, second?.id])
  await check('anna smith', 50)
  assert.equal(await fillWords(world.database, tenant), 2)
  await check('anna smith', 50)
})
