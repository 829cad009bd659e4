/** Idempotency: what is sent again has its effect once. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { holdRow, holdTenant } from '../../../test/holding.ts'
import { offerKeys } from '../../../test/key-requests.ts'
import { answersIn, speak } from '../../../test/sockets.ts'
import { type Answer, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { runRetention } from '../../tasks.ts'

const world = await createWorld({ processes: 2 })
const { query, awaitLine } = world.postgres
const { ann, ben, cleo, path: acme, members, id: acmeId } = await world.organization()
const admin = await world.tenantAdmin()

function newKey(): { 'idempotency-key': string } {
  return { 'idempotency-key': `"${randomBytes(12).toString('hex')}"` }
}
const newEmail = () => `new-${randomBytes(6).toString('hex')}@example.com`

function isReplay({ headers }: Answer): boolean {
  return headers.get('idempotent-replayed') === 'true'
}

/** @returns the way to every field of a value, and of the objects in it; but for ids, of which headers are made and which always were there */
function placesOf(value: Json): string[][] {
  return Object.entries(value).flatMap(([name, each]) => {
    const inner = typeof each === 'object' && each !== null && !Array.isArray(each) ? placesOf(each) : []
    const isAdded = name !== 'id' && !Object.hasOwn(Object(each), 'id')
    return [...(isAdded ? [[name]] : []), ...inner.map((rest) => [name, ...rest])]
  })
}

function valueAt(value: Json, names: readonly string[]): Json {
  return names.reduce((within, name) => within?.[name], value)
}

function without(value: Json, [name = '', ...rest]: readonly string[]): Json {
  const { [name]: at, ...others } = value
  return rest.length === 0 ? others : { ...value, [name]: without(at, rest) }
}

/** Every operation that takes a key: who sends what, and how often its effect is there. */
const operations: Record<string, () => Promise<[Person, string, object | undefined, () => Promise<unknown[]>]>> = {
  createOrganization: async () => {
    const name = `Org ${randomBytes(4).toString('hex')}`
    return [ann, '/api/organizations', { name }, () => query('select id from organizations where name = $1', [name])]
  },
  inviteMember: async () => {
    const email = newEmail()
    return [ben, `${acme}/invites`, { email }, () => query('select id from invitations where email = $1', [email])]
  },
  resendInvitation: async () => {
    const { body } = await ben.post(`${acme}/invites`, { email: newEmail() })
    const resent = () => query('select generate_series(2, generation) from invitations where id = $1', [body.id])
    return [ann, `${acme}/invites/${body.id}/resend`, undefined, resent]
  },
  transferOwnership: async () => {
    const [owner, other] = await Promise.all([world.person('Olga'), world.person('Otto')])
    const { body } = await owner.post('/api/organizations', { name: 'Handed on' })
    const { id: memberId } = await world.join(owner, body.id, other)
    const handed = () =>
      query(
        `select id from audit_entries where organization_id = $1 and action = 'organization.ownership_transferred'`,
        [body.id],
      )
    return [owner, `/api/organizations/${body.id}/transfer`, { memberId }, handed]
  },
  transferTenantOrganization: async () => {
    const [owner, other] = await Promise.all([world.person('Olga'), world.person('Otto')])
    const { body } = await owner.post('/api/organizations', { name: 'Handed on' })
    const { id: memberId } = await world.join(owner, body.id, other)
    const owned = () => query(`select id from memberships where id = $1 and role = 'owner'`, [memberId])
    return [admin, `/api/admin/organizations/${body.id}/transfer`, { memberId }, owned]
  },
  createUser: async () => {
    const email = newEmail()
    return [
      admin,
      '/api/admin/users',
      { email, name: 'Ned' },
      () => query('select id from users where email = $1', [email]),
    ]
  },
}

for (const [operation, prepare] of Object.entries(operations)) {
  test(`${operation}: a repetition has no further effect and gets the same answer`, async () => {
    const [person, path, body, effects] = await prepare()
    const key = newKey()
    const first = await person.post(path, body, key)
    assert.ok(first.status === 200 || first.status === 201, JSON.stringify(first.body))
    assert.equal(isReplay(first), false)

    const second = await person.post(path, body, key)
    assert.deepEqual([second.status, second.body], [first.status, first.body])
    for (const name of ['etag', 'location']) assert.equal(second.headers.get(name), first.headers.get(name), name)
    assert.equal(isReplay(second), true)
    assert.equal((await effects()).length, 1)
  })
}

