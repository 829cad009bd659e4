import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { holdRow } from '../../../test/holding.ts'
import { startProviderDouble } from '../../../test/provider-double.ts'
import { addPasskey, addProvider, continueWith, link, requestedCodeOf, visit } from '../../../test/sign-in.ts'
import { type Answer, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { makeKinds } from '../../domain/providers/kinds.ts'

const double = await startProviderDouble()
const world = await createWorld({
  settings: { OUTBOUND_PRIVATE: '127.0.0.1' },
  kinds: makeKinds({ microsoft: double.origin }),
})
const providerId = await addProvider(world, double.origin)
const { query } = world.postgres
const { tenantId: tenant } = world

const newEmail = () => `new-${randomBytes(5).toString('hex')}@example.com`
const said = ({ status, body }: Answer) => [status, body.code]

/** Comes back from the provider. */
async function arrive(claims: Json, fields: Json = {}): Promise<Answer> {
  return world.nobody.post('/api/auth/sign-in/continue', await visit(world, double, providerId, claims, fields))
}

/** The newest link of an invitation. */
async function tokenOf(invitationId: string): Promise<string> {
  const [row] = await query<{ generation: number }>('select generation from invitations where id = $1', [invitationId])
  return makeMailedToken(world.keyring, 'invitation', { tenant, id: invitationId, generation: row?.generation ?? 0 })
}

/** Changes a person's address, as by the link that is mailed to the new one. */
async function changeAddress(person: Person, email: string): Promise<void> {
  assert.equal((await person.patch('/api/users/me', { email, currentPassword: password })).status, 200)
  const [row] = await query<{ generation: number }>(
    `select generation from mailed_tokens where user_id = $1 and purpose = 'change_email'`,
    [person.id],
  )
  const link = { tenant, id: person.id, generation: row?.generation ?? 0 }
  const token = makeMailedToken(world.keyring, 'change_email', link)
  assert.equal((await person.post('/api/auth/verify-email', { token })).status, 200)
}

const identitiesOf = async ({ id }: Person) => (await query('select from identities where user_id = $1', [id])).length

test('an account that moved to another address is not linked by a code of the address that it had', async () => {
  const email = newEmail()
  const stranger = await world.person('Mal', { verified: false, email })
  const sub = newEmail()
  const { body } = await arrive({ sub, email })
  const { token, methods } = body.attempt
  assert.deepEqual(methods, ['mail_code'])
  const mailCode = await requestedCodeOf(world, token)

  await changeAddress(stranger, newEmail())

  assert.deepEqual(said(await continueWith(world, token, { mailCode })), [410, 'attempt_spent'])
  assert.equal(await identitiesOf(stranger), 0)
  const owner = await arrive({ sub, email })
  assert.equal(owner.status, 201, 'the owner of the mailbox gets an account of their own')
  assert.notEqual(owner.body.user.id, stranger.id)
})

test('somebody who comes from a provider while an account leaves their address gets an account of their own', async (t) => {
  const email = newEmail()
  const leaving = await world.person('Lea', { email })
  const release = await holdRow(t, world.postgres, 'users', leaving.id)
  await query('update users set email = $2 where id = $1', [leaving.id, newEmail()])
  const arriving = arrive({ sub: newEmail(), email })
  await world.postgres.awaitLine(1)
  await release()

  const { status, body } = await arriving

  assert.equal(status, 201, JSON.stringify(body))
  assert.notEqual(body.user.id, leaving.id)
})

test('a mailed code proves the address that it was mailed to, even if its attempt outlives a change of address', async () => {
  const email = newEmail()
  const stranger = await world.person('Mal', { verified: false, email })
  const { body } = await arrive({ sub: newEmail(), email })
  const { token } = body.attempt
  const mailCode = await requestedCodeOf(world, token)

  await query('update users set email = $2, email_verified = true where id = $1', [stranger.id, newEmail()])

  assert.deepEqual(said(await continueWith(world, token, { mailCode })), [410, 'attempt_spent'])
  assert.equal(await identitiesOf(stranger), 0)
})

test('the options of an attempt to link tell nothing of the account, and its passkey links', async () => {
  const [bare, keyed] = [await world.person(), await world.person()]
  const { key } = await addPasskey(keyed)
  const askFor = async (person: Person) => {
    const { body } = await arrive({ sub: newEmail(), email: person.email, email_verified: false })
    const attempt: string = body.attempt.token
    const { body: asked } = await world.nobody.post('/api/auth/passkey-options', { attempt })
    return { attempt, options: asked.options }
  }

  const [ofBare, ofKeyed] = [await askFor(bare), await askFor(keyed)]

  assert.deepEqual({ ...ofKeyed.options, challenge: '' }, { ...ofBare.options, challenge: '' })
  assert.equal(ofKeyed.options.challenge.length, ofBare.options.challenge.length)
  assert.equal(ofKeyed.options.allowCredentials, undefined)
  const { attempt, options } = ofKeyed
  assert.equal((await continueWith(world, attempt, { credential: key.get(options) })).status, 200)
  assert.equal(await identitiesOf(keyed), 1)
})

test('an attempt in a second tab signs in by the identity that the first tab has linked', async () => {
  const ann = await world.person()
  const claims = { sub: newEmail(), email: ann.email }
  const [first, second] = [await arrive(claims), await arrive(claims)]
  assert.equal((await continueWith(world, first.body.attempt.token, { password })).status, 200)

  const { status, body } = await continueWith(world, second.body.attempt.token, { password })

  assert.deepEqual([status, body.user?.id], [200, ann.id], JSON.stringify(body))
  assert.equal(await identitiesOf(ann), 1)
  const sessions = await query('select from sessions where user_id = $1 and identity_id is not null', [ann.id])
  assert.equal(sessions.length, 2, 'both end with the identity')
  const linked = await ann.get('/api/users/me/audit?action=identity.linked')
  assert.equal(linked.body.data.length, 1)
})

test('an identity that somebody else has linked meanwhile is taken', async () => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  const sub = newEmail()
  const [first, second] = [await arrive({ sub, email: ann.email }), await arrive({ sub, email: ben.email })]
  assert.equal((await continueWith(world, first.body.attempt.token, { password })).status, 200)
  const answer = await continueWith(world, second.body.attempt.token, { password })
  assert.deepEqual([said(answer), await identitiesOf(ben)], [[409, 'identity_taken'], 0])
})

