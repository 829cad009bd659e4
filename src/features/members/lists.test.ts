/** Lists of members: filters, searches, orders and pages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onRows } from '../../../test/rows.ts'
import { until } from '../../../test/smtp.ts'
import { type Answer, codeOf, createWorld, type Json, type Organization, type Person } from '../../../test/world.ts'

const world = await createWorld()
const { query } = world.postgres
const { giveMembers } = onRows(world)
const remove = (who: Person, { path }: Organization, member: Json) => who.delete(`${path}/members/${member.id}`)
const namesOf = ({ body }: Answer) => body.data.map(({ user }: Json) => user.name)

/** Every item of a list, by its cursors. */
async function readAll(person: Person, path: string): Promise<Json[]> {
  const items: Json[] = []
  for (let cursor: string | null = '', pages = 0; ; pages++) {
    const { status, body }: Answer = await person.get(cursor ? `${path}&cursor=${cursor}` : path)
    assert.equal(status, 200)
    items.push(...body.data)
    cursor = body.nextCursor
    if (cursor === null) return items
    assert.ok(pages < 200, 'the list has an end')
  }
}

test('members are found by the beginning of words of name and email, and by role', async () => {
  const { id, path, ann, cleo } = await world.organization()
  await giveMembers(id, ['Cleopatra', 'Ms Cleo', null])
  await giveMembers(id, ['CLEMENS'], 'admin')
  const found = async (query: string) => namesOf(await ann.get(`${path}/members?sort=name&${query}`))

  assert.deepEqual(await found('query=cle'), ['CLEMENS', 'Cleo', 'Cleopatra', 'Ms Cleo'])
  assert.deepEqual(await found('query=CLEO'), ['Cleo', 'Cleopatra', 'Ms Cleo'])
  assert.deepEqual(await found('query=cleo%20ms'), ['Ms Cleo'])
  assert.deepEqual(await found(`query=${cleo.email.slice(0, 9).toUpperCase()}`), ['Cleo'])
  assert.deepEqual(await found('query=ample.com'), [])
  assert.equal((await found('query=example.com')).length, 7)
  assert.deepEqual(await found('role=admin'), ['Ben', 'CLEMENS'])
  assert.deepEqual(await found('role=owner'), ['Ann'])
  assert.deepEqual(await found('role=member&query=cle'), ['Cleo', 'Cleopatra', 'Ms Cleo'])
})

test('`%`, `_` and `\\` in a search for members are literal', async () => {
  const { id, path, ann } = await world.organization()
  await giveMembers(id, ['Top% Nora', 'Top Bert', 'k_m', 'kxm', 'o\\p', 'oXp', "O'Hara"]) // no words of addresses
  for (const [query, names] of [
    ['top%', ['Top% Nora', 'Top Bert']],
    ['top% n', ['Top% Nora']],
    ['%', []],
    ['%25q', []], // addresses have hexadecimal digits
    ['_', []],
    ['k_m', ['k_m']],
    ['o\\p', ['o\\p']],
    ["o'h", ["O'Hara"]],
    ["' or true --", []],
  ] as const) {
    assert.deepEqual(namesOf(await ann.get(`${path}/members?query=${encodeURIComponent(query)}`)), names, query)
  }
})

test('members are sorted by time of joining, name or email, in both directions, those without a name last', async () => {
  const { id, path, ann, ben, cleo } = await world.organization()
  const [unnamed] = await giveMembers(id, [null])
  await giveMembers(id, ['adele', 'Änne'])
  const listed = async (sort: string) => namesOf(await ann.get(`${path}/members${sort && `?sort=${sort}`}`))

  const joined = (await listed('')) as string[]
  assert.deepEqual(joined.slice(0, 3), ['Ann', 'Ben', 'Cleo'])
  assert.deepEqual(await listed('joinedAt'), joined)
  assert.deepEqual(await listed('-joinedAt'), joined.toReversed())
  assert.deepEqual(await listed('name'), ['adele', 'Ann', 'Ben', 'Cleo', 'Änne', null])
  assert.deepEqual(await listed('-name'), ['Änne', 'Cleo', 'Ben', 'Ann', 'adele', null])
  const emails = (await ann.get(`${path}/members?sort=email`)).body.data.map(({ user }: Json) => user.email)
  assert.deepEqual(emails, [...emails].sort())
  assert.deepEqual(emails.slice(0, 3), [ann.email, ben.email, cleo.email])
  assert.ok(unnamed)
  for (const sort of ['role', 'joined_at', '--name', 'name,email', '']) {
    assert.equal((await ann.get(`${path}/members?sort=${sort}`)).status, 400, sort)
  }
})

test('each of more than 100 members is reachable once, in every order, even if names are equal or missing', async () => {
  const { id, path, ann, members } = await world.organization()
  const names = Array.from({ length: 230 }, (_, index) =>
    index < 90 ? 'The same' : index < 160 ? null : `Name ${index}`,
  )
  const ids = [...(await giveMembers(id, names)), ...Object.values(members).map((member) => member.id)].sort()

  for (const sort of ['joinedAt', '-joinedAt', 'name', '-name', 'email', '-email']) {
    for (const limit of [100, 33]) {
      const items = await readAll(ann, `${path}/members?sort=${sort}&limit=${limit}`)
      assert.deepEqual(items.map((item) => item.id).sort(), ids, `${sort} ${limit}`)
      const withName = items.map(({ user }) => user.name).filter((name) => name !== null)
      assert.ok(!sort.endsWith('name') || items.slice(withName.length).every(({ user }) => user.name === null), sort)
    }
  }
  assert.equal((await ann.get(`${path}/members`)).body.data.length, 50, 'fifty on a page where nobody says how many')
  assert.equal((await readAll(ann, `${path}/members?limit=40&query=the%20same`)).length, 90)
})

