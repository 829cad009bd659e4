/** Invitations that are resent or revoked. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onInvitations } from '../../../test/invitations.ts'
import { makeLink } from '../../../test/membership-requests.ts'
import { until } from '../../../test/smtp.ts'
import { codeOf, createWorld, password } from '../../../test/world.ts'

const world = await createWorld({ worker: true })
const { query } = world.postgres
const { address, expire, inviteBy: invite, preview, statusOf } = onInvitations(world)
const { tenantId: tenant } = world

/** The token in a mail that is not one of the known ones. */
async function newToken(email: string, ...known: readonly string[]): Promise<string> {
  const find = async () => {
    const token = await world.mailedToken(email, 'invitation')
    return known.includes(token) ? undefined : token
  }
  return until(find, `a new mail to ${email}`)
}

test('nobody can resend an invitation for a role above their own, but revoke it', async () => {
  const acme = await world.organization()
  const { ann, ben, path } = acme
  const { body: invitation } = await invite(ann, acme, address(), 'owner')
  const way = `${path}/invites/${invitation.id}`

  assert.deepEqual(codeOf(await ben.post(`${way}/resend`)), [403, 'role_above_yours'])

  assert.deepEqual((await ben.get(way)).body, invitation, 'but an admin sees it')
  assert.equal((await ann.post(`${way}/resend`)).status, 200)
  assert.equal((await ben.delete(way)).status, 200, 'revoking gives nothing')
})

test('a resent invitation has a new link and seven more days; the old link is invalid, and the caller becomes the inviter', async () => {
  const acme = await world.organization()
  const { ann, ben, path } = acme
  const email = address()
  const { body: invitation } = await invite(ann, acme, email)
  const old = await world.mailedToken(email, 'invitation')
  await query(`update invitations set expires_at = now() + interval '1 hour' where id = $1`, [invitation.id])

  const { status, body } = await ben.post(`${path}/invites/${invitation.id}/resend`)

  assert.equal(status, 200)
  assert.deepEqual(
    { ...body, expiresAt: invitation.expiresAt },
    { ...invitation, invitedBy: { id: ben.id, name: 'Ben' } },
  )
  assert.ok(Math.abs(Date.parse(body.expiresAt) - Date.now() - 7 * 24 * 3600 * 1000) < 60_000)
  const fresh = await newToken(email, old)
  assert.deepEqual(codeOf(await preview(invitation.id, old)), [404, 'not_found'])
  assert.equal((await preview(invitation.id, fresh)).body.invitedBy.id, ben.id)
  const spent = await world.nobody.post('/api/auth/sign-up', { email, password, invitationToken: old })
  assert.deepEqual(codeOf(spent), [410, 'token_spent'])
  assert.equal((await world.nobody.post('/api/auth/sign-up', { email, password, invitationToken: fresh })).status, 201)
})

test('resending an expired invitation makes it pending again', async () => {
  const acme = await world.organization()
  const { ann, dan, path } = acme
  const { body: invitation } = await invite(ann, acme, dan.email)
  await expire(invitation.id)
  assert.deepEqual(codeOf(await dan.post(`/api/invites/${invitation.id}/accept`)), [410, 'invitation_expired'])

  const { body } = await ann.post(`${path}/invites/${invitation.id}/resend`)

  assert.equal(body.status, 'pending')
  assert.equal((await dan.post(`/api/invites/${invitation.id}/accept`)).status, 200)
})

test('an expired invitation that was closed by inviting again can be resent once the newer one is gone', async () => {
  const acme = await world.organization()
  const { ann, path } = acme
  const email = address()
  const { body: first } = await invite(ann, acme, email)
  await expire(first.id)
  const { body: second } = await invite(ann, acme, email)
  await ann.delete(`${path}/invites/${second.id}`)

  assert.equal((await ann.post(`${path}/invites/${first.id}/resend`)).body.status, 'pending')
  assert.deepEqual(codeOf(await invite(ann, acme, email)), [409, 'already_invited'])
})

test('an expired invitation to somebody who is a member now cannot be resent', async () => {
  const acme = await world.organization()
  const { id, ann, dan, path } = acme
  const { body: invitation } = await invite(ann, acme, dan.email)
  await expire(invitation.id)
  await world.join(ann, id, dan)
  assert.deepEqual(codeOf(await ann.post(`${path}/invites/${invitation.id}/resend`)), [409, 'already_a_member'])
})

