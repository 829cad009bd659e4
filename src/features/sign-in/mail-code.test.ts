import assert from 'node:assert/strict'
import { test } from 'node:test'
import { continueWith, enrol, mailedCodeOf } from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Person, password } from '../../../test/world.ts'
import { makeMailCode } from '../../domain/access/mail-codes.ts'
import { readToken } from '../../domain/access/tokens.ts'
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
