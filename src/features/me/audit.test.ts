import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stopInHour } from '../../../test/earlier.ts'
import { finishJobs } from '../../../test/queue.ts'
import { Client, createWorld, type Json, Person, password } from '../../../test/world.ts'

const world = await createWorld({
  settings: { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'guildhall@example.com' },
})
const { query } = world.postgres
const home = { 'x-forwarded-for': '198.51.100.1', 'user-agent': 'curl/8.5.0' }
const away = { 'x-forwarded-for': '203.0.113.9', 'user-agent': 'Wget/1.21' }

const logOf = async (person: Person, query = ''): Promise<Json[]> => {
  const { status, body } = await person.get(`/api/users/me/audit${query}`)
  assert.equal(status, 200)
  return body.data
}
const actionsOf = (entries: Json[]): string[] => entries.map(({ action }) => action)

/** The same person, as if they sat somewhere. */
function at(person: Person, place: Record<string, string>): Person {
  return new Person(world, person.token, person, place)
}

test("a user's log has what the user did, newest first, with device and network", async () => {
  const signedUp = await new Client(world, home).post('/api/auth/sign-up', {
    email: 'log@example.com',
    password,
    name: 'Ann',
  })
  const ann = new Person(world, signedUp.body.session.token, signedUp.body.user, home)
  const phone = await world.signIn(ann, away)
  await ann.patch('/api/users/me', { locale: 'cy' })
  const device = (await ann.get('/api/users/me/devices')).body.data.find(({ current }: Json) => !current)
  await ann.delete(`/api/users/me/devices/${device.id}`)
  await ann.post('/api/organizations', { name: 'Acme' })
  await ann.post('/api/users/me/password', { currentPassword: password, newPassword: 'another long passphrase' })
  await ann.post('/api/auth/sign-out')
  assert.equal((await phone.get('/api/users/me')).status, 401)
  const again = await new Client(world, home).post('/api/auth/sign-in', {
    email: ann.email,
    password: 'another long passphrase',
  })
  const back = new Person(world, again.body.session.token, again.body.user, home)

  const entries = await logOf(back)

  assert.deepEqual(actionsOf(entries), [
    'session.started',
    'session.signed_out',
    'password.changed',
    'organization.created',
    'session.revoked',
    'profile.updated',
    'session.started',
    'session.started',
    'user.signed_up',
  ])
  for (const { id, actor, occurredAt, requestId } of entries) {
    assert.match(id, /^aud_/)
    assert.deepEqual(actor, { type: 'user', id: ann.id, name: 'Ann' })
    assert.match(occurredAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.match(requestId, /^req_/)
  }
  const atPhone = entries[6]
  assert.deepEqual([atPhone.ip, atPhone.device], ['203.0.113.9', 'Wget'])
  assert.deepEqual([entries[8].ip, entries[8].device], ['198.51.100.1', 'curl'])
  assert.equal(entries[3].target.name, 'Acme')
  assert.equal(entries[3].organizationId, entries[3].target.id)
})

test('entries about what others did to the user have no device and network of theirs', async () => {
  const { ann, ben, cleo, path, members } = await world.organization()
  const annAway = at(ann, away)
  await annAway.patch(`${path}/members/${members.cleo.id}`, { role: 'admin' })

  const [mine] = await logOf(at(cleo, home), '?action=member.role_changed')
  assert.deepEqual([mine.actor.id, mine.target.id, mine.ip, mine.device], [ann.id, cleo.id, null, null])
  assert.deepEqual(mine.details, { role: { from: 'member', to: 'admin' } })

  const [theirs] = await logOf(ann, '?action=member.role_changed')
  assert.deepEqual([theirs.id, theirs.ip, theirs.device], [mine.id, '203.0.113.9', 'node'])
  assert.deepEqual(await logOf(ben, '?action=member.role_changed'), [], 'it does not speak of ben')
})

test('a log says what an organization is called until the membership in it has ended', async () => {
  const { ben, id, path, members } = await world.organization()
  await ben.patch(path, { name: 'Acme Ltd' })
  const target = async () => (await logOf(ben, '?action=organization.updated'))[0].target
  assert.deepEqual(await target(), { type: 'organization', id, name: 'Acme Ltd' })

  await query('update memberships set expires_at = now() where id = $1', [members.ben.id])

  assert.deepEqual(await target(), { type: 'organization', id, name: null })
})

test("failed sign-ins are in the user's log with their network, once for each network and hour", async (t) => {
  const ann = await world.person()
  const attempt = (place: Record<string, string>, email = ann.email) =>
    new Client(world, place).post('/api/auth/sign-in', { email, password: 'not the password' })
  stopInHour(t)
  await attempt(away)
  await attempt(away)
  await attempt(home)
  await attempt(away, `un${ann.email}`)
  await attempt(away)

  assert.deepEqual(await logOf(ann, '?action=session.refused'), [], 'the request itself writes no entry')
  await finishJobs(world)

  const refused = await logOf(ann, '?action=session.refused')
  assert.deepEqual(refused.map(({ ip, device }) => [ip, device]).sort(), [
    ['198.51.100.1', 'curl'],
    ['203.0.113.9', 'Wget'],
  ])
  for (const { actor, target } of refused) {
    assert.deepEqual(actor, { type: 'anonymous', id: null, name: null })
    assert.equal(target.id, ann.id)
  }
  const all = await query(`select from audit_entries where action = 'session.refused'`)
  assert.equal(all.length, 2, 'nothing is written of an address that is nobody’s')
})

test('the content of a job about a failed sign-in cannot be read', async () => {
  const ann = await world.person()
  await new Client(world, away).post('/api/auth/sign-in', { email: ann.email, password: 'not the password' })

  const jobs = await query<{ text: string }>(
    `select row_to_json(j)::text as text from graphile_worker._private_jobs j where key like 'refused:%'`,
  )

  assert.ok(jobs.length > 0)
  for (const { text } of jobs) {
    for (const word of [ann.email, ann.id, '203.0.113.9', 'Wget', 'not the password']) assert.ok(!text.includes(word))
  }
})

test('refused requests are not recorded', async () => {
  const { dan, cleo, path } = await world.organization()
  const before = await query('select from audit_entries')

  await dan.get(path)
  await dan.patch(path, { name: 'Mallory' })
  await cleo.patch(path, { name: 'Mallory' })
  await cleo.get('/api/admin/users')
  await cleo.delete('/api/users/me', { password: 'not the password' })
  await world.nobody.get('/api/users/me')

  assert.equal((await query('select from audit_entries')).length, before.length)
})

test('a log is filtered by actions, by groups of them, and by organization', async () => {
  const ann = await world.person()
  const { body: acme } = await ann.post('/api/organizations', { name: 'Acme' })
  const { body: other } = await ann.post('/api/organizations', { name: 'Other' })
  await ann.patch(`/api/organizations/${acme.id}`, { name: 'Acme 2' })
  await ann.patch('/api/users/me', { locale: 'cy' })

  const filters: [string, string[]][] = [
    ['action=organization.created', ['organization.created', 'organization.created']],
    ['action=organization.*', ['organization.updated', 'organization.created', 'organization.created']],
    ['action=profile.updated,user.*', ['profile.updated', 'user.signed_up']],
    ['action=password.*', []],
    [`organizationId=${acme.id}`, ['organization.updated', 'organization.created']],
    [`organizationId=${other.id}&action=organization.updated`, []],
    [`organizationId=org_${'0'.repeat(26)}`, []],
  ]
  for (const [query, expected] of filters) assert.deepEqual(actionsOf(await logOf(ann, `?${query}`)), expected, query)

  for (const action of [
    'nonsense',
    'profile',
    '*',
    '.*',
    'profile.',
    'profile.*,',
    ',',
    'session.started;',
    '%',
    'p*',
  ]) {
    const { status, body } = await ann.get(`/api/users/me/audit?action=${encodeURIComponent(action)}`)
    assert.deepEqual([status, body.errors?.[0].pointer, body.errors?.[0].code], [400, '?action', 'not_allowed'], action)
  }
})

test('a range of times includes its start and excludes its end', async () => {
  const ann = await world.person()
  await ann.patch('/api/users/me', { locale: 'cy' })
  const [{ occurredAt }] = (await logOf(ann, '?action=profile.updated')) as [Json]
  const later = new Date(Date.parse(occurredAt) + 1).toISOString()
  const count = async (query: string) => (await logOf(ann, `?action=profile.updated&${query}`)).length

  assert.equal(await count(`from=${occurredAt}`), 1)
  assert.equal(await count(`from=${later}`), 0)
  assert.equal(await count(`to=${occurredAt}`), 0)
  assert.equal(await count(`to=${later}`), 1)
  assert.equal(await count(`from=${occurredAt}&to=${later}`), 1)
  const zurich = new Date(Date.parse(occurredAt) + 2 * 3600_000).toISOString().replace('Z', '+02:00')
  assert.equal(await count(`from=${encodeURIComponent(zurich)}`), 1, 'other offsets name the same time')
  for (const wrong of [
    'from=yesterday',
    'to=2026-13-01T00:00:00Z',
    'from=2026-01-01',
    'limit=0',
    'organizationId=acme',
    'x=1',
  ]) {
    assert.equal((await ann.get(`/api/users/me/audit?${wrong}`)).status, 400, wrong)
  }
})

test('the next page is linked with the same filters', async () => {
  const ann = await world.person()
  for (const locale of ['cy', 'de', 'fr']) await ann.patch('/api/users/me', { locale })
  const { headers, body } = await ann.get('/api/users/me/audit?action=profile.updated&limit=2')
  const next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? ''

  const second = await ann.get(next)

  assert.deepEqual([body.data.length, second.body.data.length, second.body.nextCursor], [2, 1, null])
  assert.equal(second.headers.get('link'), null)
  assert.equal(second.body.data[0].details.locale.to, 'cy')
})

test('an entry is written together with its change, or neither is', async () => {
  const ann = await world.person()
  const before = actionsOf(await logOf(ann))
  await query(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`)
  try {
    for (const table of ['organizations', 'audit_entries']) {
      // At the commit: change and entry are both written by then.
      await query(`create constraint trigger refuse after insert on ${table} deferrable initially deferred
        for each row execute function refuse()`)
      assert.equal((await ann.post('/api/organizations', { name: 'Acme' })).status, 500)
      await query(`drop trigger refuse on ${table}`)
      assert.deepEqual((await ann.get('/api/organizations')).body.data, [], `no change, refused by ${table}`)
      assert.deepEqual(actionsOf(await logOf(ann)), before, `no entry, refused by ${table}`)
    }
  } finally {
    await query('drop function refuse cascade')
  }
  assert.equal((await ann.post('/api/organizations', { name: 'Acme' })).status, 201)
  assert.deepEqual(actionsOf(await logOf(ann)), ['organization.created', ...before])
})

test('no entry has a secret', async () => {
  const rows = await query<{ text: string }>(
    `select row_to_json(d)::text as text from audit_details d union all select row_to_json(e)::text from audit_entries e`,
  )
  assert.ok(rows.length > 50)
  for (const { text } of rows) assert.doesNotMatch(text, /gh[smu]_[0-9a-z]{26}\.|argon2|passphrase/)
})
