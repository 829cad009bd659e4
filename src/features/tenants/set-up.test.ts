import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { codeOf, createWorld, password } from '../../../test/world.ts'
import { makeMailedToken, newToken } from '../../domain/access/tokens.ts'
import { deleteTenant } from './deletion.ts'
import { createAdmin, hasAdmin, renewSetUpLink } from './set-up.ts'
import { TenantError, type TenantRecord } from './tenants.ts'

const world = await createWorld({ processes: 2 })
const { query } = world.postgres

const newAddress = () => `admin-${randomBytes(5).toString('hex')}@example.com`
const setUp = (token: string, body: object = {}, headers: Record<string, string> = {}) =>
  world.nobody.post('/api/setup', { token, email: newAddress(), password, ...body }, headers)
const adminOf = (tenant: TenantRecord) => world.database.inTenant(tenant.id, (sql) => hasAdmin(sql))

/** What the start of the service prints, and its token. */
async function newLink(tenant: TenantRecord): Promise<{ link: string; token: string }> {
  const link = await renewSetUpLink(world.database, world.app.config, tenant)
  assert.ok(link)
  return { link, token: link.split('#token=')[1] ?? '' }
}

test('the set-up link makes the first admin, signs them in, and works once', async () => {
  const tenant = await world.tenant()
  const { link, token } = await newLink(tenant)
  assert.equal(link, `http://localhost:3000/t/${tenant.slug}/set-up#token=${token}`)
  const email = newAddress()

  const answer = await setUp(token, { email: email.toUpperCase(), name: 'Ada' })

  assert.equal(answer.status, 201)
  const { role, name, emailVerified } = answer.body.user
  assert.deepEqual([answer.body.user.email, role, name, emailVerified], [email, 'admin', 'Ada', false])
  const bearer = { authorization: `Bearer ${answer.body.session.token}` }
  assert.equal((await world.nobody.get('/api/admin/users', bearer)).body.data.length, 1)
  assert.deepEqual(codeOf(await setUp(token)), [410, 'token_spent'])
  assert.equal(await renewSetUpLink(world.database, world.app.config, tenant), undefined, 'there is an admin now')
})

test('the first admin is known on the device whose token the set-up gets', async () => {
  const { token } = await newLink(await world.tenant())
  const deviceToken = randomBytes(32).toString('base64url')
  const { status, body } = await setUp(token, { deviceToken })
  assert.deepEqual([status, body.session.deviceToken], [201, deviceToken])
  const hash = createHash('sha256').update(deviceToken).digest()
  const known = await query('select user_id from known_devices where token_hash = $1', [hash])
  assert.deepEqual(known, [{ user_id: body.user.id }])
})

test('if many requests open the link at once, one becomes admin', async () => {
  const tenant = await world.tenant()
  const { token } = await newLink(tenant)

  const answers = await Promise.all(Array.from({ length: 8 }, () => setUp(token)))

  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 7 }, () => 410)])
  const admins = await query(`select from users where tenant_id = $1`, [tenant.id])
  assert.equal(admins.length, 1, 'a refused one leaves nobody behind')
})

test('a new link invalidates the one before', async () => {
  const tenant = await world.tenant()
  const first = await newLink(tenant)
  const second = await newLink(tenant)

  assert.deepEqual(codeOf(await setUp(first.token)), [410, 'token_spent'])
  assert.equal((await setUp(second.token)).status, 201)
})

test('the link is valid for 24 hours', async () => {
  const tenant = await world.tenant()
  const { token } = await newLink(tenant)
  const [row] = await query<{ seconds: number }>(
    'select extract(epoch from expires_at - now())::integer as seconds from set_up_links where tenant_id = $1',
    [tenant.id],
  )
  assert.ok((row?.seconds ?? 0) > 86_000 && (row?.seconds ?? 0) <= 86_400)
  await query(`update set_up_links set expires_at = now() - interval '1 second' where tenant_id = $1`, [tenant.id])

  assert.deepEqual(codeOf(await setUp(token)), [410, 'token_spent'])
  assert.equal(await adminOf(tenant), false)
})

test('the link becomes invalid with the first admin, also one created by the operator', async () => {
  const tenant = await world.tenant()
  const { token } = await newLink(tenant)
  const email = newAddress()

  await createAdmin(world, tenant, { email: ` ${email.toUpperCase()}`, password })

  assert.deepEqual(codeOf(await setUp(token)), [410, 'token_spent'])
  const answer = await world.nobody.post('/api/auth/sign-in', { email, password }, { 'guildhall-tenant': tenant.slug })
  assert.deepEqual([answer.status, answer.body.user.role], [200, 'admin'])
})

test("neither the link nor the operator's command promotes an existing user", async () => {
  const tenant = await world.tenant()
  const ann = await world.person('Ann', { tenant: tenant.slug })
  const { token } = await newLink(tenant)

  assert.deepEqual(codeOf(await setUp(token, { email: ann.email })), [409, 'email_taken'])
  await assert.rejects(createAdmin(world, tenant, { email: ann.email, password }), TenantError)

  assert.equal((await ann.get('/api/users/me')).body.role, 'user')
  assert.equal((await setUp(token)).status, 201, 'a refusal does not spend the link')
})

