import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProviderDouble } from '../../../test/provider-double.ts'
import {
  addPasskey,
  addProvider,
  answerOf,
  beginSignIn,
  continueWith,
  enrol,
  link,
  mailedCodeOf,
  signedIn,
  signInWith,
  visit,
} from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { codeAt } from '../../domain/credentials/totp.ts'

const world = await createWorld({
  processes: 2,
  worker: true,
  settings: { OUTBOUND_PRIVATE: '127.0.0.1', LIMITS: 'off' },
})
const double = await startProviderDouble()
const { query } = world.postgres

const said = ({ status, body }: Answer) => [status, body.code]
const sessionsOf = async ({ id }: Person) =>
  (await query('select from sessions where user_id = $1 and ended_at is null', [id])).length

/** Keeps the next attempt of everybody who is blocked away, so that no test depends on how fast it runs. */
const keepBlocked = () =>
  query(`update password_attempts set next_at = now() + interval '15 minutes' where next_at > to_timestamp(0)`)

/** Sends the same proof twenty times at once. @returns how often it was right, and the answer then */
async function race(attempts: readonly string[], proof: Json): Promise<Answer[]> {
  const answers = await Promise.all(attempts.map((attempt) => continueWith(world, attempt, proof)))
  return answers.filter(({ status }) => status === 200)
}

test('every way of signing in asks for the second factor, and nobody has a session before it', async () => {
  const { person, code } = await enrol(world)
  const tess = await world.tenantAdmin()
  assert.equal((await tess.patch('/api/admin/tenant', { mailCodes: true })).status, 200)
  const providerId = await addProvider(world, double.origin)
  assert.equal((await link(double, person, providerId, { sub: person.id, email: person.email })).status, 201)
  const before = await sessionsOf(person)

  const { body: mailed } = await world.nobody.post('/api/auth/sign-in/mail-code', { email: person.email })
  const mailCode = await mailedCodeOf(world, mailed.attempt.token)
  const atProvider = await visit(world, double, providerId, { sub: person.id, email: person.email })
  const answers = {
    password: await signInWith(world, person),
    mail_code: await continueWith(world, mailed.attempt.token, { mailCode }),
    provider: await world.nobody.post('/api/auth/sign-in/continue', atProvider),
  }
  for (const [way, answer] of Object.entries(answers)) {
    assert.deepEqual(said(answer), [403, 'sign_in_incomplete'], way)
    assert.equal(answer.body.attempt.next, 'second_factor', way)
    assert.deepEqual(answer.body.attempt.methods, ['totp', 'recovery_code'], way)
  }
  assert.equal(await sessionsOf(person), before)

  const done = await continueWith(world, answers.provider.body.attempt.token, { totp: code() })
  assert.equal(done.status, 200)
  assert.deepEqual(done.body.session.device.methods, ['provider', 'totp'])
  assert.equal(done.body.session.device.assurance, 2)
  assert.equal(await sessionsOf(person), before + 1)
})

test('a code of an app works once: of many sign-ins at once one gets a session', async () => {
  const { person, code } = await enrol(world)
  const attempts = await Promise.all(Array.from({ length: 5 }, () => beginSignIn(world, person)))
  const totp = code()

  assert.equal((await race(attempts, { totp })).length, 1)
  assert.deepEqual(said(await continueWith(world, await beginSignIn(world, person), { totp })), [403, 'wrong_proof'])
})

test('a set-up adds an app once: sent again, it makes no used code good again', async () => {
  const person = await world.person()
  const { body: setup } = await person.post('/api/users/me/factors/setup', { type: 'totp' })
  const code = codeAt(setup.secret, Math.floor(Date.now() / 30_000))
  const add = () => person.post('/api/users/me/factors', { type: 'totp', setup: setup.setup, code })
  const together = await Promise.all(Array.from({ length: 20 }, add))
  assert.equal(together.filter(({ status }) => status === 201).length, 1)
  assert.deepEqual(said(await add()), [410, 'attempt_spent'])
  assert.deepEqual(said(await continueWith(world, await beginSignIn(world, person), { totp: code })), [
    403,
    'wrong_proof',
  ])
})

