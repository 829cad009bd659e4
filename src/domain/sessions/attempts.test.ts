/** How many attempts of a person live, and what is kept with them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { addProvider, beginSignIn, continueWith, enrol, signedIn } from '../../../test/sign-in.ts'
import { type Answer, createWorld, password } from '../../../test/world.ts'
import { readToken } from '../access/tokens.ts'
import { getAttempt } from './attempts.ts'

const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
const providerId = await addProvider(world, double.origin)
const { query } = world.postgres
await query('update tenants set mail_codes = true where id = $1', [world.tenantId])

const said = ({ status, body }: Answer) => [status, body.code]

test('somebody who knows the password ends no half-done sign-in on a known device or in a session, and keeps twenty', async () => {
  const { person, codeAgain } = await enrol(world)
  const right = async () => ({ totp: await codeAgain() })
  const before = await continueWith(world, await beginSignIn(world, person), await right())
  const { deviceToken } = before.body.session
  const owner = signedIn(world, before, person)
  const onKnown = await world.nobody.post('/api/auth/sign-in', { email: person.email, password, deviceToken })
  const confirming = await owner.post('/api/auth/confirm', { password })
  assert.equal(confirming.body.code, 'sign_in_incomplete')

  const tokens: string[] = []
  for (let each = 0; each < 22; each++) tokens.push(await beginSignIn(world, person))

  assert.equal((await query('select from attempts where user_id = $1', [person.id])).length, 22)
  for (const token of tokens.slice(0, 2))
    assert.deepEqual(said(await continueWith(world, token, { totp: '000000' })), [410, 'attempt_spent'])
  assert.equal((await continueWith(world, onKnown.body.attempt.token, await right())).status, 200)
  const confirmed = await owner.post('/api/auth/sign-in/continue', {
    attempt: confirming.body.attempt.token,
    ...(await right()),
  })
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  for (const token of [tokens[2], tokens[21]])
    assert.equal((await continueWith(world, token ?? '', await right())).status, 200)
})

test('a session keeps twenty half-done confirmations, and those of another session go on', async () => {
  const person = await world.person()
  const other = signedIn(world, await world.nobody.post('/api/auth/sign-in', { email: person.email, password }), person)
  const confirm = async (by: typeof person): Promise<string> =>
    (await by.post('/api/auth/confirm', {})).body.attempt.token
  const first = await confirm(other)

  for (let each = 0; each < 22; each++) await confirm(person)

  assert.equal((await query('select from attempts where user_id = $1', [person.id])).length, 21)
  assert.equal((await other.post('/api/auth/sign-in/continue', { attempt: first, password })).status, 200)
})

test('a cookie that has not the form of a device token is not kept with a half-done sign-in', async () => {
  const { person } = await enrol(world)
  const kept = async (path: string, body: object, deviceCookie: string): Promise<string | undefined> => {
    const headers = {
      'guildhall-session': 'cookie',
      'sec-fetch-site': 'same-origin',
      cookie: `guildhall-device=${deviceCookie}`,
    }
    const answer = await world.nobody.post(`/api/auth/${path}`, { ...body }, headers)
    const token = readToken(answer.body.attempt.token)
    const { details } = await world.database.inTenant(world.tenantId, (sql) => getAttempt(sql, world.keyring, token))
    return details.deviceToken
  }
  const { email } = person
  const beginnings: [string, object][] = [
    ['sign-in', { email, password }],
    ['sign-in/mail-code', { email }],
    ['sign-in/provider', { providerId }],
  ]
  for (const [path, body] of beginnings) {
    assert.equal(await kept(path, body, 'x'.repeat(8_000)), undefined, path)
    assert.equal(await kept(path, body, 'x'.repeat(43)), 'x'.repeat(43), path)
  }
})
