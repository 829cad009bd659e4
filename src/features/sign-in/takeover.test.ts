/** A takeover: what a thief of a password adds to the account before they change its address, and what the owner's undo leaves of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAddress, newPassword, onEmailChanges } from '../../../test/email-change.ts'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { addPasskey, addProvider, enrol, link, visit } from '../../../test/sign-in.ts'
import { createWorld } from '../../../test/world.ts'

const world = await createWorld({ worker: true, settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
const providerId = await addProvider(world, double.origin)
const { query } = world.postgres
const { open, undo, signIn, linkTo, wayBack } = onEmailChanges(world)

test('undoing a change of address takes back the ways to sign in that a thief added just before it', async () => {
  const ann = await world.person()
  const thief = await world.signIn(ann)
  const sub = newAddress()
  assert.equal((await link(double, thief, providerId, { sub })).status, 201)
  await enrol(world, thief)
  assert.equal((await addPasskey(thief)).answer.status, 201)
  const email = newAddress()
  assert.equal((await thief.patch('/api/users/me', { email })).status, 200)
  assert.equal((await open(thief, await linkTo(email))).status, 200)

  assert.equal((await undo(await wayBack(ann.email))).status, 200)
  const token = await world.mailedToken(ann.email, 'reset-password')
  assert.equal((await world.nobody.post('/api/auth/reset-password', { token, newPassword })).status, 200)

  const owner = await signIn(ann.email, newPassword)
  assert.deepEqual([owner.status, owner.body.user?.id], [200, ann.id], JSON.stringify(owner.body))
  const there = await visit(world, double, providerId, { sub, email: ann.email })
  const { status, body } = await world.nobody.post('/api/auth/sign-in/continue', there)
  assert.deepEqual([status, body.code, body.attempt?.next], [403, 'sign_in_incomplete', 'first_factor'])
  for (const table of ['factors', 'identities', 'recovery_codes'])
    assert.deepEqual(await query(`select from ${table} where user_id = $1`, [ann.id]), [], table)
})
