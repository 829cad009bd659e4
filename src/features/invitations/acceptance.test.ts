import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEmailChanges } from '../../../test/email-change.ts'
import { onInvitations } from '../../../test/invitations.ts'
import { makeLink } from '../../../test/membership-requests.ts'
import { addPasskey } from '../../../test/sign-in.ts'
import { codeOf, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { newId } from '../../platform/http/schemas.ts'

const world = await createWorld({ worker: true })
const { query } = world.postgres
const { tenantId: tenant } = world
const { accept, address, decline, ends, invite, membershipsOf, preview, signUp, tokenOf } = onInvitations(world)

test('accepting an invitation makes the user a member with its role', async () => {
  const acme = await world.organization()
  const { id, path, ann, dan } = acme
  const invitation = await invite(acme, dan.email, 'admin')

  const { status, body } = await accept(dan, invitation.id)

  assert.equal(status, 200)
  const { permissions: _permissions, ...organization } = (await dan.get(path)).body
  assert.deepEqual(body.organization, organization)
  assert.deepEqual([body.organization.id, body.organization.role, body.organization.memberCount], [id, 'admin', 4])
  const { permissions: _, ...member } = (await dan.get(`${path}/members/${body.member.id}`)).body
  assert.deepEqual({ ...body.member, lastActiveAt: member.lastActiveAt }, member)
  assert.deepEqual(
    [body.member.user.id, body.member.role, body.member.roles, body.member.invitedBy],
    [dan.id, 'admin', ['admin', 'member'], { id: ann.id, name: 'Ann' }],
  )
  assert.equal((await ann.get(`${path}/invites/${invitation.id}`)).body.status, 'accepted')
  const { data } = (await ann.get(`${path}/audit?limit=2`)).body
  assert.deepEqual(data.map(({ action, actor, target }: Json) => [action, actor.id, target.id]).sort(), [
    ['invitation.accepted', dan.id, invitation.id],
    ['member.joined', dan.id, dan.id],
  ])
})

test('accepting again gives the same response while the membership exists, and changes nothing', async () => {
  const acme = await world.organization()
  const { path, ann, dan } = acme
  const invitation = await invite(acme, dan.email)
  const first = await accept(dan, invitation.id)

  const second = await accept(dan, invitation.id)
  assert.deepEqual([second.status, second.body], [200, first.body])

  const { id } = first.body.member
  await ann.patch(`${path}/members/${id}`, { role: 'admin' })
  const third = await accept(dan, invitation.id)
  assert.deepEqual([third.status, third.body.member.id, third.body.member.role], [200, id, 'admin'], 'the role stays')
  const { data } = (await ann.get(`${path}/audit?action=member.joined,invitation.accepted&limit=3`)).body
  assert.equal(data.filter(({ actor }: Json) => actor.id === dan.id).length, 2)
})

test('an accepted invitation does not let a former member in again, not even one who has been back since', async () => {
  const acme = await world.organization()
  const { id, path, ann, dan } = acme
  for (const end of ['leave', 'remove']) {
    const invitation = await invite(acme, dan.email)
    const { body } = await accept(dan, invitation.id)
    const member = `${path}/members/${body.member.id}`
    assert.equal((await (end === 'leave' ? dan.delete(`${path}/members/me`) : ann.delete(member))).status, 200)

    assert.deepEqual(codeOf(await accept(dan, invitation.id)), [410, 'invitation_used'], end)
    assert.deepEqual(await membershipsOf(dan), [])

    await world.join(ann, id, dan)
    assert.deepEqual(codeOf(await accept(dan, invitation.id)), [410, 'invitation_used'], 'it is another membership')
    await dan.delete(`${path}/members/me`)
  }
})

test('a user who is a member already keeps their role, and the invitation is used up', async () => {
  const acme = await world.organization()
  const { id, path, ann, dan } = acme
  const invitation = await invite(acme, dan.email, 'owner')
  const membership = newId('mem')
  await query(
    `insert into memberships (tenant_id, id, organization_id, user_id, role) values ($1, $2, $3, $4, 'member')`,
    [tenant, membership, id, dan.id],
  )
  await query('update organizations set member_count = member_count + 1 where id = $1', [id])

  const { status, body } = await accept(dan, invitation.id)

  assert.deepEqual([status, body.member.id, body.member.role], [200, membership, 'member'])
  assert.deepEqual([body.organization.role, body.organization.memberCount], ['member', 4])
  assert.equal((await ann.get(`${path}/invites/${invitation.id}`)).body.status, 'accepted')
  assert.deepEqual((await accept(dan, invitation.id)).body, body)
  const { data } = (await ann.get(`${path}/audit?action=member.joined`)).body
  assert.ok(data.every(({ actor }: Json) => actor.id !== dan.id))

  await dan.delete(`${path}/members/me`)
  assert.deepEqual(codeOf(await accept(dan, invitation.id)), [410, 'invitation_used'])
})

for (const [code, end] of Object.entries(ends)) {
  test(`only the invited person, once verified, learns that an invitation is ${code.replace('invitation_', '')}`, async () => {
    const acme = await world.organization()
    const { ann, ben, cleo, dan } = acme
    const eve = await world.person('Eve')
    const mallory = await world.person('Mallory', { verified: false })
    const invitation = await invite(acme, dan.email)
    await end(acme, invitation.id)

    for (const act of [accept, decline]) {
      for (const other of [ann, ben, cleo, eve, mallory]) {
        assert.deepEqual(codeOf(await act(other, invitation.id)), [403, 'invitation_for_another_email'], other.name)
      }
      await query('update users set email_verified = false where id = $1', [dan.id])
      assert.deepEqual(codeOf(await act(dan, invitation.id)), [403, 'email_not_verified'])
      await query('update users set email_verified = true where id = $1', [dan.id])
      assert.deepEqual(codeOf(await act(dan, invitation.id)), [410, code])
    }
    assert.deepEqual(await membershipsOf(dan), [])
  })
}

test("an unknown invitation, or another tenant's, is not found", async () => {
  const { slug } = await world.tenant()
  const acme = await world.organization({ tenant: slug })
  const dan = await world.person('Dan')
  const theirs = await invite(acme, dan.email)
  for (const id of [newId('inv'), theirs.id]) {
    assert.deepEqual(codeOf(await accept(dan, id)), [404, 'not_found'])
    assert.deepEqual(codeOf(await decline(dan, id)), [404, 'not_found'])
  }
  assert.deepEqual(codeOf(await accept(dan, dan.id)), [400, 'invalid_id'])
  const namesake = await world.person('Dan', { tenant: slug, email: dan.email })
  assert.equal((await accept(namesake, theirs.id)).status, 200, 'the same address is another person there')
  assert.deepEqual(await membershipsOf(dan), [])
})

test('accepting and declining need a session, and take no body', async () => {
  const acme = await world.organization()
  const { dan } = acme
  const { id } = await invite(acme, dan.email)
  for (const way of [`/api/invites/${id}/accept`, `/api/invites/${id}/decline`]) {
    assert.deepEqual(codeOf(await world.nobody.post(way)), [401, 'unauthenticated'])
    const answer = await dan.post(way, { token: tokenOf(id) })
    assert.deepEqual([...codeOf(answer), answer.body.errors[0].pointer], [400, 'invalid_request', '/token'])
  }
  assert.equal((await dan.post(`/api/invites/${id}/accept`, {})).status, 200)
})

test('an account with an unverified address cannot accept an invitation', async () => {
  const acme = await world.organization()
  const mallory = await world.person('Mallory', { verified: false })
  const invitation = await invite(acme, mallory.email)

  assert.deepEqual(codeOf(await accept(mallory, invitation.id)), [403, 'email_not_verified'])
  assert.deepEqual(codeOf(await decline(mallory, invitation.id)), [403, 'email_not_verified'])
  assert.deepEqual(await membershipsOf(mallory), [])

  const token = await world.mailedToken(mallory.email, 'invitation')
  assert.equal((await mallory.post('/api/auth/verify-email', { token })).status, 200)
  assert.equal((await accept(mallory, invitation.id)).status, 200)
})

test('another signed-in person cannot accept by the link', async () => {
  const acme = await world.organization()
  const { path, ann, dan } = acme
  const eve = await world.person('Eve')
  const invitation = await invite(acme, dan.email)
  const token = await world.mailedToken(dan.email, 'invitation')

  assert.equal((await eve.post(`/api/invites/${invitation.id}/preview`, { token })).status, 200, 'they hold the link')
  assert.deepEqual(codeOf(await accept(eve, invitation.id)), [403, 'invitation_for_another_email'])
  assert.deepEqual(codeOf(await accept(ann, invitation.id)), [403, 'invitation_for_another_email'])
  assert.deepEqual(codeOf(await decline(eve, invitation.id)), [403, 'invitation_for_another_email'])
  assert.deepEqual(codeOf(await eve.post('/api/auth/verify-email', { token })), [403, 'sign_in_required'])
  assert.deepEqual(codeOf(await signUp(address(), token)), [403, 'invitation_for_another_email'])

  assert.equal((await ann.get(`${path}/invites/${invitation.id}`)).body.status, 'pending')
  assert.deepEqual(await membershipsOf(eve), [])
  assert.equal((await preview(invitation.id, token)).status, 200, 'none of it spent the link')
})

test('a forged or altered token never joins; the organization comes from the stored invitation', async () => {
  const [acme, other] = await Promise.all([world.organization(), world.organization()])
  const { slug: elsewhere, id: elsewhereId } = await world.tenant()
  const email = address()
  const { id } = await invite(acme, email)
  const { id: otherId } = await invite(other, email)
  const right = tokenOf(id)
  const [head = '', row = '', mac = ''] = right.split('.')
  const flipped = mac.startsWith('A') ? `B${mac.slice(1)}` : `A${mac.slice(1)}`
  const forged = [
    `${head}.${row}.${flipped}`,
    `${head}.${otherId.slice(4)}.${mac}`,
    `${tokenOf(id, 1, elsewhereId).split('.')[0]}.${row}.${mac}`,
    `${head}.${row}.${Buffer.alloc(32).toString('base64url')}`,
    tokenOf(id, 2),
    tokenOf(id, 0),
    tokenOf(newId('inv')),
    tokenOf(id, 1, elsewhereId),
    makeMailedToken(world.keyring, 'verify_email', { tenant, id, generation: 1 }),
    makeMailedToken(world.keyring, 'invitation', { tenant, id: id.replace('inv', 'user'), generation: 1 }),
    right.slice(0, -1),
    `${right}A`,
    `${head}.${row}`,
    right.replace('ghm', 'ghs'),
    'wrong',
  ]

  for (const token of forged) {
    assert.deepEqual(codeOf(await preview(id, token)), [404, 'not_found'], token)
    assert.deepEqual(codeOf(await signUp(email, token)), [410, 'token_spent'], token)
  }
  assert.deepEqual(codeOf(await preview(otherId, right)), [404, 'not_found'], 'a token opens its own invitation alone')
  for (const token of ['', ' ', 'x'.repeat(201), 5, null, [right]]) {
    assert.deepEqual(codeOf(await preview(id, token)), [400, 'invalid_request'], JSON.stringify(token))
  }
  assert.deepEqual(codeOf(await preview(id, right, { 'guildhall-tenant': elsewhere })), [400, 'tenant_mismatch'])
  assert.deepEqual(await query('select from users where email = $1', [email]), [])

  const { status, body } = await signUp(email, right)
  assert.equal(status, 201)
  const guest = await world.signIn({ email } as Person) // signing in reads the address alone
  assert.deepEqual(await membershipsOf(body.user), [], 'signing up is not joining')
  await accept(guest, id)
  assert.deepEqual(await membershipsOf(body.user), [{ organization_id: acme.id, role: 'member' }])
})

test('accepting takes no redirect URL', async () => {
  const acme = await world.organization()
  const { dan } = acme
  const { id } = await invite(acme, dan.email)
  const token = tokenOf(id)
  for (const field of ['redirectUrl', 'redirect', 'next', 'callbackURL']) {
    const answer = await world.nobody.post(`/api/invites/${id}/preview`, { token, [field]: 'javascript:alert(1)' })
    assert.deepEqual([answer.status, answer.body.errors[0].pointer], [400, `/${field}`])
    assert.equal((await dan.post(`/api/invites/${id}/accept`, { [field]: 'https://evil.example' })).status, 400)
  }
  assert.equal((await accept(dan, id)).headers.get('location'), null)
})

test('declining returns the declined invitation, and it cannot be accepted any more', async () => {
  const acme = await world.organization()
  const { path, ann, dan } = acme
  const invitation = await invite(acme, dan.email)

  const { status, body } = await decline(dan, invitation.id)

  assert.deepEqual([status, body], [200, { ...invitation, status: 'declined' }])
  assert.deepEqual((await ann.get(`${path}/invites/${invitation.id}`)).body, body)
  for (const act of [accept, decline])
    assert.deepEqual(codeOf(await act(dan, invitation.id)), [410, 'invitation_declined'])
  assert.deepEqual(await membershipsOf(dan), [])
})

test('an accepted invitation cannot be declined', async () => {
  const acme = await world.organization()
  const { path, dan } = acme
  const invitation = await invite(acme, dan.email)
  await accept(dan, invitation.id)

  assert.deepEqual(codeOf(await decline(dan, invitation.id)), [410, 'invitation_used'])

  assert.equal((await dan.get(path)).status, 200)
})

test('an invitation ends when its inviter is removed or demoted', async () => {
  const acme = await world.organization()
  const { path, ann, ben, dan, members } = acme
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })
  const { body: invitation } = await ben.post(`${path}/invites`, { email: dan.email, role: 'owner' })
  const token = await world.mailedToken(dan.email, 'invitation')

  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'admin' })

  assert.deepEqual(codeOf(await accept(dan, invitation.id)), [410, 'invitation_revoked'])
  assert.deepEqual(await membershipsOf(dan), [])
  assert.deepEqual(codeOf(await dan.post('/api/auth/verify-email', { token })), [410, 'token_spent'])
})

