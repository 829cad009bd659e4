import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestApplication } from '../../../test/application-requests.ts'
import { unfold } from '../../../test/contract.ts'
import { keyNameIn } from '../../../test/key-requests.ts'
import { makeWebhooks, offerWebhooks } from '../../../test/webhook-requests.ts'
import { type Answer, type Client, createWorld, type Json, mailboxKey } from '../../../test/world.ts'

const world = await createWorld()
const document = unfold(world.app.swagger())
const { tenantId: tenant } = world
const { ann, ben, path: acme, id: orgId } = await world.organization()
const tess = await world.tenantAdmin()
const tom = await world.tenantAdmin()
const { nobody } = world

for (const name of ['Beta', 'Gamma', 'Delta', 'Émile', 'zeta']) {
  const { body } = await ann.post('/api/organizations', { name })
  if (name === 'Gamma') await world.join(ann, body.id, ben)
}
for (const name of ['eve', 'fay', 'gus', 'ida']) {
  const { body } = await ann.post(`${acme}/invites`, { email: `${name}@example.com` })
  await world.postgres.query(
    `insert into mails (tenant_id, id, kind, generation, invitation_id, recipient, subject, text, html)
     values ($1, $2, 'invitation', 1, $3, 'eve@example.com', 's', 't', 'h')`,
    [tenant, body.id.replace('inv', 'mail'), body.id],
  )
}
for (let link = 0; link < 3; link++) await ann.post(`${acme}/links`, {})
for (const owner of [{ person: ann }, { organization: orgId }, {}])
  for (let key = 0; key < 3; key++) await world.key(['members:read'], owner)
for (let count = 0; count < 3; count++) await requestApplication(tess)
await offerWebhooks(world)
const webhookOwners = { owner: ann, orgId, admin: tess }
for (let count = 0; count < 2; count++) await makeWebhooks(webhookOwners)
const webhooks = await makeWebhooks(webhookOwners)
await world.postgres.query(
  `insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at, milliseconds)
   select $1, id, n, 'aud_' || lpad(n::text, 26, '0'), 'member.joined', 'delivered', 1, now(), 5
   from unnest($2::text[]) id, generate_series(1, 4) n`,
  [tenant, Object.values(webhooks)],
)
const olga = await world.person('Olga')
for (const name of ['Eta', 'Theta', 'Iota']) {
  const { body } = await olga.post('/api/organizations', { name })
  await olga.post(`/api/organizations/${body.id}/invites`, { email: ben.email })
}
// People without a name stand last, in either direction.
await world.postgres.query(`update users set name = null, name_key = null where id = any($1)`, [[tess.id, tom.id]])

/** Every list of the document that has pages, who may read it, somebody else who may too, and a filter of it, if it has one. */
const lists: Readonly<Record<string, { caller: Client; other: Client; filter?: string }>> = {
  '/api/organizations': { caller: ann, other: ben, filter: 'role=owner' },
  '/api/organizations/{orgId}/members': { caller: ann, other: ben, filter: 'sort=joinedAt&role=owner' },
  '/api/organizations/{orgId}/invites': { caller: ann, other: ben, filter: 'status=pending' },
  '/api/organizations/{orgId}/links': { caller: ann, other: ben },
  '/api/organizations/{orgId}/audit': { caller: ann, other: ben, filter: 'action=invitation.sent' },
  '/api/organizations/{orgId}/keys': { caller: ann, other: ben, filter: 'status=active' },
  '/api/users/me/keys': { caller: ann, other: ben, filter: 'status=active' },
  '/api/admin/keys': { caller: tess, other: tom, filter: 'status=active' },
  '/api/admin/applications': { caller: tess, other: tom },
  '/api/organizations/{orgId}/webhooks': { caller: ann, other: ben },
  '/api/organizations/{orgId}/webhooks/{webhookId}/deliveries': { caller: ann, other: ben, filter: 'status=delivered' },
  '/api/admin/webhooks': { caller: tess, other: tom },
  '/api/admin/webhooks/{webhookId}/deliveries': { caller: tess, other: tom, filter: 'types=member.*' },
  '/api/admin/users/{userId}/keys': { caller: tess, other: tom, filter: 'status=active' },
  '/api/users/me/audit': { caller: ann, other: ben, filter: 'action=invitation.sent' },
  '/api/users/me/invites': { caller: ben, other: ann },
  '/api/admin/audit': { caller: tess, other: tom, filter: 'action=invitation.sent' },
  '/api/admin/organizations': { caller: tess, other: tom, filter: 'query=acme' },
  '/api/admin/organizations/{orgId}/invites': { caller: tess, other: tom, filter: 'status=pending' },
  '/api/admin/organizations/{orgId}/members': { caller: tess, other: tom, filter: 'role=member' },
  '/api/admin/users': { caller: tess, other: tom, filter: 'status=active' },
  '/api/mailbox': { caller: nobody, other: nobody, filter: 'to=eve@example.com' },
}

function read(client: Client, path: string, query: string): Promise<Answer> {
  const headers = path === '/api/mailbox' ? { 'guildhall-mailbox-key': mailboxKey } : {}
  return client.get(`${filled(path)}?${query}`, headers)
}

