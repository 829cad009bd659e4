import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createWorld, type Person, password } from '../../../test/world.ts'
import type { Caller } from '../../domain/access/actors.ts'
import { checkConfirmed } from '../../domain/credentials/confirmation.ts'

const world = await createWorld({ processes: 2 })
const { query } = world.postgres

const erase = (person: Person, typed = password) => person.delete('/api/users/me', { password: typed })

test('deleting an account needs its password', async () => {
  const ann = await world.person()

  const wrong = await erase(ann, 'not this one')
  const missing = await ann.delete('/api/users/me', {})
  const right = await erase(ann)

  assert.deepEqual([wrong.status, wrong.body.code], [403, 'wrong_password'])
  assert.deepEqual([missing.status, missing.body.errors[0].pointer], [400, '/password'])
  assert.equal(right.status, 200)
  assert.equal(right.body.deleted, true)
  assert.ok(Math.abs(Date.parse(right.body.deletedAt) - Date.now()) < 60_000)
})

test('a deleted account has no session, no sign-in and no claim on its address', async () => {
  const ann = await world.person()
  const phone = await world.signIn(ann)

  await erase(ann)

  assert.equal((await ann.get('/api/users/me')).status, 401)
  assert.equal((await phone.get('/api/users/me')).status, 401)
  const signIn = await world.nobody.post('/api/auth/sign-in', { email: ann.email, password })
  assert.deepEqual([signIn.status, signIn.body.code], [401, 'invalid_credentials'])
  const again = await world.nobody.post('/api/auth/sign-up', { email: ann.email, password })
  assert.equal(again.status, 201)
  assert.notEqual(again.body.user.id, ann.id)
  assert.deepEqual([again.body.user.name, again.body.user.emailVerified, again.body.user.metadata], [null, false, {}])
})

test("an ended session, or another person's, cannot delete an account", async () => {
  const ann = await world.person()
  const ben = await world.person('Ben')
  const phone = await world.signIn(ann)
  await phone.post('/api/auth/sign-out')

  assert.equal((await erase(phone)).status, 401)
  assert.equal((await erase(ben, 'the password of somebody else')).status, 403)

  assert.equal((await ann.get('/api/users/me')).status, 200)
})

test('the only owner of shared organizations cannot delete their account, and learns which ones', async () => {
  const { ann, ben, slug, path, members } = await world.organization()
  const { body: alone } = await ann.post('/api/organizations', { name: 'Alone' })

  const refused = await erase(ann)

  assert.deepEqual([refused.status, refused.body.code], [409, 'sole_owner'])
  assert.deepEqual(
    refused.body.organizations.map((each: { slug: string }) => each.slug),
    [slug],
  )
  assert.equal((await ann.get(`/api/organizations/${alone.id}`)).status, 200, 'a refusal changes nothing')

  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })
  assert.equal((await erase(ann)).status, 200)
  const { body } = await ben.get(path)
  assert.deepEqual([body.memberCount, body.role], [2, 'owner'])
})

test('an organization is deleted with the account of its only member', async () => {
  const ann = await world.person()
  const { body: organization } = await ann.post('/api/organizations', { name: 'Alone' })
  await ann.post(`/api/organizations/${organization.id}/invites`, { email: 'invited@example.com' })

  assert.equal((await erase(ann)).status, 200)

  for (const table of ['organizations', 'invitations', 'audit_entries', 'memberships']) {
    const column = table === 'organizations' ? 'id' : 'organization_id'
    const left = await query(`select from ${table} where ${column} = $1`, [organization.id])
    assert.equal(left.length, 0, table)
  }
  const deleted = await query(
    `select from audit_entries where action = 'organization.deleted' and target_id = $1 and organization_id is null`,
    [organization.id],
  )
  assert.equal(deleted.length, 1, 'the tenant’s log tells of it')
})

test('if two owners delete their accounts at once, one stays', async () => {
  for (let round = 0; round < 10; round++) {
    const [ann, ben, cleo] = await Promise.all([world.person(), world.person('Ben'), world.person('Cleo')])
    const { body: organization } = await ann.post('/api/organizations', { name: 'Two owners' })
    await world.join(ann, organization.id, ben, 'owner')
    await world.join(ann, organization.id, cleo, 'member')

    const answers = await Promise.all([erase(ann), erase(ben)])

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    assert.equal(answers.find(({ status }) => status === 409)?.body.code, 'sole_owner')
    const [counted] = await query<{ owner_count: number; member_count: number; owners: string; members: string }>(
      `select owner_count, member_count, (select count(*) from memberships m where m.tenant_id = o.tenant_id and m.organization_id = o.id and m.role = 'owner') as owners,
        (select count(*) from memberships m where m.tenant_id = o.tenant_id and m.organization_id = o.id) as members
      from organizations o where id = $1`,
      [organization.id],
    )
    assert.deepEqual(counted, { owner_count: 1, member_count: 2, owners: '1', members: '2' })
  }
})

