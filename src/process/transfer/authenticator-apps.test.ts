/** Authenticator apps that come with people from another product. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { continueWith } from '../../../test/sign-in.ts'
import { bring, counts, file, foreign, signIn, take } from '../../../test/transfers.ts'
import { createWorld, type Json, Person, password } from '../../../test/world.ts'
import { resealings } from '../../domain/sealing/resealing.ts'
import type { TenantRecord } from '../../features/tenants/tenants.ts'
import { Keyring } from '../../platform/cryptography.ts'

const world = await createWorld({ worker: true })
const { query } = world.postgres

/** That of RFC 6238, appendix B. */
const secret = Secret.fromUTF8('12345678901234567890')
const email = 'ann@example.com'
const ann = { externalId: '1', email, emailVerified: true, passwordHash: foreign.hash }

/** What the person's app shows now. */
function codeOf(seed: Secret): string {
  return new TOTP({ secret: seed }).generate()
}

/** The token of an attempt that waits for the second factor. */
async function attemptOf(tenant: TenantRecord): Promise<string> {
  const { status, body } = await signIn(world, tenant, email)
  assert.deepEqual([status, body.code, body.attempt?.methods], [403, 'sign_in_incomplete', ['totp']])
  return body.attempt.token
}

/** Brings Ann, who then signs in with her app. */
async function arrive(tenant: TenantRecord, more: Json = {}): Promise<Person> {
  await bring(world, tenant, { users: await file({ ...ann, totpSecret: secret.base32, ...more }) })
  const { status, body } = await continueWith(world, await attemptOf(tenant), { totp: codeOf(secret) })
  assert.equal(status, 200, JSON.stringify(body))
  return new Person(world, body.session.token, body.user, {})
}

test('sign-in asks somebody who was imported with an authenticator app for its code, which is good once', async () => {
  const tenant = await world.tenant()
  const written = `${secret.base32.toLowerCase().replace(/(.{4})/g, '$1 ')}======`
  await bring(world, tenant, {
    users: await file('externalId,email,passwordHash,totpSecret', `1,${email},${foreign.hash},${written}`),
  })
  const code = codeOf(secret)

  const done = await continueWith(world, await attemptOf(tenant), { totp: code })

  assert.equal(done.status, 200, JSON.stringify(done.body))
  assert.deepEqual(done.body.session.device.methods, ['password', 'totp'])
  const replayed = await continueWith(world, await attemptOf(tenant), { totp: code })
  assert.deepEqual([replayed.status, replayed.body.code], [403, 'wrong_proof'])
})

const seeds = {
  '80 bits, as apps were given for years': new Uint8Array(10).fill(7),
  '128 bits, whose last letter is not all used': new Uint8Array(16).fill(0xa5),
  'as many bytes as SHA-1 reads at once': new Uint8Array(64).fill(0xff),
}
for (const [what, bytes] of Object.entries(seeds)) {
  test(`a secret comes over with ${what}`, async () => {
    const tenant = await world.tenant()
    const seed = new Secret({ buffer: bytes.buffer })
    await bring(world, tenant, { users: await file({ ...ann, totpSecret: seed.base32 }) })
    const { status, body } = await continueWith(world, await attemptOf(tenant), { totp: codeOf(seed) })
    assert.equal(status, 200, JSON.stringify(body))
  })
}

test('an invalid secret is reported by its row and column, never by its text, and its row imports nothing', async () => {
  const tenant = await world.tenant()
  const valid = secret.base32
  const invalid = [
    [valid.slice(0, 15), 'too_short'],
    ['    ', 'too_short'],
    ['A'.repeat(104), 'too_long'],
    ['A'.repeat(1_000), 'too_long'],
    [`${valid}A`, 'invalid_format'],
    [valid.replace('G', '1'), 'invalid_format'],
    [`${valid.slice(0, 8)}==${valid.slice(8)}`, 'invalid_format'],
    [`otpauth://totp/Acme:ann?secret=${valid}`, 'invalid_format'],
    [12_345_678, 'wrong_type'],
  ] as const
  const users = await file(
    ...invalid.map(([totpSecret], row) => ({ externalId: `${row}`, email: `p${row}@example.com`, totpSecret })),
    ann,
  )

  const trial = await bring(world, tenant, { users }, { isTrial: true })
  const report = await bring(world, tenant, { users })

  assert.deepEqual(trial, report)
  assert.deepEqual(
    report.filter((line) => 'row' in line),
    invalid.map(([, code], row) => ({
      file: 'users',
      row: row + 1,
      externalId: `${row}`,
      reason: 'invalid',
      faults: [{ column: 'totpSecret', code }],
    })),
  )
  assert.doesNotMatch(JSON.stringify(report), /GEZD|AAAA|12345678/)
  assert.deepEqual(await query('select email from users where tenant_id = $1', [tenant.id]), [{ email }])
  assert.deepEqual(await query('select from factors where tenant_id = $1', [tenant.id]), [])
})

