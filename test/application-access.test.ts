/** Access tokens of applications: which operations they open, for whom, and for how long. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticate } from '../src/domain/access/authentication.ts'
import { openDoors } from '../src/domain/access/authorization.ts'
import { applicationKind } from '../src/domain/applications/credential.ts'
import { limitRequests } from '../src/domain/limits/request-rates.ts'
import { createServer } from '../src/platform/http/server.ts'
import { grantsOf, makeProduct, type Product } from './grants.ts'
import { until } from './smtp.ts'
import { makeBodies } from './valid-bodies.ts'
import { Client, codeOf, createWorld, type Json, type Person } from './world.ts'

const world = await createWorld({ settings: { MAX_ORGANIZATIONS: '1000' } })
const { query } = world.postgres
await query('update tenants set personal_keys = true, organization_keys = true, organization_webhooks = true')
const scopes = ['openid', 'profile', 'email', 'offline_access', 'api'] as const

const application = await makeProduct(world, { scopes })

/** Somebody who calls through an application. */
async function through(
  person: Person,
  { by = application, wanted = scopes as readonly (typeof scopes)[number][] } = {},
) {
  const { access_token: token } = await by.signIn(person, { scopes: wanted })
  return { client: new Client(world, { authorization: `Bearer ${token}` }), token: String(token) }
}

/** @param operation such as `GET /api/organizations/{orgId}` */
function isOpenToAnyone(operation: string): boolean {
  const [method, path = ''] = operation.split(' ')
  const route = world.app.routes.find(
    (each) => each.method === method && each.url === path.replace(/\{(\w+)\}/g, ':$1'),
  )
  return route?.config?.access === 'anyone'
}

/** What the scope `api` opens: what is not in this list is shut. */
const open = new Set([
  'GET /api/users/me',
  'PATCH /api/users/me',
  'PUT /api/users/me/avatar',
  'DELETE /api/users/me/avatar',
  'GET /api/users/me/invites',
  'POST /api/invites/{inviteId}/accept',
  'POST /api/invites/{inviteId}/decline',
  'GET /api/organizations',
  'POST /api/organizations',
  'GET /api/organizations/{orgId}',
  'PATCH /api/organizations/{orgId}',
  'PUT /api/organizations/{orgId}/logo',
  'DELETE /api/organizations/{orgId}/logo',
  'GET /api/organizations/{orgId}/audit',
  'GET /api/organizations/{orgId}/events',
  'GET /api/organizations/{orgId}/members',
  'GET /api/organizations/{orgId}/members/{memberId}',
  'PATCH /api/organizations/{orgId}/members/{memberId}',
  'DELETE /api/organizations/{orgId}/members/{memberId}',
  'GET /api/organizations/{orgId}/invites',
  'POST /api/organizations/{orgId}/invites',
  'POST /api/organizations/{orgId}/invites/bulk',
  'GET /api/organizations/{orgId}/invites/{inviteId}',
  'DELETE /api/organizations/{orgId}/invites/{inviteId}',
  'POST /api/organizations/{orgId}/invites/{inviteId}/resend',
  'GET /api/organizations/{orgId}/links',
  'POST /api/organizations/{orgId}/links',
  'GET /api/organizations/{orgId}/links/{linkId}',
  'DELETE /api/organizations/{orgId}/links/{linkId}',
  'GET /api/organizations/{orgId}/roles',
  'GET /api/organizations/{orgId}/check/{permission}',
  'POST /api/check',
  'GET /api/caller',
])

test('an access token opens what its list says, to an admin of the tenant too, and without the scope api nothing', async () => {
  const { ann, bodies, operations } = await makeBodies(world)
  await query(`update users set role = 'admin' where id = $1`, [ann.id])
  const [{ client }, { client: without }] = [
    await through(ann),
    await through(ann, { wanted: ['openid', 'profile', 'email', 'offline_access'] }),
  ]
  let [opened, shut] = [0, 0]
  for (const { name, method, path } of operations) {
    if (isOpenToAnyone(name) && name !== 'POST /api/auth/sign-out') continue // an application has no session to end
    const { currentPassword, ...body } = bodies[name] ?? {}
    const sent = { method, body: bodies[name] && (name === 'PATCH /api/users/me' ? { name: 'Ann' } : body) }
    const refused = await without.request(path, sent)
    const needed = open.has(name) ? 'api' : null
    assert.deepEqual([...codeOf(refused), refused.body.scope], [403, 'insufficient_scope', needed], name)
    const answer = await client.request(path, sent)
    if (open.has(name)) {
      assert.notEqual(answer.body?.code, 'insufficient_scope', name)
      opened++
    } else {
      assert.deepEqual([...codeOf(answer), answer.body.scope], [403, 'insufficient_scope', null], name)
      shut++
    }
  }
  assert.equal(opened, open.size)
  assert.ok(shut > 60, `${shut}`)
})

