import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countUpdates } from '../../../test/changes.ts'
import { createDeviceWorld, from } from '../../../test/devices.ts'
import { holdRow } from '../../../test/holding.ts'
import { type Answer, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { batch } from '../../domain/erasure/batches.ts'
import { sha256 } from '../../platform/cryptography.ts'

// Behind a proxy, so that callers can come from many networks.
const { world, tenant, signIn, browser: newBrowser, links, newLink, queueIsDone } = await createDeviceWorld()
const { query, awaitLine } = world.postgres

const endSession = (token: string) => world.nobody.post('/api/auth/end-session', { token })
const statusOf = async ({ token }: { readonly token: string }) =>
  (await world.nobody.get('/api/users/me', { authorization: `Bearer ${token}` })).status

test('the link in the mail about a new device ends its session, and no other, once', async () => {
  const ann = await world.person()
  const thief = await world.signIn(ann, from('198.51.100.1'))
  const token = await newLink(ann.email)

  const answer = await endSession(token)

  assert.deepEqual([answer.status, answer.body], [200, {}])
  assert.deepEqual([await statusOf(thief), await statusOf(ann)], [401, 200])
  const again = await endSession(token)
  assert.deepEqual([again.status, again.body.code], [410, 'token_spent'])
  const { body } = await ann.get('/api/users/me/audit?action=session.revoked')
  assert.deepEqual(
    body.data.map(({ actor, target, ip }: Answer['body']) => [actor.type, target.id, ip]),
    [['anonymous', ann.id, null]],
  )
})

test('before it ends the session, the link tells which device it is about and when it was signed in, and uses nothing', async () => {
  const ann = await world.person()
  const preview = (token: string) => world.nobody.post('/api/auth/end-session/preview', { token })
  const thief = await world.signIn(ann, from('198.51.100.1'))
  const { body } = await thief.get('/api/users/me/devices')
  const device = body.data.find(({ current }: Answer['body']) => current)
  const token = await newLink(ann.email)

  for (let time = 0; time < 2; time++) {
    const answer = await preview(token)
    assert.deepEqual([answer.status, answer.body], [200, { device: device.name, signedInAt: device.createdAt }])
  }
  assert.equal(await statusOf(thief), 200)
  assert.equal((await endSession(token)).status, 200)
  assert.deepEqual([(await preview(token)).status, (await preview(token)).body.code], [410, 'token_spent'])
})

test('a device whose session was ended by the link is unknown again', async () => {
  const ann = await world.person()
  const browser = newBrowser()
  for (const [count, act] of [
    [1, () => browser.signIn(ann.email, '192.0.2.1')],
    [3, () => signIn(ann.email, '198.51.100.1')],
  ] as const) {
    await act()
    assert.equal((await endSession(await newLink(ann.email, count))).status, 200)
    await act()
    await newLink(ann.email, count + 1)
  }
})

test('one link ends both sessions of a person who signed in twice on a new device, even if only one mail was sent', async () => {
  const ann = await world.person()
  const first = (await signIn(ann.email, '198.51.100.1')).body.session
  const second = (await signIn(ann.email, '203.0.113.1', password, {}, first.deviceToken)).body.session
  const elsewhere = (await signIn(ann.email, '198.51.100.1')).body.session
  await queueIsDone()
  assert.equal(links(ann.email).length, 2)
  const token = links(ann.email)[0] ?? ''

  assert.equal((await endSession(token)).status, 200)

  assert.deepEqual(await Promise.all([first, second, elsewhere, ann].map(statusOf)), [401, 401, 200, 200])
  const { body } = await ann.get('/api/users/me/audit?action=session.revoked')
  assert.deepEqual(
    body.data.map(({ details }: Answer['body']) => details.endedSessions),
    [2],
  )
  await signIn(ann.email, '198.51.100.1', password, {}, first.deviceToken)
  await newLink(ann.email, 3)
})

test('the link also ends a session of the device that seems to be older, since its sign-in began earlier or by another clock', async () => {
  const ann = await world.person()
  const first = (await signIn(ann.email, '198.51.100.1')).body.session
  const token = await newLink(ann.email)
  const second = (await signIn(ann.email, '198.51.100.1', password, {}, first.deviceToken)).body.session
  await query(`update sessions set created_at = created_at - interval '1 hour' where id = $1`, [second.device.id])

  assert.equal((await endSession(token)).status, 200)

  assert.deepEqual(await Promise.all([first, second, ann].map(statusOf)), [401, 401, 200])
})

test('the link also ends sessions that were started later on the browser', async () => {
  const ann = await world.person()
  const browser = newBrowser()
  await browser.signIn(ann.email, '198.51.100.1')
  const token = await newLink(ann.email)
  const first = browser.headers.cookie ?? ''
  browser.cookies.delete('guildhall') // so that the second sign-in does not end the first
  await browser.signIn(ann.email, '198.51.100.9')

  assert.equal((await endSession(token)).status, 200)

  for (const cookie of [first, browser.headers.cookie ?? '']) {
    assert.equal((await world.nobody.get('/api/users/me', { cookie })).status, 401)
  }
})

test('the link also ends sessions that the previous release started later in the same network without a mail', async () => {
  const ann = await world.person()
  const first = await world.signIn(ann, from('198.51.100.1'))
  const token = await newLink(ann.email)
  const second = await world.signIn(ann, from('198.51.100.1'))
  const elsewhere = await world.signIn(ann, from('198.51.100.2'))
  await query('update sessions set device_hash = null where user_id = $1', [ann.id])

  assert.equal((await endSession(token)).status, 200)

  assert.deepEqual(await Promise.all([first, second, elsewhere, ann].map(statusOf)), [401, 401, 200, 200])
})

test('if twenty requests open the link at once, one ends the session', async () => {
  const ann = await world.person()
  await world.signIn(ann, from('198.51.100.1'))
  const token = await newLink(ann.email)

  const answers = await Promise.all(Array.from({ length: 20 }, () => endSession(token)))

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 410)])
})