test('the next page of members is linked with the same filters', async () => {
  const { id, path, ann } = await world.organization()
  await giveMembers(id, ['x1', 'x2', 'x3'])

  const first = await ann.get(`${path}/members?query=x&sort=-name&limit=2`)
  const [, link = ''] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? []
  const second = await ann.get(link)

  assert.deepEqual([namesOf(first), namesOf(second)], [['x3', 'x2'], ['x1']])
  assert.deepEqual([second.body.nextCursor, second.headers.get('link')], [null, null])
})

test("a cursor of one organization's members does not work for another's, nor for another order", async () => {
  const [acme, other] = await Promise.all([world.organization(), world.organization()])
  await world.join(other.ann, other.id, acme.ann)
  const { nextCursor } = (await acme.ann.get(`${acme.path}/members?limit=1`)).body
  for (const way of [
    `${other.path}/members?limit=1&cursor=${nextCursor}`,
    `${acme.path}/members?limit=1&sort=name&cursor=${nextCursor}`,
    `${acme.path}/members?limit=1&sort=-joinedAt&cursor=${nextCursor}`,
    `${acme.path}/invites?limit=1&cursor=${nextCursor}`,
  ]) {
    assert.deepEqual(codeOf(await acme.ann.get(way)), [400, 'invalid_cursor'], way)
  }
  assert.deepEqual(codeOf(await acme.ben.get(`${acme.path}/members?limit=1&cursor=${nextCursor}`)), [
    400,
    'invalid_cursor',
  ])
})

test('a cursor stops working for a member who is removed', async () => {
  const acme = await world.organization()
  const { path, ann, cleo, members } = acme
  const { nextCursor } = (await cleo.get(`${path}/members?limit=1`)).body
  await remove(ann, acme, members.cleo)
  assert.deepEqual(codeOf(await cleo.get(`${path}/members?limit=1&cursor=${nextCursor}`)), [404, 'not_found'])
})

for (const [list, table, column] of [
  ['members', 'memberships', 'joined_at'],
  ['invites', 'invitations', 'expires_at'],
  ['audit', 'audit_entries', 'occurred_at'],
]) {
  test(`a failed query is an error, never an empty list: ${list}`, async () => {
    const { path, ann } = await world.organization()
    await query(`alter table ${table} rename column ${column} to gone`)
    try {
      const answer = await ann.get(`${path}/${list}`)
      assert.deepEqual([...codeOf(answer), answer.body.data], [500, 'internal', undefined])
      assert.equal((await ann.get(path)).status, 200, 'it is the list that failed, and not what comes before it')
    } finally {
      await query(`alter table ${table} rename column gone to ${column}`)
    }
    assert.equal((await ann.get(`${path}/${list}`)).status, 200)
  })
}

test('ends and times may have microseconds and a numeric zone, as Python and PostgreSQL write them', async () => {
  const { path, ann, members } = await world.organization()
  const inAWeek = new Date(Date.now() + 7 * 86_400_000).toISOString()

  const { body } = await ann.patch(`${path}/members/${members.cleo.id}`, {
    expiresAt: inAWeek.replace('Z', '456+00:00'),
  })
  assert.equal(body.expiresAt, inAWeek)

  const later = new Date(Date.parse(inAWeek) + 60_000).toISOString().replace('Z', '456%2B00:00')
  for (const name of ['lastActiveBefore', 'lastActiveAfter', 'expiresBefore'])
    assert.equal((await ann.get(`${path}/members?${name}=${later}`)).status, 200, name)
  assert.deepEqual(namesOf(await ann.get(`${path}/members?expiresBefore=${later}`)), ['Cleo'])
})

test('a member was not active before joining, though activity is shown to the hour', async () => {
  const { path, slug, ann } = await world.organization()
  const dan = await world.person('Dan')
  const { id } = await world.join(ann, slug, dan)
  await dan.get(path)
  const read = async () => (await ann.get(`${path}/members/${id}`)).body
  await until(async () => (await read()).lastActiveAt !== null, 'the activity to be noted')
  const { joinedAt, lastActiveAt } = await read()
  assert.ok(lastActiveAt >= joinedAt, `active ${lastActiveAt}, joined ${joinedAt}`)
})

test('an invalid filter or page size is refused, and never answered with an empty list; `limit=0` too', async () => {
  const { path, ann } = await world.organization()
  for (const query of ['limit=0', 'limit=101', 'limit=ten', 'limit=-1', 'role=', 'role=boss', 'query=', 'userId=x']) {
    const answer = await ann.get(`${path}/members?${query}`)
    assert.deepEqual(codeOf(answer), [400, 'invalid_request'], query)
    assert.equal(answer.body.errors[0].pointer, `?${query.split('=')[0]}`)
  }
  for (const query of ['query=%00', 'query=a%00b']) {
    assert.equal((await ann.get(`${path}/members?${query}`)).status, 400, query)
  }
})
