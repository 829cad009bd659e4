import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, createWorld, type Person, type Program } from '../../../test/world.ts'
import { newKeyToken } from './tokens.ts'

const world = await createWorld()
const { query } = world.postgres
await query('update tenants set personal_keys = true, organization_keys = true')

test('a person’s key does what its scopes and its person may, whichever is less', async () => {
  const { ann, cleo, path } = await world.organization()
  const ofOwner = await world.key(['me:read', 'members:read', 'organization:update'], { person: ann })
  const ofMember = await world.key(['organization:read', 'organization:update'], { person: cleo })

  assert.equal((await ofOwner.get('/api/users/me')).body.id, ann.id)
  assert.equal((await ofOwner.get(`${path}/members`)).status, 200)
  assert.equal((await ofOwner.patch(path, { name: 'By key' })).status, 200)
  const unscoped = await ofOwner.get(`${path}/audit`)
  assert.deepEqual([...codeOf(unscoped), unscoped.body.scope], [403, 'insufficient_scope', 'audit:read'])
  assert.equal((await ofMember.get(path)).body.role, 'member')
  assert.deepEqual(codeOf(await ofMember.patch(path, { name: 'By key' })), [403, 'forbidden'])
})

test('a person’s key that is limited to an organization finds no other one', async () => {
  const { ann, id, path } = await world.organization()
  const { body: other } = await ann.post('/api/organizations', { name: 'Other' })
  const key = await world.key(['organization:read', 'organization:update'], { person: ann, organization: id })

  assert.equal((await key.get(path)).status, 200)
  assert.deepEqual(codeOf(await key.get(`/api/organizations/${other.id}`)), [404, 'not_found'])
  assert.deepEqual(codeOf(await key.patch(`/api/organizations/${other.slug}`, { name: 'Mine' })), [404, 'not_found'])
})

test('an organization’s key acts in its organization alone, and as nobody', async () => {
  const { ann, cleo, id, path, members } = await world.organization()
  const { path: elsewhere } = await world.organization()
  const key = await world.key(
    [
      'organization:read',
      'organization:update',
      'members:read',
      'members:update',
      'members:remove',
      'invitations:write',
    ],
    { organization: id, holder: ann.id },
  )

  const { body } = await key.get(path)
  assert.deepEqual([body.role, body.roles, body.membership], [null, [], null])
  assert.equal((await key.patch(path, { name: 'By key' })).status, 200)
  assert.equal((await key.get(`${path}/members`)).body.data.length, 3)
  assert.deepEqual(codeOf(await key.get(`${path}/members/me`)), [404, 'not_found'])
  assert.deepEqual(codeOf(await key.get(elsewhere)), [404, 'not_found'])
  assert.deepEqual(codeOf(await key.get('/api/users/me')), [403, 'insufficient_scope'])
  const invited = await key.post(`${path}/invites`, { email: 'new@example.com' })
  assert.equal(invited.status, 201)
  assert.equal((await key.delete(`${path}/members/${members.cleo.id}`)).status, 200)
  assert.deepEqual(codeOf(await cleo.get(path)), [404, 'not_found'])
  const above = await key.delete(`${path}/members/${members.ann.id}`)
  assert.deepEqual(codeOf(above), [403, 'role_above_yours'])
})

test('a tenant’s key acts in each organization, and on the tenant’s people', async () => {
  const { dan, path } = await world.organization()
  const key = await world.key(['organization:read', 'users:read', 'users:write', 'users:delete', 'sessions:end'])

  assert.equal((await key.get(path)).status, 200)
  assert.equal((await key.get(`/api/admin/users/${dan.id}`)).body.id, dan.id)
  assert.equal((await key.patch(`/api/admin/users/${dan.id}`, { name: 'Daniel' })).body.name, 'Daniel')
  assert.equal((await key.post('/api/admin/users', { email: 'made@example.com' })).status, 201)
  assert.equal((await key.delete(`/api/admin/users/${dan.id}/devices`)).status, 200)
  assert.equal((await key.delete(`/api/admin/users/${dan.id}`)).status, 200)
  assert.deepEqual(codeOf(await key.get('/api/admin/audit')), [403, 'insufficient_scope'])
})