test('a user who accepts the role of owner is one: the only other owner can leave', async () => {
  const acme = await world.organization()
  const { path, ann, dan } = acme
  const invitation = await invite(acme, dan.email, 'owner')
  assert.deepEqual(codeOf(await ann.delete(`${path}/members/me`)), [409, 'last_owner'], 'an invitation is no owner')

  await accept(dan, invitation.id)

  assert.equal((await ann.delete(`${path}/members/me`)).status, 200)
  assert.equal((await dan.get(path)).body.role, 'owner')
})

test('deleting an account ends the invitations to it, and erases the address', async () => {
  const acme = await world.organization()
  const { path, ann, dan } = acme
  const pending = await invite(acme, dan.email)

  assert.equal((await dan.delete('/api/users/me', { password })).status, 200)

  const { body } = await ann.get(`${path}/invites/${pending.id}`)
  assert.deepEqual([body.status, body.email], ['revoked', null])
  assert.deepEqual(codeOf(await preview(pending.id, tokenOf(pending.id))), [404, 'not_found'])
  assert.deepEqual(codeOf(await ann.post(`${path}/invites/${pending.id}/resend`)), [409, 'invitation_not_pending'])
  const namesake = await world.person('Dan', { email: dan.email })
  assert.deepEqual(codeOf(await accept(namesake, pending.id)), [403, 'invitation_for_another_email'])
})

