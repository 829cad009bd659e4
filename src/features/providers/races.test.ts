import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { hold, holdRow } from '../../../test/holding.ts'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { addProvider, enrol, link, visit } from '../../../test/sign-in.ts'
import { type Answer, Client, createWorld, type Json, type Person } from '../../../test/world.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' }, processes: 4 })
const double = await startProviderDouble()
const { query, awaitLine } = world.postgres
const tess = await world.tenantAdmin()

const said = ({ status, body }: Answer) => (body.code ? `${status} ${body.code}` : String(status))

/** A provider, somebody with an account there, and what continues their sign-in. */
async function arriving(): Promise<{ path: string; name: string; person: Person; sent: Json }> {
  const providerId = await addProvider(world, double.origin)
  const path = `/api/admin/providers/${providerId}`
  const [person, sub] = [await world.person(), randomBytes(8).toString('hex')]
  assert.equal((await link(double, person, providerId, { sub })).status, 201)
  const { body } = await tess.get(path)
  return { path, name: body.name, person, sent: await visit(world, double, providerId, { sub }) }
}

/** Holds a sign-in where it writes its session, sends the other request, and lets go when that waits or is done. */
async function beside(
  t: TestContext,
  sent: Json,
  other: () => Promise<Answer>,
): Promise<[signIn: Answer, other: Answer]> {
  const release = await hold(t, world.postgres, 'lock table known_devices in exclusive mode')
  const signIn = world.nobody.post('/api/auth/sign-in/continue', sent)
  await awaitLine(1)
  let done = 0
  const changed = other().finally(() => done++)
  await awaitLine(2, () => done)
  await release()
  return [await signIn, await changed]
}

test('the last step of a sign-in beside the deletion of its provider leaves no session', async (t) => {
  const { path, name, person, sent } = await arriving()
  const { code } = await enrol(world, person)
  const { body } = await world.nobody.post('/api/auth/sign-in/continue', sent)
  const last = { attempt: body.attempt.token, totp: code() }
  const [signIn, deletion] = await beside(t, last, () => tess.delete(path, { confirm: name }))

  assert.deepEqual([said(signIn), said(deletion)], ['200', '200'])
  const session = new Client(world, { authorization: `Bearer ${signIn.body.session.token}` })
  assert.equal(said(await session.get('/api/users/me')), '401 unauthenticated')
})

test('a sign-in that waits for the deletion or the disabling of its provider makes no session', async (t) => {
  for (const change of [
    'delete from providers where id = $1',
    'update providers set is_enabled = false where id = $1',
  ]) {
    const { path, person, sent } = await arriving()
    const id = path.split('/').at(-1)
    const release = await holdRow(t, world.postgres, 'providers', id)
    const signIn = world.nobody.post('/api/auth/sign-in/continue', sent)
    await awaitLine(1)
    await query(change, [id])
    await release()

    assert.equal(said(await signIn), '410 attempt_spent', change)
    assert.equal((await person.get('/api/users/me/devices')).body.data.length, 1)
  }
})

test('the log tells which provider began a session', async () => {
  const { path, person, sent } = await arriving()
  const { status, headers } = await world.nobody.post('/api/auth/sign-in/continue', sent)
  assert.equal(status, 200)
  const { body } = await person.get('/api/users/me/audit?action=session.started')
  const [entry] = body.data.filter((each: Json) => each.requestId === headers.get('x-request-id'))
  const { methods, assurance, providerId } = entry.details
  assert.deepEqual([methods, assurance, providerId], [['provider'], 1, path.split('/').at(-1)])
})

test('the deletion of a provider locks its people in the order of their ids, before it and before their sessions', async (t) => {
  const { path, name, person: ann } = await arriving()
  const providerId = path.split('/').at(-1) ?? ''
  const ben = await world.person('Ben') // ids sort by time
  assert.equal((await link(double, ben, providerId, { sub: randomBytes(8).toString('hex') })).status, 201)
  const ids = [ann.id, ben.id]
  await query(
    `update sessions s set identity_id = i.id
     from identities i
     where i.tenant_id = s.tenant_id and i.user_id = s.user_id and s.user_id = any($1)`,
    [ids],
  )

  const release = await holdRow(t, world.postgres, 'users', ann.id, 'for no key update') // as the end of all sessions does
  const deleted = tess.delete(path, { confirm: name })
  await awaitLine(1)
  for (const [which, value] of [
    ['providers where id = $1', providerId],
    ['users where id = $1', ben.id],
    ['sessions where user_id = any($1)', ids],
  ])
    await query(`select from ${which} for update nowait`, [value]) // would be a deadlock
  await release()

  assert.equal(said(await deleted), '200')
  assert.deepEqual(
    [said(await ann.get('/api/users/me')), said(await ben.get('/api/users/me'))],
    Array(2).fill('401 unauthenticated'),
  )
})

test('a deletion of a provider that is refused waits for none of its people', async (t) => {
  const { path, name, person } = await arriving()
  const release = await holdRow(t, world.postgres, 'users', person.id)
  const wrong = await tess.delete(path, { confirm: `Not ${name}` })
  const stale = await tess.request(path, {
    method: 'DELETE',
    body: { confirm: name },
    headers: { 'if-match': '"stale"' },
  })
  await release()
  assert.deepEqual([said(wrong), said(stale)], ['400 confirmation_mismatch', '412 version_mismatch'])
})

test('a provider that is renamed while its deletion waits stays', async (t) => {
  const { path, name, person } = await arriving()
  const release = await holdRow(t, world.postgres, 'users', person.id)
  const deleted = tess.delete(path, { confirm: name })
  await awaitLine(1)
  await query('update providers set name = $2 where id = $1', [path.split('/').at(-1), `New ${name}`])
  await release()

  assert.equal(said(await deleted), '400 confirmation_mismatch')
  assert.equal((await tess.get(path)).status, 200)
})
