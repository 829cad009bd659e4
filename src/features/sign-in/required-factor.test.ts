import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrol } from '../../../test/sign-in.ts'
import { createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'

const world = await createWorld()
const { query } = world.postgres

/** A tenant that requires a second factor of everybody. */
async function strictTenant() {
  const tenant = await world.tenant()
  await query(`update tenants set second_factor = 'required' where id = $1`, [tenant.id])
  return tenant
}

const factor = '/api/users/me/factors/fac_01k9zq3v5hf8gs4m2y7c6t0wdn'
const device = '/api/users/me/devices/dev_01k9zq3v5hf8gs4m2y7c6t0wdn'
const identity = '/api/users/me/identities/idn_01k9zq3v5hf8gs4m2y7c6t0wdn'
const providerId = 'idp_01k9zq3v5hf8gs4m2y7c6t0wdn'
const newPassword = 'another long passphrase'

/** Requests, each with its answer to somebody who needs a second factor and has none: the door has let it in. */
const open: readonly (readonly [string, Json | undefined, string])[] = [
  ['GET /api/users/me', undefined, '200'],
  ['GET /api/users/me/deletion-impact', undefined, '200'],
  ['GET /api/users/me/devices', undefined, '200'],
  ['DELETE /api/users/me/devices', undefined, '200'],
  [`DELETE ${device}`, undefined, '404 not_found'],
  ['GET /api/users/me/factors', undefined, '200'],
  ['POST /api/users/me/factors/setup', { type: 'totp' }, '200'],
  [`PATCH ${factor}`, { name: 'Phone' }, '404 not_found'],
  [`DELETE ${factor}`, undefined, '404 not_found'],
  ['POST /api/users/me/recovery-codes', undefined, '409 no_factor'],
  ['POST /api/users/me/password', { currentPassword: password, newPassword }, '200'],
  ['DELETE /api/users/me/password', undefined, '409 last_way_in'],
  ['POST /api/auth/verify-email/resend', undefined, '409 already_verified'],
  ['POST /api/auth/confirm', { password: newPassword }, '200'],
]

const closed: readonly (readonly [string, Json | undefined])[] = [
  ['PATCH /api/users/me', { name: 'Ann' }],
  ['GET /api/users/me/audit', undefined],
  ['GET /api/users/me/invites', undefined],
  ['GET /api/users/me/identities', undefined],
  ['POST /api/users/me/identities/start', { providerId }],
  [`DELETE ${identity}`, undefined],
  ['GET /api/organizations', undefined],
  ['POST /api/organizations', { name: 'Acme' }],
]

async function send(person: Person, operation: string, body: Json | undefined): Promise<string> {
  const [method = '', path = ''] = operation.split(' ')
  const answer = await person.request(path, { method, body })
  return answer.body.code ? `${answer.status} ${answer.body.code}` : String(answer.status)
}

test('if the tenant requires a second factor, one can add it, see and end sessions, and leave; nothing else', async () => {
  const { slug } = await strictTenant()
  const ann = await world.person('Ann', { tenant: slug })
  for (const [operation, body] of closed)
    assert.equal(await send(ann, operation, body), '403 second_factor_required', operation)
  for (const [operation, body, expected] of open) assert.equal(await send(ann, operation, body), expected, operation)

  const leaving = await world.person('Ben', { tenant: slug })
  assert.equal(await send(leaving, 'DELETE /api/users/me', { password }), '200')

  const { person } = await enrol(world, await world.person('Cleo', { tenant: slug }))
  for (const [operation, body] of closed.slice(0, 4))
    assert.equal(await send(person, operation, body), '200', operation)
})

test('somebody who needs a second factor can verify the address first, without which none can be added', async () => {
  const { id, slug } = await strictTenant()
  const ann = await world.person('Ann', { tenant: slug, verified: false })
  assert.equal(await send(ann, 'POST /api/users/me/factors/setup', { type: 'totp' }), '403 email_not_verified')
  assert.equal(await send(ann, 'POST /api/auth/verify-email/resend', undefined), '202')
  const [row] = await query<{ generation: number }>(
    `select generation from mailed_tokens where user_id = $1 and purpose = 'verify_email'`,
    [ann.id],
  )
  const link = { tenant: id, id: ann.id, generation: row?.generation ?? 0 }
  const token = makeMailedToken(world.keyring, 'verify_email', link)
  assert.equal(await send(ann, 'POST /api/auth/verify-email', { token }), '200')
  assert.equal((await enrol(world, ann)).recoveryCodes.length, 10)
})
