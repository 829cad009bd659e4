import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type Answer, codeOf, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { getTenantBySlug } from '../tenants/tenants.ts'

const world = await createWorld({ worker: true })
const { query } = world.postgres

const newAddress = () => `new-${randomBytes(5).toString('hex')}@example.com`
const faultOf = ({ status, body }: Answer) => [status, body.errors?.[0].pointer, body.errors?.[0].code]
const userPath = ({ id }: Pick<Person, 'id'>) => `/api/admin/users/${id}`
const signIn = (email: string, typed: string) => world.nobody.post('/api/auth/sign-in', { email, password: typed })

/** What the tenant's log tells of one action, newest first. */
async function logged(admin: Person, action: string): Promise<Json[]> {
  return (await admin.get(`/api/admin/audit?action=${action}`)).body.data
}

const tess = await world.tenantAdmin()

test('a user whom an admin creates gets a link, sets a password with it, and signs in', async () => {
  const typed = ` New-${randomBytes(4).toString('hex')}@EXAMPLE.com`

  const { status, body, headers } = await tess.post('/api/admin/users', { email: typed, name: 'Nina' })

  assert.equal(status, 201)
  assert.equal(headers.get('location'), `/api/admin/users/${body.id}`)
  assert.equal(body.email, typed.trim().toLowerCase())
  assert.deepEqual(
    [body.name, body.role, body.status, body.emailVerified, body.lastActiveAt],
    ['Nina', 'user', 'active', false, null],
  )
  assert.deepEqual((await tess.get(userPath(body))).body, body)
  assert.deepEqual(codeOf(await signIn(body.email, password)), [401, 'invalid_credentials'])
  const [entry] = await logged(tess, 'user.created')
  assert.deepEqual([entry.actor.id, entry.target.id, entry.details.role], [tess.id, body.id, 'user'])

  const token = await world.mailedToken(body.email, 'reset-password')
  assert.equal((await world.nobody.post('/api/auth/reset-password', { token, newPassword: password })).status, 200)
  const signedIn = await signIn(body.email, password)
  assert.deepEqual([signedIn.status, signedIn.body.user.emailVerified], [200, true])
})

test('no user is created with a taken address or a domain that is not allowed', async () => {
  const ann = await world.person()
  assert.deepEqual(codeOf(await tess.post('/api/admin/users', { email: ann.email.toUpperCase() })), [
    409,
    'email_taken',
  ])

  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  await admin.patch('/api/admin/tenant', { allowedEmailDomains: ['example.org'] })
  assert.deepEqual(codeOf(await admin.post('/api/admin/users', { email: 'a@example.com' })), [
    403,
    'email_domain_not_allowed',
  ])
  assert.equal((await admin.post('/api/admin/users', { email: 'a@example.org' })).status, 201)
})

test('making somebody an admin needs the password of the admin who does it', async () => {
  const ann = await world.person()
  const email = newAddress()
  const attempts = [
    (proof: object) => tess.post('/api/admin/users', { email, role: 'admin', ...proof }),
    (proof: object) => tess.patch(userPath(ann), { role: 'admin', ...proof }),
  ]
  for (const attempt of attempts) {
    assert.deepEqual(faultOf(await attempt({})), [400, '/currentPassword', 'required'])
    assert.deepEqual(codeOf(await attempt({ currentPassword: 'not the password' })), [403, 'wrong_password'])
  }
  assert.equal((await tess.get(userPath(ann))).body.role, 'user')
  assert.deepEqual(await query('select from users where email = $1', [email]), [])

  for (const attempt of attempts) {
    const { status, body } = await attempt({ currentPassword: password })
    assert.ok(status === 200 || status === 201)
    assert.equal(body.role, 'admin')
  }
  assert.equal((await ann.get('/api/admin/users')).status, 200)
  assert.equal((await tess.patch(userPath(ann), { role: 'admin', name: 'Anne' })).status, 200, 'ann is one already')
  const [entry] = await logged(tess, 'user.role_changed')
  assert.deepEqual(
    [entry.actor.id, entry.target.id, entry.details],
    [tess.id, ann.id, { role: { from: 'user', to: 'admin' } }],
  )
  await tess.patch(userPath(ann), { role: 'user' })
  assert.equal((await ann.get('/api/admin/users')).status, 403, 'from the very next request on')
})

test('reactivating an admin needs the password of the admin who does it, and reactivating a user needs none', async () => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  await tess.patch(userPath(ann), { role: 'admin', currentPassword: password })
  for (const each of [ann, ben]) assert.equal((await tess.patch(userPath(each), { status: 'suspended' })).status, 200)
  const reactivate = (person: Person, also: object = {}) => tess.patch(userPath(person), { status: 'active', ...also })

  assert.deepEqual(faultOf(await reactivate(ann)), [400, '/currentPassword', 'required'])
  assert.deepEqual(codeOf(await reactivate(ann, { currentPassword: 'not the password' })), [403, 'wrong_password'])
  assert.equal((await tess.get(userPath(ann))).body.status, 'suspended')
  assert.equal((await reactivate(ben)).status, 200)
  const { status, body } = await reactivate(ann, { currentPassword: password })
  assert.deepEqual([status, body.status, body.role], [200, 'active', 'admin'])

  await tess.patch(userPath(ann), { status: 'suspended' })
  const both = await reactivate(ann, { role: 'user' })
  assert.deepEqual([both.status, both.body.status, both.body.role], [200, 'active', 'user'], 'as a user')
})