test('an accepted, declined or revoked invitation can be neither resent nor revoked', async () => {
  const acme = await world.organization()
  const { ann, dan, path } = acme
  const { body: declined } = await invite(ann, acme, dan.email)
  await dan.post(`/api/invites/${declined.id}/decline`)
  const { body: revoked } = await invite(ann, acme, dan.email)
  await ann.delete(`${path}/invites/${revoked.id}`)
  const { body: accepted } = await invite(ann, acme, dan.email)
  await dan.post(`/api/invites/${accepted.id}/accept`)

  for (const { id } of [declined, revoked, accepted]) {
    const before = (await ann.get(`${path}/invites/${id}`)).body
    assert.deepEqual(codeOf(await ann.post(`${path}/invites/${id}/resend`)), [409, 'invitation_not_pending'])
    assert.deepEqual(codeOf(await ann.delete(`${path}/invites/${id}`)), [409, 'invitation_not_pending'])
    assert.deepEqual((await ann.get(`${path}/invites/${id}`)).body, before)
  }
  const { body: expired } = await invite(ann, acme, address())
  await expire(expired.id)
  assert.deepEqual(codeOf(await ann.delete(`${path}/invites/${expired.id}`)), [409, 'invitation_not_pending'])
})

test('a revoked invitation is shown as revoked, and its mail is no longer sent', async () => {
  const acme = await world.organization()
  const { ann, ben, dan, path } = acme
  const { body: invitation } = await invite(ann, acme, dan.email)

  const { status, body } = await ben.delete(`${path}/invites/${invitation.id}`)

  assert.deepEqual([status, body], [200, { ...invitation, status: 'revoked' }])
  assert.equal(await statusOf(acme, invitation.id), 'revoked')
  assert.deepEqual(codeOf(await dan.post(`/api/invites/${invitation.id}/accept`)), [410, 'invitation_revoked'])
})

test('resending or revoking an invitation is refused if it was revoked while the request waited', async () => {
  const acme = await world.organization()
  const { ann, path } = acme
  for (const act of ['resend', 'revoke']) {
    const { body } = await invite(ann, acme, address())
    const [answer] = await world.database.inTenant(tenant, async (sql) => {
      await sql`update invitations set status = 'revoked', email = null where tenant_id = ${tenant} and id = ${body.id}`
      const sent =
        act === 'resend' ? ann.post(`${path}/invites/${body.id}/resend`) : ann.delete(`${path}/invites/${body.id}`)
      await world.postgres.awaitLine(1)
      return [sent] as const // in a list, so that nobody waits for it before the commit
    })
    assert.deepEqual(codeOf(await answer), [409, 'invitation_not_pending'], act)
    assert.equal(await statusOf(acme, body.id), 'revoked')
  }
})

test('an invitation that nobody can accept, since a suspended membership has ended, is not sent again, and in nobody’s way', async () => {
  for (const many of [false, true]) {
    const acme = await world.organization()
    const { ann, dan, id, path } = acme
    const { body: older } = await invite(ann, acme, dan.email)
    const { token } = await makeLink(ann, id)
    const { body: joined } = await dan.post('/api/links/join', { token })
    assert.equal((await ann.patch(`${path}/members/${joined.member.id}`, { status: 'suspended' })).status, 200)
    await query('update memberships set expires_at = now() where id = $1', [joined.member.id])

    const again = await ann.post(`${path}/invites/${older.id}/resend`)
    assert.deepEqual(codeOf(again), [409, 'invitation_not_pending'])
    const sent = many
      ? await ann.post(`${path}/invites/bulk`, { invites: [{ email: dan.email }] })
      : await invite(ann, acme, dan.email)

    assert.equal(sent.status, many ? 200 : 201, JSON.stringify(sent.body))
    const { id: newer } = many ? sent.body.results[0].invitation : sent.body
    assert.equal(await statusOf(acme, older.id), 'revoked')
    const [entry] = (await ann.get(`${path}/audit?action=invitation.revoked`)).body.data
    assert.deepEqual([entry.target.id, entry.details], [older.id, { cause: 'invitee_excluded' }])
    assert.equal((await dan.post(`/api/invites/${newer}/accept`)).status, 200)
  }
})