test('the OpenAPI document lists access tokens where they are taken', () => {
  const { paths } = world.app.swagger() as Json // an OpenAPI document
  const listed = Object.entries<Json>(paths).flatMap(([path, operations]) =>
    Object.entries<Json>(operations)
      .filter(([, { security }]) => security.some((way: Json) => 'accessToken' in way))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
  const userinfo = ['GET', 'POST'].map((method) => `${method} /api/tenants/{tenantId}/userinfo`)
  assert.deepEqual(listed.toSorted(), [...open, ...userinfo].toSorted())
})

test('a route that says nothing of scopes is closed to applications', async (t) => {
  const { config, database, keyring } = world.app
  const app = createServer({ config, database, keyring }, false)
  t.after(() => app.close())
  await authenticate(app, [applicationKind(keyring)])
  limitRequests(app)
  openDoors(app)
  app.get('/planted', { config: { access: 'user' } }, (request) => request.readAsUser(() => ({})).then(() => 'planted'))
  const { token } = await through(await world.person())
  const answer = await app.inject({ method: 'GET', url: '/planted', headers: { authorization: `Bearer ${token}` } })
  assert.deepEqual([answer.statusCode, answer.json().code, answer.json().scope], [403, 'insufficient_scope', null])
})

test('an application does what the person may do now, and no more', async () => {
  const { ann, ben, id: orgId, members } = await world.organization()
  const { client } = await through(ben)
  const { id: memberId } = members.ben
  assert.equal((await client.patch(`/api/organizations/${orgId}`, { name: 'Renamed' })).status, 200)
  await ann.patch(`/api/organizations/${orgId}/members/${memberId}`, { role: 'member' })
  assert.deepEqual(codeOf(await client.patch(`/api/organizations/${orgId}`, { name: 'Again' })), [403, 'forbidden'])
  await ann.delete(`/api/organizations/${orgId}/members/${memberId}`)
  assert.deepEqual(codeOf(await client.get(`/api/organizations/${orgId}`)), [404, 'not_found'])
})

test('an application makes and removes admins, and no owners', async () => {
  const { ann, cleo, dan, id, path, members } = await world.organization()
  const { id: danId } = await world.join(ann, id, dan, 'owner')
  const { client } = await through(ann)
  const [ben, owner, own] = [members.ben.id, danId, 'me'].map((each) => `${path}/members/${each}`) as [
    string,
    string,
    string,
  ]
  for (const answer of [
    await client.patch(ben, { role: 'owner' }),
    await client.post(`${path}/invites`, { email: 'owner@example.com', role: 'owner' }),
    await client.patch(owner, { role: 'admin' }),
    await client.delete(owner),
  ])
    assert.deepEqual(
      [...codeOf(answer), answer.body.missing],
      [403, 'role_above_yours', ['organization:delete', 'ownership:transfer']],
    )
  const { data } = (await client.get(`${path}/roles`)).body
  const roles = data.filter(({ source }: Json) => source === 'builtIn')
  assert.deepEqual(
    roles.map(({ key, mayGrant }: Json) => [key, mayGrant]),
    [
      ['member', true],
      ['admin', true],
      ['owner', false],
    ],
  )
  assert.ok(!(await client.get(path)).body.permissions.includes('ownership:transfer'))

  const admins = [
    await client.patch(`${path}/members/${members.cleo.id}`, { role: 'admin' }),
    await client.delete(ben),
    await client.post(`${path}/invites`, { email: 'admin@example.com', role: 'admin' }),
  ].map(({ status }) => status)
  assert.deepEqual([admins, (await cleo.get(path)).body.role], [[200, 200, 201], 'admin'])

  assert.deepEqual(codeOf(await client.patch(`${path}/members/${members.ann.id}`, { role: 'admin' })), [
    403,
    'role_above_yours',
  ])
  assert.equal((await client.delete(own)).status, 200, 'the owner may leave')
  assert.deepEqual(codeOf(await (await through(dan)).client.delete(own)), [409, 'last_owner'])
})

test('an application changes no address and proves nothing with a password', async () => {
  const ann = await world.person()
  const { client } = await through(ann)
  const answer = await client.patch('/api/users/me', { email: 'other@example.com', currentPassword: 'whatever it is' })
  assert.deepEqual([...codeOf(answer), answer.body.scope], [403, 'insufficient_scope', null])
})

const ends: Readonly<Record<string, (person: Person, by: Product) => Promise<unknown>>> = {
  'its session is signed out': (person) => person.post('/api/auth/sign-out'),
  'its grant is revoked': async (_person, by) =>
    query('update grants set ended_at = now() where application_id = $1', [by.id]),
  'its application is switched off': (_person, by) =>
    query('update applications set is_enabled = false where id = $1', [by.id]),
  'its application is deleted': (_person, by) => query('delete from applications where id = $1', [by.id]),
  'its person is suspended': (person) => query(`update users set status = 'suspended' where id = $1`, [person.id]),
  'its session expires': (person) =>
    query(`update sessions set last_active_at = now() - interval '15 days' where user_id = $1`, [person.id]),
}
for (const [end, make] of Object.entries(ends))
  test(`the next request with an access token is refused once ${end}`, async () => {
    const person = await world.person()
    const by = await makeProduct(world, { scopes })
    const { client } = await through(person, { by })
    assert.equal((await client.get('/api/users/me')).status, 200)
    await make(person, by)
    assert.deepEqual(codeOf(await client.get('/api/users/me')), [401, 'unauthenticated'])
  })

test('an access token of another end, grant or tenant, or in a cookie, is none', async () => {
  const ann = await world.person()
  const { token, client } = await through(ann)
  const [start, grant, end, mac] = token.split('.')
  const abroad = await world.tenant()
  const { access_token: foreign } = await (await makeProduct(world, { scopes, tenant: abroad.id })).signIn(
    await world.person('Eve', { tenant: abroad.slug }),
    { scopes },
  )
  for (const wrong of [
    `${start}.${grant}.${Number(end) + 1}.${mac}`,
    `${String(foreign).split('.')[0]}.${grant}.${end}.${mac}`,
    `${start}.${String(foreign).split('.')[1]}.${end}.${mac}`,
    token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A'),
  ]) {
    const answer = await new Client(world, { authorization: `Bearer ${wrong}` }).get('/api/users/me')
    assert.deepEqual(codeOf(answer), [401, 'unauthenticated'], wrong)
  }
  assert.deepEqual(codeOf(await new Client(world, { cookie: `guildhall=${token}` }).get('/api/users/me')), [
    401,
    'unauthenticated',
  ])
  const both = await new Client(world, {
    authorization: `Bearer ${token}`,
    cookie: `guildhall=${ann.token}`,
  }).get('/api/users/me')
  assert.deepEqual(codeOf(both), [400, 'ambiguous_credentials'])
  assert.equal((await client.get('/api/users/me')).status, 200)
})

test('the caller and the audit log name the application, and a back end verifies its tokens', async () => {
  const { ben, id: orgId } = await world.organization()
  const { client, token } = await through(ben)
  const named = { id: application.id, name: 'Acme' }
  const { body: caller } = await client.get(`/api/caller?organization=${orgId}`)
  assert.deepEqual([caller.type, caller.application, caller.user.id, caller.key], ['user', named, ben.id, null])
  assert.ok(caller.permissions.includes('members:update'))
  assert.ok(!caller.permissions.some((permission: string) => permission.startsWith('keys:')))

  const backend = await world.key(['credentials:verify'], {})
  const verify = (body: object) => backend.post('/api/credentials/verify', { credential: token, ...body })
  const { body: verified } = await verify({ organization: orgId, permissions: ['members:update'] })
  assert.deepEqual([verified.valid, verified.caller.application], [true, named])
  const { body: lacking } = await verify({ organization: orgId, permissions: ['keys:read'] })
  assert.deepEqual([lacking.valid, lacking.missing], [false, ['keys:read']])

  await client.patch(`/api/organizations/${orgId}`, { name: 'Renamed' })
  const { body } = await ben.get(`/api/organizations/${orgId}/audit?action=organization.updated`)
  assert.deepEqual([body.data[0].actor.id, body.data[0].via, body.data[0].application], [ben.id, null, named])

  const check = { checks: ['members:update', 'keys:read'].map((permission) => ({ organizationId: orgId, permission })) }
  const { body: checked } = await client.post('/api/check', check)
  assert.deepEqual(
    checked.results.map(({ allowed }: { allowed: boolean }) => allowed),
    [true, false],
  )
})

test('a request with an access token counts as use of the grant and its session', async () => {
  const ann = await world.person()
  const by = await makeProduct(world, { scopes })
  const { client } = await through(ann, { by })
  await query(`update sessions set last_active_at = now() - interval '1 day' where user_id = $1`, [ann.id])
  await query(`update grants set last_used_at = now() - interval '1 day' where application_id = $1`, [by.id])
  assert.equal((await client.get('/api/users/me')).status, 200)
  const isNoted = async () =>
    (
      await query(
        `select from sessions s join grants g on g.tenant_id = s.tenant_id and g.session_id = s.id
         where g.application_id = $1 and least(s.last_active_at, g.last_used_at) > now() - interval '1 hour'`,
        [by.id],
      )
    ).length === 1
  await until(isNoted, 'the use to be noted')
  assert.equal((await grantsOf(world, by)).length, 1)
})