test('an answer that the previous release stored is still valid, without the fields added since', async () => {
  for (const [operation, prepare] of Object.entries(operations)) {
    const [person, path, body] = await prepare()
    const headers = { ...person.headers, ...newKey() }
    const { body: first } = await person.post(path, body, headers)
    const [kept] = await query<{ digest: Buffer; result: Json }>(
      'select digest, result from idempotency_keys where user_id = $1 order by created_at desc limit 1',
      [person.id],
    )
    const answered = placesOf(kept?.result).filter((place) => valueAt(first, place) !== undefined)
    assert.ok(answered.length > 5, operation)
    for (const place of answered) {
      const older = without(kept?.result, place)
      await query('update idempotency_keys set result = $1 where digest = $2', [JSON.stringify(older), kept?.digest])
      // Not by its `post`: the contract of today has a field more.
      const sent = body && { body: JSON.stringify(body) }
      const type = body && { 'content-type': 'application/json' }
      const answer = await fetch(world.url + path, { method: 'POST', headers: { ...headers, ...type }, ...sent })
      assert.deepEqual(await answer.json(), without(first, place), `${operation} ${place.join('.')}`)
      assert.equal(answer.headers.get('idempotent-replayed'), 'true')
    }
  }
})

test('of fifty requests with one key at once, one takes effect, and the others get the same answer or a request to wait', async () => {
  for (const operation of ['createOrganization', 'inviteMember', 'createUser', 'resendInvitation']) {
    const [person, path, body, effects] = await (operations[operation] ?? assert.fail())()
    const key = newKey()
    const answers = await Promise.all(Array.from({ length: 50 }, () => person.post(path, body, key)))
    const done = answers.filter(({ status }) => status < 300)
    const waiting = answers.filter(({ body }) => body.code === 'request_in_progress')
    assert.equal(done.length + waiting.length, 50, JSON.stringify(answers.map(({ status }) => status)))
    assert.equal(done.filter((answer) => !isReplay(answer)).length, 1)
    for (const each of done) assert.deepEqual(each.body, done[0]?.body)
    assert.equal((await effects()).length, 1, operation)
  }
})

test('a duplicate of a running request waits for it, then is asked to try later', async (t) => {
  const name = `Slow ${randomBytes(4).toString('hex')}`
  const key = newKey()
  const release = await holdRow(t, world.postgres, 'users', ann.id, 'for no key update')
  const first = ann.post('/api/organizations', { name }, key) // waits for its sender's row, and has the key
  await awaitLine(1)
  const second = await ann.post('/api/organizations', { name }, key)
  await release()
  assert.deepEqual([second.status, second.body.code], [409, 'request_in_progress'])
  assert.match(second.headers.get('retry-after') ?? '', /^\d+$/)
  assert.equal((await first).status, 201)
  const third = await ann.post('/api/organizations', { name }, key)
  assert.deepEqual([third.status, isReplay(third)], [201, true])
})

test('a duplicate of a running request waits as long where requests take turns, in its process and in another', async (t) => {
  const held = {
    inviteMember: () => holdRow(t, world.postgres, 'organizations', acmeId),
    createUser: () => holdTenant(t, world.postgres, world.tenantId),
  }
  for (const [operation, hold] of Object.entries(held)) {
    const [person, path, body, effects] = await (operations[operation] ?? assert.fail())()
    const key = newKey()
    const release = await hold()
    const first = person.post(path, body, key) // has the turn and the key, and waits for the row
    await awaitLine(1)
    const others = await Promise.all([1, 2].map(() => person.post(path, body, key)))
    await release()
    for (const other of others)
      assert.deepEqual([other.status, other.body.code], [409, 'request_in_progress'], operation)
    assert.equal((await first).status, 201)
    assert.equal((await effects()).length, 1)
  }
})

test('a key with another body is refused, and nothing is done', async () => {
  const key = newKey()
  const slug = `s-${randomBytes(5).toString('hex')}`
  await ann.post('/api/organizations', { name: 'One', metadata: { a: 1, b: [2] } }, key)
  const other = await ann.post('/api/organizations', { name: 'Other', slug }, key)
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
  assert.deepEqual(await query('select from organizations where slug = $1', [slug]), [])
  const reordered = await ann.request('/api/organizations', {
    method: 'POST',
    raw: '{ "metadata": {"b": [2], "a": 1}, "name": "One" }',
    headers: key,
  })
  assert.deepEqual([reordered.status, isReplay(reordered)], [201, true])
})