test('the last admin of a tenant cannot delete their account', async () => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  await world.person('Ben', { tenant: slug })
  const suspended = await world.tenantAdmin(slug)
  await query(`update users set status = 'suspended' where id = $1`, [suspended.id])

  const refused = await erase(admin)

  assert.deepEqual([refused.status, refused.body.code], [409, 'last_admin'], 'a suspended admin does not count')
  await world.tenantAdmin(slug)
  assert.equal((await erase(admin)).status, 200)
})

test('if two admins delete their accounts at once, exactly one succeeds', async () => {
  const { slug } = await world.tenant()
  let left = await world.tenantAdmin(slug)
  for (let round = 0; round < 30; round++) {
    const other = await world.tenantAdmin(slug)

    const answers = await Promise.all([erase(left), erase(other)])

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    assert.equal(answers.find(({ status }) => status === 409)?.body.code, 'last_admin')
    left = answers[0]?.status === 409 ? left : other
  }
})

test('an account that is deleted many times at once is deleted once', async () => {
  const ann = await world.person()
  const sessions = await Promise.all(Array.from({ length: 4 }, () => world.signIn(ann)))

  const answers = await Promise.all(sessions.map((session) => erase(session)))

  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401])
})

test('who confirmed the password of an account that is gone meanwhile has no session, and not a wrong password', async () => {
  const ann = await world.person()
  assert.equal((await erase(ann)).status, 200)
  const caller = { userId: ann.id } as Caller // all that is read of it
  const checking = world.database.inTenant(world.tenantId, (sql) =>
    checkConfirmed(sql, caller, { passwordHash: 'a hash' }),
  )
  await assert.rejects(checking, { code: 'unauthenticated' })
})

test('a user who joins an organization while deleting their account is no member of it afterwards', async () => {
  const { ann, path, id } = await world.organization()
  for (let round = 0; round < 10; round++) {
    const eve = await world.person('Eve')
    const { body: invited } = await ann.post(`${path}/invites`, { email: eve.email })

    const [deleted] = await Promise.all([erase(eve), eve.post(`/api/invites/${invited.id}/accept`)])

    assert.equal(deleted.status, 200)
    const [counted] = await query<{ member_count: number; members: number }>(
      `select member_count, (select count(*) from memberships m where m.tenant_id = o.tenant_id and m.organization_id = o.id)::integer as members
      from organizations o where id = $1`,
      [id],
    )
    assert.deepEqual(counted, { member_count: 3, members: 3 })
  }
})

test('deleting the inviter revokes their invitations and keeps the history', async () => {
  const { ann, ben, path } = await world.organization()
  const { body: pending } = await ben.post(`${path}/invites`, { email: 'somebody@example.com' })
  const eve = await world.person('Eve')
  const { body: accepted } = await ben.post(`${path}/invites`, { email: eve.email })
  await eve.post(`/api/invites/${accepted.id}/accept`)

  assert.equal((await erase(ben)).status, 200)

  const [first, second] = await Promise.all([pending, accepted].map(({ id }) => ann.get(`${path}/invites/${id}`)))
  assert.deepEqual(
    [first?.body.status, first?.body.invitedBy, first?.body.email],
    ['revoked', null, 'somebody@example.com'],
  )
  assert.deepEqual([second?.body.status, second?.body.invitedBy], ['accepted', null])
  const { body: members } = await ann.get(`${path}/members?query=${eve.email}`)
  assert.equal(members.data[0].invitedBy, null)
  const { body: log } = await ann.get(`${path}/audit?action=invitation.revoked`)
  assert.deepEqual(
    log.data.map((entry: { target: { id: string } }) => entry.target.id),
    [pending.id],
  )
})

test("an invitation that expired before its inviter's account was deleted stays expired, and is not shown as revoked", async () => {
  const { ann, ben, path } = await world.organization()
  const { body: invitation } = await ben.post(`${path}/invites`, {
    email: `${randomBytes(5).toString('hex')}@example.com`,
  })
  await query(`update invitations set expires_at = now() - interval '1 second' where id = $1`, [invitation.id])

  assert.equal((await erase(ben)).status, 200)

  const { body } = await ann.get(`${path}/invites/${invitation.id}`)
  assert.deepEqual([body.status, body.invitedBy], ['expired', null])
  const revoked = await ann.get(`${path}/audit?action=invitation.revoked`)
  assert.deepEqual(revoked.body.data, [])
})
