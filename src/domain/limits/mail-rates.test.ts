import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createWorld, Person, password } from '../../../test/world.ts'

const world = await createWorld({ settings: { LIMITS: 'on', LIMIT_MAIL: '3/3600', LIMIT_MAIL_NETWORK: '8/3600' } })
const { query } = world.postgres
const newAddress = () => `guest-${randomBytes(5).toString('hex')}@example.com`
/** By the route, which counts. */
async function signUp(email = newAddress()): Promise<Person> {
  const { body } = await world.nobody.post('/api/auth/sign-up', { email, password })
  return new Person(world, body.session.token, body.user, {})
}
const forgot = (email: string) => world.nobody.post('/api/auth/forgot-password', { email })
const jobs = async (task: string) =>
  (await query('select from graphile_worker.jobs where task_identifier = $1', [task])).length

test('beyond the rate of an address the answer is the same, no mail is sent, and the last mailed link stays valid', async () => {
  const ann = await signUp()
  const generation = async () =>
    (await query<{ generation: number }>('select generation from mailed_tokens where user_id = $1', [ann.id]))[0]
      ?.generation
  const answers: unknown[] = []
  for (let times = 0; times < 5; times++) {
    const { status, body } = await ann.post('/api/auth/verify-email/resend')
    answers.push([status, body])
  }
  assert.deepEqual(
    answers,
    Array.from({ length: 5 }, () => [202, {}]),
  )
  assert.equal(await generation(), 3, 'that of sign-up, and two more')
  await query('delete from rates')
})

test('repeated sign-ups with an address send no more mails than its rate allows, and no deletion notice', async () => {
  const email = newAddress()
  const mails = async () =>
    (
      await query<{ kind: string }>(
        `select payload->>'kind' as kind from graphile_worker._private_jobs where task_id = (
           select id from graphile_worker._private_tasks where identifier = 'send_mail')`,
      )
    ).map(({ kind }) => kind)
  await query(`select graphile_worker.remove_job(key) from graphile_worker.jobs where task_identifier = 'send_mail'`)
  const sent: string[][] = []
  for (let times = 0; times < 5; times++) {
    const stranger = await signUp(email)
    const again = await world.nobody.post('/api/auth/sign-up', { email, password })
    assert.deepEqual([again.status, again.body.code], [409, 'email_taken'], 'and that counts for nothing')
    sent.push(await mails())
    assert.equal((await stranger.delete('/api/users/me', { password })).status, 200)
    assert.deepEqual(await mails(), [])
  }
  assert.deepEqual(sent, [['verify_email'], ['verify_email'], ['verify_email'], [], []])
  await query('delete from rates')
})

test('beyond the rate of a network people can still sign up, but get no mail', async () => {
  const people = []
  for (let times = 0; times < 9; times++) people.push(await signUp())
  const links = await query<{ user_id: string }>('select user_id from mailed_tokens where user_id = any($1)', [
    people.map(({ id }) => id),
  ])
  assert.deepEqual(
    links.map(({ user_id }) => user_id).sort(),
    people
      .slice(0, 8)
      .map(({ id }) => id)
      .sort(),
  )
  await query('delete from rates')
})

test('an address without an account is counted like one with an account', async () => {
  const ann = await world.person()
  for (const email of [ann.email, newAddress()]) {
    await query('delete from rates')
    await query(
      `select graphile_worker.remove_job(key) from graphile_worker.jobs where task_identifier = 'request_reset'`,
    )
    const asked: number[] = []
    for (let times = 0; times < 4; times++) {
      assert.equal((await forgot(email)).status, 202)
      asked.push(await jobs('request_reset'))
      await query(
        `select graphile_worker.remove_job(key) from graphile_worker.jobs where task_identifier = 'request_reset'`,
      )
    }
    assert.deepEqual(asked, [1, 1, 1, 0], email)
  }
  await query('delete from rates')
})

test("asking for somebody else's address prevents neither that person's reset nor cancelling the change", async () => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  await query('delete from rates')
  for (let times = 0; times < 4; times++) {
    const { status, body } = await ann.patch('/api/users/me', { email: ben.email, currentPassword: password })
    assert.deepEqual([status, body.pendingEmail], [200, ben.email])
  }
  await query(
    `select graphile_worker.remove_job(key) from graphile_worker.jobs where task_identifier = 'request_reset'`,
  )
  assert.equal((await forgot(ben.email)).status, 202)
  assert.equal(await jobs('request_reset'), 1)

  for (let times = 0; times < 5; times++) await forgot(newAddress())
  assert.equal((await ann.patch('/api/users/me', { email: newAddress(), currentPassword: password })).status, 429)
  const { status, body } = await ann.patch('/api/users/me', { email: ann.email, currentPassword: password })
  assert.deepEqual([status, body.pendingEmail], [200, null], 'nothing is mailed')
  await query('delete from rates')
})

test("signing up with somebody else's address, and resending the verification, does not prevent that person's reset", async () => {
  await query(`delete from graphile_worker._private_jobs`)
  const stranger = await signUp()
  for (let times = 0; times < 4; times++)
    assert.equal((await stranger.post('/api/auth/verify-email/resend')).status, 202)
  assert.equal((await stranger.delete('/api/users/me', { password })).status, 200)
  assert.equal((await signUp(stranger.email)).email, stranger.email)

  assert.equal((await forgot(stranger.email)).status, 202)
  assert.equal(await jobs('request_reset'), 1)
  await query('delete from rates')
})

test('a network that causes too many mails, to any addresses, has to wait', async () => {
  const ann = await world.person('Ann', { verified: false })
  await query('delete from rates')
  for (let times = 0; times < 8; times++) assert.equal((await forgot(newAddress())).status, 202)
  const change = { email: newAddress(), currentPassword: password }
  for (const answer of [
    await forgot(newAddress()),
    await ann.post('/api/auth/verify-email/resend'),
    await ann.patch('/api/users/me', change),
  ]) {
    assert.deepEqual([answer.status, answer.body.code, answer.body.policy], [429, 'rate_limited', 'mail'])
    assert.match(answer.headers.get('ratelimit') ?? '', /, "mail";r=0;t=\d+$/)
  }
  assert.equal((await ann.get('/api/users/me')).body.pendingEmail, null, 'nothing was changed')
  await query('delete from rates')
})

test('a change of address that fails its precondition is not counted', async () => {
  const ann = await signUp()
  await query('delete from rates')
  const change = { email: newAddress(), currentPassword: password }
  const late = await ann.patch('/api/users/me', change, { 'if-match': '"0"' })
  assert.deepEqual([late.status, late.body.code], [412, 'version_mismatch'])
  assert.equal((await query(`select from rates where key like 'mail%'`)).length, 0)
  assert.equal((await ann.patch('/api/users/me', change)).status, 200)
  assert.equal((await query(`select from rates where key like 'mail%'`)).length, 2)
  await query('delete from rates')
})
