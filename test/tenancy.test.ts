/** Tenancy: another tenant's, another organization's and another person's things do not exist, for any caller. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeMailedToken } from '../src/domain/access/tokens.ts'
import { getTenantBySlug, type TenantRecord } from '../src/features/tenants/tenants.ts'
import { newId } from '../src/platform/http/schemas.ts'
import { applicationBodies, requestApplication } from './application-requests.ts'
import { unfold } from './contract.ts'
import { keepFresh } from './freshness.ts'
import { keyBodies, keyNameIn, makeKeys, offerKeys } from './key-requests.ts'
import { makeLink } from './membership-requests.ts'
import { aPicture } from './pictures.ts'
import { addPasskey } from './sign-in.ts'
import { makeWebhooks, offerWebhooks, webhookBodies } from './webhook-requests.ts'
import { type Client, createWorld, type Json, mailboxKey, type Organization, type Person, password } from './world.ts'

const world = await createWorld()
const document = unfold(world.app.swagger())
const home = await getTenantBySlug(world.database, 'default')
const abroad = await world.tenant()

/** An organization with everything that has an id. */
interface Inventory extends Organization {
  readonly tenant: TenantRecord
  readonly tenantAdmin: Person
  readonly ids: Readonly<Record<string, string>>
}

async function makeInventory(tenant: TenantRecord): Promise<Inventory> {
  const organization = await world.organization({ tenant: tenant.slug })
  const { ann, ben, path, id, members } = organization
  const invitation = await ann.post(`${path}/invites`, { email: `invited-${id}@example.com`.replaceAll('_', '-') })
  const devices = await ben.get('/api/users/me/devices')
  const ids = {
    orgId: id,
    memberId: members.cleo.id,
    inviteId: invitation.body.id,
    userId: ben.id,
    deviceId: devices.body.data[0].id,
    linkId: (await makeLink(ann, id)).id,
    permission: 'members:read',
  }
  const tenantAdmin = await world.tenantAdmin(tenant.slug)
  await offerKeys(world, tenant.slug)
  const keys = await makeKeys(ben, { owner: ann, orgId: id, admin: tenantAdmin })
  await offerWebhooks(world, tenant.slug)
  const webhooks = await makeWebhooks({ owner: ann, orgId: id, admin: tenantAdmin })
  const body = { type: 'github', name: `GitHub of ${id}`, clientId: 'guildhall' }
  const { body: provider } = await tenantAdmin.post('/api/admin/providers', body)
  const { application } = await requestApplication(tenantAdmin)
  const { answer } = await addPasskey(ben)
  const identityId = newId('idn')
  await world.postgres.query(
    `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject) values ($1, $2, $3, $4, 'x', $2)`,
    [tenant.id, identityId, ben.id, provider.id],
  )
  const factorId = answer.body.factor.id
  return {
    ...organization,
    tenant,
    ids: { ...ids, ...keys, ...webhooks, providerId: provider.id, appId: application.id, factorId, identityId },
    tenantAdmin,
  }
}

const own = await makeInventory(home)
const neighbour = await makeInventory(home)
const foreign = await makeInventory(abroad)
const inventories = { own, neighbour, foreign }
await keepFresh(world.postgres)
// A session stores its use once a minute, and a membership once an hour, which would look like a change here.
await world.postgres.query(`update sessions set last_active_at = now() + interval '1 hour'`)
await world.postgres.query(`update memberships set last_active_at = now() + interval '1 hour'`)

/** Everybody of the home tenant, as callers with the others' ids. */
const callers: Readonly<Record<string, Person>> = {
  owner: own.ann,
  admin: own.ben,
  member: own.cleo,
  outsider: own.dan,
  'tenant admin': own.tenantAdmin,
}

