/** Links of invitations: previews, and signing up with their tokens. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onInvitations } from '../../../test/invitations.ts'
import { codeOf, createWorld, type Person, password } from '../../../test/world.ts'

const world = await createWorld({ worker: true })
const { query } = world.postgres
const { accept, address, ends, invite, membershipsOf, preview, signUp, tokenOf } = onInvitations(world)

test('a preview shows the page of the link what it needs, to any holder of the link, any number of times', async () => {
  const acme = await world.organization()
  const { path, ann, dan, slug } = acme
  await ann.patch(path, { logoUrl: 'https://example.com/logo.png' })
  const email = address()
  for (const [invited, hasAccount] of [
    [dan.email, true],
    [email, false],
  ] as const) {
    const invitation = await invite(acme, invited, 'admin')
    const token = await world.mailedToken(invited, 'invitation')
    for (let times = 0; times < 3; times++) {
      const { status, body, headers } = await preview(invitation.id, token)
      assert.equal(status, 200)
      assert.deepEqual(body, {
        organization: {
          id: acme.id,
          name: invitation.organization.name,
          slug,
          logoUrl: 'https://example.com/logo.png',
        },
        invitedBy: { id: ann.id, name: 'Ann' },
        email: invited,
        role: 'admin',
        grants: [],
        memberExpiresAt: null,
        locale: null,
        expiresAt: invitation.expiresAt,
        hasAccount,
      })
      assert.equal(headers.get('cache-control'), 'no-store')
    }
  }
  const token = await world.mailedToken(email, 'invitation')
  assert.equal((await signUp(email, token)).status, 201, 'looking did not spend it')
})

test('the link of an ended invitation says how it ended', async () => {
  for (const [code, end] of Object.entries(ends)) {
    const acme = await world.organization()
    const { id } = await invite(acme, acme.dan.email)
    await end(acme, id)
    assert.deepEqual(codeOf(await preview(id, tokenOf(id))), [410, code])
    assert.deepEqual(codeOf(await preview(id, tokenOf(id, 2))), [404, 'not_found'], 'a wrong token learns nothing')
  }
})

test("the link of another tenant's invitation works without naming the tenant", async () => {
  const { slug } = await world.tenant()
  const acme = await world.organization({ tenant: slug })
  const email = address()
  const { id } = await invite(acme, email)
  const token = await world.mailedToken(email, 'invitation', slug)

  assert.equal((await preview(id, token)).body.email, email)
  assert.equal((await preview(id, token, { 'guildhall-tenant': slug })).status, 200)
  assert.deepEqual(codeOf(await preview(id, token, { 'guildhall-tenant': 'default' })), [400, 'tenant_mismatch'])
  const { status, body } = await signUp(email, token)
  assert.deepEqual([status, body.user.emailVerified], [201, true])
  const [row] = await query<{ slug: string }>(
    'select t.slug from users u join tenants t on t.id = u.tenant_id where u.id = $1',
    [body.user.id],
  )
  assert.equal(row?.slug, slug)
})

test("signing up with an invitation's token verifies the address at once, and leaves the invitation pending", async () => {
  const acme = await world.organization()
  const { path, ann } = acme
  const email = address()
  const { id } = await invite(acme, email, 'admin')
  const token = await world.mailedToken(email, 'invitation')

  const { status, body } = await signUp(`  ${email.toUpperCase()} `, token)

  assert.deepEqual([status, body.user.email, body.user.emailVerified], [201, email, true])
  assert.deepEqual(await membershipsOf(body.user), [])
  assert.equal((await ann.get(`${path}/invites/${id}`)).body.status, 'pending')
  const guest = await world.signIn({ email } as Person) // signing in reads the address alone
  const accepted = await accept(guest, id)
  assert.deepEqual([accepted.status, accepted.body.member.role], [200, 'admin'])
  const subjects = (await world.mails(email)).map(({ subject }) => subject)
  assert.ok(!subjects.some((subject) => subject.startsWith('Verify')), 'no verification mail is needed')
})

test('the token of an invitation works for one sign-up or verification', async () => {
  const acme = await world.organization()
  const email = address()
  const { id } = await invite(acme, email)
  const token = tokenOf(id)
  const { body } = await signUp(email, token)
  const guest = await world.signIn({ email } as Person) // signing in reads the address alone
  await query('update users set email_verified = false where id = $1', [body.user.id])

  assert.deepEqual(codeOf(await guest.post('/api/auth/verify-email', { token })), [410, 'token_spent'])
  assert.deepEqual(codeOf(await signUp(email, token)), [409, 'email_taken'])
  await query(`update users set email = 'gone-' || email where id = $1`, [body.user.id])
  assert.deepEqual(codeOf(await signUp(email, token)), [410, 'token_spent'])
  assert.equal((await preview(id, token)).status, 200, 'the page of the link still shows the invitation')

  await acme.ann.post(`${acme.path}/invites/${id}/resend`)
  assert.equal((await signUp(email, tokenOf(id, 2))).status, 201, 'resending makes a fresh one')
})

test('sign-up by an invitation cannot take over an existing account', async () => {
  const acme = await world.organization()
  const { dan } = acme
  const unverified = await world.person('Una', { verified: false })
  for (const person of [dan, unverified]) {
    const { id } = await invite(acme, person.email)
    const answer = await world.nobody.post('/api/auth/sign-up', {
      email: person.email,
      password: 'the passphrase of somebody else',
      name: 'Mallory',
      invitationToken: tokenOf(id),
    })

    assert.deepEqual(codeOf(answer), [409, 'email_taken'])
    const { status, body } = await person.get('/api/users/me')
    assert.deepEqual([status, body.name], [200, person.name])
    assert.equal((await world.nobody.post('/api/auth/sign-in', { email: person.email, password })).status, 200)
    assert.equal((await preview(id, tokenOf(id))).body.hasAccount, true)
  }
  assert.equal((await unverified.get('/api/users/me')).body.emailVerified, false)
})

test('a token verifies only its own address, and creates nothing otherwise', async () => {
  const acme = await world.organization()
  const { id } = await invite(acme, address())
  const email = address()

  assert.deepEqual(codeOf(await signUp(email, tokenOf(id))), [403, 'invitation_for_another_email'])
  assert.deepEqual(await query('select from users where email = $1', [email]), [])
  for (const field of ['emailVerified', 'role', 'status', 'organizationId']) {
    const answer = await world.nobody.post('/api/auth/sign-up', { email, password, [field]: true })
    assert.deepEqual([answer.status, answer.body.errors[0].pointer], [400, `/${field}`])
  }
})

for (const [code, end] of Object.entries(ends)) {
  test(`nobody can sign up by an invitation that is ${code.replace('invitation_', '')}`, async () => {
    const acme = await world.organization()
    const { id } = await invite(acme, acme.dan.email)
    await end(acme, id)
    // Dan goes by another address from now on, so that the invited one is free.
    await query(`update users set email = 'gone-' || email where id = $1`, [acme.dan.id])

    assert.deepEqual(codeOf(await signUp(acme.dan.email, tokenOf(id))), [410, code])
    assert.deepEqual(codeOf(await signUp(address(), tokenOf(id))), [403, 'invitation_for_another_email'])

    assert.deepEqual(await query('select from users where email = $1', [acme.dan.email]), [])
  })
}

test('if sign-up is only for the invited, it accepts only the token of a pending invitation', async () => {
  const { id: tenantId, slug } = await world.tenant()
  const acme = await world.organization({ tenant: slug })
  const email = address()
  const { id } = await invite(acme, email)
  await query(`update tenants set sign_up = 'invited_only' where id = $1`, [tenantId])
  const token = tokenOf(id, 1, tenantId)
  const headers = { 'guildhall-tenant': slug }

  const without = await world.nobody.post('/api/auth/sign-up', { email, password }, headers)
  assert.deepEqual(codeOf(without), [403, 'sign_up_closed'])
  assert.deepEqual(codeOf(await signUp(address(), token, headers)), [403, 'invitation_for_another_email'])
  assert.deepEqual(codeOf(await signUp(email, tokenOf(id, 2, tenantId), headers)), [410, 'token_spent'])
  assert.equal((await signUp(email, token, headers)).status, 201)

  await query(`update tenants set sign_up = 'closed' where id = $1`, [tenantId])
  const { id: later } = await invite(acme, address())
  const closed = await signUp(address(), tokenOf(later, 1, tenantId), headers)
  assert.deepEqual(codeOf(closed), [403, 'sign_up_closed'])
})
