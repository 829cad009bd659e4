import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, createWorld, type Json, type Person, password } from '../../../test/world.ts'

const world = await createWorld({ processes: 2 })
const { query } = world.postgres

const me = async (person: Person): Promise<Json> => (await person.get('/api/users/me')).body
const patch = (person: Person, body: unknown) => person.patch('/api/users/me', body)
const faultOf = ({ status, body }: Answer) => [status, body.errors?.[0].pointer, body.errors?.[0].code]
/** Takes every member of the metadata away. */
async function clearMetadata(person: Person): Promise<void> {
  const { metadata } = await me(person)
  await patch(person, { metadata: Object.fromEntries(Object.keys(metadata).map((key) => [key, null])) })
}

const newPassword = 'another long passphrase'
const changePassword = (person: Person, body: object = { currentPassword: password, newPassword }) =>
  person.post('/api/users/me/password', body)

test('a profile is changed field by field: omitted fields stay, null clears', async () => {
  const ann = await world.person()
  const profile = {
    name: 'Anne',
    avatarUrl: 'https://pictures.example/ann.png?size=64#face',
    locale: 'de-CH',
    timeZone: 'Europe/Zurich',
    metadata: { theme: 'dark', deep: [{ er: null }] },
  }

  const set = await patch(ann, profile)
  assert.equal(set.status, 200)
  assert.deepEqual({ ...set.body, ...profile }, set.body)
  assert.deepEqual(await me(ann), { ...set.body, lastActiveAt: (await me(ann)).lastActiveAt })

  const one = await patch(ann, { locale: 'fr' })
  assert.deepEqual({ ...one.body, updatedAt: '' }, { ...set.body, locale: 'fr', updatedAt: '' })

  const cleared = await patch(ann, { name: null, avatarUrl: null, locale: null, timeZone: null, metadata: {} })
  const { name, avatarUrl, locale, timeZone } = cleared.body
  assert.deepEqual([name, avatarUrl, locale, timeZone], [null, null, null, null])
})

test('a change updates the time of the last change, and a request without a change does not', async () => {
  const ann = await world.person()
  await query(`update users set updated_at = now() - interval '1 hour' where id = $1`, [ann.id])
  const before = await me(ann)

  assert.equal((await patch(ann, {})).body.updatedAt, before.updatedAt)
  assert.equal((await patch(ann, { name: ann.name })).body.updatedAt, before.updatedAt)
  const after = await patch(ann, { name: 'Anne' })

  assert.ok(after.body.updatedAt > before.updatedAt)
  assert.equal(after.body.createdAt, before.createdAt)
})

test('each field of a profile has its own rules', async () => {
  const ann = await world.person()
  const before = await me(ann)
  const wrong: [string, unknown, string][] = [
    ['name', '', 'too_short'],
    ['name', '   ', 'invalid_format'],
    ['name', 'x'.repeat(101), 'too_long'],
    ['name', 'a\u0007b', 'invalid_format'],
    ['name', 'a\u202eb', 'invalid_format'],
    ['name', 'a\u0000b', 'invalid_format'],
    ['name', 7, 'wrong_type'],
    ['name', ['Ann'], 'wrong_type'],
    ['avatarUrl', 'http://example.com/a.png', 'invalid_format'],
    ['avatarUrl', 'javascript:alert(1)', 'invalid_format'],
    ['avatarUrl', 'data:image/png;base64,AAAA', 'invalid_format'],
    ['avatarUrl', '//example.com/a.png', 'invalid_format'],
    ['avatarUrl', 'https://ann:secret@example.com/a.png', 'invalid_format'],
    ['avatarUrl', 'https://', 'invalid_format'],
    ['avatarUrl', 'https://example.com/a b.png', 'invalid_format'],
    ['avatarUrl', '', 'invalid_format'],
    ['avatarUrl', `https://example.com/${'x'.repeat(2048)}`, 'too_long'],
    ['locale', 'e', 'invalid_format'],
    ['locale', 'en_GB', 'invalid_format'],
    ['locale', '', 'invalid_format'],
    ['timeZone', 'Mars/Olympus', 'invalid_format'],
    ['timeZone', '+02:00', 'invalid_format'],
    ['timeZone', '', 'invalid_format'],
    ['metadata', [], 'wrong_type'],
    ['metadata', 'text', 'wrong_type'],
    ['metadata', { text: 'x'.repeat(8200) }, 'too_long'],
    ['metadata', { a: { b: { c: { d: { e: { f: 1 } } } } } }, 'out_of_range'],
    ['metadata', { a: [[[[[]]]]] }, 'out_of_range'],
    ['appMetadata', { plan: 'free' }, 'unknown_field'],
    ['role', 'admin', 'unknown_field'],
    ['status', 'active', 'unknown_field'],
    ['id', ann.id, 'unknown_field'],
    ['createdAt', '2020-01-01T00:00:00.000Z', 'unknown_field'],
    ['pendingEmail', null, 'unknown_field'],
  ]
  for (const [field, value, code] of wrong) {
    const answer = await patch(ann, { [field]: value })
    assert.deepEqual(faultOf(answer), [400, `/${field}`, code], JSON.stringify({ [field]: value }).slice(0, 80))
  }
  assert.deepEqual({ ...(await me(ann)), lastActiveAt: '' }, { ...before, lastActiveAt: '' })
})

