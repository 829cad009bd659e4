import assert from 'node:assert/strict'
import { test } from 'node:test'
import { together } from '../../../test/races.ts'
import { addPasskey, beginSignIn, continueWith, enrol, mailedCodeOf, signedIn } from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Json, password } from '../../../test/world.ts'

const world = await createWorld({
  processes: 2,
  settings: { TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@example.com' },
})
const { query } = world.postgres
await query('update tenants set mail_codes = true where id = $1', [world.tenantId])

const said = ({ status, body }: Answer) => [status, body.code]
const from = (network: number) => ({ 'x-forwarded-for': `198.51.${network >> 8}.${network & 255}` })
const continueFrom = (network: number, attempt: string, proof: Json) =>
  world.nobody.post('/api/auth/sign-in/continue', { attempt, ...proof }, from(network))

/** Another code of six digits. */
const not = (code: string) => (code === '000000' ? '111111' : '000000')

test('of wrong codes that are sent at once, each is told how many are left, and the last one warns the owner', async () => {
  const { person, code } = await enrol(world)
  const attempt = await beginSignIn(world, person)
  const totp = not(code())
  const warnings = () =>
    query(
      `select from graphile_worker._private_jobs where payload ->> 'kind' = 'password_known' and payload ->> 'userId' = $1`,
      [person.id],
    )

  const answers = await together(...Array.from({ length: 5 }, () => () => continueWith(world, attempt, { totp })))

  assert.deepEqual(
    answers.map(({ body }) => body.code),
    Array.from({ length: 5 }, () => 'wrong_proof'),
  )
  assert.deepEqual(answers.map(({ body }) => body.triesLeft).sort(), [0, 1, 2, 3, 4])
  assert.equal((await warnings()).length, 1)
})

test('two hundred wrong mailed codes of strangers stop no password and no code of an app', async () => {
  const { person, code } = await enrol(world)
  for (let network = 0; network < 40; network++) {
    const { body } = await world.nobody.post('/api/auth/sign-in/mail-code', { email: person.email }, from(network))
    const { token } = body.attempt
    const mailCode = not(await mailedCodeOf(world, token))
    const wrong = await together(...Array.from({ length: 5 }, () => () => continueFrom(network, token, { mailCode })))
    assert.deepEqual(
      wrong.map(({ body }) => body.code),
      Array.from({ length: 5 }, () => 'wrong_proof'),
    )
  }

  const begun = await world.nobody.post('/api/auth/sign-in', { email: person.email, password }, from(1000))
  assert.deepEqual(said(begun), [403, 'sign_in_incomplete'])
  const { status } = await continueFrom(1000, begun.body.attempt.token, { totp: code() })
  assert.equal(status, 200)

  const { body } = await world.nobody.post('/api/auth/sign-in/mail-code', { email: person.email }, from(1001))
  const right = await continueFrom(1001, body.attempt.token, {
    mailCode: await mailedCodeOf(world, body.attempt.token),
  })
  assert.deepEqual(said(right), [403, 'wrong_proof'], 'the mailed code is what they have stopped')
})

test('somebody with only a passkey, who signed in with the password, meets a new requirement by confirming', async () => {
  const { ann, cleo, path } = await world.organization()
  await enrol(world, ann)
  const { key } = await addPasskey(cleo)
  const later = await world.signIn(cleo)
  assert.equal((await later.get(path)).status, 200)

  assert.equal((await ann.patch(path, { secondFactor: 'required' })).status, 200)

  assert.deepEqual(said(await later.get(path)), [403, 'second_factor_required'])
  const begun = await later.post('/api/auth/confirm', { password, secondFactor: true })
  assert.deepEqual(said(begun), [403, 'sign_in_incomplete'])
  const attempt = begun.body.attempt.token
  const { body } = await later.post('/api/auth/passkey-options', { attempt })
  const confirmed = await later.post('/api/auth/sign-in/continue', { attempt, credential: key.get(body.options) })
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  assert.equal((await signedIn(world, confirmed, cleo).get(path)).status, 200)
})