test('a key belongs to one sender, method and path', async () => {
  const key = newKey()
  const mine = await ann.post('/api/organizations', { name: 'Alike' }, key)
  const theirs = await ben.post('/api/organizations', { name: 'Alike' }, key)
  assert.deepEqual([theirs.status, isReplay(theirs)], [201, false])
  assert.notEqual(theirs.body.id, mine.body.id)
  const elsewhere = await ann.post(`${acme}/invites`, { email: newEmail() }, key)
  assert.deepEqual([elsewhere.status, isReplay(elsewhere)], [201, false])
  for (const { id } of [elsewhere.body, (await ann.post(`${acme}/invites`, { email: newEmail() })).body]) {
    const resent = await ann.post(`${acme}/invites/${id}/resend`, undefined, key)
    assert.deepEqual([resent.status, resent.body.id, isReplay(resent)], [200, id, false])
  }
  const again = await world.signIn(ann)
  assert.equal(isReplay(await again.post('/api/organizations', { name: 'Alike' }, key)), true)
})

test('a request with a key is the same one however its path is written', async () => {
  const host = `localhost:${new URL(world.url).port}`
  const key = newKey()
  const email = newEmail()
  const sent = (target: string, body: object) => {
    const text = JSON.stringify(body)
    const lines = [
      `POST ${target} HTTP/1.1`,
      `host: ${host.toUpperCase()}`,
      'connection: close',
      `authorization: Bearer ${ann.token}`,
      `idempotency-key: ${key['idempotency-key']}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(text)}`,
    ]
    return speak(world.url, `${lines.join('\r\n')}\r\n\r\n${text}`)
  }
  for (const [path, otherwise, body] of [
    ['/api/organizations', '/api/%6frganizations', { name: 'Spelt' }],
    [`${acme}/invites`, `${acme.replace('org_', '%6Frg%5f')}/%69nvites`, { email }],
  ] as const) {
    const first = await ann.post(path, body, key)
    assert.equal(first.status, 201)
    for (const target of [otherwise, `http://${host}${path}`, `${path}?`]) {
      const [answer] = answersIn(await sent(target, body))
      assert.match(answer?.head ?? '', /^idempotent-replayed: true/im, target)
      assert.deepEqual([answer?.status, JSON.parse(answer?.body ?? '')], [201, first.body])
    }
    const [elsewhere] = answersIn(await sent(`http://evil.example${path}`, body))
    assert.equal(elsewhere?.status, 400)
  }
})

test('a refusal is not stored: the same key may be used again', async () => {
  const key = newKey()
  const email = newEmail()
  const { id: memberId } = await world.join(ann, acmeId, await world.person('Zoe'), 'admin')
  const refused = await cleo.post(`${acme}/invites`, { email }, key)
  assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'])
  await ann.patch(`${acme}/members/${members.cleo.id}`, { role: 'admin' })
  const done = await cleo.post(`${acme}/invites`, { email }, key)
  assert.deepEqual([done.status, isReplay(done)], [201, false])
  await ann.patch(`${acme}/members/${members.cleo.id}`, { role: 'member' })
  assert.equal((await ann.delete(`${acme}/members/${memberId}`)).status, 200)
})

test('a caller who has lost the permission gets no stored answer', async () => {
  const sender = await world.person('Sven')
  const { id } = await world.join(ann, acmeId, sender, 'admin')
  const [body, key] = [{ email: newEmail() }, newKey()]
  assert.equal((await sender.post(`${acme}/invites`, body, key)).status, 201)
  await ann.patch(`${acme}/members/${id}`, { role: 'member' })
  assert.equal((await sender.post(`${acme}/invites`, body, key)).status, 403)
  await ann.delete(`${acme}/members/${id}`)
  assert.equal((await sender.post(`${acme}/invites`, body, key)).status, 404)
  await query(`update users set status = 'suspended' where id = $1`, [sender.id])
  assert.equal((await sender.post(`${acme}/invites`, body, key)).status, 401)
})

