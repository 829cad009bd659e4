import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Json, type Person } from '../../../test/world.ts'

const world = await createWorld({ processes: 2 })
const { query } = world.postgres

const devicesOf = async (person: Person): Promise<Json[]> => (await person.get('/api/users/me/devices')).body.data
const statusOf = async (person: Person) => (await person.get('/api/users/me')).status
async function currentOf(person: Person): Promise<Json> {
  return (await devicesOf(person)).find(({ current }) => current)
}

test("devices are listed with all fields, newest activity first, and the caller's is marked", async () => {
  const ann = await world.person()
  const phone = await world.signIn(ann, { 'user-agent': 'curl/8.5.0' })
  const tablet = await world.signIn(ann)
  const ids = [(await currentOf(ann)).id, (await currentOf(phone)).id, (await currentOf(tablet)).id]
  for (const [index, id] of ids.entries()) {
    await query('update sessions set last_active_at = now() - make_interval(hours => $2) where id = $1', [
      id,
      index + 1,
    ])
  }

  const { status, body } = await phone.get('/api/users/me/devices')

  assert.equal(status, 200)
  assert.equal(body.nextCursor, null)
  assert.deepEqual(
    body.data.map(({ id }: Json) => id),
    ids,
  )
  assert.deepEqual(
    body.data.map(({ current }: Json) => current),
    [false, true, false],
  )
  assert.deepEqual([body.data[1].name, body.data[1].ip], ['curl', '127.0.0.1'])
})

test('ended and expired sessions are not listed', async () => {
  const ann = await world.person()
  const [out, old, idle] = [await world.signIn(ann), await world.signIn(ann), await world.signIn(ann)]
  const [oldId, idleId] = [(await currentOf(old)).id, (await currentOf(idle)).id]
  await out.post('/api/auth/sign-out')
  await query(`update sessions set created_at = now() - interval '31 days' where id = $1`, [oldId])
  await query(`update sessions set last_active_at = now() - interval '15 days' where id = $1`, [idleId])

  assert.deepEqual(
    (await devicesOf(ann)).map(({ current }) => current),
    [true],
  )
  for (const id of [oldId, idleId]) assert.equal((await ann.delete(`/api/users/me/devices/${id}`)).status, 404)
})

test('a revoked device is refused from the next request on', async () => {
  const ann = await world.person()
  const phone = await world.signIn(ann)
  const device = await currentOf(phone)

  const answer = await ann.delete(`/api/users/me/devices/${device.id}`)

  assert.equal(answer.status, 200)
  assert.deepEqual({ ...answer.body, lastActiveAt: '' }, { ...device, current: false, lastActiveAt: '' })
  assert.equal(await statusOf(phone), 401)
  assert.equal(await statusOf(ann), 200)
  assert.equal((await ann.delete(`/api/users/me/devices/${device.id}`)).status, 404)
})

test("the caller's own device can be ended too", async () => {
  const ann = await world.person()
  const { id } = await currentOf(ann)

  const answer = await ann.delete(`/api/users/me/devices/${id}`)

  assert.deepEqual([answer.status, answer.body.current], [200, true])
  assert.equal(await statusOf(ann), 401)
})

test("nobody can see or end another person's device", async () => {
  const ann = await world.person()
  const ben = await world.person('Ben')
  const { slug } = await world.tenant()
  const there = await world.person('There', { tenant: slug })
  const { id } = await currentOf(ann)

  for (const other of [ben, there]) {
    assert.equal((await other.delete(`/api/users/me/devices/${id}`)).status, 404)
    assert.ok(!(await devicesOf(other)).some((device) => device.id === id))
  }
  assert.equal(await statusOf(ann), 200)
  for (const wrong of [ann.id, 'dev_1', id.toUpperCase(), `${id}0`, '%252e%252e']) {
    const answer = await ann.delete(`/api/users/me/devices/${wrong}`)
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_id'], wrong)
  }
})

test('one request ends all other devices', async () => {
  const ann = await world.person()
  const others = [await world.signIn(ann), await world.signIn(ann)]
  const ben = await world.person('Ben')

  const answer = await ann.delete('/api/users/me/devices')

  assert.deepEqual([answer.status, answer.body], [200, { endedSessions: 2 }])
  for (const other of others) assert.equal(await statusOf(other), 401)
  assert.deepEqual([await statusOf(ann), await statusOf(ben)], [200, 200])
  assert.deepEqual((await ann.delete('/api/users/me/devices')).body, { endedSessions: 0 })
})

test('if several requests revoke one device at once, one ends it', async () => {
  const ann = await world.person()
  const phone = await world.signIn(ann)
  const { id } = await currentOf(phone)

  const answers = await Promise.all(Array.from({ length: 8 }, () => ann.delete(`/api/users/me/devices/${id}`)))

  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  assert.equal(answers.filter(({ status }) => status === 404).length, 7)
  const { body } = await ann.get('/api/users/me/audit?action=session.revoked')
  assert.equal(body.data.length, 1)
  assert.equal(body.data[0].details.deviceId, id)
})

