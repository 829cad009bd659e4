/** What happens to sign-ins if a secret is taken away before what it sealed was sealed again. */
import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { addProvider, beginSignIn, continueWith, enrol, visit } from '../../../test/sign-in.ts'
import { createWorld, type Json } from '../../../test/world.ts'
import { sealSeed } from '../../domain/credentials/totp.ts'
import { sealClientSecret } from '../../domain/providers/stored.ts'
import { Keyring } from '../../platform/cryptography.ts'

const lines: string[] = []
const stream = new Writable({
  write(chunk, _encoding, done) {
    lines.push(String(chunk))
    done()
  },
})
const log = { level: 'warn', stream }
const world = await createWorld({ settings: { OUTBOUND_PRIVATE: '127.0.0.1' }, log })
const { tenantId } = world
const { query } = world.postgres
const taken = new Keyring(['a secret that was taken away'])

test('without its secret, an authenticator app proves nothing, and a recovery code still does', async () => {
  const { person, secret, recoveryCodes, code } = await enrol(world)
  const [factor] = await query<{ id: string }>('select id from factors where user_id = $1', [person.id])
  const id = factor?.id ?? ''
  await query('update factors set seed = $2, sealed_under = $3 where id = $1', [
    id,
    sealSeed(taken, tenantId, id, secret),
    taken.name,
  ])

  const attempt = await beginSignIn(world, person)
  const { status, body } = await continueWith(world, attempt, { totp: code() })
  assert.deepEqual([status, body.code, body.triesLeft], [403, 'wrong_proof', 4])
  const done = await continueWith(world, attempt, { recoveryCode: recoveryCodes[0] ?? '' })
  assert.deepEqual([done.status, done.body.session?.device.assurance], [200, 2])
})

test('without its secret, a provider is not called, and its admins and the log say why', async () => {
  const double = await startProviderDouble()
  const providerId = await addProvider(world, double.origin, { clientSecret: 'of-the-client' })
  const begun = await visit(world, double, providerId, { sub: 'zoe', email: 'zoe@example.com' })
  const seal = (keyring: Keyring) =>
    query('update providers set secret = $2, sealed_under = $3 where id = $1', [
      providerId,
      sealClientSecret(keyring, tenantId, providerId, 'of-the-client'),
      keyring.name,
    ])
  await seal(taken)
  double.calls.length = 0
  lines.length = 0

  const answers = [
    await world.nobody.post('/api/auth/sign-in/provider', { providerId }),
    await world.nobody.post('/api/auth/sign-in/continue', begun),
  ]

  for (const { status, body } of answers) assert.deepEqual([status, body.code], [502, 'provider_unavailable'])
  assert.deepEqual(double.calls, [])
  const failed = lines.map((line) => JSON.parse(line) as Json).filter(({ msg }) => msg === 'failed')
  assert.deepEqual(
    failed.map(({ code, err }) => [code, err.cause.message]),
    answers.map(() => [
      'provider_unavailable',
      `GUILDHALL_SECRET lacks the secret that sealed the client secret of ${providerId}.`,
    ]),
  )
  const tess = await world.tenantAdmin()
  const { body } = await tess.get(`/api/admin/providers/${providerId}`)
  assert.deepEqual([body.hasSecret, body.lastFailure.reason], [true, 'bad_client'])

  await seal(world.keyring)
  const again = await visit(world, double, providerId, { sub: 'zoe', email: 'zoe@example.com' })
  assert.equal((await world.nobody.post('/api/auth/sign-in/continue', again)).status, 201)
})
