/** Lists of organizations: filters, searches and pages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onRows } from '../../../test/rows.ts'
import { type Answer, codeOf, createWorld, type Json, type Person } from '../../../test/world.ts'
import { searchKey } from '../../platform/http/schemas.ts'

const world = await createWorld()
const { query } = world.postgres
const { giveOrganizations } = onRows(world)
const create = (person: Person, body: object = {}) => person.post('/api/organizations', { name: 'Acme', ...body })

const faultsOf = ({ body }: Answer) =>
  Object.fromEntries(body.errors.map(({ pointer, code }: Json) => [pointer, code]).sort())

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

test("the list has only the caller's organizations, by name", async () => {
  const [ann, ben] = await Promise.all([world.person(), world.person('Ben')])
  const names = ['beta', 'Alpha', 'émile', 'Gamma', 'alpha 2']
  const { body: other } = await create(ben, { name: 'Aaa' })
  await create(ben, { name: 'Not Ann’s' })
  await giveOrganizations(ann, names)
  await world.join(ben, other.id, ann)

  const { body } = await ann.get('/api/organizations')

  assert.deepEqual(
    body.data.map(({ name, role }: Json) => [name, role]),
    [['Aaa', 'member'], ...['Alpha', 'alpha 2', 'beta', 'Gamma', 'émile'].map((name) => [name, 'owner'])],
  )
  assert.equal(body.nextCursor, null)
})

test('the list is filtered by role and by the beginning of words of name and slug', async () => {
  const ann = await world.person()
  await giveOrganizations(ann, ['Acme', 'ACME Labs', 'Labs'])
  await giveOrganizations(ann, ['Acme as a member'], 'member')
  const [byAdmin] = await giveOrganizations(ann, ['An admin’s'], 'admin')
  const [{ slug }] = await query<{ slug: string }>('select slug from organizations where id = $1', [byAdmin]).then(
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
  assert.deepEqual(await names('role=owner&query=labs'), ['ACME Labs', 'Labs'])
})

test('`%`, `_` and `\\` in a search for organizations are literal', async () => {
  const ann = await world.person()
  await giveOrganizations(ann, ['100% wool', '100 sheep', 'a_b', 'axb', 'back\\slash', 'backXslash', "it's"])
  for (const [query, found] of [
    ['100%', ['100 sheep', '100% wool']],
    ['100% w', ['100% wool']],
    ['%', []],
    ['_', []],
    ['a_b', ['a_b']],
    ['back\\', ['back\\slash', 'backXslash']],
    ['back\\s', ['back\\slash']],
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
  const ids = await giveOrganizations(ann, names)

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
  await giveOrganizations(ann, ['b', 'c', 'd', 'e', 'f'])
  const { body: first } = await ann.get('/api/organizations?limit=2')
  await giveOrganizations(ann, ['a', 'd2'])
  await query(`delete from organizations where id = $1`, [first.data[1].id])

  const { body: second } = await ann.get(`/api/organizations?limit=10&cursor=${first.nextCursor}`)

  assert.deepEqual(
    second.data.map(({ name }: Json) => name),
    ['d', 'd2', 'e', 'f'],
  )
})

test('the next page is linked', async () => {
  const ann = await world.person()
  await giveOrganizations(ann, ['a', 'b', 'c'])

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
  const [id] = await giveOrganizations(ann, ['a', 'b', 'c'])
  await giveOrganizations(ben, ['a', 'b', 'c'])
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