/** A body that every route with an id in its path accepts. */
function bodyOf(operation: string, inventory: Inventory): unknown {
  const bodies: Record<string, unknown> = {
    'PATCH /api/organizations/{orgId}': { name: 'Taken over' },
    'PUT /api/organizations/{orgId}/logo': aPicture,
    'DELETE /api/organizations/{orgId}': { confirm: inventory.slug },
    'POST /api/organizations/{orgId}/transfer': { memberId: inventory.members.cleo.id },
    'PATCH /api/admin/organizations/{orgId}': { name: 'Taken over' },
    'PUT /api/admin/organizations/{orgId}/logo': aPicture,
    'POST /api/admin/organizations/{orgId}/members': { userId: inventory.dan.id },
    'DELETE /api/admin/organizations/{orgId}': { confirm: inventory.slug },
    'POST /api/admin/organizations/{orgId}/transfer': { memberId: inventory.members.cleo.id },
    'PATCH /api/organizations/{orgId}/members/{memberId}': { role: 'admin' },
    'POST /api/organizations/{orgId}/invites': { email: 'stranger@example.com' },
    'POST /api/organizations/{orgId}/invites/bulk': { invites: [{ email: 'stranger@example.com' }] },
    'POST /api/organizations/{orgId}/invites/{inviteId}/resend': {},
    'POST /api/organizations/{orgId}/links': {},
    'PATCH /api/admin/organizations/{orgId}/members/{memberId}': { role: 'admin' },
    'POST /api/admin/organizations/{orgId}/invites': { email: 'stranger@example.com' },
    'POST /api/admin/organizations/{orgId}/invites/bulk': { invites: [{ email: 'stranger@example.com' }] },
    'POST /api/admin/organizations/{orgId}/invites/{inviteId}/resend': {},
    'POST /api/invites/{inviteId}/preview': { token: tokenOf(own) },
    'PATCH /api/admin/users/{userId}': { name: 'Taken over' },
    'PATCH /api/users/me/factors/{factorId}': { name: 'Taken over' },
    'PATCH /api/admin/providers/{providerId}': { name: 'Taken over' },
    'DELETE /api/admin/providers/{providerId}': { confirm: `GitHub of ${inventory.id}` },
    ...applicationBodies(),
    ...webhookBodies(),
    ...keyBodies(inventory.id, new Date(Date.now() + 7_200_000).toISOString()),
  }
  const [method = '', path = ''] = operation.split(' ')
  const takesBody = Boolean(document.paths[path][method.toLowerCase()].requestBody)
  assert.equal(operation in bodies, takesBody, `give ${operation} a body in \`bodies\` here`)
  return bodies[operation]
}

function tokenOf({ tenant, ids }: Inventory): string {
  return makeMailedToken(world.keyring, 'invitation', { tenant: tenant.id, id: ids.inviteId ?? '', generation: 1 })
}

/** Without what is public of every tenant. */
const withIds = world.contract.operations.filter((operation) => /\{(?!tenantId)/.test(operation))

function fill(operation: string, ids: Readonly<Record<string, string>>): { method: string; path: string } {
  const [method = '', template = ''] = operation.split(' ')
  const path = template.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const name = keyNameIn(template, parameter)
    assert.ok(ids[name], `${operation} has an id that this test does not know: ${name}`)
    return ids[name]
  })
  return { method, path }
}

/** Every row of the other inventories, to compare before and after. */
async function remember(): Promise<Json> {
  const kept: Record<string, Json> = {}
  for (const table of [
    'organizations',
    'memberships',
    'invitations',
    'users',
    'audit_entries',
    'sessions',
    'providers',
    'factors',
    'identities',
    'links',
    'api_keys',
    'applications',
    'pictures',
  ]) {
    kept[table] = await world.postgres.query(`select * from ${table} order by tenant_id, id`)
  }
  return kept
}

async function refuses(operation: string, ids: Readonly<Record<string, string>>, what: string, expected = 404) {
  const { method, path } = fill(operation, ids)
  for (const [name, caller] of Object.entries(callers)) {
    const answer = await caller.request(path, { method, body: bodyOf(operation, foreign) })
    const isForAdmins = operation.includes('/api/admin/') && name !== 'tenant admin'
    assert.equal(answer.status, isForAdmins ? 403 : expected, `${operation} with ${what}, by ${name}: ${answer.status}`)
  }
}