test('values at the limit of a rule are accepted', async () => {
  const ann = await world.person()
  const right: [string, unknown][] = [
    ['name', '😀'.repeat(100)],
    ['name', `O'Brien-Ñandú <b>"&" 李`],
    ['avatarUrl', `https://example.com/${'x'.repeat(2028)}`],
    ['avatarUrl', 'https://bücher.example:8443/ä.png'],
    ['locale', 'zh-Hant-TW'],
    ['timeZone', 'America/Argentina/Buenos_Aires'],
    ['timeZone', 'UTC'],
    ['metadata', { a: { b: { c: { d: {} } } } }],
    ['metadata', { text: 'x'.repeat(8192 - '{"text":""}'.length) }],
    ['metadata', { '': 'empty key', "it's": '%_\\', 'a/b~c': ['😀', 1.5, true, null] }],
  ]
  for (const [field, value] of right) {
    const answer = await patch(ann, { [field]: value })
    assert.deepEqual([answer.status, answer.body[field]], [200, value], JSON.stringify(value).slice(0, 80))
    if (field === 'metadata') await clearMetadata(ann)
  }
})

test('a name has at most 100 characters in the form in which it is stored', async () => {
  const ann = await world.person()
  const composed = await patch(ann, { name: ` ${'e\u0301'.repeat(100)} ` })
  assert.deepEqual([composed.status, composed.body.name], [200, 'é'.repeat(100)])
  assert.deepEqual(faultOf(await patch(ann, { name: 'e\u0301'.repeat(101) })), [400, '/name', 'too_long'])
  const decomposed = '\u0958' // NFC makes two characters of it
  assert.equal((await patch(ann, { name: decomposed.repeat(50) })).body.name.length, 100)
  assert.equal((await patch(ann, { name: decomposed.repeat(51) })).status, 400)
})

test('metadata is merged (RFC 7396): omitted members stay, null removes, and the limits apply to the result', async () => {
  const ann = await world.person()
  const merges: [object | null, object][] = [
    [
      { a: 1, b: { c: 2, d: [1, { e: null }] } },
      { a: 1, b: { c: 2, d: [1, { e: null }] } },
    ],
    [{ b: { c: null, f: 3 } }, { a: 1, b: { d: [1, { e: null }], f: 3 } }],
    [{ b: { d: [2] } }, { a: 1, b: { d: [2], f: 3 } }],
    [
      { a: { now: 'an object' }, missing: null },
      { a: { now: 'an object' }, b: { d: [2], f: 3 } },
    ],
    [{ b: 'text' }, { a: { now: 'an object' }, b: 'text' }],
    [{}, { a: { now: 'an object' }, b: 'text' }],
    [{ a: null, b: null, new: { deep: null } }, { new: {} }],
    [null, {}],
    [{ a: 1 }, { a: 1 }],
  ]
  for (const [change, whole] of merges) {
    assert.deepEqual((await patch(ann, { metadata: change })).body.metadata, whole, JSON.stringify(change))
  }
  assert.equal((await patch(ann, { metadata: { first: 'x'.repeat(5000) } })).status, 200)
  assert.deepEqual(faultOf(await patch(ann, { metadata: { second: 'x'.repeat(5000) } })), [
    400,
    '/metadata',
    'too_long',
  ])
  assert.equal((await patch(ann, { metadata: { first: null, second: 'x'.repeat(5000) } })).status, 200)
})

test('metadata cannot change object prototypes', async () => {
  const ann = await world.person()
  for (const raw of [
    '{"metadata":{"__proto__":{"role":"admin"}}}',
    '{"metadata":{"deep":{"__proto__":1}}}',
    '{"metadata":{"constructor":{"prototype":{"role":"admin"}}}}',
    '{"__proto__":{"name":"Mallory"}}',
  ]) {
    const answer = await ann.request('/api/users/me', { method: 'PATCH', raw })
    assert.deepEqual([answer.status, answer.body.errors[0].code], [400, 'not_allowed'], raw)
  }
})

test('a user can read the metadata that an admin wrote', async () => {
  const ann = await world.person()
  await query(`update users set app_metadata = '{"plan":"team"}' where id = $1`, [ann.id])
  assert.deepEqual((await me(ann)).appMetadata, { plan: 'team' })
})