test('a stored answer about an organization is not given for another one that now has its slug', async () => {
  const sender = await world.person('Sven')
  const slug = `s-${randomBytes(5).toString('hex')}`
  const first = await ann.post('/api/organizations', { name: 'First', slug })
  const { id } = await world.join(ann, first.body.id, sender, 'admin')
  const [path, body, key] = [`/api/organizations/${slug}/invites`, { email: newEmail() }, newKey()]
  assert.equal((await sender.post(path, body, key)).status, 201)
  await ann.patch(`/api/organizations/${first.body.id}`, { slug: `${slug}-old` })
  await ann.delete(`/api/organizations/${first.body.id}/members/${id}`)
  await sender.post('/api/organizations', { name: 'Second', slug })
  const answer = await sender.post(path, body, key)
  assert.deepEqual([answer.status, answer.body.code], [422, 'idempotency_key_reused'])
})

test('nor is it given to admins and keys of the tenant, who name any organization', async () => {
  await offerKeys(world)
  const sender = await world.key(['invitations:write'])
  for (const by of [admin, sender]) {
    const [owner, person] = [await world.person('Olga'), await world.person('Pia')]
    const slug = `s-${randomBytes(5).toString('hex')}`
    const { body: first } = await owner.post('/api/organizations', { name: 'First', slug })
    const send = [`/api/admin/organizations/${slug}/members`, { userId: person.id }, newKey()] as const
    const done = await by.post(...send)
    assert.deepEqual([done.status, isReplay(await by.post(...send))], [201, true])

    await owner.patch(`/api/organizations/${first.id}`, { slug: `${slug}-old` })
    const again = await by.post(...send)
    assert.deepEqual([isReplay(again), again.body], [true, done.body], 'no other one has the slug')
    const { body: second } = await owner.post('/api/organizations', { name: 'Second', slug })
    const answer = await by.post(...send)
    assert.deepEqual([answer.status, answer.body.code], [422, 'idempotency_key_reused'])
    assert.equal((await owner.get(`/api/organizations/${second.id}`)).body.memberCount, 1)
  }
})

test('deleting an account with keyed requests under way delays nobody, and leaves none of their rows', async () => {
  const sender = await world.person('Sven')
  await world.join(ann, acmeId, sender, 'admin')
  const sent = Array.from({ length: 20 }, () => sender.post(`${acme}/invites`, { email: newEmail() }, newKey()))
  const deleted = await sender.delete('/api/users/me', { password })
  assert.equal(deleted.status, 200)
  for (const { status } of await Promise.all(sent)) assert.ok([201, 401].includes(status), String(status))
  assert.deepEqual(await query('select from idempotency_keys where user_id = $1', [sender.id]), [])
  assert.deepEqual(await query('select from idempotency_names where user_id = $1', [sender.id]), [])
})

test('a malformed key is refused and named', async () => {
  for (const malformed of [
    '',
    '""',
    '"open',
    'two words',
    'a,b',
    `"${'x'.repeat(256)}"`,
    'x'.repeat(256),
    '"a";b=1',
    '"ü"',
  ]) {
    const { status, body } = await ann.post('/api/organizations', { name: 'Acme' }, { 'idempotency-key': malformed })
    assert.deepEqual([status, body.code], [400, 'invalid_request'], malformed)
    assert.match(body.detail, /Idempotency-Key/)
    assert.deepEqual(body.errors, [{ pointer: '', code: 'invalid_format', detail: body.detail }])
  }
  for (const fine of ['a', 'bare-key_1:2', `"${'x'.repeat(255)}"`, '"with space and \\"quotes\\""']) {
    const { status } = await ann.post('/api/organizations', { name: 'Fine' }, { 'idempotency-key': fine })
    assert.equal(status, 201, fine)
  }
})