test('a tenant’s key acts on no admin of the tenant, and makes none', async () => {
  const [tess, ann] = await Promise.all([world.tenantAdmin(), world.person()])
  const key = await world.key(['users:write', 'users:delete', 'sessions:end'])
  const user = `/api/admin/users/${tess.id}`

  const refused = await Promise.all([
    key.patch(user, { name: 'Tom' }),
    key.patch(user, { status: 'suspended' }),
    key.patch(user, { role: 'user' }),
    key.delete(user),
    key.delete(`${user}/devices`),
    key.patch(`/api/admin/users/${ann.id}`, { role: 'admin' }),
    key.post('/api/admin/users', { email: 'boss@example.com', role: 'admin' }),
  ])

  for (const answer of refused) assert.deepEqual(codeOf(answer), [403, 'role_above_yours'])
  assert.equal((await tess.get('/api/users/me')).status, 200)
})

test('a key does nothing that needs a session', async () => {
  const { ann, path, members } = await world.organization()
  const key = await world.key(['me:read', 'me:update', 'organization:update', 'members:read'], { person: ann })
  const asked: [keyof Program & ('get' | 'post' | 'patch' | 'delete'), string, object?][] = [
    ['get', '/api/users/me/devices'],
    ['delete', '/api/users/me', { password: 'x' }],
    ['post', '/api/users/me/password', { currentPassword: 'x', newPassword: 'a long enough passphrase' }],
    ['patch', '/api/users/me', { email: 'mine@example.com' }],
    ['patch', path, { secondFactor: 'required' }],
    ['post', `${path}/transfer`, { memberId: members.ben.id }],
  ]
  for (const [method, place, body] of asked) {
    const answer = await key[method](place, body as never)
    assert.deepEqual([...codeOf(answer), answer.body.scope], [403, 'insufficient_scope', null], `${method} ${place}`)
  }
})

test('what is no key that lives is answered alike', async () => {
  const { ann, id, path } = await world.organization()
  const keys = {
    ended: await world.key(['organization:read'], { person: ann }),
    expired: await world.key(['organization:read'], { person: ann, expiresAt: '2020-01-01T00:00:00Z' }),
    ofSuspended: await world.key(['organization:read'], { person: ann }),
    notOffered: await world.key(['organization:read'], { person: ann }),
    ofOrganization: await world.key(['organization:read'], { organization: id }),
  }
  const refuse = async (key: Program) => {
    for (const answer of [await key.get(path), await key.patch(path, { name: 'x' })])
      assert.deepEqual(codeOf(answer), [401, 'unauthenticated'])
  }

  await query('update api_keys set ended_at = now() where id = $1', [keys.ended.id])
  await refuse(keys.ended)
  await refuse(keys.expired)
  await query('update tenants set personal_keys = false, organization_keys = false')
  await refuse(keys.notOffered)
  await refuse(keys.ofOrganization)
  await query('update tenants set personal_keys = true, organization_keys = true')
  assert.equal((await keys.notOffered.get(path)).status, 200)
  await query(`update users set status = 'suspended' where id = $1`, [ann.id])
  await refuse(keys.ofSuspended)
  const unknown = newKeyToken(world.tenantId).token
  for (const token of [unknown, `${unknown.slice(0, -1)}${unknown.endsWith('A') ? 'B' : 'A'}`])
    assert.deepEqual(codeOf(await world.nobody.get(path, { authorization: `Bearer ${token}` })), [
      401,
      'unauthenticated',
    ])
})

test('a key in a cookie or a query is none, and one of an organization or the tenant in a page is refused', async () => {
  const { ann, id, path } = await world.organization()
  const personal = await world.key(['organization:read'], { person: ann })
  const ofTenant = await world.key(['organization:read'])
  const ofOrganization = await world.key(['organization:read'], { organization: id })

  for (const key of [personal, ofTenant]) {
    assert.deepEqual(codeOf(await world.nobody.get(path, { cookie: `guildhall=${key.token}` })), [
      401,
      'unauthenticated',
    ])
    assert.deepEqual(codeOf(await world.nobody.get(`${path}?access_token=${key.token}`)), [401, 'unauthenticated'])
  }
  for (const headers of [{ origin: 'https://app.example.com' }, { 'sec-fetch-site': 'same-origin' }]) {
    assert.equal((await personal.get(path, headers)).status, 200)
    for (const key of [ofTenant, ofOrganization])
      assert.deepEqual(codeOf(await key.get(path, headers)), [403, 'cross_site'])
  }
})