test('the link is valid for seven days, for its session only, and once, even if the session has ended meanwhile', async () => {
  const ann = await world.person()
  const late = await world.signIn(ann, from('198.51.100.1'))
  const token = await newLink(ann.email)
  await query(`update sessions set created_at = now() - interval '7 days' where user_id = $1`, [ann.id])
  assert.deepEqual([(await endSession(token)).status, await statusOf(late)], [410, 200])

  const gone = (await signIn(ann.email, '198.51.100.2')).body.session
  const other = await newLink(ann.email, 2)
  const again = (await signIn(ann.email, '198.51.100.3', password, {}, gone.deviceToken)).body.session
  await world.nobody.post('/api/auth/sign-out', undefined, { authorization: `Bearer ${gone.token}` })
  assert.deepEqual([(await endSession(other)).status, await statusOf(again)], [200, 401])
  assert.equal((await endSession(other)).status, 410)

  const [session] = await query<{ id: string }>('select id from sessions where user_id = $1 and ended_at is null', [
    ann.id,
  ])
  const id = session?.id ?? ''
  for (const forged of [
    makeMailedToken(world.keyring, 'end_session', { tenant, id, generation: 2 }),
    makeMailedToken(world.keyring, 'reset_password', { tenant, id, generation: 1 }),
    makeMailedToken(world.keyring, 'end_session', { tenant, id: ann.id, generation: 1 }),
  ]) {
    assert.equal((await endSession(forged)).status, 410)
  }
  assert.equal(await statusOf(ann), 200)
})

test('the link changes no session of the device that has ended or expired, however many there are', async () => {
  const ann = await world.person()
  const { deviceToken } = (await signIn(ann.email, '198.51.100.1')).body.session
  const token = await newLink(ann.email)
  const later = (await signIn(ann.email, '198.51.100.1', password, {}, deviceToken)).body.session
  const add = (first: number, count: number, column: string, value: string) =>
    query(
      `insert into sessions (tenant_id, id, user_id, token_hash, name, type, network, device_hash, ${column})
       select '${tenant}', 'dev_' || lpad(n::text, 26, '0'), '${ann.id}', sha256(n::text::bytea), 'Chrome', 'desktop', '198.51.100.1',
         decode('${sha256(deviceToken).toString('hex')}', 'hex'), ${value}
       from generate_series(${first}, ${first + count - 1}) n`,
    )
  await add(1, batch + 1, 'ended_at', 'now()')
  await add(batch + 2, batch + 1, 'last_active_at', `now() - interval '29 days'`)
  const updates = await countUpdates(world.postgres, 'sessions')

  assert.equal((await endSession(token)).status, 200)

  const counted = await updates()
  if (counted) assert.deepEqual(counted, [{ name: 'sessions', most: 2 }])
  assert.equal(await statusOf(later), 401)
})

for (const [name, end] of [
  ['the link in the mail', (_: Person, token: string) => endSession(token)],
  ['the end of all other sessions', (ann: Person) => ann.delete('/api/users/me/devices')],
] as const) {
  test(`a sign-in that waits for ${name} is on a new device, of which a mail tells`, async (t) => {
    const ann = await world.person()
    const { deviceToken } = (await signIn(ann.email, '198.51.100.1')).body.session
    const token = await newLink(ann.email)
    const release = await holdRow(t, world.postgres, 'users', ann.id)
    const ended = end(ann, token)
    await awaitLine(1)
    const started = signIn(ann.email, '198.51.100.1', password, {}, deviceToken)
    await awaitLine(2)
    await release()

    assert.deepEqual([(await ended).status, (await started).status], [200, 200])
    await queueIsDone()
    assert.equal(links(ann.email).length, 2)
  })
}
