/** Proof: which operations need a sign-in or confirmation of the last ten minutes, which ones a second factor, and what is judged first. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { earlier } from './earlier.ts'
import { makeBodies, type Operation } from './valid-bodies.ts'
import { type Answer, type Client, createWorld, password } from './world.ts'

const world = await createWorld()
const { query } = world.postgres
const { operations, bodies, ann, acme, callerOf, send } = await makeBodies(world)
const tess = callerOf(operations.find(({ path }) => path === '/api/admin/tenant') ?? assert.fail())

/** Whatever is sent to them. */
const fresh = [
  'POST /api/users/me/factors/setup',
  'POST /api/users/me/factors',
  'DELETE /api/users/me/factors/{factorId}',
  'POST /api/users/me/recovery-codes',
  'DELETE /api/users/me/password',
  'POST /api/users/me/keys',
  'POST /api/users/me/keys/{keyId}/rotate',
  'POST /api/organizations/{orgId}/keys',
  'POST /api/organizations/{orgId}/keys/{keyId}/rotate',
  'POST /api/admin/keys',
  'POST /api/admin/keys/{keyId}/rotate',
  'POST /api/users/me/identities/start',
  'DELETE /api/users/me/identities/{identityId}',
  'DELETE /api/admin/users/{userId}/factors',
  'DELETE /api/admin/users/{userId}/identities/{identityId}',
  'PUT /api/admin/access',
  'POST /api/admin/organizations/{orgId}/members',
  'POST /api/admin/organizations/{orgId}/invites',
  'POST /api/admin/organizations/{orgId}/invites/bulk',
  'POST /api/admin/organizations/{orgId}/invites/{inviteId}/resend',
  'POST /api/admin/organizations/{orgId}/transfer',
  'POST /api/admin/webhooks',
  'POST /api/admin/webhooks/{webhookId}/rotate',
  'POST /api/organizations/{orgId}/webhooks',
  'POST /api/organizations/{orgId}/webhooks/{webhookId}/rotate',
  'POST /api/admin/applications',
  'PATCH /api/admin/applications/{appId}',
  'DELETE /api/admin/applications/{appId}',
  'POST /api/admin/applications/{appId}/rotate-secret',
  'POST /api/admin/providers',
  'PATCH /api/admin/providers/{providerId}',
  'DELETE /api/admin/providers/{providerId}',
]

const needed = '403 confirmation_required 600'
const refusalOf = ({ status, body }: Answer) => [status, body.code, body.maxAge].filter(Boolean).join(' ')

/** Lets everybody's last sign-in be longer ago than ten minutes. */
async function age(): Promise<void> {
  await query(`update sessions set created_at = now() - interval '601 seconds',
    authenticated_at = ${earlier('authenticated_at', `interval '601 seconds'`)}`)
}

/** What somebody needs who must add a second factor, or leave. */
const withoutSecondFactor = [
  'GET /api/users/me',
  'DELETE /api/users/me',
  'GET /api/users/me/deletion-impact',
  'POST /api/users/me/password',
  'DELETE /api/users/me/password',
  'GET /api/users/me/factors',
  'POST /api/users/me/factors/setup',
  'POST /api/users/me/factors',
  'PATCH /api/users/me/factors/{factorId}',
  'DELETE /api/users/me/factors/{factorId}',
  'POST /api/users/me/recovery-codes',
  'GET /api/users/me/devices',
  'DELETE /api/users/me/devices',
  'DELETE /api/users/me/devices/{deviceId}',
  'POST /api/auth/verify-email',
  'POST /api/auth/verify-email/resend',
  'POST /api/auth/confirm',
]

/** The operations of routes that are so configured. */
function configured(isMeant: (config: { access?: unknown; proof?: string; withoutSecondFactor?: boolean }) => boolean) {
  const routes = world.app.routes.filter(({ config }) => isMeant(config ?? {}))
  const names = routes.flatMap(({ method, url }) =>
    [method].flat().map((each) => `${each} ${url.replace(/:(\w+)/g, '{$1}')}`),
  )
  return names.filter((name) => !name.startsWith('HEAD ')).sort()
}

test('the routes that need a fresh session, and those that need no second factor, are those of the lists', () => {
  assert.deepEqual(
    configured(({ proof }) => proof === 'fresh'),
    [...fresh].sort(),
  )
  assert.deepEqual(
    configured((config) => config.withoutSecondFactor === true),
    [...withoutSecondFactor].sort(),
  )
})

