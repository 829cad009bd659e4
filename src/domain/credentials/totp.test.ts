/** TOTP beside RFC 6238, and beside an implementation that is not ours: `otpauth`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Secret, TOTP, URI } from 'otpauth'
import { createWorld } from '../../../test/world.ts'
import { codeAt } from './totp.ts'

const world = await createWorld()

test('codes are those of RFC 6238, appendix B', () => {
  const secret = Secret.fromUTF8('12345678901234567890').base32
  for (const [seconds, code] of [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ] as const)
    assert.equal(codeAt(secret, Math.floor(seconds / 30)), code)
})

test('another implementation makes the same codes, of every seed at every time', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), fc.integer({ min: 0, max: 2 ** 32 }), (seed, step) => {
      const secret = new Secret({ buffer: seed.buffer })
      const expected = new TOTP({ secret }).generate({ timestamp: step * 30_000 })
      assert.equal(codeAt(secret.base32, step), expected)
    }),
    { seed: 1 },
  )
})

test('an app that scans the set-up shows whose account it is and where, and makes codes that are accepted', async () => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  await tess.patch('/api/admin/tenant', { name: 'Bücher & Co: 100 %?' })
  const ann = await world.person('Ann', { tenant, email: `ann+totp@${tenant}.example.com` })
  const { body: setUp } = await ann.post('/api/users/me/factors/setup', { type: 'totp' })

  const app = URI.parse(setUp.uri)
  assert.ok(app instanceof TOTP)
  const { issuer, label, algorithm, digits, period, secret } = app
  assert.deepEqual([issuer, label, algorithm, digits, period], ['Bücher & Co 100 %?', ann.email, 'SHA1', 6, 30])
  assert.equal(secret.base32, setUp.secret)
  assert.equal(secret.bytes.length, 20, '160 bits (RFC 4226, 4)')

  const added = await ann.post('/api/users/me/factors', { type: 'totp', setup: setUp.setup, code: app.generate() })
  assert.equal(added.status, 201, JSON.stringify(added.body))
})

test('a code is accepted one step early and late, and no earlier or later', async () => {
  const ann = await world.person()
  const presentStep = async () => {
    const [row] = await world.postgres.query<{ step: number }>(
      'select floor(extract(epoch from clock_timestamp()) / 30)::int as step',
    )
    return row?.step ?? 0
  }
  /** Sends the code of a step beside the present one, again if the step has ended meanwhile. */
  const send = async (offset: number): Promise<unknown> => {
    const { body: setUp } = await ann.post('/api/users/me/factors/setup', { type: 'totp' })
    const step = await presentStep()
    const code = codeAt(setUp.secret, step + offset)
    const isOfOtherStep = [-1, 0, 1].some((near) => near !== offset && codeAt(setUp.secret, step + near) === code)
    const { status, body } = await ann.post('/api/users/me/factors', { type: 'totp', setup: setUp.setup, code })
    if (isOfOtherStep || (await presentStep()) !== step) return send(offset)
    return status === 201 ? status : body.code
  }

  for (const offset of [-3, -2, 2, 3]) assert.equal(await send(offset), 'wrong_proof', `${offset}`)
  for (const offset of [-1, 0, 1]) assert.equal(await send(offset), 201, `${offset}`)
})
