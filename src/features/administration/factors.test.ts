import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { holdRow } from '../../../test/holding.ts'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { finishJobs } from '../../../test/queue.ts'
import { statuses } from '../../../test/races.ts'
import { addPasskey, addProvider, enrol, link, visit } from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Person } from '../../../test/world.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
const { query, awaitLine } = world.postgres
const providerId = await addProvider(world, double.origin)

const said = ({ status, body }: Answer) => [status, body.code]
const factorsOf = ({ id }: Person) => `/api/admin/users/${id}/factors`
const unknown = 'user_01k9zq3v5hf8gs4m2y7c6t0wdn'

/** An admin with a passkey: a session that has proven two factors, and one that knows only the password. */
async function adminWithPasskey(): Promise<{ owner: Person; thief: Person }> {
  const owner = await world.tenantAdmin()
  assert.equal((await addPasskey(owner)).answer.status, 201)
  return { owner, thief: await world.signIn(owner) }
}

test('an admin who has a factor resets nobody’s, nor their own, without a second factor', async () => {
  const { owner, thief } = await adminWithPasskey()
  const ann = await world.person()
  await addPasskey(ann)

  for (const target of [owner, ann]) {
    const { status, body } = await thief.delete(factorsOf(target))
    assert.deepEqual([status, body.code, body.methods], [403, 'second_factor_required', ['passkey']])
    assert.equal((await query('select from factors where user_id = $1', [target.id])).length, 1)
    assert.equal((await target.get('/api/users/me')).status, 200)
  }
  assert.deepEqual(said(await thief.delete(factorsOf({ id: unknown } as Person))), [404, 'not_found'])
})

test('an admin who has proven two factors resets somebody’s, and their own', async () => {
  const { owner } = await adminWithPasskey()
  const ann = await world.person()

  assert.equal((await owner.delete(factorsOf(ann))).status, 200)
  assert.equal((await owner.delete(factorsOf(owner))).status, 200)
  assert.equal((await owner.get('/api/users/me')).status, 401)
})

test('an admin who has a factor unlinks an account of their own with two factors only', async () => {
  const { owner, thief } = await adminWithPasskey()
  const { body: identity } = await link(double, owner, providerId, { sub: randomBytes(8).toString('hex') })
  const path = `/api/admin/users/${owner.id}/identities/${identity.id}`

  assert.deepEqual(said(await thief.delete(path)), [403, 'second_factor_required'])
  assert.equal((await owner.delete(path)).status, 200)
})

test('an admin whose session ends while they wait for somebody’s row resets nothing', async (t) => {
  const tess = await world.tenantAdmin()
  const thief = await world.signIn(tess)
  const ann = await world.person()
  const release = await holdRow(t, world.postgres, 'users', ann.id)
  const reset = thief.delete(factorsOf(ann))
  await awaitLine(1)
  const ended = await tess.delete('/api/users/me/devices')
  await release()

  assert.deepEqual(statuses([ended, await reset]), ['200', '401 unauthenticated'])
  assert.equal((await ann.get('/api/users/me')).status, 200)
})

test('a reset drops linked accounts, with the sessions and half-done sign-ins that rest on them', async () => {
  const tess = await world.tenantAdmin()
  const { person } = await enrol(world)
  const stranger = { sub: randomBytes(8).toString('hex'), email: 'stranger@example.com' }
  assert.equal((await link(double, person, providerId, stranger)).status, 201)
  const arrive = async () =>
    world.nobody.post('/api/auth/sign-in/continue', await visit(world, double, providerId, stranger))
  const halfDone = await arrive()
  assert.deepEqual([halfDone.status, halfDone.body.attempt.next], [403, 'second_factor'])

  const { status, body } = await tess.delete(factorsOf(person))

  assert.deepEqual([status, body], [200, { removed: 2, endedSessions: 1 }])
  assert.deepEqual((await tess.get(`/api/admin/users/${person.id}/identities`)).body.data, [])
  const [entry] = (await tess.get(`/api/admin/audit?action=factors.reset&userId=${person.id}`)).body.data
  assert.deepEqual(entry.details, body)
  const { attempt } = halfDone.body
  const proof = { attempt: attempt.token, recoveryCode: 'AAAA-AAAA-AAAA-AAAA-AAAA-AAAA' }
  assert.deepEqual(said(await world.nobody.post('/api/auth/sign-in/continue', proof)), [410, 'attempt_spent'])
  const again = await arrive()
  assert.notEqual(again.body.user?.id, person.id)
})

test('the mail about a reset promises another one with a link to those who are not suspended only', async () => {
  const tess = await world.tenantAdmin()
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  assert.equal((await tess.patch(`/api/admin/users/${ben.id}`, { status: 'suspended' })).status, 200)

  for (const each of [ann, ben]) assert.equal((await tess.delete(factorsOf(each))).status, 200)
  await finishJobs(world)

  for (const [{ email }, isPromised] of [
    [ann, true],
    [ben, false],
  ] as const) {
    const mails = await world.mails(email)
    const told = mails.find(({ subject }) => subject.endsWith('was reset'))
    assert.match(told?.text ?? '', /ended your keys/)
    assert.equal(/A separate email lets you choose a new password\./.test(told?.text ?? ''), isPromised, email)
    assert.equal(mails.filter(({ text }) => text.includes('/reset-password#')).length, isPromised ? 1 : 0, email)
  }
})