for (const operation of withIds) {
  test(`${operation} answers another tenant's ids like unknown ones`, async () => {
    const before = await remember()
    await refuses(operation, foreign.ids, "another tenant's ids")
    await refuses(operation, { ...foreign.ids, orgId: foreign.slug }, "another tenant's slug")
    assert.deepEqual(await remember(), before)
  })

  if (operation.includes(' /api/admin/') || operation.includes('/preview')) continue
  test(`${operation} answers another organization's or person's ids like unknown ones`, async () => {
    const before = await remember()
    // Every signed-in user finds an invitation by its id, and learns only that it is another person's.
    const expected = operation.includes(' /api/invites/') ? 403 : 404
    await refuses(operation, neighbour.ids, "another organization's ids", expected)
    if (operation.includes('{orgId}')) {
      await refuses(operation, { ...neighbour.ids, orgId: neighbour.slug }, "another organization's slug")
      await refuses(operation, { ...own.ids, orgId: neighbour.id }, "one's own ids under another organization")
      await refuses(operation, { ...own.ids, orgId: foreign.id }, "one's own ids under another tenant's organization")
    }
    assert.deepEqual(await remember(), before)
  })

  if (!/\{orgId\}.*\{/.test(operation) || operation.includes('{permission}')) continue
  test(`${operation} does not find other organizations' ids under one's own organization`, async () => {
    const before = await remember()
    for (const [name, ids] of Object.entries({ neighbour: neighbour.ids, foreign: foreign.ids })) {
      const { method, path } = fill(operation, { ...ids, orgId: own.id })
      for (const caller of [own.ann, own.ben]) {
        const answer = await caller.request(path, { method, body: bodyOf(operation, own) })
        assert.equal(answer.status, 404, `${operation} with ids of the ${name}: ${answer.status}`)
      }
    }
    assert.deepEqual(await remember(), before)
  })
}

test('only its owner finds a device, not even tenant admins do', async () => {
  for (const caller of [own.ann, own.tenantAdmin, foreign.ben]) {
    const { status } = await caller.delete(`/api/users/me/devices/${own.ids.deviceId}`)
    assert.equal(status, 404)
  }
})

test('an invitation is shown only for its own token', async () => {
  const path = (inventory: Inventory) => `/api/invites/${inventory.ids.inviteId}/preview`

  assert.equal((await world.nobody.post(path(own), { token: tokenOf(own) })).status, 200)
  for (const [to, token] of [
    [own, tokenOf(neighbour)],
    [own, tokenOf(foreign)],
    [foreign, tokenOf(own)],
    [
      own,
      makeMailedToken(world.keyring, 'invitation', { tenant: home.id, id: foreign.ids.inviteId ?? '', generation: 1 }),
    ],
    [
      foreign,
      makeMailedToken(world.keyring, 'invitation', { tenant: home.id, id: foreign.ids.inviteId ?? '', generation: 1 }),
    ],
    [
      own,
      makeMailedToken(world.keyring, 'verify_email', { tenant: home.id, id: own.ids.inviteId ?? '', generation: 1 }),
    ],
    [own, makeMailedToken(world.keyring, 'invitation', { tenant: home.id, id: own.ids.inviteId ?? '', generation: 2 })],
  ] as const) {
    assert.equal((await world.nobody.post(path(to), { token })).status, 404)
  }
})

test('a token of another tenant, or of one that does not exist, verifies nothing and gives no access', async () => {
  const nowhere = '019ab000-0000-7000-8000-000000000000'
  const token = (tenant: string) =>
    makeMailedToken(world.keyring, 'verify_email', { tenant, id: own.dan.id, generation: 1 })

  const elsewhere = await own.dan.post('/api/auth/verify-email', { token: token(abroad.id) })
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [403, 'sign_in_required'])
  const gone = await own.dan.post('/api/auth/verify-email', { token: token(nowhere) })
  assert.deepEqual([gone.status, gone.body.code], [410, 'token_spent'])

  const invitationToken = makeMailedToken(world.keyring, 'invitation', {
    tenant: nowhere,
    id: own.ids.inviteId ?? '',
    generation: 1,
  })
  const signUp = await world.nobody.post('/api/auth/sign-up', {
    email: 'somebody@example.com',
    password,
    invitationToken,
  })
  assert.deepEqual([signUp.status, signUp.body.code], [410, 'token_spent'])
  const preview = await world.nobody.post(`/api/invites/${own.ids.inviteId}/preview`, { token: invitationToken })
  assert.equal(preview.status, 404)
})