test('an answer is stored together with its change, or neither is', async () => {
  const [name, key] = [`Whole ${randomBytes(4).toString('hex')}`, newKey()]
  const made = () => query('select id from organizations where name = $1', [name])
  await query(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`)
  try {
    for (const table of ['organizations', 'idempotency_names']) {
      // At the commit: change and answer are both written by then.
      await query(`create constraint trigger refuse after insert on ${table} deferrable initially deferred
        for each row execute function refuse()`)
      assert.equal((await ann.post('/api/organizations', { name }, key)).status, 500)
      await query(`drop trigger refuse on ${table}`)
      assert.deepEqual(await made(), [], `no change, refused by ${table}`)
    }
  } finally {
    await query('drop function refuse cascade')
  }
  const again = await ann.post('/api/organizations', { name }, key)
  assert.deepEqual([again.status, isReplay(again)], [201, false], 'no answer was kept')
  assert.equal((await made()).length, 1)
})

test('after a day a key is free again, and its stored answer is deleted', async () => {
  const key = newKey()
  const first = await ann.post('/api/organizations', { name: 'Daily' }, key)
  await query(`update idempotency_keys set created_at = now() - interval '25 hours'`)
  const later = await ann.post('/api/organizations', { name: 'Daily' }, key)
  assert.deepEqual([later.status, isReplay(later)], [201, false])
  assert.notEqual(later.body.id, first.body.id)
  await query(`update idempotency_keys set created_at = now() - interval '25 hours'`)
  await runRetention(world.database)
  assert.deepEqual(await query('select from idempotency_keys'), [])
})

test('stored answers are deleted with the people and organizations that they name', async () => {
  const [sender, invited] = await Promise.all([world.person('Sia'), world.person('Ivo')])
  const { body: organization } = await sender.post('/api/organizations', { name: 'Sia’s' }, newKey())
  const sent = await sender.post(`/api/organizations/${organization.id}/invites`, { email: invited.email }, newKey())
  assert.equal(sent.status, 201)
  const made = await admin.post('/api/admin/users', { email: newEmail(), name: 'Nora' }, newKey())
  const kept = () => query('select result::text as text from idempotency_keys')
  const isKept = async (text: string) => JSON.stringify(await kept()).includes(text)

  assert.ok((await isKept(invited.email)) && (await isKept(made.body.email)))
  await admin.delete(`/api/admin/users/${invited.id}`)
  assert.equal(await isKept(invited.email), false)
  await admin.delete(`/api/admin/users/${made.body.id}`)
  assert.equal(await isKept(made.body.id), false)
  assert.ok(await isKept(organization.id))
  await sender.delete(`/api/organizations/${organization.id}`, { confirm: organization.slug })
  assert.equal(await isKept(organization.id), false)
})

test('stored answers about an organization are deleted with it, even if they do not name it', async () => {
  await offerKeys(world)
  const [olga, otto] = await Promise.all([world.person('Olga'), world.person('Otto')])
  const { body: organization } = await olga.post('/api/organizations', { name: 'Handed on' })
  const { id, slug } = organization
  const { id: memberId } = await world.join(olga, id, otto)
  const scopes = ['invitations:write', 'invitations:read']
  const [ofOrganization, ofOlga] = [
    await world.key(scopes, { organization: id, holder: olga.id }),
    await world.key(['organization:read', ...scopes], { person: olga, organization: id }),
  ]
  await query('delete from idempotency_keys')

  const answers = [
    await olga.post(`/api/organizations/${slug}/links`, { emailDomains: ['example.com'] }, newKey()),
    await ofOrganization.post(`/api/organizations/${id}/links`, { emailDomains: ['example.org'] }, newKey()),
    await ofOlga.post(`/api/organizations/${id}/links`, {}, newKey()),
    await olga.post(`/api/organizations/${slug}/invites/bulk`, { invites: [{ email: otto.email }] }, newKey()),
    await admin.post(`/api/admin/organizations/${slug}/invites/bulk`, { invites: [{ email: otto.email }] }, newKey()),
    await admin.post(`/api/admin/organizations/${id}/transfer`, { memberId }, newKey()),
    await otto.post(`/api/organizations/${slug}/transfer`, { memberId: await membershipOf(olga, id) }, newKey()),
  ]
  for (const { status, body } of answers) assert.ok(status < 300, JSON.stringify(body))
  assert.equal((await query('select from idempotency_keys')).length, answers.length)
  assert.equal((await olga.delete(`/api/organizations/${id}`, { confirm: slug })).status, 200)

  assert.deepEqual(await query('select result::text from idempotency_keys'), [])
})

async function membershipOf(person: Person, orgId: string): Promise<string> {
  const { data } = (await person.get(`/api/organizations/${orgId}/members`)).body
  return data.find(({ user }: Json) => user.id === person.id).id
}
