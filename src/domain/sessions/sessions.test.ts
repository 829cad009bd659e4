import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdRow } from '../../../test/holding.ts'
import { until } from '../../../test/smtp.ts'
import { type Answer, Client, createWorld, type Person, password } from '../../../test/world.ts'
import { sha256 } from '../../platform/cryptography.ts'
import { makeMailedToken } from '../access/tokens.ts'

const world = await createWorld({ processes: 2, settings: { MAX_SESSIONS: '3' } })
const { query } = world.postgres

const statusOf = async (person: Person) => (await person.get('/api/users/me')).status

/** Moves a time of a person's session. */
async function move(person: Person, column: 'created_at' | 'last_active_at', interval: string): Promise<void> {
  const moved = await query(`update sessions set ${column} = now() - $2::interval where token_hash = $1 returning id`, [
    sha256(person.token),
    interval,
  ])
  assert.equal(moved.length, 1)
}

test('a session ends after its idle time, and use does not bring it back', async () => {
  const ann = await world.person()
  await move(ann, 'created_at', '20 days')
  await move(ann, 'last_active_at', '13 days 23 hours')
  assert.equal(await statusOf(ann), 200)

  const phone = await world.signIn(ann)
  await move(phone, 'created_at', '20 days')
  await move(phone, 'last_active_at', '14 days 1 second')
  assert.equal(await statusOf(phone), 401)
  assert.equal(await statusOf(phone), 401)
})

test('a session ends after its absolute time, even if it is used', async () => {
  const ann = await world.person()
  await move(ann, 'created_at', '29 days 23 hours')
  assert.equal(await statusOf(ann), 200)

  await move(ann, 'created_at', '30 days 1 second')
  assert.equal(await statusOf(ann), 401)
})

test('an expired session cannot change anything either', async () => {
  const ann = await world.person()
  const phone = await world.signIn(ann)
  await move(phone, 'created_at', '31 days')

  for (const answer of await Promise.all([
    phone.patch('/api/users/me', { name: 'Mallory' }),
    phone.post('/api/organizations', { name: 'Mallory' }),
    phone.delete('/api/users/me', { password }),
    phone.delete('/api/users/me/devices'),
    phone.post('/api/users/me/password', { currentPassword: password, newPassword: 'another long passphrase' }),
  ])) {
    assert.deepEqual([answer.status, answer.body.code], [401, 'unauthenticated'])
  }
  assert.equal((await ann.get('/api/users/me')).body.name, ann.name)
})

test("a tenant has its own lifetimes, and a device's expiry follows them", async () => {
  const { slug } = await world.tenant()
  await query('update tenants set session_idle_seconds = 3600, session_absolute_seconds = 7200 where slug = $1', [slug])
  const ann = await world.person('Ann', { tenant: slug })

  const { body } = await ann.get('/api/users/me/devices')
  const [device] = body.data
  assert.equal(Date.parse(device.expiresAt) - Date.parse(device.lastActiveAt), 3600_000)

  await move(ann, 'created_at', '90 minutes')
  const later = (await ann.get('/api/users/me/devices')).body.data[0]
  assert.equal(Date.parse(later.expiresAt) - Date.parse(later.createdAt), 7200_000)
  await move(ann, 'last_active_at', '61 minutes')
  assert.equal(await statusOf(ann), 401)
})

/** A tenant whose admin changes how long sessions live there. */
async function tenantOf() {
  const { slug, id } = await world.tenant()
  const tess = await world.tenantAdmin(slug)
  const set = async (settings: object) => assert.equal((await tess.patch('/api/admin/tenant', settings)).status, 200)
  const ann = await world.person('Ann', { tenant: slug })
  return { id, set, ann, phone: await world.signIn(ann, { 'guildhall-tenant': slug }) }
}