test('a session of an unknown tenant is invalid', async () => {
  // The second is a tenant's id in form, but not a UUID of any version.
  for (const tenant of ['01k9zq3v5hf8gs4m2y7c6t0wdn', '0mpvmmnnkpm0paaj0pkmmjk0nk']) {
    const token = `ghs_${tenant}.${own.ann.token.split('.')[1]}`
    const answer = await world.nobody.get('/api/users/me', { authorization: `Bearer ${token}` })
    assert.equal(answer.status, 401)
    const mailed = `ghm_${tenant}.${own.dan.id.slice(5)}.${'x'.repeat(42)}0`
    for (const [path, body] of [
      ['/api/auth/reset-password', { token: mailed, newPassword: password }],
      ['/api/setup', { token: token.replace('ghs', 'ghu'), email: 'somebody@example.com', password }],
    ] as const) {
      const { status, body: problem } = await world.nobody.post(path, body)
      assert.deepEqual([status, problem.code], [410, 'token_spent'], path)
    }
  }
})

test('a session works only in its own tenant, whatever tenant its text or a header names', async () => {
  const [, secret = ''] = own.ann.token.split('.')
  const [prefix = ''] = foreign.ann.token.split('.')
  assert.equal((await world.nobody.get('/api/users/me', { authorization: `Bearer ${prefix}.${secret}` })).status, 401)

  for (const named of [abroad.slug, 'no-such-tenant', '', 'DEFAULT']) {
    for (const request of [
      own.ann.get('/api/users/me', { 'guildhall-tenant': named }),
      own.ann.get(own.path, { 'guildhall-tenant': named }),
      own.ann.patch(own.path, { name: 'Elsewhere' }, { 'guildhall-tenant': named }),
      own.tenantAdmin.get('/api/admin/users', { 'guildhall-tenant': named }),
    ]) {
      const answer = await request
      assert.deepEqual([answer.status, answer.body.code], [400, 'tenant_mismatch'])
    }
  }
  assert.equal((await own.ann.get('/api/users/me', { 'guildhall-tenant': 'default' })).status, 200)
})

/** Each field of a body, and each parameter of a query, that names a row by its id. */
const named = [
  'GET /api/admin/audit ?organizationId',
  'GET /api/admin/audit ?userId',
  'GET /api/admin/events ?organizationId',
  'GET /api/admin/organizations ?id[]',
  'GET /api/admin/organizations ?userId',
  'GET /api/admin/organizations/{orgId}/members ?userId',
  'GET /api/admin/users ?id[]',
  'GET /api/admin/users ?organizationId',
  'GET /api/caller ?organization',
  'GET /api/organizations/{orgId}/members ?userId',
  'GET /api/users/me/audit ?organizationId',
  'POST /api/admin/organizations ownerId',
  'POST /api/admin/organizations/{orgId}/members userId',
  'POST /api/admin/organizations/{orgId}/transfer memberId',
  'POST /api/auth/authorize organizationId', // features/applications/authorization.test.ts
  'POST /api/auth/authorize userId', // is compared with the caller's, and reaches no row
  'POST /api/auth/sign-in/provider providerId',
  'POST /api/check checks[].organizationId',
  'POST /api/check checks[].userId',
  'POST /api/credentials/verify organization',
  'POST /api/organizations/{orgId}/transfer memberId',
  'POST /api/tenants/{tenantId}/token organization', // features/applications/token.test.ts
  'POST /api/tokens organization',
  'POST /api/users/me/identities/start providerId',
  'POST /api/users/me/keys organizationId',
]