function filled(path: string): string {
  const webhookId = webhooks[keyNameIn(path, 'webhookId')] ?? ''
  return path.replace('{orgId}', orgId).replace('{userId}', ann.id).replace('{webhookId}', webhookId)
}

/** Walks through a list by its links. */
async function walk(client: Client, path: string, query: string): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = []
  let cursor = ''
  for (let pages = 1; pages < 100; pages++) {
    const { status, body, headers } = await read(client, path, query + cursor)
    assert.equal(status, 200, JSON.stringify(body))
    ids.push(...body.data.map(({ id, sequence }: Json) => id ?? sequence))
    if (body.nextCursor === null) {
      assert.equal(headers.get('link'), null)
      return { ids, pages }
    }
    const link = /^<(\/api\/[^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    assert.ok(link, `no link on a page that has a next one: ${headers.get('link')}`)
    const next = new URL(link, world.url).searchParams
    assert.equal(next.get('cursor'), body.nextCursor)
    for (const [name, value] of new URLSearchParams(query)) assert.equal(next.get(name), value)
    cursor = `&cursor=${body.nextCursor}`
  }
  throw new Error('the list does not end')
}

test('every list with pages is tested here', () => {
  const paged = Object.entries<Json>(document.paths)
    .filter(([, { get }]) => get?.parameters?.some(({ name }: Json) => name === 'cursor'))
    .map(([path]) => path)
  assert.deepEqual(paged.sort(), Object.keys(lists).sort())
})

for (const [path, { caller, other, filter }] of Object.entries(lists)) {
  test(`${path}: small pages together make the whole list, in every order`, async () => {
    const sort = document.paths[path].get.parameters.find(({ name }: Json) => name === 'sort')
    for (const order of sort ? sort.schema.enum : ['']) {
      const query = order ? `sort=${order}&` : ''
      const whole = await walk(caller, path, `${query}limit=100`)
      assert.ok(whole.ids.length >= 3, 'there is something to turn pages for')
      assert.equal(whole.pages, 1)
      assert.equal(new Set(whole.ids).size, whole.ids.length)
      for (const limit of [1, 2, whole.ids.length - 1, whole.ids.length]) {
        const { ids, pages } = await walk(caller, path, `${query}limit=${limit}`)
        assert.deepEqual(ids, whole.ids, `${order} by ${limit}`)
        assert.equal(pages, Math.ceil(ids.length / limit))
      }
    }
  })

  test(`${path}: a cursor works only for its list, caller and filter`, async () => {
    const { body } = await read(caller, path, 'limit=1')
    const cursor: string = body.nextCursor
    const refuses = async (client: Client, list: string, query: string) => {
      const answer = await read(client, list, query)
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_cursor'], `${list}?${query}`)
    }

    assert.equal((await read(caller, path, `limit=2&cursor=${cursor}`)).status, 200, 'another limit is no other list')
    assert.equal((await read(caller, path, `limit=1&cursor=${cursor}`)).status, 200, 'a cursor may be used again')
    for (const elsewhere of Object.keys(lists)) {
      if (elsewhere !== path && lists[elsewhere]) await refuses(lists[elsewhere].caller, elsewhere, `cursor=${cursor}`)
    }
    if (other !== caller) await refuses(other, path, `cursor=${cursor}`)
    if (filter !== undefined) {
      await refuses(caller, path, `${filter}&cursor=${cursor}`)
      const filtered = await read(caller, path, `${filter}&limit=1`)
      if (filtered.body.nextCursor) await refuses(caller, path, `cursor=${filtered.body.nextCursor}`)
    }

    for (const at of [0, 5, 12, 20, 27, 28, 40, cursor.length - 2, cursor.length - 1]) {
      const changed = cursor[at] === 'A' ? 'B' : 'A'
      await refuses(caller, path, `cursor=${cursor.slice(0, at)}${changed}${cursor.slice(at + 1)}`)
    }
    for (const wrong of [
      'a',
      'null',
      '0',
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      `${cursor}!`,
      cursor + cursor,
      'A'.repeat(4096),
      '%F0%9F%A6%84',
    ])
      await refuses(caller, path, `cursor=${wrong}`)
  })

  test(`${path}: a cursor is refused after a day`, async () => {
    const { body } = await read(caller, path, 'limit=1')
    const context = JSON.stringify(['GET', filled(path), filtersOf(path)])
    const opened = world.keyring.open('cursor', body.nextCursor, context)
    assert.ok(opened, 'the cursor is sealed for this list')
    const inside = JSON.parse(opened)
    assert.ok(Math.abs(inside.expires - Date.now() - 24 * 3600 * 1000) < 60_000)

    const sealed = (expires: number) => world.keyring.seal('cursor', JSON.stringify({ ...inside, expires }), context)
    assert.equal((await read(caller, path, `cursor=${sealed(Date.now() + 60_000)}`)).status, 200)
    const old = await read(caller, path, `cursor=${sealed(Date.now() - 1)}`)
    assert.deepEqual([old.status, old.body.code], [400, 'invalid_cursor'])
  })
}

/** What a list is filtered and sorted by when nothing is said. */
function filtersOf(path: string): [string, string][] {
  const parameters: Json[] = document.paths[path].get.parameters
  return parameters
    .filter(({ name, schema }) => schema.default !== undefined && name !== 'limit')
    .map(({ name, schema }): [string, string] => [name, schema.default])
    .sort()
}

test('the content of a cursor cannot be read', async () => {
  const { body } = await ann.get('/api/organizations?limit=1')
  const text = Buffer.from(body.nextCursor, 'base64url').toString('latin1')
  for (const part of [body.data[0].id, body.data[0].name, ann.id, 'position']) assert.ok(!text.includes(part))
})

test('no name ends a list early, even if its form for the order is many times as long', async () => {
  const name = '\ufdfa'.repeat(100) // each becomes 18 characters
  const { ann: owner, path } = await world.organization()
  for (let count = 0; count < 3; count++) assert.equal((await owner.post('/api/organizations', { name })).status, 201)
  for (const person of [owner, ...(await Promise.all([world.person(), world.person()]))]) {
    assert.equal((await person.patch('/api/users/me', { name })).status, 200)
    if (person !== owner) await world.join(owner, path.split('/').at(-1) ?? '', person)
  }
  for (const [client, list, query] of [
    [owner, '/api/organizations', ''],
    [tess, '/api/admin/organizations', ''],
    [owner, `${path}/members`, 'sort=name&'],
    [owner, `${path}/members`, 'sort=-name&'],
    [tess, '/api/admin/users', 'sort=name&'],
    [tess, '/api/admin/users', 'sort=-name&'],
  ] as const) {
    const whole = await walk(client, list, `${query}limit=100`)
    assert.ok(whole.pages === 1 && whole.ids.length >= 3)
    assert.deepEqual((await walk(client, list, `${query}limit=1`)).ids, whole.ids, `${list}?${query}`)
  }
})

test('rows added or removed between two pages neither repeat nor hide other rows', async () => {
  const person = await world.person()
  const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']
  const made: Json[] = []
  for (const name of names) made.push((await person.post('/api/organizations', { name })).body)

  const first = (await person.get('/api/organizations?limit=2')).body
  await person.delete(`/api/organizations/${made[1].id}`, { confirm: made[1].slug })
  await person.post('/api/organizations', { name: 'a0' })
  await person.post('/api/organizations', { name: 'a45' })
  const second = (await person.get(`/api/organizations?limit=10&cursor=${first.nextCursor}`)).body

  assert.deepEqual(
    first.data.map(({ name }: Json) => name),
    ['a1', 'a2'],
  )
  assert.deepEqual(
    second.data.map(({ name }: Json) => name),
    ['a3', 'a4', 'a45', 'a5', 'a6'],
  )
})

test('pages separate entries of the same millisecond', async () => {
  const person = await world.person()
  await person.patch('/api/users/me', { name: 'Another' })
  await world.postgres.query('update audit_details set occurred_at = $2 where user_id = $1', [
    person.id,
    '2026-01-01T00:00:00Z',
  ])
  await world.postgres.query(
    'update audit_entries set occurred_at = $2 where id in (select entry_id from audit_details where user_id = $1)',
    [person.id, '2026-01-01T00:00:00Z'],
  )
  const whole = await walk(person, '/api/users/me/audit', 'limit=100')
  assert.ok(whole.ids.length >= 3)
  assert.deepEqual((await walk(person, '/api/users/me/audit', 'limit=1')).ids, whole.ids)
})

test('lists without a `limit` use their default, and an empty list has no next page', async () => {
  assert.deepEqual((await (await world.person()).get('/api/organizations')).body, { data: [], nextCursor: null })
  const limits = Object.fromEntries(
    Object.keys(lists).map((path) => {
      const { schema } = document.paths[path].get.parameters.find(({ name }: Json) => name === 'limit')
      return [path, [schema.minimum, schema.default, schema.maximum]]
    }),
  )
  for (const [path, limit] of Object.entries(limits))
    assert.deepEqual(limit, [1, path === '/api/organizations' ? 100 : 50, 100])
})

test('a cursor works for the same query, whatever the order of its parameters, and for HEAD as for GET', async () => {
  const { body } = await tess.get('/api/admin/users?status=active&sort=email&limit=2')
  const asked = (query: string, method = 'GET') =>
    tess.request(`/api/admin/users?${query}&limit=2&cursor=${body.nextCursor}`, { method })
  assert.equal((await asked('sort=email&status=active')).status, 200)
  assert.equal((await asked('status=active&sort=email', 'HEAD')).status, 200)
  assert.equal((await asked('status=active&sort=-email')).body.code, 'invalid_cursor')
  const { headers } = await tess.request('/api/admin/users?limit=2', { method: 'HEAD' })
  const cursor = /cursor=([^&>]+)/.exec(headers.get('link') ?? '')?.[1]
  assert.equal((await tess.get(`/api/admin/users?limit=2&cursor=${cursor}`)).status, 200)
})