test("if two devices end each other's sessions at once, at most one stays signed in", async () => {
  for (let round = 0; round < 10; round++) {
    const ann = await world.person()
    const phone = await world.signIn(ann)

    const answers = await Promise.all([ann.delete('/api/users/me/devices'), phone.delete('/api/users/me/devices')])

    for (const { status } of answers) assert.ok(status === 200 || status === 401)
    const alive = (await Promise.all([ann, phone].map(statusOf))).filter((status) => status === 200)
    assert.ok(alive.length <= 1)
  }
})

test('a revoked session stays revoked after a restart (Keycloak CVE-2026-9802)', async () => {
  const ann = await world.person()
  const phone = await world.signIn(ann)
  const { id } = await currentOf(phone)
  await ann.delete(`/api/users/me/devices/${id}`)

  const rows = await query<{ ended: boolean }>('select ended_at is not null as ended from sessions where id = $1', [id])

  assert.deepEqual(rows, [{ ended: true }], 'it is the table that says so')
  await query('update sessions set ended_at = null where id = $1', [id])
  assert.equal(await statusOf(phone), 200, 'and nothing but the table: no session is cached')
})

test('all of more than a hundred devices are listed', async () => {
  const ann = await world.person()
  await query(
    `insert into sessions (tenant_id, id, user_id, token_hash, name, type)
    select tenant_id, 'dev_' || lpad(n::text, 26, '0'), user_id, sha256(n::text::bytea), 'Made up', 'other'
    from sessions, generate_series(1, 150) n where user_id = $1`,
    [ann.id],
  )
  assert.equal((await devicesOf(ann)).length, 151)
})

test('a tenant admin sees where a user is signed in, and ends one device or all', async () => {
  const [tess, ann] = [await world.tenantAdmin(), await world.person()]
  const [phone, tablet] = [await world.signIn(ann), await world.signIn(ann)]
  const path = `/api/admin/users/${ann.id}/devices`
  const device = await currentOf(phone)

  const { status, body } = await tess.get(path)
  assert.equal(status, 200)
  assert.deepEqual(
    body.data.map(({ id, current }: Json) => [id, current]),
    (await devicesOf(ann)).map(({ id }) => [id, false]),
  )

  const ended = await tess.delete(`${path}/${device.id}`)
  assert.deepEqual([ended.status, ended.body.id, ended.body.current], [200, device.id, false])
  assert.equal(await statusOf(phone), 401)
  assert.equal(await statusOf(ann), 200)
  assert.equal((await tess.delete(`${path}/${device.id}`)).status, 404)

  assert.deepEqual((await tess.delete(path)).body, { endedSessions: 2 })
  for (const each of [ann, tablet]) assert.equal(await statusOf(each), 401)
  assert.equal(await statusOf(tess), 200)
  assert.deepEqual((await tess.get(path)).body.data, [])
  assert.deepEqual((await tess.delete(path)).body, { endedSessions: 0 })
})

test('a session that an admin ends is recorded with the admin as actor and the user as target', async () => {
  const [tess, ann] = [await world.tenantAdmin(), await world.person()]
  const phone = await world.signIn(ann)
  const { id } = await currentOf(phone)
  await tess.delete(`/api/admin/users/${ann.id}/devices/${id}`)
  await tess.delete(`/api/admin/users/${ann.id}/devices`)

  const [all, one] = (await tess.get('/api/admin/audit?action=session.revoked')).body.data

  for (const { actor, target } of [all, one]) assert.deepEqual([actor.id, target.id], [tess.id, ann.id])
  assert.deepEqual([one.details.deviceId, all.details], [id, { endedSessions: 1 }])
})

test("ending all of a user's sessions invalidates the links mailed to them", async () => {
  const [tess, ann] = [await world.tenantAdmin(), await world.person('Ann', { verified: false })]

  await tess.delete(`/api/admin/users/${ann.id}/devices`)

  const [token] = await query<{ spent_at: Date | null }>('select spent_at from mailed_tokens where user_id = $1', [
    ann.id,
  ])
  assert.ok(token?.spent_at)
})

test("only admins can read a user's devices, and only under that user", async () => {
  const [tess, ann, ben] = [await world.tenantAdmin(), await world.person(), await world.person('Ben')]
  const { id } = await currentOf(ann)
  const unknown = `user_${'0'.repeat(26)}`

  assert.equal((await tess.delete(`/api/admin/users/${ben.id}/devices/${id}`)).status, 404)
  assert.equal((await tess.delete(`/api/admin/users/${unknown}/devices/${id}`)).status, 404)
  assert.equal((await tess.delete(`/api/admin/users/${unknown}/devices`)).status, 404)
  assert.equal((await tess.get(`/api/admin/users/${unknown}/devices`)).status, 404)
  for (const path of [`/api/admin/users/${ann.id}/devices`, `/api/admin/users/${ben.id}/devices`]) {
    assert.equal((await ann.get(path)).status, 403)
    assert.equal((await ann.delete(path)).status, 403)
  }
  assert.equal(await statusOf(ann), 200)
})