test('a recovery code works once, in any spelling, and only its hash is stored', async () => {
  const { person, recoveryCodes } = await enrol(world)
  const [recoveryCode = ''] = recoveryCodes
  const attempts = await Promise.all(Array.from({ length: 5 }, () => beginSignIn(world, person)))

  const [done, ...others] = await race(attempts, { recoveryCode: recoveryCode.toLowerCase().replaceAll('-', ' ') })

  assert.deepEqual([done?.body.session.device.methods, others], [['password', 'recovery_code'], []])
  const left = await query<{ code_hash: Buffer }>('select code_hash from recovery_codes where user_id = $1', [
    person.id,
  ])
  assert.deepEqual([...new Set(left.map(({ code_hash }) => code_hash.length))], [32])
  assert.equal(left.length, 9)
  const { body } = await person.get('/api/users/me/factors')
  assert.equal(body.recoveryCodes.left, 9)
})

test('a recovery code is read as other programs copy it: with wide spaces, a tab behind it, or long dashes', async () => {
  const { person, recoveryCodes } = await enrol(world)
  const copies = [
    (code: string) => `\u200b${code.replaceAll('-', '\u00a0')}\u200e`,
    (code: string) => `${code}\t`,
    (code: string) => `\u00a0${code.replaceAll('-', '\u2011')}\r\n`,
    (code: string) => code.replaceAll('-', ' \u2013 '),
  ]
  for (const [index, copied] of copies.entries()) {
    const recoveryCode = copied(recoveryCodes[index] ?? '')
    const done = await continueWith(world, await beginSignIn(world, person), { recoveryCode })
    assert.equal(done.status, 200, JSON.stringify(recoveryCode))
  }
})

test('five wrong codes end an attempt, and the right one no longer helps', async () => {
  const { person, code } = await enrol(world)
  const attempt = await beginSignIn(world, person)
  const right = code()
  const wrong = right === '000000' ? '000001' : '000000'

  for (const triesLeft of [4, 3, 2, 1, 0]) {
    const { status, body } = await continueWith(world, attempt, { totp: wrong })
    assert.deepEqual([status, body.code, body.triesLeft], [403, 'wrong_proof', triesLeft])
  }
  assert.deepEqual(said(await continueWith(world, attempt, { totp: right })), [410, 'attempt_spent'])
})

test('an attempt lives for ten minutes', async () => {
  const { person, code } = await enrol(world)
  const attempt = await beginSignIn(world, person)
  const [{ seconds } = { seconds: 0 }] = await query<{ seconds: number }>(
    'select extract(epoch from expires_at - now())::float8 as seconds from attempts where user_id = $1',
    [person.id],
  )
  assert.ok(seconds > 540 && seconds <= 600, `${seconds}`)

  await query('update attempts set expires_at = now() where user_id = $1', [person.id])
  assert.deepEqual(said(await continueWith(world, attempt, { totp: code() })), [410, 'attempt_spent'])
})

test('wrong codes do not delay the password, and wrong passwords do not delay codes', async () => {
  const [ann, bob] = [await enrol(world), await enrol(world)]
  const attempt = await beginSignIn(world, ann.person)
  for (let tries = 0; tries < 5; tries++) await continueWith(world, attempt, { totp: '000000' })
  await keepBlocked()
  assert.deepEqual(said(await signInWith(world, ann.person)), [403, 'sign_in_incomplete'])
  const again = await beginSignIn(world, ann.person)
  assert.deepEqual(said(await continueWith(world, again, { totp: ann.code() })), [429, 'too_many_attempts'])

  const { email } = bob.person
  const begun = await beginSignIn(world, bob.person)
  for (let tries = 0; tries < 5; tries++)
    await world.nobody.post('/api/auth/sign-in', { email, password: 'not the right one' })
  await keepBlocked()
  assert.deepEqual(said(await signInWith(world, bob.person)), [429, 'too_many_attempts'])
  assert.equal((await continueWith(world, begun, { totp: bob.code() })).status, 200)
})

