import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addPasskey, signedIn } from '../../../test/sign-in.ts'
import { createWorld, type Person, password } from '../../../test/world.ts'

const world = await createWorld()
const { query } = world.postgres

async function hasPassword({ id }: Person): Promise<boolean> {
  const [row] = await query<{ has: boolean }>('select password_hash is not null as has from users where id = $1', [id])
  return row?.has === true
}

test('somebody with a factor removes the password only with two factors', async () => {
  const ann = await world.person()
  const { key } = await addPasskey(ann)
  const thief = await world.signIn(ann) // fresh, by the password alone

  const { status, body } = await thief.delete('/api/users/me/password')

  assert.deepEqual([status, body.code, body.methods], [403, 'second_factor_required', ['passkey']])
  assert.equal(await hasPassword(ann), true)
  assert.equal((await ann.get('/api/users/me')).status, 200)

  const { body: confirming } = await thief.post('/api/auth/confirm', { password, secondFactor: true })
  const attempt = confirming.attempt.token
  const { body: asked } = await thief.post('/api/auth/passkey-options', { attempt })
  const credential = key.get(asked.options)
  const confirmed = signedIn(world, await thief.post('/api/auth/sign-in/continue', { attempt, credential }), ann)
  assert.deepEqual((await confirmed.delete('/api/users/me/password')).body, { endedSessions: 1 })
  assert.equal(await hasPassword(ann), false)
  assert.equal((await confirmed.delete('/api/users/me/password')).body.code, 'not_found')
})

test('somebody without a factor removes the password in a fresh session, if another way in remains', async () => {
  const ann = await world.person()
  assert.equal((await ann.delete('/api/users/me/password')).body.code, 'last_way_in')
  await query('update tenants set mail_codes = true where id = $1', [world.tenantId])
  await query(`update sessions set created_at = now() - interval '11 minutes' where user_id = $1`, [ann.id])
  assert.equal((await ann.delete('/api/users/me/password')).body.code, 'confirmation_required')
  assert.equal(await hasPassword(ann), true)

  const again = await world.signIn(ann)
  assert.deepEqual((await again.delete('/api/users/me/password')).body, { endedSessions: 1 })
  assert.equal(await hasPassword(ann), false)
})

test('everything that is wrong with a change is reported at once, if the session lives', async () => {
  const ann = await world.person()
  const faults = async (body: unknown) =>
    (await ann.post('/api/users/me/password', body)).body.errors
      .map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
      .sort()
  const missing = '/currentPassword required'
  assert.deepEqual(await faults({}), [missing, '/newPassword required'])
  assert.deepEqual(await faults({ newPassword: 'short', endKeys: 1 }), [
    missing,
    '/endKeys wrong_type',
    '/newPassword too_short',
  ])
  assert.deepEqual(await faults({ newPassword: 'sunshine' }), [missing, '/newPassword common_password'])
  assert.deepEqual(await faults({ newPassword: ann.email, surplus: 1 }), [
    missing,
    '/newPassword contains_identity',
    '/surplus unknown_field',
  ])
  assert.deepEqual(await faults([]), [' wrong_type'])

  await query('update users set password_hash = null where id = $1', [ann.id])
  assert.deepEqual(await faults({}), ['/newPassword required'])
  await ann.post('/api/auth/sign-out')
  assert.deepEqual(await faults({}), ['/newPassword required'])
  const { status } = await ann.post('/api/users/me/password', { newPassword: 'correct horse battery' })
  assert.equal(status, 401)
})