test('who was put out comes back by no older invitation, whatever their address was then, or whether it was verified', async () => {
  const tess = await world.tenantAdmin()
  const mails = onEmailChanges(world)
  const acme = await world.organization()
  const { ann, id, path } = acme
  const addAndRemove = async ({ id: userId }: Person) => {
    const added = await tess.post(`/api/admin/organizations/${id}/members`, { userId })
    assert.equal(added.status, 201, JSON.stringify(added.body))
    assert.equal((await ann.delete(`${path}/members/${added.body.id}`)).status, 200)
  }

  const bob = await world.person('Bob', { verified: false })
  const older = await invite(acme, bob.email)
  await addAndRemove(bob)
  assert.equal((await mails.open(bob, await mails.linkTo(bob.email))).status, 200)
  assert.deepEqual(codeOf(await accept(bob, older.id)), [410, 'invitation_revoked'])
  assert.equal((await ann.get(`${path}/invites/${older.id}`)).body.status, 'revoked')

  const eve = await world.person('Eve')
  const [before, later] = [await invite(acme, address()), await invite(acme, address())]
  await addAndRemove(eve)
  await mails.change(eve, before.email)
  assert.deepEqual(codeOf(await accept(eve, before.id)), [410, 'invitation_revoked'])
  await mails.change(eve, later.email)
  assert.equal((await ann.post(`${path}/invites/${later.id}/resend`)).status, 200)
  assert.equal((await accept(eve, later.id)).status, 200, 'it was sent again after that')
})

test('one factor shows no metadata of an organization that requires two', async () => {
  const acme = await world.organization()
  const { ann, dan, id, path } = acme
  const metadata = { plan: 'pro' }
  assert.equal((await ann.patch(path, { metadata })).status, 200)
  const [gil, { token }] = [await world.person('Gil'), await makeLink(ann, id)]
  const join = () => gil.post('/api/links/join', { token })
  const invitation = await invite(acme, dan.email)
  await query(`update organizations set second_factor = 'required' where id = $1`, [id])
  const seen = async () => [
    (await accept(dan, invitation.id)).body.organization.metadata,
    (await dan.get('/api/organizations')).body.data[0].metadata,
    (await join()).body.organization.metadata,
  ]

  assert.deepEqual(await seen(), [{}, {}, {}])
  for (const person of [dan, gil]) assert.equal((await addPasskey(person)).answer.status, 201)
  assert.deepEqual(await seen(), [metadata, metadata, metadata])
})