test('a reset of the password by mail keeps the second factor', async () => {
  const { person } = await enrol(world)
  await world.nobody.post('/api/auth/forgot-password', { email: person.email })
  const token = await world.mailedToken(person.email, 'reset-password')
  const newPassword = `${password} anew`
  assert.equal((await world.nobody.post('/api/auth/reset-password', { token, newPassword })).status, 200)

  const answer = await world.nobody.post('/api/auth/sign-in', { email: person.email, password: newPassword })
  assert.deepEqual([answer.body.code, answer.body.attempt.next], ['sign_in_incomplete', 'second_factor'])
})

test('a reset of the factors by an admin leaves only the mailbox: no factor, no session, no password', async () => {
  const { person } = await enrol(world)
  const tess = await world.tenantAdmin()

  const { status, body } = await tess.delete(`/api/admin/users/${person.id}/factors`)

  assert.deepEqual([status, body], [200, { removed: 1, endedSessions: 1 }])
  assert.equal((await person.get('/api/users/me')).status, 401)
  assert.deepEqual(said(await signInWith(world, person)), [401, 'invalid_credentials'])
  const token = await world.mailedToken(person.email, 'reset-password')
  assert.equal((await world.nobody.post('/api/auth/reset-password', { token, newPassword: password })).status, 200)
  assert.equal((await signInWith(world, person)).status, 200)
})

test('somebody of whom the tenant requires a second factor does nothing else until they have added one', async () => {
  const { slug } = await world.tenant()
  const [ann, tess] = [await world.person('Ann', { tenant: slug }), await world.tenantAdmin(slug)]
  assert.deepEqual(said(await tess.patch('/api/admin/tenant', { secondFactor: 'required' })), [
    403,
    'second_factor_required',
  ])
  await enrol(world, tess)
  assert.equal((await tess.patch('/api/admin/tenant', { secondFactor: 'required' })).status, 200)

  const refused = await ann.get('/api/organizations')
  assert.deepEqual([refused.status, refused.body.code, refused.body.by], [403, 'second_factor_required', 'tenant'])
  const { body } = await ann.get('/api/users/me/factors')
  assert.deepEqual(body.requiredBy, ['tenant'])
  await enrol(world, ann)
  assert.equal((await ann.get('/api/organizations')).status, 200)
  assert.deepEqual(
    said(await ann.delete(`/api/users/me/factors/${(await ann.get('/api/users/me/factors')).body.data[0].id}`)),
    [409, 'second_factor_in_use'],
  )
})

test('recovery codes come with the first factor after the tenant began to require one, if the person has none yet', async () => {
  const { slug } = await world.tenant()
  const [ann, tess] = [await world.person('Ann', { tenant: slug }), await world.tenantAdmin(slug)]
  const { answer } = await addPasskey(ann)
  assert.deepEqual([answer.status, answer.body.recoveryCodes], [201, undefined], 'sign-in asks for no second factor')
  await enrol(world, tess)
  assert.equal((await tess.patch('/api/admin/tenant', { secondFactor: 'required' })).status, 200)

  const { recoveryCodes } = await enrol(world, ann)

  assert.equal(recoveryCodes?.length, 10)
  const { body } = await ann.get('/api/users/me/factors')
  assert.equal(body.recoveryCodes.left, 10)
  const another = await addPasskey(ann)
  assert.deepEqual([another.answer.status, another.answer.body.recoveryCodes], [201, undefined], 'the codes stay')
})