test('after ten minutes they are refused, and do nothing', async () => {
  await age()
  const remember = () =>
    query(`select (select json_agg(f) from factors f) as factors, (select json_agg(p) from providers p) as providers,
      (select json_agg(a) from applications a) as applications, (select json_agg(s) from application_secrets s) as secrets,
      (select json_agg(w) from webhooks w) as webhooks, (select json_agg(s) from webhook_secrets s) as webhook_secrets,
      (select json_agg(u) from users u) as users, (select json_agg(a) from attempts a) as attempts`)
  const before = await remember()
  for (const name of fresh) {
    const operation = operations.find((each) => each.name === name) ?? assert.fail(name)
    const body = bodies[name]
    const answer = body
      ? await send(operation, JSON.stringify(body))
      : await callerOf(operation).request(operation.path, { method: operation.method })
    assert.equal(refusalOf(answer), needed, name)
  }
  assert.deepEqual(await remember(), before)
})

test('settings of sign-in need a fresh session if they change, and others never do', async () => {
  await age()
  await query('update sessions set assurance = 2') // a second factor is asked for first
  for (const change of [{ secondFactor: 'admins' }, { mailCodes: true }, { name: 'New', mailCodes: true }])
    assert.equal(refusalOf(await tess.patch('/api/admin/tenant', change)), needed, JSON.stringify(change))
  assert.equal(refusalOf(await ann.patch(acme, { secondFactor: 'required' })), needed)

  const { status } = await tess.patch('/api/admin/tenant', { name: 'New', secondFactor: 'optional', mailCodes: false })
  assert.equal(status, 200)
  assert.equal((await ann.patch(acme, { name: 'New', secondFactor: 'optional' })).status, 200)
})

test('without a password, a fresh session is needed where a password would be', async () => {
  const ben = await world.tenantAdmin()
  await query('update users set password_hash = null where id = $1', [ben.id])
  await age()
  for (const request of [
    () => ben.patch('/api/users/me', { email: 'ben.new@example.com' }),
    () => ben.post('/api/users/me/password', { newPassword: password }),
    () => ben.delete('/api/users/me', { confirm: ben.email }),
    () => ben.post('/api/admin/users', { email: 'gus@example.com', role: 'admin' }),
    () => ben.patch(`/api/admin/users/${ann.id}`, { role: 'admin' }),
  ])
    assert.equal(refusalOf(await request()), needed)

  await query('update sessions set authenticated_at = now()')
  assert.equal((await ben.post('/api/users/me/password', { newPassword: password })).status, 200)
})

test('a confirmation is good for ten minutes, and gives the session a new token', async () => {
  const cleo = await world.person('Cleo')
  await age()
  const begin = (headers: Record<string, string>) =>
    world.nobody.request('/api/users/me/factors/setup', { method: 'POST', body: { type: 'totp' }, headers })
  assert.equal(refusalOf(await begin(cleo.headers)), needed)

  const { body } = await cleo.post('/api/auth/confirm', { password })
  const confirmed = { authorization: `Bearer ${body.session.token}` }
  assert.equal((await begin(confirmed)).status, 200)
  assert.equal((await begin(cleo.headers)).status, 401)
  await query(`update sessions set authenticated_at = ${earlier('authenticated_at', `interval '480 seconds'`)}`)
  assert.equal((await begin(confirmed)).status, 200)
  await query(`update sessions set authenticated_at = ${earlier('authenticated_at', `interval '121 seconds'`)}`)
  assert.equal(refusalOf(await begin(confirmed)), needed)
})

test('a door judges in this order: organization, role, second factor, fresh session', async () => {
  const outsider = await world.person('Dan')
  await age()
  await query('update sessions set assurance = 1')
  const closed = configured(
    ({ access = 'anyone', withoutSecondFactor }) =>
      access !== 'anyone' && access !== 'tenant_key' && !withoutSecondFactor,
  )
  const doors = operations.filter(({ name }) => closed.includes(name))
  assert.equal(doors.length, closed.length)
  const sendAs = (client: Client, { name, path, method }: Operation) =>
    client.request(path, { method, ...(bodies[name] && { raw: JSON.stringify(bodies[name]) }) })

  await query(`update tenants set second_factor = 'required'`)
  for (const operation of doors) {
    const { name, path } = operation
    const isForAdmins = callerOf(operation) === tess
    const isOfAcme = path.startsWith(acme) || (!isForAdmins && bodies[name]?.organization !== undefined)
    assert.equal(refusalOf(await sendAs(callerOf(operation), operation)), '403 second_factor_required', name)
    const { code } = (await sendAs(outsider, operation)).body
    const expected = isForAdmins ? 'forbidden' : 'second_factor_required'
    assert.equal(code, isOfAcme ? 'not_found' : expected, name)
  }
  await query(`update tenants set second_factor = 'optional'`)
  for (const operation of doors.filter(({ name }) => fresh.includes(name)))
    assert.equal(refusalOf(await sendAs(callerOf(operation), operation)), needed, operation.name)
})