test('the password of a caller who is no admin makes no admin, and is not checked', async () => {
  const [ann, ben] = [await world.person(), await world.person('Ben')]
  const attempts = async () => (await query('select from password_attempts')).length
  const before = await attempts()

  for (const currentPassword of [password, 'not the password']) {
    assert.deepEqual(codeOf(await ann.patch(userPath(ben), { role: 'admin', currentPassword })), [403, 'forbidden'])
    assert.deepEqual(codeOf(await ann.patch(userPath(ann), { role: 'admin', currentPassword })), [403, 'forbidden'])
  }
  assert.equal(await attempts(), before)
})

test("an admin cannot set anybody's password, address or verification", async () => {
  const ann = await world.person()
  for (const field of ['password', 'newPassword', 'email', 'emailVerified', 'metadata', 'id', 'locale']) {
    assert.deepEqual(faultOf(await tess.patch(userPath(ann), { [field]: 'x' })), [400, `/${field}`, 'unknown_field'])
    if (field === 'email') continue
    const made = await tess.post('/api/admin/users', { email: newAddress(), [field]: 'x' })
    assert.deepEqual(faultOf(made), [400, `/${field}`, 'unknown_field'])
  }
})

test("an admin's change of name and metadata is stored and recorded; the metadata is merged", async () => {
  const ann = await world.person()
  await tess.patch(userPath(ann), { appMetadata: { plan: 'team', seats: { used: 1, bought: 5 } } })

  const { status, body } = await tess.patch(userPath(ann), {
    name: 'Anne',
    appMetadata: { plan: null, seats: { used: 2 } },
  })

  assert.equal(status, 200)
  assert.deepEqual([body.name, body.appMetadata], ['Anne', { seats: { used: 2, bought: 5 } }])
  assert.deepEqual((await ann.get('/api/users/me')).body.appMetadata, body.appMetadata)
  assert.deepEqual(faultOf(await ann.patch('/api/users/me', { appMetadata: {} })), [
    400,
    '/appMetadata',
    'unknown_field',
  ])
  const [entry] = await logged(tess, 'profile.updated')
  assert.deepEqual([entry.actor.id, entry.target.id], [tess.id, ann.id])
  assert.deepEqual(entry.details.name, { from: 'Ann', to: 'Anne' })
  assert.deepEqual((await tess.get('/api/admin/users?query=anne')).body.data[0].id, ann.id, 'it is found by it')

  const entries = (await logged(tess, 'profile.updated')).length
  const again = await tess.patch(userPath(ann), { name: 'Anne', role: 'user', status: 'active', appMetadata: {} })
  assert.deepEqual(again.body, { ...body, lastActiveAt: again.body.lastActiveAt })
  assert.equal((await logged(tess, 'profile.updated')).length, entries, 'nothing changed, so nothing is recorded')

  await tess.patch(userPath(ann), { appMetadata: { text: 'x'.repeat(5000) } })
  const tooMuch = await tess.patch(userPath(ann), { appMetadata: { more: 'x'.repeat(5000) } })
  assert.deepEqual(faultOf(tooMuch), [400, '/appMetadata', 'too_long'])
  assert.deepEqual((await tess.patch(userPath(ann), { appMetadata: null })).body.appMetadata, {})
})

test('changing, suspending or deleting an unknown user answers 404', async () => {
  const path = `/api/admin/users/user_${'0'.repeat(26)}`
  for (const body of [{ name: 'Ann' }, { status: 'suspended' }, { role: 'admin', currentPassword: password }]) {
    assert.deepEqual(codeOf(await tess.patch(path, body)), [404, 'not_found'])
  }
  assert.deepEqual(codeOf(await tess.delete(path)), [404, 'not_found'])
})

test('a suspended user loses access at once, and signs in again only after reactivation, with the password', async () => {
  const ann = await world.person('Ann', { verified: false })
  const phone = await world.signIn(ann)
  const token = await world.mailedToken(ann.email, 'verify-email')

  const { status, body } = await tess.patch(userPath(ann), { status: 'suspended' })

  assert.deepEqual([status, body.status], [200, 'suspended'])
  for (const device of [ann, phone]) assert.equal((await device.get('/api/users/me')).status, 401)
  assert.deepEqual(codeOf(await signIn(ann.email, password)), [403, 'user_suspended'])
  assert.deepEqual(codeOf(await signIn(ann.email, 'not the password')), [401, 'invalid_credentials'])

  assert.equal((await tess.patch(userPath(ann), { status: 'active' })).status, 200)
  for (const device of [ann, phone]) assert.equal((await device.get('/api/users/me')).status, 401, 'it stays ended')
  const back = await world.signIn(ann)
  assert.deepEqual(codeOf(await back.post('/api/auth/verify-email', { token })), [410, 'token_spent'])
  for (const action of ['user.suspended', 'user.reactivated']) {
    const [entry] = await logged(tess, action)
    assert.deepEqual([entry.actor.id, entry.target.id], [tess.id, ann.id], action)
  }
})