test('a suspended membership, a required second factor and the key’s own end count for a person’s key', async () => {
  const { ann, cleo, id, path, members } = await world.organization()
  const key = await world.key(['organization:read'], { person: cleo })
  const proven = await world.key(['organization:read'], { person: cleo, assurance: 2 })
  await query(`update organizations set second_factor = 'required' where id = $1`, [id])
  assert.deepEqual(codeOf(await key.get(path)), [403, 'second_factor_required'])
  assert.equal((await proven.get(path)).status, 200)
  await query(`update organizations set second_factor = 'optional' where id = $1`, [id])
  await ann.patch(`${path}/members/${members.cleo.id}`, { status: 'suspended' })
  assert.deepEqual(codeOf(await key.get(path)), [403, 'membership_suspended'])

  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const inviting = await world.key(['invitations:write'], { person: ann, expiresAt: soon })
  const tooLong = await inviting.post(`${path}/invites`, { email: 'a@example.com', role: 'member' })
  assert.deepEqual([...codeOf(tooLong), tooLong.body.until], [403, 'role_above_yours', soon])
})

test('an answer is kept for the key that asked', async () => {
  const { ann, id, path } = await world.organization()
  const [one, other] = await Promise.all(
    [1, 2].map(() => world.key(['invitations:write'], { organization: id, holder: ann.id })),
  )
  assert.ok(one && other)
  const invite = (key: Program) =>
    key.post(`${path}/invites`, { email: 'twice@example.com' }, { 'idempotency-key': '"once"' })

  const first = await invite(one)
  assert.equal(first.status, 201)
  assert.deepEqual((await invite(one)).body, first.body)
  assert.deepEqual(codeOf(await invite(other)), [409, 'already_invited'])
})

test('a check by a key answers for the key, and by the tenant’s key for users', async () => {
  const { ann, cleo, id } = await world.organization()
  const { id: other } = await world.organization()
  const check = async (key: Program, permission: string, organizationId: string, userId?: string) => {
    const answer = await key.post('/api/check', { checks: [{ organizationId, permission, ...(userId && { userId }) }] })
    return answer.status === 200 ? (answer.body.results[0].reason ?? 'allowed') : answer.body.code
  }
  const personal = await world.key(['members:read'], { person: ann, organization: id })
  const ofOrganization = await world.key(['members:read'], { organization: id })
  const ofTenant = await world.key(['members:read', 'users:read'])

  for (const key of [personal, ofOrganization]) {
    assert.equal(await check(key, 'members:read', id), 'allowed')
    assert.equal(await check(key, 'members:update', id), 'not_granted')
    assert.equal(await check(key, 'members:read', other), 'not_a_member')
    assert.equal(await check(key, 'members:read', id, cleo.id), 'invalid_request')
  }
  assert.equal(await check(ofTenant, 'members:read', other), 'allowed')
  assert.equal(await check(ofTenant, 'members:update', id, ann.id), 'allowed')
  assert.equal(await check(ofTenant, 'members:update', id, cleo.id), 'not_granted')
  assert.equal(await check(ofTenant, 'members:read', other, cleo.id), 'not_a_member')
  assert.equal(await check(await world.key(['members:read']), 'members:read', id, ann.id), 'insufficient_scope')

  const lines = [ann, cleo, ann].map((user) => ({ organizationId: id, permission: 'members:update', userId: user.id }))
  const { body } = await ofTenant.post('/api/check', { checks: lines })
  assert.deepEqual(body.results, [{ allowed: true }, { allowed: false, reason: 'not_granted' }, { allowed: true }])
})

test('a check by the tenant’s key says no for everybody whose account is suspended', async () => {
  const [tess, { ann, ben, id, path, members }] = await Promise.all([world.tenantAdmin(), world.organization()])
  const key = await world.key(['users:read'])
  const check = async () => {
    const lines = [ann, ben].map((user) => ({ organizationId: id, permission: 'members:read', userId: user.id }))
    return (await key.post('/api/check', { checks: lines })).body.results
  }
  const suspend = (user: Person, status: string) => tess.patch(`/api/admin/users/${user.id}`, { status })
  assert.deepEqual(await check(), [{ allowed: true }, { allowed: true }])

  assert.equal((await ann.patch(`${path}/members/${members.ben.id}`, { status: 'suspended' })).status, 200)
  for (const user of [ann, ben]) assert.equal((await suspend(user, 'suspended')).status, 200)
  assert.deepEqual(await check(), [
    { allowed: false, reason: 'not_granted' },
    { allowed: false, reason: 'membership_suspended' },
  ])

  assert.equal((await suspend(ann, 'active')).status, 200)
  assert.deepEqual((await check())[0], { allowed: true })
})

test('the use of a key is noted, to the minute', async () => {
  const { ann, path } = await world.organization()
  const key = await world.key(['organization:read'], { person: ann })
  await key.get(path)
  await world.app.close()
  const [secret] = await query('select last_used_at from api_key_secrets where key_id = $1', [key.id])
  assert.equal(secret?.last_used_at.getSeconds(), 0)
})