test('concurrent changes of different fields all stay', async () => {
  const ann = await world.person()
  const changes = [{ name: 'Anne' }, { locale: 'cy' }, { timeZone: 'Asia/Tokyo' }, { metadata: { a: 1 } }]

  await Promise.all(changes.map((change) => patch(ann, change)))

  const { name, locale, timeZone, metadata } = await me(ann)
  assert.deepEqual([name, locale, timeZone, metadata], ['Anne', 'cy', 'Asia/Tokyo', { a: 1 }])
})

test("a change of profile is recorded in the user's log with old and new values", async () => {
  const ann = await world.person()
  await patch(ann, { name: 'Anne', locale: 'cy' })
  await patch(ann, { name: 'Anne' })

  const { body } = await ann.get('/api/users/me/audit?action=profile.updated')

  assert.equal(body.data.length, 1, 'a request that changes nothing is no change')
  assert.deepEqual(body.data[0].details, {
    name: { from: 'Ann', to: 'Anne' },
    locale: { from: null, to: 'cy' },
  })
  assert.equal(body.data[0].actor.id, ann.id)
  assert.equal(body.data[0].target.id, ann.id)
})

test('a change of password needs the present one, and the new one signs in from then on', async () => {
  const ann = await world.person()

  const answer = await changePassword(ann)

  assert.deepEqual([answer.status, answer.body], [200, { endedSessions: 0 }])
  const signIn = (typed: string) => world.nobody.post('/api/auth/sign-in', { email: ann.email, password: typed })
  assert.equal((await signIn(password)).status, 401)
  assert.equal((await signIn(newPassword)).status, 200)
})

test('a password change ends all other sessions, whatever else the body has (Strapi CVE-2026-22706)', async () => {
  const ann = await world.person()
  const others = [await world.signIn(ann), await world.signIn(ann)]
  const expired = await world.signIn(ann)
  await query(
    `update sessions set created_at = now() - interval '31 days'
    where id = (select id from sessions where user_id = $1 order by id desc limit 1)`,
    [ann.id],
  )
  const withDevice = { currentPassword: password, newPassword, deviceId: 'dev_x' }
  assert.deepEqual(faultOf(await changePassword(ann, withDevice)), [400, '/deviceId', 'unknown_field'])

  const answer = await changePassword(ann)

  assert.equal(answer.body.endedSessions, 2, 'those that lived')
  for (const other of [...others, expired]) assert.equal((await other.get('/api/users/me')).status, 401)
  assert.equal((await ann.get('/api/users/me')).status, 200)
  const live = await query('select from sessions where user_id = $1 and ended_at is null', [ann.id])
  assert.equal(live.length, 1)
})

test('a password cannot be changed without the present one', async () => {
  const ann = await world.person()
  const other = await world.signIn(ann)

  const wrong = await changePassword(ann, { currentPassword: 'not the password', newPassword })
  const missing = await changePassword(ann, { newPassword })

  assert.deepEqual([wrong.status, wrong.body.code], [403, 'wrong_password'])
  assert.deepEqual(faultOf(missing), [400, '/currentPassword', 'required'])
  assert.equal((await other.get('/api/users/me')).status, 200, 'a refusal ends nothing')
  assert.equal((await world.nobody.post('/api/auth/sign-in', { email: ann.email, password })).status, 200)
})

test('if several requests change a password at once, one succeeds, and no other session survives it', async () => {
  const ann = await world.person()
  const phone = await world.signIn(ann)

  const [first, second] = await Promise.all([
    changePassword(ann, { currentPassword: password, newPassword: 'the first long passphrase' }),
    changePassword(phone, { currentPassword: password, newPassword: 'the second long passphrase' }),
  ])

  assert.ok(first && second)
  assert.equal([first, second].filter(({ status }) => status === 200).length, 1)
  const loser = first.status === 200 ? second : first
  assert.ok([401, 403].includes(loser.status), `${loser.status}`)
  const statuses = await Promise.all([ann, phone].map(async (each) => (await each.get('/api/users/me')).status))
  assert.deepEqual(statuses, first.status === 200 ? [200, 401] : [401, 200])
})

test("a password change is recorded in the user's log without either password", async () => {
  const ann = await world.person()
  await changePassword(ann)
  const { body } = await ann.get('/api/users/me/audit?action=password.*')
  assert.equal(body.data.length, 1)
  const [entries] = await query<{ text: string }>(
    `select string_agg(row_to_json(d)::text, '') as text from audit_details d where user_id = $1`,
    [ann.id],
  )
  assert.ok(!entries?.text.includes(password) && !entries?.text.includes(newPassword))
  assert.ok(!entries?.text.includes('argon2'))
})
