import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { addPasskey, enrol } from '../../../test/sign-in.ts'
import { createWorld, type Person } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'

const world = await createWorld()
const { ask } = world.postgres
const { tenantId: tenant } = world

/** Somebody with an authenticator app and recovery codes, both an hour old, who has asked for another address. */
async function changing(): Promise<Person> {
  const { person } = await enrol(world)
  await ask(`update factors set created_at = created_at - interval '1 hour' where user_id = $1`, [person.id])
  await ask(`update recovery_codes set created_at = created_at - interval '1 hour' where user_id = $1`, [person.id])
  const email = `new-${randomBytes(5).toString('hex')}@example.com`
  assert.equal((await person.patch('/api/users/me', { email })).status, 200)
  return person
}

/** Opens the undo link that was mailed to the address before. */
async function undo({ id }: Person): Promise<void> {
  const [row] = await ask<{ generation: number }>(
    `select max(generation) as generation from mailed_tokens where user_id = $1 and purpose = 'undo_email_change'`,
    [id],
  )
  const token = makeMailedToken(world.keyring, 'undo_email_change', { tenant, id, generation: row?.generation ?? 0 })
  assert.equal((await world.nobody.post('/api/auth/undo-email-change', { token })).status, 200)
}

/** What the person has left: the types of factors, and the number of recovery codes. */
async function leftOf({ id }: Person): Promise<[string[], number]> {
  const factors = await ask<{ type: string }>('select type from factors where user_id = $1', [id])
  const codes = await ask('select from recovery_codes where user_id = $1', [id])
  return [factors.map(({ type }) => type), codes.length]
}

test('undoing a change of address keeps the factors and recovery codes from before it', async () => {
  const person = await changing()
  await undo(person)
  assert.deepEqual(await leftOf(person), [['totp'], 10])
})

test('undoing a change of address takes back factors and recovery codes that were made since', async () => {
  const person = await changing()
  assert.equal((await addPasskey(person)).answer.status, 201)
  assert.equal((await person.post('/api/users/me/recovery-codes')).status, 200)
  await undo(person)
  assert.deepEqual(await leftOf(person), [['totp'], 0])
})