test('a repeated import changes no app, and brings none back', async () => {
  const tenant = await world.tenant()
  const person = await arrive(tenant)
  const factors = () => query('select id, user_id, seed, last_step from factors where tenant_id = $1', [tenant.id])
  const before = await factors()
  const another = await file({ ...ann, totpSecret: Secret.fromUTF8('another secret of Ann').base32 })
  assert.deepEqual(counts(await bring(world, tenant, { users: another })), [['users', 0, 1, 0]])
  assert.deepEqual(await factors(), before)
  assert.equal(before.length, 1)

  const { data } = (await person.get('/api/users/me/factors')).body
  assert.equal((await person.delete(`/api/users/me/factors/${data[0].id}`)).status, 200)
  assert.deepEqual(counts(await bring(world, tenant, { users: another })), [['users', 0, 1, 0]])
  assert.deepEqual(await factors(), [])
  assert.equal((await signIn(world, tenant, email)).status, 200)
})

test('an address that is taken gives its owner no app', async () => {
  const tenant = await world.tenant()
  await world.person('Ann', { tenant: tenant.slug, email })
  const [line] = await bring(world, tenant, { users: await file({ ...ann, totpSecret: secret.base32 }) })
  assert.equal(line.reason, 'email_taken')
  assert.deepEqual(await query('select from factors where tenant_id = $1', [tenant.id]), [])
})

test('somebody with an imported app has no recovery codes, makes some, and removes the app', async () => {
  const tenant = await world.tenant()
  const person = await arrive(tenant)

  const { body: before } = await person.get('/api/users/me/factors')
  assert.deepEqual(
    before.data.map(({ type, name }: Json) => [type, name]),
    [['totp', 'Authenticator app']],
  )
  assert.equal(before.recoveryCodes, null)
  assert.equal((await person.get('/api/users/me')).body.hasSecondFactor, true)

  assert.equal((await person.post('/api/users/me/recovery-codes')).body.codes?.length, 10)
  assert.equal((await person.get('/api/users/me/factors')).body.recoveryCodes.left, 10)
  assert.equal((await person.delete(`/api/users/me/factors/${before.data[0].id}`)).status, 200)
  const { body: after } = await person.get('/api/users/me/factors')
  assert.deepEqual([after.data, after.recoveryCodes], [[], null])
  assert.equal((await person.get('/api/users/me')).body.hasSecondFactor, false)
})

test('somebody who replaces an imported app gets recovery codes with the new one', async () => {
  const person = await arrive(await world.tenant())
  const { body: setup } = await person.post('/api/users/me/factors/setup', { type: 'totp' })
  const code = codeOf(Secret.fromBase32(setup.secret))
  const { status, body } = await person.post('/api/users/me/factors', { type: 'totp', setup: setup.setup, code })
  assert.deepEqual([status, body.recoveryCodes?.length], [201, 10])
})

test('an imported app opens an organization that requires a second factor, and cannot be removed while it does', async () => {
  const tenant = await world.tenant()
  await bring(world, tenant, {
    users: await file({ ...ann, totpSecret: secret.base32 }),
    organizations: await file({ externalId: 'a', name: 'Acme', slug: 'acme', secondFactor: 'required' }),
    memberships: await file({ organization: 'a', user: '1', role: 'owner' }),
  })
  const person = await arrive(tenant)
  assert.equal((await person.get('/api/organizations/acme')).status, 200)
  const { data } = (await person.get('/api/users/me/factors')).body
  const { status, body } = await person.delete(`/api/users/me/factors/${data[0].id}`)
  assert.deepEqual([status, body.code], [409, 'second_factor_in_use'])
})

test('somebody without a password chooses one by mail, and is then asked for the imported app', async () => {
  const tenant = await world.tenant()
  await bring(world, tenant, { users: await file({ ...ann, passwordHash: null, totpSecret: secret.base32 }) })
  const headers = { 'guildhall-tenant': tenant.slug }
  await world.nobody.post('/api/auth/forgot-password', { email }, headers)
  const token = await world.mailedToken(email, 'reset-password', tenant.slug)
  assert.equal((await world.nobody.post('/api/auth/reset-password', { token, newPassword: password })).status, 200)

  const { body } = await world.nobody.post('/api/auth/sign-in', { email, password }, headers)

  assert.deepEqual([body.code, body.attempt?.methods], ['sign_in_incomplete', ['totp']])
})

test('the secret is stored sealed, follows a new secret of the operator, and is in no entry and no export', async () => {
  const tenant = await world.tenant()
  await bring(world, tenant, { users: await file({ ...ann, totpSecret: secret.base32 }) })
  const stored = () =>
    query<Json>('select seed, sealed_under as name, last_step::int as step from factors where tenant_id = $1', [
      tenant.id,
    ])
  const [before] = await stored()
  assert.deepEqual([before?.name, before?.step], [world.keyring.name, 0])
  assert.doesNotMatch(before?.seed, /GEZDGNBV/i)
  const details = await query(`select details from audit_entries where tenant_id = $1 and action = 'tenant.imported'`, [
    tenant.id,
  ])
  assert.deepEqual(details, [{ details: { users: 1 } }])
  for (const withHashes of [true, false]) {
    const { users } = await take(world, tenant, 'csv', withHashes)
    assert.doesNotMatch(await readFile(users, 'utf8'), /totp|GEZDGNBV/i)
  }

  const renewed = new Keyring(['a newer secret that is only used in tests', 'a secret that is only used in tests'])
  assert.deepEqual(renewed.names[1], world.keyring.name)
  await world.database.inTenant(tenant.id, (sql) => resealings(renewed).seeds(sql, 10))
  const [after] = await stored()
  assert.equal(after?.name, renewed.name)
  assert.notEqual(after?.seed, before?.seed)
})
