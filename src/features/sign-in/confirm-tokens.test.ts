/** Which token and which assurance a confirmation needs, and what ends while a sign-in is half done. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { addPasskey, addProvider, continueWith, enrol, visit } from '../../../test/sign-in.ts'
import { until } from '../../../test/smtp.ts'
import { createWorld, password } from '../../../test/world.ts'

const world = await createWorld({ worker: true, settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
const { query } = world.postgres

test('a session whose assurance has risen is not confirmed by an older attempt that wants less', async () => {
  const ann = await world.person()
  const { body: begun } = await ann.post('/api/auth/confirm', {})
  assert.equal((await addPasskey(ann)).answer.status, 201)
  await query(`update sessions set authenticated_at = now() - interval '11 minutes' where user_id = $1`, [ann.id])
  const { status, body } = await ann.post('/api/auth/sign-in/continue', { attempt: begun.attempt.token, password })
  assert.deepEqual([status, body.code, body.attempt.next], [403, 'sign_in_incomplete', 'second_factor'])
  assert.equal((await ann.post('/api/users/me/recovery-codes')).body.code, 'confirmation_required')
})

test('of parallel confirmations with one token one succeeds, and its token lives', async () => {
  for (let round = 0; round < 3; round++) {
    const ann = await world.person()
    const { body: begun } = await ann.post('/api/auth/confirm', {})
    const answers = await Promise.all([
      ann.post('/api/auth/confirm', { password }),
      ann.post('/api/auth/sign-in/continue', { attempt: begun.attempt.token, password }),
      ann.post('/api/auth/confirm', { password }),
    ])
    const [confirmed, ...others] = answers.filter(({ status }) => status === 200)
    assert.deepEqual(others, [])
    for (const { status } of answers) assert.ok([200, 401, 410].includes(status), String(status))
    const authorization = `Bearer ${confirmed?.body.session.token}`
    assert.equal((await world.nobody.get('/api/users/me', { authorization })).status, 200)
  }
})

test('wrong passwords for linking are recorded as at any sign-in', async () => {
  const ann = await world.person()
  const providerId = await addProvider(world, double.origin)
  const returned = await visit(world, double, providerId, { sub: 'somebody', email: ann.email })
  const { body } = await world.nobody.post('/api/auth/sign-in/continue', returned)
  assert.deepEqual(body.attempt.link.email, ann.email)
  assert.equal((await continueWith(world, body.attempt.token, { password: 'a wrong one' })).body.code, 'wrong_proof')
  await until(
    async () => (await ann.get('/api/users/me/audit?action=session.refused')).body.data.length > 0,
    'the entry',
  )
})

test('a device that was forgotten in the middle of a sign-in is a new one', async () => {
  const { person, recoveryCodes } = await enrol(world)
  const { body: signedIn } = await world.nobody.post('/api/auth/sign-in', { email: person.email, password })
  assert.equal(signedIn.code, 'sign_in_incomplete')
  const known = await world.nobody.post('/api/auth/sign-in/continue', {
    attempt: signedIn.attempt.token,
    recoveryCode: recoveryCodes[0],
  })
  const { deviceToken } = known.body.session
  const { body: begun } = await world.nobody.post('/api/auth/sign-in', { email: person.email, password, deviceToken })
  await query('delete from known_devices where user_id = $1', [person.id])
  const before = (await newDeviceMails(person.email)).length
  const done = await continueWith(world, begun.attempt.token, { recoveryCode: recoveryCodes[1] })
  assert.equal(done.status, 200)
  await until(async () => (await newDeviceMails(person.email)).length > before, 'the mail about a new device')
})

const newDeviceMails = (email: string) =>
  query(`select from mails where recipient = $1 and kind = 'new_device'`, [email])

test('a provider that is deleted while somebody goes there is unknown', async () => {
  const tess = await world.tenantAdmin()
  for (let round = 0; round < 4; round++) {
    const providerId = await addProvider(world, double.origin)
    const { body, headers } = await tess.get(`/api/admin/providers/${providerId}`)
    const etag = headers.get('etag') ?? ''
    const [deleted, ...begun] = await Promise.all([
      tess.request(`/api/admin/providers/${providerId}`, {
        method: 'DELETE',
        body: { confirm: body.name },
        headers: { 'if-match': etag },
      }),
      ...Array.from({ length: 12 }, () => world.nobody.post('/api/auth/sign-in/provider', { providerId })),
    ])
    assert.equal(deleted?.status, 200)
    for (const { status } of begun) assert.ok([200, 404].includes(status), String(status))
  }
})

test('when mailed codes from unknown devices are no longer looked at, the log and one mail say so', async () => {
  const { slug, id } = await world.tenant()
  await query('update tenants set mail_codes = true where id = $1', [id])
  const ann = await world.person('Ann', { tenant: slug })
  const tryCode = async () => {
    const { body } = await world.nobody.post(
      '/api/auth/sign-in/mail-code',
      { email: ann.email },
      { 'guildhall-tenant': slug },
    )
    return continueWith(world, body.attempt.token, { mailCode: '000000' })
  }
  await tryCode()
  await query(`update password_attempts set failures = 99 where account = $1 and source = ''`, [
    world.keyring.hmac('guessing', 'mail', id, ann.email),
  ])
  for (let time = 0; time < 2; time++) assert.equal((await tryCode()).body.code, 'wrong_proof')
  const mails = () => query(`select from mails where recipient = $1 and kind = 'mail_codes_switched_off'`, [ann.email])
  await until(async () => (await mails()).length > 0, 'the mail')
  const { body } = await ann.get('/api/users/me/audit?action=password.switched_off')
  assert.deepEqual(
    body.data.map(({ details }: { details: unknown }) => details),
    [{ reason: 'mail_code' }],
  )
  assert.equal((await mails()).length, 1)
})
