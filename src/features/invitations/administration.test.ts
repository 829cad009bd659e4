/** Invitations to any organization, in the hands of an admin of the tenant. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onInvitations } from '../../../test/invitations.ts'
import { until } from '../../../test/smtp.ts'
import { codeOf, createWorld, type Json, type Organization, type Person } from '../../../test/world.ts'

const world = await createWorld({ worker: true })
const { query } = world.postgres
const tess = await world.tenantAdmin()
const { accept, address, expire, statusOf } = onInvitations(world)
const pathOf = ({ id }: Pick<Organization, 'id'>) => `/api/admin/organizations/${id}/invites`

async function inviteAs(admin: Person, acme: Organization, email: string, body: object = {}): Promise<Json> {
  const answer = await admin.post(pathOf(acme), { email, ...body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

async function mailTo(email: string): Promise<Json> {
  return until(async () => (await world.mails(email))[0], `a mail to ${email}`)
}

test('an admin of the tenant invites as an owner could, and the mail does not name them as a member', async () => {
  const acme = await world.organization()
  const { ann, dan, path } = acme

  const answer = await tess.post(pathOf(acme), { email: dan.email, role: 'owner' })

  assert.deepEqual([answer.status, answer.body.role, answer.body.invitedBy.id], [201, 'owner', tess.id])
  assert.equal(answer.headers.get('location'), `${pathOf(acme)}/${answer.body.id}`)
  assert.deepEqual((await tess.get(`${pathOf(acme)}/${answer.body.id}`)).body, answer.body)
  assert.deepEqual((await tess.get(`${pathOf(acme)}?status=pending`)).body.data, [answer.body])
  const [entry] = (await ann.get(`${path}/audit`)).body.data
  assert.deepEqual(
    [entry.action, entry.actor.id, entry.details],
    ['invitation.sent', tess.id, { role: 'owner', via: 'admin' }],
  )
  const mail = await mailTo(dan.email)
  assert.match(mail.subject, /^An admin of .* invited you to Acme/)
  assert.doesNotMatch(`${mail.subject} ${mail.text}`, /Tess/)
  assert.equal((await accept(dan, answer.body.id)).body.member.role, 'owner')
})

test('an invitation by an admin who is a member names them, as that of another member does', async () => {
  const acme = await world.organization()
  const admin = await world.tenantAdmin()
  await world.join(acme.ann, acme.id, admin)
  const { body } = await admin.get('/api/users/me')
  const email = address()

  await inviteAs(admin, acme, email, { role: 'admin' })

  const mail = await mailTo(email)
  assert.ok(mail.subject.startsWith(`${body.name ?? 'Someone'} invited you`), mail.subject)
})

test('an admin of the tenant sends again and revokes what others have sent, and becomes the inviter', async () => {
  const acme = await world.organization()
  const { ann, ben, dan, path, members } = acme
  const { body: sent } = await ben.post(`${path}/invites`, { email: dan.email })
  await expire(sent.id)

  const again = await tess.post(`${pathOf(acme)}/${sent.id}/resend`, { expiresInDays: 2 })
  await ann.delete(`${path}/members/${members.ben.id}`)

  assert.deepEqual([again.status, again.body.status, again.body.invitedBy.id], [200, 'pending', tess.id])
  assert.equal(await statusOf(acme, sent.id), 'pending', 'it is the admin’s now')
  const stale = await tess.delete(`${pathOf(acme)}/${sent.id}`, undefined, { 'if-match': '"0.pending"' })
  assert.deepEqual(codeOf(stale), [412, 'version_mismatch'])
  const etag = again.headers.get('etag') ?? ''
  const revoked = await tess.delete(`${pathOf(acme)}/${sent.id}`, undefined, { 'if-match': etag })
  assert.deepEqual([revoked.status, revoked.body.status], [200, 'revoked'])
  assert.deepEqual(codeOf(await tess.delete(`${pathOf(acme)}/${sent.id}`)), [409, 'invitation_not_pending'])
  assert.deepEqual(codeOf(await accept(dan, sent.id)), [410, 'invitation_revoked'])
})

test('an admin of the tenant finds invitations by the words of their addresses, together with their state', async () => {
  const acme = await world.organization()
  for (const email of ['lena.fischer@example.org', 'max@fischer.example', 'lena@elsewhere.example'])
    await inviteAs(tess, acme, email)
  const { body: revoked } = await acme.ann.post(`${acme.path}/invites`, { email: 'lena.revoked@example.org' })
  await tess.delete(`${pathOf(acme)}/${revoked.id}`)
  const found = async (typed: string, status = 'pending') => {
    const answer = await tess.get(`${pathOf(acme)}?status=${status}&query=${encodeURIComponent(typed)}`)
    assert.equal(answer.status, 200, typed)
    return answer.body.data.map(({ email }: Json) => email).sort()
  }

  assert.deepEqual(await found('fisch'), ['lena.fischer@example.org', 'max@fischer.example'])
  assert.deepEqual(await found('FISCHER len'), ['lena.fischer@example.org'])
  assert.deepEqual(await found('@elsewhere'), ['lena@elsewhere.example'])
  assert.deepEqual(await found('lena@'), ['lena@elsewhere.example'])
  assert.deepEqual(await found('lena', 'revoked'), ['lena.revoked@example.org'])
  assert.deepEqual(await found('ischer'), [])
})

test('many are invited at once, each judged by itself', async () => {
  const acme = await world.organization()
  const invites = [{ email: address() }, { email: acme.cleo.email }, { email: address(), role: 'owner' }]

  const { status, body } = await tess.post(`${pathOf(acme)}/bulk`, { invites })

  assert.equal(status, 200)
  assert.deepEqual(
    body.results.map(({ outcome }: Json) => outcome),
    ['sent', 'already_a_member', 'sent'],
  )
})

test('an invitation of an admin ends with their right to it: demoted, suspended or deleted', async () => {
  const losses: Readonly<Record<string, (admin: Person) => Promise<unknown>>> = {
    demoted: (admin) => tess.patch(`/api/admin/users/${admin.id}`, { role: 'user' }),
    suspended: (admin) => tess.patch(`/api/admin/users/${admin.id}`, { status: 'suspended' }),
    deleted: (admin) => tess.delete(`/api/admin/users/${admin.id}`),
  }
  for (const [name, lose] of Object.entries(losses)) {
    const acme = await world.organization()
    const admin = await world.tenantAdmin()
    const { id } = await inviteAs(admin, acme, acme.dan.email)
    assert.equal(await statusOf(acme, id), 'pending')

    await lose(admin)

    assert.equal(await statusOf(acme, id), 'revoked', name)
    assert.deepEqual(codeOf(await accept(acme.dan, id)), [410, 'invitation_revoked'], name)
  }
})

test('nothing dead is accepted, even if nobody has closed it yet', async () => {
  const acme = await world.organization()
  const admin = await world.tenantAdmin()
  const { id } = await inviteAs(admin, acme, acme.dan.email)
  await query(`update users set role = 'user' where id = $1`, [admin.id])

  assert.equal(await statusOf(acme, id), 'pending')
  assert.deepEqual(codeOf(await accept(acme.dan, id)), [410, 'invitation_revoked'])
})

test('an admin who is put out of an organization takes along what they offered there, and may invite again', async () => {
  const acme = await world.organization()
  const admin = await world.tenantAdmin()
  const { id: memberId } = await world.join(acme.ann, acme.id, admin, 'admin')
  const { id } = await inviteAs(admin, acme, acme.dan.email)

  await acme.ann.delete(`${acme.path}/members/${memberId}`)

  assert.equal(await statusOf(acme, id), 'revoked')
  const { id: next } = await inviteAs(admin, acme, acme.dan.email)
  assert.equal((await accept(acme.dan, next)).status, 200)
})

test('what an admin offered in an organization stays if their membership there gets more, and goes with a suspension', async () => {
  const [permissions, role] = [
    [{ key: 'invoices:write', name: 'Write' }],
    { key: 'biller', name: 'Biller', permissions: ['invoices:write'] },
  ]
  assert.equal((await tess.put('/api/admin/access', { permissions, roles: [role] })).status, 200)
  const [acme, admin] = [await world.organization(), await world.tenantAdmin()]
  const { ann, path } = acme
  const { id: memberId } = await world.join(ann, acme.id, admin)
  const change = async (body: object) => {
    const { status, body: answer } = await ann.patch(`${path}/members/${memberId}`, body)
    assert.equal(status, 200, JSON.stringify(answer))
  }
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  await change({ expiresAt: inHours(2) })
  const { id: first } = await inviteAs(admin, acme, acme.dan.email, { role: 'admin' })

  await change({ grants: [{ role: 'biller' }] })
  await change({ expiresAt: inHours(3) })
  await query(`update memberships set status = 'suspended', suspended_at = now() where id = $1`, [memberId])
  await change({ status: 'active' })
  assert.equal(await statusOf(acme, first), 'pending')
  assert.equal((await accept(acme.dan, first)).status, 200)

  const losses = [{ status: 'suspended' }, { expiresAt: inHours(1) }, { grants: [] }]
  for (const loss of losses) {
    const { id: next } = await inviteAs(admin, acme, address())
    await change(loss)
    assert.equal(await statusOf(acme, next), 'revoked', JSON.stringify(loss))
    await change({ status: 'active' })
  }
})

test('the same key sends one invitation, and its answer is given again', async () => {
  const acme = await world.organization()
  const email = address()
  const send = () => tess.post(pathOf(acme), { email }, { 'idempotency-key': `invite-${email}` })

  const answers = await Promise.all([send(), send(), send()])

  assert.equal(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size, 1)
  assert.equal((await query('select from invitations where email = $1', [email])).length, 1)
  const { body } = await tess.post(`${pathOf(acme)}/${answers[0]?.body.id}/resend`, {}, { 'idempotency-key': email })
  const replayed = await tess.post(`${pathOf(acme)}/${body.id}/resend`, {}, { 'idempotency-key': email })
  assert.deepEqual([replayed.headers.get('idempotent-replayed'), replayed.body], ['true', body])
})

test('a demotion at the same time leaves no invitation of the demoted admin', async () => {
  for (let round = 0; round < 5; round++) {
    const acme = await world.organization()
    const admin = await world.tenantAdmin()
    const [sent, demoted] = await Promise.all([
      admin.post(pathOf(acme), { email: address() }),
      tess.patch(`/api/admin/users/${admin.id}`, { role: 'user' }),
    ])
    assert.equal(demoted.status, 200)
    assert.ok([201, 403].includes(sent.status), JSON.stringify(sent.body))
    const left = await query(`select from invitations where organization_id = $1 and status = 'pending'`, [acme.id])
    assert.equal(left.length, 0)
  }
})

test('only admins of this tenant get in, and a suspended one is out', async () => {
  const acme = await world.organization()
  const [suspended, other] = [await world.tenantAdmin(), await world.tenant()]
  const foreign = await world.tenantAdmin(other.slug)
  const { id } = await inviteAs(tess, acme, address())
  await tess.patch(`/api/admin/users/${suspended.id}`, { status: 'suspended' })
  const callers: readonly [Person, number][] = [
    [acme.ann, 403],
    [foreign, 404],
    [suspended, 401],
  ]
  for (const [caller, status] of callers) {
    for (const answer of [
      await caller.get(pathOf(acme)),
      await caller.get(`${pathOf(acme)}/${id}`),
      await caller.get(`/api/admin/organizations/${acme.id}/roles`),
      await caller.post(pathOf(acme), { email: address() }),
      await caller.post(`${pathOf(acme)}/bulk`, { invites: [{ email: address() }] }),
      await caller.post(`${pathOf(acme)}/${id}/resend`),
      await caller.delete(`${pathOf(acme)}/${id}`),
    ])
      assert.equal(answer.status, status)
  }
  assert.equal(await statusOf(acme, id), 'pending')
})