test('the same subject at two providers is two people', async () => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  const other = await addProvider(world, double.origin)
  const [sub, email] = [newEmail(), newEmail()]
  assert.equal((await link(double, ann, providerId, { sub })).status, 201)

  const visited = await visit(world, double, other, { sub, email })
  const { status, body } = await world.nobody.post('/api/auth/sign-in/continue', visited)

  assert.deepEqual([status, body.user?.email], [201, email], JSON.stringify(body))
  const another = await addProvider(world, double.origin)
  assert.equal((await link(double, ben, another, { sub })).status, 201)
  assert.equal((await arrive({ sub })).body.user.id, ann.id)
})

test('the same subject in two tenants of Microsoft is two people', async (t) => {
  t.after(() => double.reset())
  double.issuer = `${double.origin}/{tenantid}/v2.0`
  const microsoft = await addProvider(world, '', { type: 'microsoft', issuer: undefined, clientSecret: 'a-secret' })
  const [sub, email] = [newEmail(), newEmail()]
  const accountIn = (tid: string, address: string) => ({
    ...{ sub, tid, email: address },
    iss: `${double.origin}/${tid}/v2.0`,
  })
  const [home, elsewhere] = ['11111111-2222-4333-8444-555555555555', '66666666-7777-4888-9999-000000000000']
  const ann = await world.person()
  assert.equal((await link(double, ann, microsoft, accountIn(home, ann.email))).status, 201)
  const arriveFrom = async (tid: string, address: string) =>
    world.nobody.post('/api/auth/sign-in/continue', await visit(world, double, microsoft, accountIn(tid, address)))

  const { status, body } = await arriveFrom(elsewhere, email)

  assert.deepEqual([status, body.user?.email], [201, email], JSON.stringify(body))
  assert.equal((await arriveFrom(home, ann.email)).body.user.id, ann.id)
})

test('where only invited people sign up, an address that nobody vouches for tells who has an account only by its own invitation', async () => {
  const { ann, path } = await world.organization()
  const verified = await world.person()
  const unverified = await world.person('Una', { verified: false })
  const newcomer = newEmail()
  const invite = async (email: string) => (await ann.post(`${path}/invites`, { email })).body.id as string
  const pending = await invite(newEmail())
  const revoked = await invite(newEmail())
  assert.equal((await ann.delete(`${path}/invites/${revoked}`)).status, 200)
  const refusals = {
    token_spent: makeMailedToken(world.keyring, 'invitation', { tenant, id: pending, generation: 2 }),
    invitation_for_another_email: await tokenOf(pending),
    invitation_revoked: await tokenOf(revoked),
  }
  await query(`update tenants set sign_up = 'invited_only' where id = $1`, [tenant])

  for (const [code, invitationToken] of Object.entries(refusals)) {
    for (const email of [verified.email, unverified.email, newcomer]) {
      if (code === 'invitation_revoked')
        await query('update invitations set email = $2 where id = $1', [revoked, email])
      const { body } = await arrive({ sub: newEmail(), email, email_verified: false }, { invitationToken })
      assert.equal(body.code, code, email)
    }
  }

  const own = await tokenOf(await invite(verified.email))
  const linking = await arrive(
    { sub: newEmail(), email: verified.email, email_verified: false },
    { invitationToken: own },
  )
  assert.deepEqual(said(linking), [403, 'sign_in_incomplete'], 'as sign-up would tell the holder of this link')
  assert.equal(linking.body.attempt.link.email, verified.email)
  const invitationToken = await tokenOf(await invite(newcomer))
  const joined = await arrive({ sub: newEmail(), email: newcomer, email_verified: false }, { invitationToken })
  assert.equal(joined.status, 201)
  await query(`update tenants set sign_up = 'open' where id = $1`, [tenant])
})