const day = 86_400
for (const [what, column, setting, longer] of [
  ['unused for too long', 'last_active_at', 'sessionIdleSeconds', { sessionAbsoluteSeconds: 90 * day }],
  ['too old', 'created_at', 'sessionAbsoluteSeconds', { sessionIdleSeconds: 90 * day }],
] as const) {
  test(`a session that expired while ${what} stays expired when an admin lengthens the lifetimes`, async () => {
    const { set, ann, phone } = await tenantOf()
    await set(longer)
    await move(phone, column, '100 days')
    assert.equal(await statusOf(phone), 401)

    await set({ [setting]: 200 * day })

    assert.deepEqual([await statusOf(phone), await statusOf(ann)], [401, 200])
    const { body } = await ann.get('/api/users/me/devices')
    assert.equal(body.data.length, 1)
    assert.equal((await ann.delete('/api/users/me/devices')).body.endedSessions, 0)
  })

  test(`a session that expired, ${what}, by a shortened lifetime stays expired when that is taken back`, async () => {
    const { set, ann, phone } = await tenantOf()
    await set({ sessionIdleSeconds: 20 * day, sessionAbsoluteSeconds: 20 * day })
    await move(phone, column, '10 days')
    await set({ [setting]: 5 * day })
    assert.equal(await statusOf(phone), 401)

    await set({ [setting]: 20 * day })
    await set({ [setting]: 40 * day })

    assert.deepEqual([await statusOf(phone), await statusOf(ann)], [401, 200])
  })
}

test('a live session lasts longer when an admin lengthens the lifetimes, and its device shows it', async () => {
  const { set, ann, phone } = await tenantOf()
  await set({ sessionIdleSeconds: 5 * day, sessionAbsoluteSeconds: 50 * day })
  await move(phone, 'last_active_at', '4 days')

  await set({ sessionIdleSeconds: 30 * day })

  const { body } = await ann.get('/api/users/me/devices')
  for (const device of body.data)
    assert.equal(Date.parse(device.expiresAt) - Date.parse(device.lastActiveAt), 30 * day * 1000)
  assert.equal(await statusOf(phone), 200)
})

test('a use that is stored late does not revive a session that expired meanwhile', async () => {
  const { id, phone } = await tenantOf()
  await move(phone, 'last_active_at', '13 days')
  const waiting = () => world.postgres.waiting('update sessions')
  await world.database.inTenant(id, async (sql) => {
    await sql`select from sessions where tenant_id = ${sql.tenant} and token_hash = ${sha256(phone.token)} for update`
    assert.equal(await statusOf(phone), 200)
    await until(async () => (await waiting()).length > 0, 'the use to be noted')
    await sql`
      update sessions set last_active_at = now() - interval '15 days'
      where tenant_id = ${sql.tenant} and token_hash = ${sha256(phone.token)}`
  })
  await until(async () => (await waiting()).length === 0, 'the end of that')

  assert.equal(await statusOf(phone), 401)
})

test('a use that waits for its user does not hold the session, which a sign-in may be about to end', async (t) => {
  const ann = await world.person()
  await move(ann, 'last_active_at', '2 minutes')
  const release = await holdRow(t, world.postgres, 'users', ann.id, 'for no key update')
  assert.equal(await statusOf(ann), 200)
  await world.postgres.awaitLine(1)

  const free = await query('select from sessions where tenant_id = $1 and user_id = $2 for update skip locked', [
    world.tenantId,
    ann.id,
  ])

  assert.equal(free.length, 1)
  await release()
})

test('use is stored if the last stored use is old enough, so that the session does not become idle', async () => {
  const ann = await world.person()
  await move(ann, 'created_at', '20 days')
  const isNoted = async () => {
    const [noted] = await query<{ isNoted: boolean }>(
      `select s.last_active_at > now() - interval '1 hour' and u.last_active_at > now() - interval '1 hour' as "isNoted"
      from sessions s join users u on u.tenant_id = s.tenant_id and u.id = s.user_id where s.token_hash = $1`,
      [sha256(ann.token)],
    )
    return noted?.isNoted === true
  }
  for (let time = 1; time <= 2; time++) {
    await move(ann, 'last_active_at', '13 days')
    await query(`update users set last_active_at = now() - interval '13 days' where id = $1`, [ann.id])
    const useIsNoted = async () => {
      if (await isNoted()) return true
      assert.equal(await statusOf(ann), 200)
      return false
    }
    await until(useIsNoted, `the ${time}. use to be noted`)
  }
})