test('one factor is not enough to change factors, and a confirmation with two is', async () => {
  const ann = await world.person()
  const { key, answer } = await addPasskey(ann)
  assert.equal(answer.status, 201)
  const thief = signedIn(world, await signInWith(world, ann), ann) // a person with passkeys only is not asked

  for (const [method, path] of [
    ['post', '/api/users/me/factors/setup'],
    ['delete', `/api/users/me/factors/${answer.body.factor.id}`],
  ] as const) {
    const { body } = await thief[method](path, method === 'post' ? { type: 'totp' } : undefined)
    assert.deepEqual([body.code, body.methods], ['second_factor_required', ['passkey']])
  }

  const begun = await thief.post('/api/auth/confirm', { password, secondFactor: true })
  assert.deepEqual([begun.status, begun.body.attempt.methods], [403, ['passkey']])
  const { token } = begun.body.attempt
  assert.deepEqual(said(await continueWith(world, token, { totp: '000000' })), [410, 'attempt_spent'])
  const { body: asked } = await thief.post('/api/auth/passkey-options', { attempt: token })
  const proof = { attempt: token, credential: key.get(asked.options) }
  const confirmed = await thief.post('/api/auth/sign-in/continue', proof as unknown as Json)
  const owner = signedIn(world, confirmed, ann)
  assert.equal((await owner.post('/api/users/me/factors/setup', { type: 'totp' })).status, 200)
})

test('a confirmation replaces the token, keeps the device, and proves no less than the session did', async () => {
  const { person, code } = await enrol(world)
  const { body: before } = await person.get('/api/users/me/devices')

  const begun = await person.post('/api/auth/confirm', { password })
  assert.deepEqual([begun.status, begun.body.attempt.next], [403, 'second_factor'])
  const done = await person.post('/api/auth/sign-in/continue', { attempt: begun.body.attempt.token, totp: code() })

  assert.equal(done.status, 200)
  const { device } = done.body.session
  assert.deepEqual([device.id, device.createdAt, device.assurance], [before.data[0].id, before.data[0].createdAt, 2])
  assert.equal((await person.get('/api/users/me/factors')).status, 401, 'the old token')
  assert.equal((await signedIn(world, done, person).get('/api/users/me/factors')).status, 200)
})

test('a session is fresh for ten minutes, and then has to be confirmed for what is sensitive', async () => {
  const ann = await world.person()
  await query(`update sessions set authenticated_at = now() - interval '480 seconds' where user_id = $1`, [ann.id])
  assert.equal((await ann.post('/api/users/me/factors/setup', { type: 'totp' })).status, 200)
  await query(`update sessions set authenticated_at = now() - interval '601 seconds' where user_id = $1`, [ann.id])

  const { status, body } = await ann.post('/api/users/me/factors/setup', { type: 'totp' })

  assert.deepEqual([status, body.code, body.maxAge], [403, 'confirmation_required', 600])
  const confirmed = signedIn(world, await ann.post('/api/auth/confirm', { password }), ann)
  assert.equal((await confirmed.post('/api/users/me/factors/setup', { type: 'totp' })).status, 200)
})

test('a passkey that verified its user is both factors', async () => {
  const { person } = await enrol(world)
  const { key } = await addPasskey(person)
  const credential = await answerOf(world, key)

  const { status, body } = await world.nobody.post('/api/auth/sign-in/passkey', { credential })

  assert.deepEqual([status, body.session.device.methods, body.session.device.assurance], [200, ['passkey'], 2])
})

test('an app that replaces another ends all other sessions, as the removal of the first does', async () => {
  const { person, code } = await enrol(world)
  const attempt = await beginSignIn(world, person)
  const thief = signedIn(world, await continueWith(world, attempt, { totp: code() }), person)
  const half = await beginSignIn(world, person)

  const { secret } = await enrol(world, person)

  assert.equal((await thief.get('/api/users/me')).status, 401)
  assert.deepEqual(said(await continueWith(world, half, { totp: codeAt(secret, 0) })), [410, 'attempt_spent'])
  assert.equal(await sessionsOf(person), 1)
})
