/** A pending change of address: whatever cancels it records that, and products that keep a copy of users learn it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAddress, newPassword } from '../../../test/email-change.ts'
import { feedsOf } from '../../../test/events.ts'
import { addPasskey, continueWith, mailedCodeOf } from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../access/tokens.ts'

const world = await createWorld()
const { query } = world.postgres
const { tenantId: tenant } = world
await query('update tenants set mail_codes = true where id = $1', [tenant])
const tess = await world.tenantAdmin()
const { eventsOf } = feedsOf(world)

const accountOf = async ({ id }: Person): Promise<Json> => (await tess.get(`/api/admin/users/${id}`)).body

/** What cancels a change. The owner of the new address has an account. */
const cancelling: Readonly<Record<string, (person: Person, owner: Person) => Promise<Answer>>> = {
  'another password': (person) => person.post('/api/users/me/password', { currentPassword: password, newPassword }),
  'the removal of the password': async (person) => {
    assert.equal((await addPasskey(person)).answer.status, 201)
    return person.delete('/api/users/me/password')
  },
  'the end of all other sessions': (person) => person.delete('/api/users/me/devices'),
  'a request for the present address': (person) =>
    person.patch('/api/users/me', { email: person.email, currentPassword: password }),
  'the end of all sessions by an admin': ({ id }) => tess.delete(`/api/admin/users/${id}/devices`),
  'a suspension': ({ id }) => tess.patch(`/api/admin/users/${id}`, { status: 'suspended' }),
  'an admin’s reset of the factors': ({ id }) => tess.delete(`/api/admin/users/${id}/factors`),
  'a reset of the password': async ({ id, email }) => {
    await query(
      `insert into mailed_tokens (tenant_id, user_id, purpose, generation, email, expires_at)
       values ($1, $2, 'reset_password', 1, $3, now() + interval '1 hour')`,
      [tenant, id, email],
    )
    const token = makeMailedToken(world.keyring, 'reset_password', { tenant, id, generation: 1 })
    return world.nobody.post('/api/auth/reset-password', { token, newPassword })
  },
  'an undo of the change': ({ id }) => {
    const token = makeMailedToken(world.keyring, 'undo_email_change', { tenant, id, generation: 1 })
    return world.nobody.post('/api/auth/undo-email-change', { token })
  },
  'a mailed code for an unverified account': async ({ id, email }) => {
    await query('update users set email_verified = false where id = $1', [id])
    const { body } = await world.nobody.post('/api/auth/sign-in/mail-code', { email })
    return continueWith(world, body.attempt.token, { mailCode: await mailedCodeOf(world, body.attempt.token) })
  },
  'the deletion of the account that has the new address': (_person, owner) =>
    owner.delete('/api/users/me', { password }),
}

for (const [name, cancel] of Object.entries(cancelling)) {
  test(`${name} cancels a pending change of address, which is recorded once and leaves a copy of users right`, async () => {
    const owner = await world.person('Olga', { email: newAddress() })
    const person = await world.person()
    const asked = await person.patch('/api/users/me', { email: owner.email, currentPassword: password })
    assert.equal(asked.body.pendingEmail, owner.email)
    const { nextAfter: after } = await eventsOf(tess, '/api/admin/events', { after: 'latest' })

    const answer = await cancel(person, owner)
    assert.equal(answer.status, 200)
    if (answer.body.id === person.id) assert.equal(answer.body.pendingEmail, null, 'the answer is the account after it')

    const account = await accountOf(person)
    assert.equal(account.pendingEmail, null)
    const { data: events } = await eventsOf(tess, '/api/admin/events', { after, limit: 100 })
    const written = events.filter(({ data }) => data.user?.id === person.id && 'email' in data.user)
    assert.deepEqual(written.at(-1)?.data.user, account)
    const isErased = (await tess.get(`/api/admin/users/${owner.id}`)).status === 404
    assert.deepEqual(
      events.filter(({ type }) => type === 'email.change_cancelled').map(({ details }) => details),
      [isErased ? null : { pendingEmail: { from: owner.email, to: null } }],
    )
    const elsewhere = events.filter(({ type, details }) => type !== 'email.change_cancelled' && details?.pendingEmail)
    assert.deepEqual(elsewhere, [], 'no other event says so')
  })
}