test('past MAX_SESSIONS the least active session ends', async () => {
  const first = await world.person()
  const second = await world.signIn(first)
  const third = await world.signIn(first)
  await move(first, 'last_active_at', '1 hour')
  await move(second, 'last_active_at', '3 hours')
  await move(third, 'last_active_at', '2 hours')

  const fourth = await world.signIn(first)

  const statuses = await Promise.all([first, second, third, fourth].map(statusOf))
  assert.deepEqual(statuses, [200, 401, 200, 200])
})

test('an expired session does not count for MAX_SESSIONS', async () => {
  const first = await world.person()
  const [second, third] = [await world.signIn(first), await world.signIn(first)]
  await move(first, 'created_at', '31 days')
  await move(second, 'last_active_at', '3 hours')
  await move(third, 'last_active_at', '2 hours')

  const fourth = await world.signIn(first)

  const statuses = await Promise.all([first, second, third, fourth].map(statusOf))
  assert.deepEqual(statuses, [401, 200, 200, 200])
})

test('concurrent sign-ins cannot exceed MAX_SESSIONS', async () => {
  const ann = await world.person()
  const phones = await Promise.all(Array.from({ length: 5 }, () => world.signIn(ann)))

  const alive = (await Promise.all([ann, ...phones].map(statusOf))).filter((status) => status === 200)
  assert.equal(alive.length, 3)
})

test("signing out ends the caller's session at once, and no other", async () => {
  const ann = await world.person()
  const phone = await world.signIn(ann)

  const out = await phone.post('/api/auth/sign-out')

  assert.deepEqual([out.status, out.body], [204, ''])
  assert.equal(await statusOf(phone), 401)
  assert.equal(await statusOf(ann), 200)
})

test('signing out without a session, or again, succeeds', async () => {
  const ann = await world.person()
  assert.equal((await world.nobody.post('/api/auth/sign-out')).status, 204)
  assert.equal((await ann.post('/api/auth/sign-out', {})).status, 204)
  assert.equal((await ann.post('/api/auth/sign-out')).status, 204)
  assert.equal((await world.nobody.post('/api/auth/sign-out', undefined, { authorization: 'Bearer no' })).status, 204)

  const entries = await query(
    `select from audit_entries e join audit_details d on d.tenant_id = e.tenant_id and d.entry_id = e.id
    where d.user_id = $1 and e.action = 'session.signed_out'`,
    [ann.id],
  )
  assert.equal(entries.length, 1)
})

test('a suspended user has no session, and learns the reason only with the right password', async () => {
  const ann = await world.person()
  await query(`update users set status = 'suspended' where id = $1`, [ann.id])

  assert.equal(await statusOf(ann), 401)
  const signIn = (typed: string) => world.nobody.post('/api/auth/sign-in', { email: ann.email, password: typed })
  const right = await signIn(password)
  const wrong = await signIn('not the password')
  assert.deepEqual([right.status, right.body.code], [403, 'user_suspended'])
  assert.deepEqual([wrong.status, wrong.body.code], [401, 'invalid_credentials'])
})

test('a wrong password and an unknown address get the same response', async () => {
  const ann = await world.person()
  const answers = await Promise.all(
    [ann.email, `un${ann.email}`].map((email) =>
      world.nobody.post('/api/auth/sign-in', { email, password: 'not the password' }),
    ),
  )
  const shown = answers.map(({ status, body, headers }) => {
    const names = [...headers.keys()].sort()
    return { status, body: { ...body, requestId: '' }, names, length: headers.get('content-length') }
  })
  assert.equal(shown[0]?.status, 401)
  assert.deepEqual(shown[0], shown[1])
})

