/** Wrong codes of a second factor, by somebody who knows the password, and what the owner hears of them. Limits are on, as usual. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stopInHour } from '../../../test/earlier.ts'
import { enrol, signedIn } from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { purgesOfTries } from '../../domain/credentials/guessing.ts'

const world = await createWorld({
  settings: {
    LIMITS: 'on',
    TRUST_PROXY: '127.0.0.1',
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'a@example.com',
  },
})
const { query } = world.postgres
const said = ({ status, body }: Answer) => [status, body.code]
const not = (code: string) => (code === '000000' ? '111111' : '000000')

let network = 0
/** Signs in with the password and some codes, all from a network of their own. @returns the last answer */
async function tryCodes({ email }: Person, codes: readonly string[], deviceToken?: string): Promise<Answer> {
  const there = { 'x-forwarded-for': `198.51.100.${network++}` }
  const begun = await world.nobody.post('/api/auth/sign-in', { email, password, deviceToken }, there)
  assert.deepEqual(said(begun), [403, 'sign_in_incomplete'])
  const attempt = begun.body.attempt.token
  let last = begun
  for (const totp of codes) last = await world.nobody.post('/api/auth/sign-in/continue', { attempt, totp }, there)
  return last
}
const fourTimes = (code: string) => Array.from({ length: 4 }, () => code)

async function mailsOf({ id }: Person, kind: string): Promise<number> {
  const jobs = await query(
    `select from graphile_worker._private_jobs where payload ->> 'kind' = $2 and payload ->> 'userId' = $1`,
    [id, kind],
  )
  return jobs.length
}
const warnings = (person: Person) => mailsOf(person, 'password_known')
const sent = () => query(`delete from graphile_worker._private_jobs where payload ->> 'kind' = 'password_known'`)

const refused = async (person: Person) => {
  const { body } = await person.get('/api/users/me/audit?action=session.refused')
  return body.data.map(({ actor, ip, details }: Json) => [actor.type, ip, details])
}

/** Stores a count of wrong codes from unknown devices. */
async function pretend({ email }: Person, failures: number): Promise<void> {
  const counted = await query(
    `update password_attempts set failures = $2 where account = $1 and source = '' returning account`,
    [world.keyring.hmac('guessing', 'second', world.tenantId, email), failures],
  )
  assert.equal(counted.length, 1)
}

