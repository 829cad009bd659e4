/** Inviters: what happens to their invitations when they lose the permission, or leave. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onInvitations } from '../../../test/invitations.ts'
import { type Answer, codeOf, createWorld, type Json, type Organization, password } from '../../../test/world.ts'

const world = await createWorld()
const { address, expire, inviteBy: invite, statusOf } = onInvitations(world)

/** Each way in which an inviter loses the right to what they sent, which of their invitations (by role) that ends, and the recorded cause. */
const losses: Readonly<
  Record<
    string,
    { of: 'owner' | 'admin'; lose: (acme: Organization) => Promise<Answer>; ends: string[]; cause?: string }
  >
> = {
  'is removed': {
    of: 'admin',
    lose: ({ ann, path, members }) => ann.delete(`${path}/members/${members.ben.id}`),
    ends: ['admin', 'member'],
    cause: 'inviter_removed',
  },
  leaves: {
    of: 'admin',
    lose: ({ ben, path }) => ben.delete(`${path}/members/me`),
    ends: ['admin', 'member'],
    cause: 'inviter_left',
  },
  'is demoted to member': {
    of: 'admin',
    lose: ({ ann, path, members }) => ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' }),
    ends: ['admin', 'member'],
    cause: 'inviter_demoted',
  },
  'deletes their account': {
    of: 'admin',
    lose: ({ ben }) => ben.delete('/api/users/me', { password }),
    ends: ['admin', 'member'],
  },
  'is demoted from owner to admin': {
    of: 'owner',
    lose: ({ ann, path, members }) => ann.patch(`${path}/members/${members.ben.id}`, { role: 'admin' }),
    ends: ['owner'],
    cause: 'inviter_demoted',
  },
  'demotes themselves from owner to member': {
    of: 'owner',
    lose: ({ ben, path, members }) => ben.patch(`${path}/members/${members.ben.id}`, { role: 'member' }),
    ends: ['owner', 'admin', 'member'],
    cause: 'inviter_demoted',
  },
  'is promoted from admin to owner': {
    of: 'admin',
    lose: ({ ann, path, members }) => ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' }),
    ends: [],
  },
}

for (const [name, { of, lose, ends, cause }] of Object.entries(losses)) {
  test(`an invitation ends with its inviter's right to send it: the inviter ${name}`, async () => {
    const acme = await world.organization()
    const { ann, ben, path, members } = acme
    if (of === 'owner') await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })
    const sent: Record<string, Json> = {}
    for (const role of of === 'owner' ? ['owner', 'admin', 'member'] : ['admin', 'member']) {
      const guest = await world.person('Guest')
      sent[role] = { guest, id: (await invite(ben, acme, guest.email, role)).body.id }
    }
    const { body: anns } = await invite(ann, acme, address())
    const { body: expired } = await invite(ben, acme, address())
    await expire(expired.id)
    const { body: elsewhere } = await ben.post('/api/organizations', { name: 'Elsewhere' })
    await world.join(ben, elsewhere.id, ann, 'owner')
    const { body: other } = await ben.post(`/api/organizations/${elsewhere.id}/invites`, { email: address() })

    assert.equal((await lose(acme)).status, 200)

    for (const [role, { id, guest }] of Object.entries(sent)) {
      const isEnded = ends.includes(role)
      assert.equal(await statusOf(acme, id), isEnded ? 'revoked' : 'pending', role)
      const accepted = await guest.post(`/api/invites/${id}/accept`)
      assert.deepEqual(codeOf(accepted), isEnded ? [410, 'invitation_revoked'] : [200], role)
    }
    assert.equal(await statusOf(acme, anns.id), 'pending', 'others’ invitations stay')
    if (name !== 'deletes their account') {
      assert.equal(await statusOf(acme, expired.id), 'expired')
      const { body } = await ann.get(`/api/organizations/${elsewhere.id}/invites/${other.id}`)
      assert.equal(body.status, 'pending', 'in another organization they have the right still')
    }
    const { data } = (await ann.get(`${path}/audit?action=invitation.revoked`)).body
    const revoked = data.map(({ target }: Json) => target.id).sort()
    const told = revoked.filter((id: string) => id !== expired.id)
    assert.deepEqual(told, ends.map((role) => sent[role].id).sort())
    for (const { details } of data) assert.equal(details?.cause, cause)
  })
}

test('an invitation that another admin resent survives the first inviter, and ends with the second', async () => {
  const acme = await world.organization()
  const { ann, ben, path, members } = acme
  const { body: invitation } = await invite(ben, acme, address())
  await ann.post(`${path}/invites/${invitation.id}/resend`)

  await ann.delete(`${path}/members/${members.ben.id}`)
  assert.equal(await statusOf(acme, invitation.id), 'pending')

  const eve = await world.person('Eve')
  const { id } = await world.join(ann, acme.id, eve, 'admin')
  await eve.post(`${path}/invites/${invitation.id}/resend`)
  await ann.delete(`${path}/members/${id}`)
  assert.equal(await statusOf(acme, invitation.id), 'revoked')
})

test('deleting the inviter keeps the history of invitations', async () => {
  const acme = await world.organization()
  const { ann, ben, dan, path } = acme
  const { body: accepted } = await invite(ben, acme, dan.email)
  await dan.post(`/api/invites/${accepted.id}/accept`)
  const { body: pending } = await invite(ben, acme, address())

  await ben.delete('/api/users/me', { password })

  const { data } = (await ann.get(`${path}/invites`)).body
  const kept = new Map<string, Json>(data.map((each: Json) => [each.id, each]))
  assert.deepEqual([kept.get(accepted.id).status, kept.get(accepted.id).invitedBy], ['accepted', null])
  assert.deepEqual([kept.get(pending.id).status, kept.get(pending.id).invitedBy], ['revoked', null])
  assert.equal((await dan.get(path)).status, 200, 'and who came by them stays')
})