test("a suspension revokes the user's invitations in every organization, and nobody else's", async () => {
  const { ann, ben, path } = await world.organization()
  const { body: other } = await ben.post('/api/organizations', { name: 'Other' })
  const invite = async (person: Person, to: string) =>
    (await person.post(`${to}/invites`, { email: newAddress() })).body
  const theirs = [await invite(ben, path), await invite(ben, `/api/organizations/${other.id}`)]
  const hers = await invite(ann, path)

  await tess.patch(userPath(ben), { status: 'suspended' })

  const statusOf = async (id: string) =>
    (await query<{ status: string }>('select status from invitations where id = $1', [id]))[0]?.status
  for (const { id } of theirs) assert.equal(await statusOf(id), 'revoked')
  assert.equal(await statusOf(hers.id), 'pending')
  const [entry] = (await ann.get(`${path}/audit?action=invitation.revoked`)).body.data
  assert.deepEqual([entry.actor.id, entry.target.id], [tess.id, theirs[0].id])
})

test('a suspended owner still counts as owner', async () => {
  const { ann, ben, path, members } = await world.organization()
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })

  await tess.patch(userPath(ann), { status: 'suspended' })

  assert.equal((await ben.delete(`${path}/members/me`)).status, 200, 'somebody else is an owner still')
  const deleted = await tess.delete(userPath(ann))
  assert.deepEqual(codeOf(deleted), [409, 'sole_owner'])
  assert.equal(deleted.body.organizations.length, 1)
})

test('an admin deletes a user for good, with the organizations that have no other member', async () => {
  const { ann, ben, path, members } = await world.organization()
  const { body: own } = await ben.post('/api/organizations', { name: 'Own' })

  assert.deepEqual(codeOf(await tess.delete(userPath(ann))), [409, 'sole_owner'])
  const { status, body } = await tess.delete(userPath(ben))

  assert.deepEqual([status, body.deleted], [200, true])
  assert.equal((await ben.get('/api/users/me')).status, 401)
  assert.equal((await tess.get(userPath(ben))).status, 404)
  assert.equal((await ann.get(`${path}/members/${members.ben.id}`)).status, 404)
  assert.deepEqual(await query('select from organizations where id = $1', [own.id]), [])
  const [entry] = await logged(tess, 'user.deleted')
  assert.deepEqual([entry.actor.id, entry.target.type, entry.target.name], [tess.id, 'deleted_user', null])
  const [removed] = (await ann.get(`${path}/audit?action=member.removed`)).body.data
  assert.deepEqual([removed.actor.id, removed.target.type], [tess.id, 'deleted_user'])
})

test('nobody can suspend, demote or delete the last active admin, not even the admin', async () => {
  const { slug } = await world.tenant()
  const [admin, other] = [await world.tenantAdmin(slug), await world.tenantAdmin(slug)]
  const refusals = async () => [
    await admin.patch(userPath(admin), { status: 'suspended' }),
    await admin.patch(userPath(admin), { role: 'user' }),
    await admin.delete(userPath(admin)),
    await admin.delete('/api/users/me', { password }),
  ]

  assert.equal((await admin.patch(userPath(other), { status: 'suspended' })).status, 200)
  for (const answer of await refusals())
    assert.deepEqual(codeOf(answer), [409, 'last_admin'], 'suspended is not active')
  assert.equal((await admin.patch(userPath(other), { role: 'user', status: 'active' })).status, 200)
  for (const answer of await refusals()) assert.deepEqual(codeOf(answer), [409, 'last_admin'])
  assert.equal((await admin.get(userPath(admin))).body.role, 'admin')

  assert.equal((await admin.patch(userPath(other), { role: 'admin', currentPassword: password })).status, 200)
  assert.equal((await admin.patch(userPath(admin), { role: 'user' })).status, 200, 'there is another one now')
  assert.deepEqual(codeOf(await admin.get(userPath(admin))), [403, 'forbidden'])
})

test('an open session of an admin is not enough to delete the admin’s own account', async () => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  await world.tenantAdmin(slug)

  assert.deepEqual(codeOf(await admin.delete(userPath(admin))), [403, 'forbidden'])

  assert.equal((await admin.get(userPath(admin))).body.status, 'active')
  assert.deepEqual(codeOf(await admin.delete('/api/users/me', { password: 'a wrong passphrase' })), [
    403,
    'wrong_password',
  ])
  assert.equal((await admin.delete('/api/users/me', { password })).status, 200)
})

test('admins of another tenant do not count', async () => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const { id } = await getTenantBySlug(world.database, slug)
  assert.equal((await query(`select from users where role = 'admin' and tenant_id <> $1`, [id])).length > 0, true)

  assert.deepEqual(codeOf(await admin.patch(userPath(admin), { role: 'user' })), [409, 'last_admin'])
})