test('each sign-in creates a new token, and only its hash is stored', async () => {
  const ann = await world.person()
  const phone = await world.signIn(ann)

  assert.notEqual(ann.token, phone.token)
  for (const { token } of [ann, phone]) {
    const secret = token.split('.')[1] ?? ''
    assert.equal(Buffer.from(secret, 'base64url').length, 32)
    const rows = await query<{ text: string }>(
      'select row_to_json(s)::text as text from sessions s where user_id = $1',
      [ann.id],
    )
    for (const { text } of rows) assert.ok(!text.includes(secret) && !text.includes(token))
  }
})

test('a client cannot set the fields of a session (better-auth PR#9965)', async () => {
  const ann = await world.person()
  for (const field of ['device', 'organizationId', 'impersonatedBy', 'expiresAt', 'role', 'tenantId']) {
    const body = { email: ann.email, password, [field]: 'x' }
    const answer = await world.nobody.post('/api/auth/sign-in', body)
    assert.deepEqual([answer.status, answer.body.errors[0].code], [400, 'unknown_field'], field)
  }
})

test("a session describes its device in words, and stores no more of the client's headers", async () => {
  const ann = await world.person()
  const agents: [string, Record<string, string | null>][] = [
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
      { name: 'Chrome on macOS', browser: 'Chrome', os: 'macOS', type: 'desktop' },
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
      { name: 'Safari on iOS', browser: 'Safari', os: 'iOS', type: 'mobile' },
    ],
    ['curl/8.5.0', { name: 'curl', browser: 'curl', os: null, type: 'other' }],
    ['<script>alert(1)</script>', { name: 'Unknown device', browser: null, os: null, type: 'other' }],
    ['x'.repeat(5000), { name: 'Unknown device', browser: null, os: null, type: 'other' }],
  ]
  for (const [agent, expected] of agents) {
    const phone = new Client(world, { 'user-agent': agent })
    const answer = await phone.post('/api/auth/sign-in', { email: ann.email, password })
    const { name, browser, os, type } = answer.body.session.device
    assert.deepEqual({ name, browser, os, type }, expected)
    const kept = JSON.stringify(await query('select * from sessions where user_id = $1', [ann.id]))
    if (agent !== 'curl/8.5.0') assert.ok(!kept.includes(agent.slice(0, 20)), kept)
    assert.doesNotMatch(kept, /8\.5\.0|AppleWebKit|120\.0/)
  }
})

test('the end of a session waits for its person before it locks the session, as what ends all of them does', async (t) => {
  const acts: Record<string, (ann: Person, session: string) => Promise<Answer>> = {
    'a sign-out': (ann) => ann.post('/api/auth/sign-out'),
    'the end of a device': (ann, session) => ann.delete(`/api/users/me/devices/${session}`),
    'the link in a mail': (_, id) => {
      const token = makeMailedToken(world.keyring, 'end_session', { tenant: world.tenantId, id, generation: 1 })
      return world.nobody.post('/api/auth/end-session', { token })
    },
  }
  for (const [what, act] of Object.entries(acts)) {
    const ann = await world.person()
    const [session] = await query<{ id: string }>('select id from sessions where user_id = $1', [ann.id])
    const release = await holdRow(t, world.postgres, 'users', ann.id, 'for no key update')
    const answer = act(ann, session?.id ?? '')
    await world.postgres.awaitLine(1)
    await query('select from sessions where user_id = $1 for update nowait', [ann.id]) // would be a deadlock
    await release()
    assert.ok([200, 204].includes((await answer).status), what)
    assert.equal(await statusOf(ann), 401, what)
  }
})

test('a sign-out beside a confirmation, which replaces the token, ends the session', async (t) => {
  const ann = await world.person()
  const release = await holdRow(t, world.postgres, 'users', ann.id)
  const confirmed = ann.post('/api/auth/confirm', { password })
  await world.postgres.awaitLine(1)
  const signedOut = ann.post('/api/auth/sign-out')
  await world.postgres.awaitLine(2)
  await release()

  assert.deepEqual([(await confirmed).status, (await signedOut).status], [200, 204])
  const authorization = `Bearer ${(await confirmed).body.session.token}`
  assert.equal((await world.nobody.get('/api/users/me', { authorization })).status, 401)
})
