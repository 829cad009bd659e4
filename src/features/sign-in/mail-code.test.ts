import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queueIsDone } from '../../../test/queue.ts'
import { continueWith, enrol, mailedCodeOf } from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Person, password } from '../../../test/world.ts'
import { makeMailCode } from '../../domain/access/mail-codes.ts'
import { readToken } from '../../domain/access/tokens.ts'
import { queueMail } from '../../domain/mail/queue.ts'
import { Keyring } from '../../platform/cryptography.ts'

const [newer, older] = ['the newer one of two secrets of these tests', 'the older one of two secrets of these tests']
const world = await createWorld({ settings: { GUILDHALL_SECRET: `${newer},${older}` }, worker: true })
const { query } = world.postgres
const { tenantId: tenant } = world
await query('update tenants set mail_codes = true where id = $1', [tenant])

const newPassword = 'another long passphrase'
const said = ({ status, body }: Answer) => [status, body.code]

async function request(email: string): Promise<string> {
  const { status, body } = await world.nobody.post('/api/auth/sign-in/mail-code', { email })
  assert.equal(status, 202)
  return body.attempt.token
}

/** Queues the mail of another code, as a request does that comes just before the tenant switches codes off. */
async function mailNewCode(token: string): Promise<void> {
  const [row] = await query<{ id: string; generation: number }>(
    'update attempts set generation = generation + 1 where token_hash = $1 returning id, generation',
    [readToken(token).hash],
  )
  const { id = '', generation = 0 } = row ?? {}
  await world.database.inTenant(tenant, (sql) => queueMail(sql, { kind: 'sign_in_code', attemptId: id, generation }))
}

test('a mailed code signs in, once', async () => {
  const person = await world.person()
  const token = await request(person.email)
  const mailCode = await mailedCodeOf(world, token)
  const { status, body } = await continueWith(world, token, { mailCode })

  assert.deepEqual([status, body.user.id], [200, person.id])
  assert.deepEqual([body.session.device.methods, body.session.device.assurance], [['mail_code'], 1])
  assert.deepEqual(said(await continueWith(world, token, { mailCode })), [410, 'attempt_spent'])
})

/** What ends all attempts of a person, also those that began with the address alone. */
const ends: Record<string, (person: Person) => Promise<Answer>> = {
  'a reset of the password': async ({ email }) => {
    await world.nobody.post('/api/auth/forgot-password', { email })
    const token = await world.mailedToken(email, 'reset-password')
    return world.nobody.post('/api/auth/reset-password', { token, newPassword })
  },
  'a change of the password': (person) =>
    person.post('/api/users/me/password', { currentPassword: password, newPassword }),
  'the removal of the password': (person) => person.delete('/api/users/me/password'),
  'the first second factor': async (person) => (await enrol(world, person)).person.get('/api/users/me'),
  'an admin’s reset of the factors': async ({ id }) =>
    (await world.tenantAdmin()).delete(`/api/admin/users/${id}/factors`),
  'a suspension': async ({ id }) => {
    const tess = await world.tenantAdmin()
    await tess.patch(`/api/admin/users/${id}`, { status: 'suspended' })
    return tess.patch(`/api/admin/users/${id}`, { status: 'active' })
  },
}
for (const [name, end] of Object.entries(ends)) {
  test(`${name} ends attempts that began with the address`, async () => {
    const person = await world.person()
    const stranger = await world.person()
    const [token, other] = [await request(person.email), await request(stranger.email)]
    const mailCode = await mailedCodeOf(world, token)

    assert.equal((await end(person)).status, 200)

    assert.deepEqual(said(await continueWith(world, token, { mailCode })), [410, 'attempt_spent'])
    const untouched = await continueWith(world, other, { mailCode: await mailedCodeOf(world, other) })
    assert.equal(untouched.status, 200, 'those of other people go on')
  })
}

test('an attempt that was stored under an older secret ends as well', async () => {
  const person = await world.person()
  const token = await request(person.email)
  const address = new Keyring([older]).hmac('attempt-address', tenant, person.email)
  await query('update attempts set address = $2 where token_hash = $1', [readToken(token).hash, address])
  await person.post('/api/users/me/password', { currentPassword: password, newPassword })
  assert.deepEqual(said(await continueWith(world, token, { mailCode: '000000' })), [410, 'attempt_spent'])
})

test('a code that was mailed under an older secret is good, and one of a secret that was taken away is not', async () => {
  const person = await world.person()
  const codeUnder = async (secret: string, token: string) => {
    const [row] = await query<{ id: string }>('select id from attempts where token_hash = $1', [readToken(token).hash])
    const code = { tenant, attemptId: row?.id ?? '', generation: 1 }
    return makeMailCode(new Keyring([secret]), code)
  }
  const gone = await request(person.email)
  const mailCode = await codeUnder('a secret that was taken away, and is long enough', gone)
  assert.deepEqual(said(await continueWith(world, gone, { mailCode })), [403, 'wrong_proof'])

  const token = await request(person.email)
  const { status, body } = await continueWith(world, token, { mailCode: await codeUnder(older, token) })
  assert.equal(status, 200, JSON.stringify(body))
})

test('once a tenant has no mailed codes, those that were asked for before sign nobody in, and none is mailed', async () => {
  const [ann, { person: ben, code }] = [await world.person(), await enrol(world)]
  const token = await request(ann.email)
  const firstStep = await request(ben.email)
  const secondStep = await continueWith(world, firstStep, { mailCode: await mailedCodeOf(world, firstStep) })
  assert.deepEqual([secondStep.body.code, secondStep.body.attempt.next], ['sign_in_incomplete', 'second_factor'])
  await queueIsDone(world.postgres)
  const mailed = async () => (await world.mails(ann.email)).filter(({ subject }) => subject.startsWith('Your code'))
  assert.equal((await mailed()).length, 1)
  await query('update tenants set mail_codes = false where id = $1', [tenant])

  try {
    const proof = { mailCode: await mailedCodeOf(world, token) }
    assert.deepEqual(said(await continueWith(world, token, proof)), [410, 'attempt_spent'])
    const totp = { totp: code() }
    assert.deepEqual(said(await continueWith(world, secondStep.body.attempt.token, totp)), [410, 'attempt_spent'])
    const again = await world.nobody.post('/api/auth/sign-in/mail-code', { attempt: token })
    assert.deepEqual(said(again), [403, 'sign_in_method_off'])

    await mailNewCode(token)
    await queueIsDone(world.postgres)
    assert.equal((await mailed()).length, 1)
  } finally {
    await query('update tenants set mail_codes = true where id = $1', [tenant])
  }
})

test('a tenant without mailed codes still takes them to confirm a session', async () => {
  const person = await world.person()
  await query('update users set password_hash = null where id = $1', [person.id])
  await query('update tenants set mail_codes = false where id = $1', [tenant])

  try {
    const { body } = await person.post('/api/auth/confirm', {})
    const attempt = body.attempt.token
    assert.equal((await person.post('/api/auth/sign-in/mail-code', { attempt })).status, 202)
    const proof = { attempt, mailCode: await mailedCodeOf(world, attempt) }
    assert.equal((await person.post('/api/auth/sign-in/continue', proof)).status, 200)
  } finally {
    await query('update tenants set mail_codes = true where id = $1', [tenant])
  }
})