/** The fields in a schema whose form is that of an id, at any depth. Tokens and sealed requests name a tenant, and are tried for themselves. */
function idsIn(schema: Json, name: string): string[] {
  if (schema.$ref) return idsIn(document.components.schemas[schema.$ref.split('/').at(-1)], name)
  const { pattern = '', properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema
  return [
    ...(/^\^\(?(?!gh)[a-z]{3,4}_\[0-7\]/.test(pattern) ? [name] : []),
    ...Object.entries<Json>(properties).flatMap(([key, each]) => idsIn(each, name ? `${name}.${key}` : key)),
    ...(items ? idsIn(items, `${name}[]`) : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((each) => idsIn(each, name)),
  ]
}

test('each field and each parameter that names a row by its id is tried here', () => {
  const found = Object.entries<Json>(document.paths).flatMap(([path, operations]) =>
    Object.entries<Json>(operations).flatMap(([method, { requestBody, parameters = [] }]) => {
      const bodies = Object.values<Json>(requestBody?.content ?? {}).flatMap(({ schema }) => idsIn(schema ?? {}, ''))
      const query = parameters.filter((each: Json) => each.in === 'query')
      const filters = query.flatMap(({ schema, name }: Json) => idsIn(schema, `?${name}`))
      return [...bodies, ...filters].map((field) => `${method.toUpperCase()} ${path} ${field}`)
    }),
  )
  assert.deepEqual([...new Set(found)].sort(), [...named].sort())
})

test('a body that names a row by its id does not reach rows of others', async () => {
  const backend = await world.key(['credentials:verify'])
  const asking = await world.key(['members:read', 'users:read'])
  const before = await remember()
  for (const { members } of [neighbour, foreign]) {
    const body = { memberId: members.cleo.id }
    for (const [caller, path] of [
      [own.ann, own.path],
      [own.tenantAdmin, `/api/admin/organizations/${own.id}`],
    ] as const) {
      assert.equal((await caller.post(`${path}/transfer`, body)).status, 404, path)
    }
  }
  for (const { id, slug } of [neighbour, foreign])
    for (const organization of [id, slug])
      assert.equal((await own.ann.post('/api/tokens', { organization })).status, 404)
  const asked = { credential: own.ann.token }
  for (const organization of [neighbour.id, foreign.id, foreign.slug]) {
    const { body } = await backend.post('/api/credentials/verify', { ...asked, organization })
    assert.deepEqual(body, { valid: false, reason: 'no_access' })
  }
  for (const { id: organizationId } of [neighbour, foreign]) {
    const body = { name: 'Import', scopes: ['members:read'], organizationId }
    assert.equal((await own.ann.post('/api/users/me/keys', body)).status, 404)
  }
  const questions = [
    [own.id, foreign.ann.id],
    [own.id, neighbour.ann.id],
    [foreign.id, foreign.ann.id],
    [foreign.id, own.ann.id],
    [foreign.id, undefined],
  ].map(([organizationId, userId]) => ({ organizationId, permission: 'members:read', ...(userId && { userId }) }))
  const notThere = { allowed: false, reason: 'not_a_member' }
  const { body: checked } = await asking.post('/api/check', { checks: questions })
  assert.deepEqual(
    checked.results,
    questions.map(() => notThere),
  )
  const theirs = [neighbour, foreign].map(({ id: organizationId }) => ({ organizationId, permission: 'members:read' }))
  assert.deepEqual((await own.ann.post('/api/check', { checks: theirs })).body.results, [notThere, notThere])
  // All organizations of a tenant have its users and its providers.
  const { tenantAdmin } = own
  const given = await tenantAdmin.post('/api/admin/organizations', { name: 'Given', ownerId: foreign.ann.id })
  const added = await tenantAdmin.post(`/api/admin/organizations/${own.id}/members`, { userId: foreign.ann.id })
  assert.deepEqual([given.status, added.status], [400, 400])
  const { providerId } = foreign.ids
  for (const path of ['/api/auth/sign-in/provider', '/api/users/me/identities/start'])
    assert.equal((await own.ann.post(path, { providerId })).status, 404, path)
  assert.deepEqual(await remember(), before)
})

test('the same address belongs to a different person in another tenant', async () => {
  const twin = await world.person('Ann', { tenant: abroad.slug, email: own.ann.email })

  assert.notEqual(twin.id, own.ann.id)
  assert.deepEqual((await twin.get('/api/organizations')).body.data, [])
  assert.equal((await twin.get(own.path)).status, 404)
  assert.equal((await twin.post(`/api/invites/${own.ids.inviteId}/accept`)).status, 404)
})

test('lists never show what belongs to others', async () => {
  const lists = world.contract.operations.filter((operation) =>
    Boolean(schemaOf(operation)?.properties?.data && operation.startsWith('GET ')),
  )
  assert.ok(lists.length >= 8, 'the lists are found by the shape of their answers')
  const marks = Object.fromEntries(
    Object.entries(inventories).map(([name, inventory]) => [
      name,
      [
        inventory.id,
        inventory.slug,
        ...Object.values(inventory.ids).filter((id) => id !== inventory.ids.permission), // which everybody has
        inventory.ann.id,
        inventory.ann.email,
        inventory.dan.email,
      ],
    ]),
  )

  for (const operation of lists) {
    const { path } = fill(operation, own.ids)
    const seen: [Client, readonly (string | undefined)[] | undefined][] = [
      [
        own.ann,
        operation.includes('/api/admin/') ? marks.foreign : [...(marks.neighbour ?? []), ...(marks.foreign ?? [])],
      ],
      [own.tenantAdmin, marks.foreign],
    ]
    for (const [caller, forbidden = []] of seen) {
      const answer = await caller.get(`${path}?limit=100`.replace('/devices?limit=100', '/devices'), {
        'guildhall-mailbox-key': operation.includes('mailbox') ? mailboxKey : 'none',
      })
      const text = JSON.stringify(answer.body)
      for (const mark of forbidden) assert.ok(!text.includes(`"${mark}"`), `${operation} shows ${mark}`)
    }
  }
})

test("filters by another tenant's or organization's id find nothing", async () => {
  const ofTenant = (organization: string, user: string) => [
    `/api/admin/users?organizationId=${organization}`,
    `/api/admin/users?id=${user}`,
    `/api/admin/organizations?id=${organization}`,
    `/api/admin/organizations?userId=${user}`,
    `/api/admin/organizations/${own.id}/members?userId=${user}`,
    `/api/admin/audit?organizationId=${organization}`,
    `/api/admin/audit?userId=${user}`,
    `/api/admin/events?organizationId=${organization}`,
  ]
  const found = async (by: Person, path: string) => {
    const { status, body } = await by.get(path)
    assert.equal(status, 200, path)
    return body.data.length
  }
  for (const path of ofTenant(own.id, own.ben.id)) assert.notEqual(await found(own.tenantAdmin, path), 0, path)
  for (const path of [...ofTenant(foreign.id, foreign.ben.id), ...ofTenant(newId('org'), newId('user'))])
    assert.equal(await found(own.tenantAdmin, path), 0, path)
  for (const { id, slug, ben } of [neighbour, foreign]) {
    assert.equal(await found(own.ann, `/api/users/me/audit?organizationId=${id}`), 0)
    assert.equal(await found(own.ann, `${own.path}/members?userId=${ben.id}`), 0)
    for (const organization of [id, slug])
      assert.equal((await own.ann.get(`/api/caller?organization=${organization}`)).status, 404, organization)
  }
  const all = await own.tenantAdmin.get('/api/admin/users?limit=100&includeTotal=true')
  assert.ok(all.body.data.every(({ email }: Json) => email !== foreign.ann.email))
  const [counted] = await world.postgres.query<{ count: string }>('select count(*) from users where tenant_id = $1', [
    home.id,
  ])
  assert.equal(all.body.total, Number(counted?.count))
})

/** The schema of an operation's answer. */
function schemaOf(operation: string): Json {
  const [method = '', path = ''] = operation.split(' ')
  return document.paths[path][method.toLowerCase()].responses['200']?.content?.['application/json']?.schema
}
