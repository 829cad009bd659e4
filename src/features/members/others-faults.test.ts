/** Faults of roles and memberships that other products had. Each test names where. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { makeLink } from '../../../test/membership-requests.ts'
import { statuses } from '../../../test/races.ts'
import { type Answer, createWorld, type Json } from '../../../test/world.ts'

const world = await createWorld()
const tess = await world.tenantAdmin()
const role = (key: string, ...permissions: string[]) => ({ key, name: key, permissions })
const permissions = [{ key: 'notes:void', name: 'Void', minimumRole: 'owner' }]
const roles = [role('voider', 'notes:void'), role('auditor', 'audit:read')]
assert.equal((await tess.put('/api/admin/access', { permissions, roles })).status, 200)
const answerOf = (answer: Answer) => statuses([answer])[0]

test('an owner invites an owner, and several roles at once are each judged (better-auth #8826, PR#8442)', async () => {
  const { ann, ben, path } = await world.organization()
  const invite = (body: object) => ({ email: `guest-${randomBytes(6).toString('hex')}@example.com`, ...body })
  assert.equal(answerOf(await ann.post(`${path}/invites`, invite({ role: 'owner' }))), '201')
  assert.equal(answerOf(await ben.post(`${path}/invites`, invite({ role: 'owner' }))), '403 role_above_yours')
  for (const each of ['member,owner', 'owner,member', ['member', 'owner'], 'member owner', '', 'OWNER'])
    assert.equal(
      answerOf(await ben.post(`${path}/invites`, invite({ role: each }))),
      '400 invalid_request',
      String(each),
    )
  const both = await ben.post(`${path}/invites`, invite({ grants: [{ role: 'auditor' }, { role: 'voider' }] }))
  assert.deepEqual([answerOf(both), both.body.missing], ['403 role_above_yours', ['notes:void']])
})

test('a role that comes with other data of a person gives nothing (better-auth PR#9974, PR#9962, formbricks #4890)', async () => {
  const { ann, cleo, path, members } = await world.organization()
  assert.equal(answerOf(await cleo.patch('/api/users/me', { name: 'Cleo', role: 'admin' })), '400 invalid_request')
  const signUp = { email: 'rolf@example.com', password: 'a long enough passphrase', role: 'admin' }
  assert.equal(answerOf(await world.nobody.post('/api/auth/sign-up', signUp)), '400 invalid_request')
  const own = `${path}/members/${members.cleo.id}`
  for (const body of [{ role: 'owner' }, { grants: [{ role: 'auditor' }] }, { status: 'active', role: 'admin' }])
    assert.equal(answerOf(await cleo.patch(own, body)), '403 forbidden', JSON.stringify(body))
  assert.deepEqual((await ann.get(own)).body.roles, ['member'])
})

test('a token with another tenant, row or seal opens nothing (Keycloak CVE-2026-1529)', async () => {
  const { ann, ben, dan, id } = await world.organization()
  const { token } = await makeLink(ann, id)
  const other = await world.organization()
  const { token: foreign } = await makeLink(other.ann, other.id)
  const [head, row, seal] = token.split('.') as [string, string, string]
  const [, foreignRow, foreignSeal] = foreign.split('.') as [string, string, string]
  const forged = [
    [head, foreignRow, seal],
    [head, row, foreignSeal],
    [head, row, 'A'.repeat(seal.length)],
    [head, row, ''],
    [head, row],
  ].map((parts) => parts.join('.'))
  for (const each of forged) {
    const answer = await dan.post('/api/links/join', { token: each })
    assert.ok(['404 not_found', '400 invalid_request'].includes(answerOf(answer) as string), `${each} ${answer.status}`)
  }
  assert.deepEqual((await dan.get('/api/organizations')).body.data, [])
  assert.equal((await ben.get(`/api/organizations/${id}`)).body.memberCount, 3)
})

test('what lets people in is shown to nobody who may not invite (Mattermost CVE-2026-2463)', async () => {
  const { ann, ben, cleo, dan, path, id, members } = await world.organization()
  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'auditor' }] })
  const { body: link } = await ann.post(`${path}/links`, {})
  const { body: invitation } = await ann.post(`${path}/invites`, { email: dan.email })
  const secret = link.url.split('#token=')[1]
  assert.ok(secret)
  for (const each of ['', '/members', '/members/me', '/roles', '/audit']) {
    const { status, body } = await cleo.get(path + each)
    assert.equal(status, 200, each)
    assert.ok(!JSON.stringify(body).includes(secret), each)
  }
  for (const each of ['/invites', `/invites/${invitation.id}`, '/links', `/links/${link.id}`])
    assert.equal(answerOf(await cleo.get(path + each)), '403 forbidden', each)
  // An id without the mailbox lets nobody else in.
  const eve = await world.person('Eve')
  assert.equal(answerOf(await eve.post(`/api/invites/${invitation.id}/accept`)), '403 invitation_for_another_email')
  assert.ok(!JSON.stringify((await ben.get(`${path}/audit`)).body).includes(secret))
  assert.equal((await eve.get(`/api/organizations/${id}`)).status, 404)
})

test('what is switched off or taken out of the model is gone from every answer at once (Keycloak CVE-2026-9791)', async () => {
  const { ann, cleo, dan, path, id, members } = await world.organization()
  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'voider' }] })
  const { token } = await makeLink(ann, id)
  const checkOf = async () =>
    (await cleo.post('/api/check', { checks: [{ organizationId: id, permission: 'notes:void' }] })).body.results[0]
  assert.equal((await checkOf()).allowed, true)

  await tess.patch('/api/admin/tenant', { shareLinks: false })
  assert.equal(answerOf(await dan.post('/api/links/preview', { token })), '410 link_ended')
  assert.equal(answerOf(await dan.post('/api/links/join', { token })), '410 link_ended')
  assert.equal(answerOf(await ann.post(`${path}/links`, {})), '403 not_offered')
  await tess.patch('/api/admin/tenant', { shareLinks: true })

  const fewer = { permissions: [], roles: [role('auditor', 'audit:read')] }
  assert.equal(answerOf(await tess.put('/api/admin/access', fewer)), '409 role_in_use')
  assert.equal((await tess.put('/api/admin/access?drop=voider,notes:void', fewer)).status, 200)
  assert.deepEqual(await checkOf(), { allowed: false, reason: 'unknown_permission' })
  for (const each of ['/members/me', `/members/${members.cleo.id}`, '/members', '/roles'])
    assert.doesNotMatch(JSON.stringify((await ann.get(path + each)).body), /voider|notes:void/, each)
  assert.doesNotMatch(JSON.stringify((await cleo.get(`${path}/members/me`)).body), /voider|notes:void/)
  assert.equal((await tess.put('/api/admin/access', { permissions, roles })).status, 200)
  assert.deepEqual((await cleo.get(`${path}/members/me`)).body.grants, [], 'a role of the same name is another one')
})

test('a removed member has nothing left, and can join again as a new one (dust #21946)', async () => {
  const { ann, cleo, path, members } = await world.organization()
  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'auditor' }], role: 'admin' })
  await ann.patch(`${path}/members/${members.cleo.id}`, { status: 'suspended' })
  assert.equal((await ann.delete(`${path}/members/${members.cleo.id}`)).status, 200)
  assert.equal((await ann.get(`${path}/members?status=all`)).body.data.length, 2)

  const { body: invitation } = await ann.post(`${path}/invites`, { email: cleo.email })
  const { status, body } = await cleo.post(`/api/invites/${invitation.id}/accept`)

  assert.equal(status, 200)
  const { status: state, role: given, grants, id } = body.member as Json
  assert.deepEqual([state, given, grants], ['active', 'member', []])
  assert.notEqual(id, members.cleo.id)
  assert.equal((await cleo.get(path)).status, 200)
})