test('of several processes that make the first admin at the same time, one does, and the others go on', async () => {
  const tenant = await world.tenant()
  const email = newAddress()
  const create = () => createAdmin(world, tenant, { email, password }, { onlyFirst: true })

  await Promise.all([create(), create(), create()])

  const admins = await query('select email, role from users where tenant_id = $1', [tenant.id])
  assert.deepEqual(admins, [{ email, role: 'admin' }])
})

test('an address that its owner may still have back makes no admin, and the message says so', async () => {
  const tenant = await world.tenant()
  const ann = await world.person('Ann', { tenant: tenant.slug })
  const change = { email: newAddress(), currentPassword: password }
  assert.equal((await ann.patch('/api/users/me', change)).status, 200)
  const token = makeMailedToken(world.keyring, 'change_email', { tenant: tenant.id, id: ann.id, generation: 1 })
  assert.equal((await ann.post('/api/auth/verify-email', { token })).status, 200)

  await assert.rejects(createAdmin(world, tenant, { email: ann.email, password }), {
    name: 'TenantError',
    message: /^The address \S+ cannot be used yet: .* can still restore it with an undo link\.$/,
  })
  assert.equal(await adminOf(tenant), false)
})

test('while the only admin is suspended, neither link nor command makes a first admin', async () => {
  const tenant = await world.tenant()
  const { token } = await newLink(tenant)
  const ada = await world.person('Ada', { tenant: tenant.slug })
  await query(`update users set role = 'admin', status = 'suspended' where id = $1`, [ada.id])

  assert.deepEqual(codeOf(await setUp(token)), [410, 'token_spent'])
  assert.equal(await renewSetUpLink(world.database, world.app.config, tenant), undefined)
  await createAdmin(world, tenant, { email: newAddress(), password }, { onlyFirst: true })

  assert.deepEqual(await query('select id from users where tenant_id = $1', [tenant.id]), [{ id: ada.id }])
})

test('the rules of passwords apply to the first admin too', async () => {
  const tenant = await world.tenant()
  const { token } = await newLink(tenant)
  const email = newAddress()
  const refuses = async (typed: string, code: string) => {
    const { status, body } = await setUp(token, { email, password: typed })
    assert.deepEqual([status, body.errors[0].pointer, body.errors[0].code], [400, '/password', code], typed)
    await assert.rejects(createAdmin(world, tenant, { email, password: typed }), TenantError, typed)
  }
  await refuses('sunshine', 'common_password')
  for (const typed of [email, tenant.name]) await refuses(typed, 'contains_identity')

  await query('update tenants set password_minimum = 20 where id = $1', [tenant.id])
  for (const typed of ['password', 'nineteen characters']) await refuses(typed, 'too_short')
  await assert.rejects(
    createAdmin(world, tenant, { email: newAddress(), password: 'nineteen characters' }),
    /^TenantError: The password cannot be used\. .*20/,
  )
  await assert.rejects(createAdmin(world, tenant, { email: 'no address', password }), TenantError)
  assert.equal(await adminOf(tenant), false)
})

test("a tenant's link makes nobody an admin of another tenant", async () => {
  const [one, other] = [await world.tenant(), await world.tenant()]
  const { token } = await newLink(one)
  await newLink(other)
  const crossed = newToken('ghu', other.id).token.slice(0, 30) + token.slice(30)

  assert.deepEqual(codeOf(await setUp(crossed)), [410, 'token_spent'])
  assert.deepEqual(codeOf(await setUp(token, {}, { 'guildhall-tenant': other.slug })), [400, 'tenant_mismatch'])
  assert.deepEqual(codeOf(await setUp(newToken('ghu', one.id).token)), [410, 'token_spent'])
  for (const wrong of [token.slice(0, -1), `${token}A`, token.replace('ghu_', 'ghs_'), 'wrong'])
    assert.deepEqual(codeOf(await setUp(wrong)), [410, 'token_spent'], wrong)
  for (const none of ['', null]) assert.equal((await setUp(none as string)).status, 400) // null is what it is about
  assert.equal(await adminOf(other), false)
  assert.equal((await setUp(token, {}, { 'guildhall-tenant': one.slug })).status, 201)
})

test('the link of a deleted tenant makes nobody an admin', async () => {
  const tenant = await world.tenant()
  const { token } = await newLink(tenant)
  await deleteTenant(world.database, tenant.slug)

  assert.deepEqual(codeOf(await setUp(token)), [410, 'token_spent'])
})

test('only the hash of the link is stored', async () => {
  const tenant = await world.tenant()
  const { token } = await newLink(tenant)
  const secret = token.split('.')[1] ?? ''
  const [row] = await query<{ text: string }>(
    'select row_to_json(l)::text as text from set_up_links l where tenant_id = $1',
    [tenant.id],
  )
  assert.ok(row && !row.text.includes(secret))
  assert.ok(!row.text.includes(Buffer.from(secret, 'base64url').toString('hex')))
})

test('a tenant has no admin until one is created', async () => {
  assert.deepEqual(
    await query(
      `select id from users where role = 'admin' and tenant_id in (select id from tenants where slug = 'default')`,
    ),
    [],
  )
  for (const body of [
    { email: 'admin@example.com', password: 'admin' },
    { email: 'admin@localhost.local', password: 'guildhall' },
  ]) {
    assert.equal((await world.nobody.post('/api/auth/sign-in', body)).status, 401)
  }
})