let generation = 0
/** Resets the password, as anybody can who reads the mailbox. */
async function reset({ id, email }: Person): Promise<void> {
  generation++
  await query('delete from mailed_tokens where user_id = $1', [id])
  await query(
    `insert into mailed_tokens (tenant_id, user_id, purpose, email, generation, expires_at)
     values ($1, $2, 'reset_password', $3, $4, now() + interval '1 hour')`,
    [world.tenantId, id, email, generation],
  )
  const token = makeMailedToken(world.keyring, 'reset_password', { tenant: world.tenantId, id, generation })
  const answer = await world.nobody.post('/api/auth/reset-password', { token, newPassword: password })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

test('the fifth wrong code warns the owner, however few of them each sign-in sends, and once a day', async () => {
  const { person, code } = await enrol(world)
  const wrong = not(code())

  await tryCodes(person, fourTimes(wrong))
  assert.equal(await warnings(person), 0)
  assert.deepEqual(said(await tryCodes(person, [wrong])), [403, 'wrong_proof'])
  assert.equal(await warnings(person), 1)

  await sent()
  await tryCodes(person, fourTimes(wrong))
  assert.equal(await warnings(person), 0, 'the same day')
  await query('delete from rates') // a day passes
  await tryCodes(person, [wrong])
  assert.equal(await warnings(person), 1)
})

test('wrong codes of a second factor are in the log with their network, once for each network and hour', async (t) => {
  const { person, code, recoveryCodes } = await enrol(world)
  const wrong = not(code())
  const [recoveryCode = ''] = recoveryCodes
  stopInHour(t)
  await tryCodes(person, [wrong])
  const from = (address: number) => ['anonymous', `198.51.100.${address}`, { reason: 'second_factor' }]
  assert.deepEqual(await refused(person), [from(network - 1)])

  await tryCodes(person, fourTimes(wrong))
  assert.deepEqual(await refused(person), [from(network - 1), from(network - 2)])

  const there = { 'x-forwarded-for': `198.51.100.${network++}` }
  const { body } = await world.nobody.post('/api/auth/sign-in', { email: person.email, password }, there)
  const proof = {
    attempt: body.attempt.token,
    recoveryCode: recoveryCode.replace(/.$/, (end) => (end === '0' ? '1' : '0')),
  }
  assert.deepEqual(said(await world.nobody.post('/api/auth/sign-in/continue', proof, there)), [403, 'wrong_proof'])
  assert.deepEqual(
    await refused(person),
    [1, 2, 3].map((back) => from(network - back)),
  )
})

test('a wrong code that confirms a session is no sign-in, and in no log', async () => {
  const { person, code } = await enrol(world)
  const { body } = await person.post('/api/auth/confirm', { password })
  const proof = { attempt: body.attempt.token, totp: not(code()) }
  assert.deepEqual(said(await person.post('/api/auth/sign-in/continue', proof)), [403, 'wrong_proof'])
  assert.deepEqual(await refused(person), [])
})

test('wrong codes that the right one follows, or from a known device, are the owner’s own', async () => {
  const { person, code } = await enrol(world)
  const right = code()
  const wrong = not(right)
  const { body } = await tryCodes(person, [right])
  const { deviceToken } = body.session
  await query('update factors set last_step = 0 where user_id = $1', [person.id])

  assert.equal((await tryCodes(person, [...fourTimes(wrong), code()])).status, 200)
  await tryCodes(person, fourTimes(wrong))
  await tryCodes(person, [...fourTimes(wrong), wrong], deviceToken)

  assert.equal(await warnings(person), 0)
})

test('when codes from unknown devices are no longer looked at, the log and one mail say so, until the password is new', async () => {
  const { person, code, recoveryCodes } = await enrol(world)
  const wrong = not(code())
  const entries = () =>
    query<{ actor: string; details: unknown }>(
      `select e.actor_type as actor, d.details from audit_entries e join audit_details d on d.tenant_id = e.tenant_id and d.entry_id = e.id
       where d.user_id = $1 and e.action = 'password.switched_off'`,
      [person.id],
    )
  await tryCodes(person, [wrong])
  await pretend(person, 98)
  await tryCodes(person, [wrong])
  assert.deepEqual([await entries(), await mailsOf(person, 'codes_switched_off')], [[], 0])

  await tryCodes(person, [wrong])
  assert.deepEqual(await entries(), [{ actor: 'system', details: { reason: 'second_factor' } }])
  assert.equal(await mailsOf(person, 'codes_switched_off'), 1)
  await query('update factors set last_step = 0 where user_id = $1', [person.id])
  assert.deepEqual(said(await tryCodes(person, [code()])), [403, 'wrong_proof'], 'the right one')
  assert.equal((await entries()).length, 1)

  await reset(person)
  assert.equal(await mailsOf(person, 'codes_switched_off'), 0, 'it would come too late')
  const begun = await world.nobody.post('/api/auth/sign-in', { email: person.email, password })
  const recovered = { attempt: begun.body.attempt.token, recoveryCode: recoveryCodes[0] }
  assert.equal((await world.nobody.post('/api/auth/sign-in/continue', recovered)).status, 200)
})

/**
 * Somebody whose codes were switched off on unknown devices, and whose reset switched them on. The owner signed in, a stranger with the mailbox
 * reset the password once more, when there was no wrong code to forget, and codes were then switched off again.
 */
async function switchedOffTwice() {
  const { person, code, codeAgain } = await enrol(world)
  const wrong = not(code())
  const switchOff = async () => {
    await tryCodes(person, [wrong])
    await pretend(person, 99)
    await tryCodes(person, [wrong])
  }
  const right = async () => [await codeAgain()]
  await switchOff()
  await reset(person)
  const first = await tryCodes(person, await right())
  assert.equal(first.status, 200, 'the first reset leads back in')
  await reset(person)
  await switchOff()
  return { person, right, deviceToken: first.body.session.deviceToken as string }
}

test('the mailbox alone makes no code guessable: a second reset within 30 days leaves codes off, and only on unknown devices', async () => {
  const { person, right, deviceToken } = await switchedOffTwice()

  for (let each = 0; each < 2; each++) {
    await reset(person)
    assert.deepEqual(said(await tryCodes(person, await right())), [403, 'wrong_proof'])
  }
  assert.equal((await tryCodes(person, await right(), deviceToken)).status, 200, 'a known device')
  assert.equal(await mailsOf(person, 'codes_switched_off'), 1)

  await query(`update password_attempts set updated_at = updated_at - interval '31 days' where failures < 100`)
  for (const purge of Object.values(purgesOfTries))
    await world.database.inTenant(world.tenantId, (sql) => purge(sql, 100))
  await reset(person)
  assert.equal((await tryCodes(person, await right())).status, 200, 'after 30 days')
})

test('a reset that leaves codes off makes devices unknown on which no second factor was proven', async () => {
  const { person } = await switchedOffTwice()
  const known = () => query('select from known_devices where user_id = $1', [person.id])
  assert.notEqual((await known()).length, 0)
  await query('update sessions set assurance = 1 where user_id = $1', [person.id])

  await reset(person)

  assert.deepEqual(await known(), [])
})

test('who changes the password in a session with two factors switches codes on however often they were off', async () => {
  const { person, right, deviceToken } = await switchedOffTwice()
  await reset(person)
  const owner = signedIn(world, await tryCodes(person, await right(), deviceToken), person)

  const changed = await owner.post('/api/users/me/password', { currentPassword: password, newPassword: password })

  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  assert.equal((await tryCodes(person, await right())).status, 200)
})

test('a change of the password in a session with one factor switches codes on as seldom as a reset', async () => {
  const { person, right, deviceToken } = await switchedOffTwice()
  const owner = signedIn(world, await tryCodes(person, await right(), deviceToken), person)
  await query('update sessions set assurance = 1 where user_id = $1', [person.id])

  const changed = await owner.post('/api/users/me/password', { currentPassword: password, newPassword: password })

  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  assert.deepEqual(said(await tryCodes(person, await right())), [403, 'wrong_proof'])
})
