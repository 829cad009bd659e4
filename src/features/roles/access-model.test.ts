import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offerKeys } from '../../../test/key-requests.ts'
import { codeOf, createWorld, type Json, type Person } from '../../../test/world.ts'

const world = await createWorld()
const { query } = world.postgres

const invoices = [
  { key: 'invoices:read', name: 'Read invoices', minimumRole: 'member' },
  { key: 'invoices:write', name: 'Write invoices' },
  { key: 'invoices:void', name: 'Void invoices', minimumRole: 'owner' },
]
const billing = { key: 'billing', name: 'Billing', permissions: ['invoices:write', 'audit:read'] }
const model = { permissions: invoices, roles: [billing] }

/** A tenant with an organization: Ann owns it, Ben is an admin, Cleo a member. */
async function open(permissions: Json = model) {
  const { slug } = await world.tenant()
  const tess = await world.tenantAdmin(slug)
  const replaced = await tess.put('/api/admin/access', permissions)
  assert.equal(replaced.status, 200, JSON.stringify(replaced.body))
  const organization = await world.organization({ tenant: slug })
  const grant = (member: Json, grants: Json[], by: Person = organization.ann) =>
    by.patch(`${organization.path}/members/${member.id}`, { grants })
  return { ...organization, tenant: slug, tess, grant, replaced }
}

test('the model is shown with the built-in part first, and with the members of each role', async () => {
  const { tess, grant, members } = await open()
  await grant(members.cleo, [{ role: 'billing' }])

  const { body, headers } = await tess.get('/api/admin/access')

  assert.ok(headers.get('etag'))
  const own = body.permissions.filter(({ builtIn }: Json) => !builtIn)
  assert.deepEqual(
    own.map(({ key, minimumRole, grantable }: Json) => [key, minimumRole, grantable]),
    [
      ['invoices:read', 'member', true],
      ['invoices:void', 'owner', true],
      ['invoices:write', 'admin', true],
    ],
  )
  assert.equal(
    body.permissions.findIndex(({ builtIn }: Json) => !builtIn),
    body.permissions.length - 3,
  )
  assert.deepEqual(
    body.roles.map(({ key, source, memberCount }: Json) => [key, source, memberCount]),
    [
      ['member', 'builtIn', 1],
      ['admin', 'builtIn', 1],
      ['owner', 'builtIn', 1],
      ['billing', 'tenant', 1],
    ],
  )
})

test('what a minimum role or a grant gives is allowed in one request, and nothing else', async () => {
  const { id, ann, ben, cleo, dan, grant, members, path } = await open()
  const allowed = async (person: Person) => {
    const checks = invoices.map(({ key }) => ({ organizationId: id, permission: key }))
    const { body } = await person.post('/api/check', { checks })
    return body.results.map((result: Json) => result.allowed || result.reason)
  }
  assert.deepEqual(await allowed(ann), [true, true, true])
  assert.deepEqual(await allowed(ben), [true, true, 'not_granted'])
  assert.deepEqual(await allowed(cleo), [true, 'not_granted', 'not_granted'])
  assert.deepEqual(await allowed(dan), ['not_a_member', 'not_a_member', 'not_a_member'])

  assert.deepEqual((await grant(members.cleo, [{ role: 'billing' }])).body.roles, ['member', 'billing'])
  assert.deepEqual(await allowed(cleo), [true, true, 'not_granted'])
  const own = (await cleo.get(`${path}/members/me`)).body.permissions
  assert.deepEqual(own, [
    'audit:read',
    'invoices:read',
    'invoices:write',
    'members:leave',
    'members:read',
    'organization:read',
  ])
  assert.deepEqual((await cleo.get(path)).body.permissions, own)
  assert.equal((await cleo.get(`${path}/audit`)).status, 200, 'a built-in permission opens its route')
  assert.equal((await cleo.get(`${path}/check/invoices:write`)).status, 204)
  assert.deepEqual(codeOf(await cleo.get(`${path}/check/invoices:void`)), [403, 'forbidden'])
  assert.deepEqual(codeOf(await cleo.get(`${path}/check/invoices:lost`)), [403, 'forbidden'])
  assert.deepEqual(codeOf(await dan.get(`${path}/check/invoices:read`)), [404, 'not_found'])

  await grant(members.cleo, [])
  assert.deepEqual(await allowed(cleo), [true, 'not_granted', 'not_granted'])
})

test('an unknown permission fails its line alone, and so does an organization that is not there', async () => {
  const { id, ann } = await open()
  const { body } = await ann.post('/api/check', {
    checks: [
      { organizationId: id, permission: 'invoices:lost' },
      { organizationId: 'org_01k9zq3v5hf8gs4m2y7c6t0wdn', permission: 'invoices:read' },
      { organizationId: id, permission: 'invoices:void' },
    ],
  })
  assert.deepEqual(body.results, [
    { allowed: false, reason: 'unknown_permission' },
    { allowed: false, reason: 'not_a_member' },
    { allowed: true },
  ])
})

test('a check needs the second factor that the organization requires', async () => {
  const { id, ann } = await open()
  await query(`update organizations set second_factor = 'required' where id = $1`, [id])
  const { body } = await ann.post('/api/check', { checks: [{ organizationId: id, permission: 'invoices:read' }] })
  assert.deepEqual(body.results, [{ allowed: false, reason: 'second_factor_required' }])
})

test('what somebody holds goes only when it is named, and a dry run changes nothing', async () => {
  const { tess, cleo, grant, members, path } = await open()
  await grant(members.cleo, [{ role: 'billing' }])
  const smaller = { permissions: invoices.slice(0, 2), roles: [] }

  const refused = await tess.put('/api/admin/access', smaller)
  assert.deepEqual(codeOf(refused), [409, 'role_in_use'])
  assert.deepEqual([refused.body.roles, refused.body.permissions], [['billing'], ['invoices:void']])
  assert.deepEqual(codeOf(await tess.put('/api/admin/access?drop=billing', smaller)), [409, 'role_in_use'])

  const drop = 'drop=billing,invoices:void'
  const dry = await tess.put(`/api/admin/access?dryRun=true&${drop}`, smaller)
  assert.deepEqual(dry.body.changes, {
    added: [],
    removed: ['invoices:void', 'billing'],
    changed: [],
    affectedMembers: 2, // the owner and Cleo
    affectedKeys: 0,
  })
  assert.equal((await cleo.get(`${path}/check/invoices:write`)).status, 204)

  const done = await tess.put(`/api/admin/access?${drop}`, smaller)
  assert.deepEqual(done.body.changes, dry.body.changes)
  assert.deepEqual((await cleo.get(`${path}/members/me`)).body.roles, ['member'])
  const { data } = (await tess.get('/api/admin/audit?action=access.updated')).body
  assert.deepEqual(data[0].details, { added: [], removed: ['invoices:void', 'billing'], changed: [] })
})

test('a permission that only a key has goes only when it is named', async () => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  assert.equal((await tess.put('/api/admin/access', model)).status, 200)
  await offerKeys(world, tenant)
  const key = await world.key(['invoices:write'], { tenant, holder: tess.id })
  const own = await world.key(['invoices:void', 'me:read'], { tenant, person: tess })
  const shown = async () => [
    (await key.get('/api/caller')).body.key?.scopes,
    (await own.get('/api/caller')).body.key?.scopes,
  ]
  const before = await shown()
  const none = { permissions: [], roles: [] }

  const refused = await tess.put('/api/admin/access', none)

  assert.deepEqual(codeOf(refused), [409, 'role_in_use'])
  assert.deepEqual([refused.body.roles, refused.body.permissions], [[], ['invoices:void', 'invoices:write']])
  const rest = await tess.put('/api/admin/access?drop=invoices:write', none)
  assert.deepEqual([rest.status, rest.body.permissions], [409, ['invoices:void']])
  assert.deepEqual(codeOf(await tess.put('/api/admin/access?dryRun=true', none)), [409, 'role_in_use'])
  assert.deepEqual(await shown(), before)
  assert.equal((await tess.put('/api/admin/access?drop=invoices:write,invoices:void', none)).status, 200)
  assert.deepEqual(await shown(), [undefined, ['me:read']])
})

test('a permission that nobody and no live key has goes unnamed', async () => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  assert.equal((await tess.put('/api/admin/access', model)).status, 200)
  const key = await world.key(['invoices:write'], { tenant, holder: tess.id })
  assert.equal((await tess.delete(`/api/admin/keys/${key.id}`)).status, 200)

  assert.equal((await tess.put('/api/admin/access', { permissions: [], roles: [] })).status, 200)
})

test('keys lose a permission that is dropped, and do not get it back with a permission of the same key', async () => {
  const { tenant, tess, ann, ben, id, path } = await open()
  await offerKeys(world, tenant)
  const scopes = ['invoices:write', 'members:read', 'invoices:void']
  const keys = {
    ofTenant: await world.key(scopes, { tenant, holder: tess.id }),
    ofOrganization: await world.key(scopes, { tenant, organization: id, holder: ann.id }),
    ofPerson: await world.key(scopes, { tenant, person: ann }),
    untouched: await world.key(['members:read', 'invoices:write'], { tenant, person: ann }),
    emptied: await world.key(['invoices:void'], { tenant, person: ann }),
    ofOrganizationEmptied: await world.key(['invoices:void'], { tenant, organization: id, holder: ann.id }),
  }
  const shown = async (key: keyof typeof keys) => {
    const { body } = await keys[key].get('/api/caller')
    return body.key ? body.key.scopes : body.code
  }
  const etagOf = async () => (await ann.get(`/api/users/me/keys/${keys.ofPerson.id}`)).headers.get('etag')
  const before = await etagOf()
  const smaller = { ...model, permissions: invoices.slice(0, 2) }
  const dry = await tess.put('/api/admin/access?dryRun=true&drop=invoices:void', smaller)
  assert.deepEqual([dry.status, dry.body.changes?.affectedKeys], [200, 5], 'all but the untouched one')
  assert.deepEqual(await shown('ofPerson'), scopes)

  const done = await tess.put('/api/admin/access?drop=invoices:void', smaller)
  assert.deepEqual([done.status, done.body.changes?.affectedKeys], [200, 5])

  const left = ['invoices:write', 'members:read']
  const expectLeft = async () => {
    for (const key of ['ofTenant', 'ofOrganization', 'ofPerson'] as const) assert.deepEqual(await shown(key), left, key)
    assert.deepEqual(await shown('untouched'), ['members:read', 'invoices:write'])
    for (const key of ['emptied', 'ofOrganizationEmptied'] as const)
      assert.equal(await shown(key), 'unauthenticated', key)
  }
  await expectLeft()
  assert.notEqual(await etagOf(), before)
  assert.equal((await tess.put('/api/admin/access', model)).status, 200)
  await expectLeft()
  assert.equal((await keys.ofOrganization.get(`${path}/check/invoices:void`)).status, 403)

  const told = async (log: string, by: Person) =>
    (await by.get(`${log}?action=key.narrowed,key.ended`)).body.data.map(({ action, target, actor, details }: Json) => [
      action,
      target.id,
      actor.id,
      details.scopes ?? details.reason,
    ])
  const narrowed = (key: keyof typeof keys) => ['key.narrowed', keys[key].id, tess.id, { from: scopes, to: left }]
  const ended = (key: keyof typeof keys) => ['key.ended', keys[key].id, tess.id, 'revoked']
  const byKey = (entries: Json[]) => entries.toSorted(([, one], [, other]) => (one < other ? -1 : 1))
  const inOrganization = [narrowed('ofOrganization'), ended('ofOrganizationEmptied')]
  assert.deepEqual(byKey(await told(`${path}/audit`, ann)), byKey(inOrganization))
  assert.deepEqual(byKey(await told('/api/users/me/audit', ann)), byKey([narrowed('ofPerson'), ended('emptied')]))
  assert.deepEqual(await told('/api/users/me/audit', ben), [])
  assert.deepEqual(
    byKey(await told('/api/admin/audit', tess)),
    byKey([...inOrganization, narrowed('ofTenant'), narrowed('ofPerson'), ended('emptied')]),
  )
})

test('a key that was made while a permission was dropped does not get it back either, and however many there are', async () => {
  const { tenant, tess, id, ann } = await open()
  const { id: key } = await world.key(['invoices:void', 'members:read'], { tenant, organization: id, holder: ann.id })
  const scopesOf = () =>
    query(`select distinct scopes from api_keys where organization_id = $1 and ended_at is null`, [id])
  const smaller = { ...model, permissions: invoices.slice(0, 2) }
  assert.equal((await tess.put('/api/admin/access?drop=invoices:void', smaller)).status, 200)
  await query(`update api_keys set scopes = '{invoices:void,members:read}' where id = $1`, [key])
  await query(
    `insert into api_keys (tenant_id, id, owner_type, organization_id, name, scopes, holder_id)
     select tenant_id, id || n, owner_type, organization_id, name, scopes, holder_id
     from api_keys, generate_series(1, 600) n where id = $1`,
    [key],
  )

  assert.equal((await tess.put('/api/admin/access', model)).status, 200)

  assert.deepEqual(await scopesOf(), [{ scopes: ['members:read'] }])
})

test('a renamed role keeps its members, and `was` means nothing once it is renamed', async () => {
  const { tess, cleo, grant, members, path } = await open()
  await grant(members.cleo, [{ role: 'billing' }])
  const renamed = { ...model, roles: [{ ...billing, key: 'finance', was: 'billing' }] }
  for (const changed of [['finance'], []]) {
    const { status, body } = await tess.put('/api/admin/access', renamed)
    assert.deepEqual([status, body.changes.changed], [200, changed])
    assert.deepEqual((await cleo.get(`${path}/members/me`)).body.roles, ['member', 'finance'])
  }
})

test('every fault of a model is named at its place, and nothing is changed', async () => {
  const { tess, replaced } = await open()
  const { status, body } = await tess.put('/api/admin/access', {
    permissions: [
      { key: 'members:update', name: 'Ours' },
      { key: 'invoices:read', name: 'Read' },
      { key: 'invoices:read', name: 'Again' },
    ],
    roles: [
      { key: 'owner', name: 'Owner', permissions: [] },
      { key: 'billing', name: 'One', permissions: ['organization:delete', 'invoices:lost', 'members:read'] },
      { key: 'billing', name: 'Two', permissions: ['audit:read', 'audit:read'] },
    ],
  })
  assert.equal(status, 400)
  assert.deepEqual(
    body.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`),
    [
      '/permissions/0/key',
      '/permissions/2/key',
      '/roles/0/key',
      '/roles/1/permissions/0',
      '/roles/1/permissions/1',
      '/roles/1/permissions/2',
      '/roles/2/key',
      '/roles/2/permissions/1',
    ].map((pointer) => `${pointer} not_allowed`),
  )
  const details = Object.fromEntries(body.errors.map(({ pointer, detail }: Json) => [pointer, detail]))
  assert.deepEqual(
    ['/roles/1/permissions/0', '/roles/1/permissions/1', '/roles/2/permissions/1'].map((pointer) => details[pointer]),
    [
      'A role cannot contain this built-in permission.',
      'Neither `permissions` nor the built-in ones have this permission.',
      'This permission is given twice.',
    ],
  )
  assert.deepEqual((await tess.get('/api/admin/access')).body.permissions, replaced.body.permissions)
})

test('a program reads the model, changes a name, and sends the product’s part back as it was shown', async () => {
  const { tess } = await open()
  const read = (await tess.get('/api/admin/access')).body
  const sent = {
    permissions: read.permissions
      .filter(({ builtIn }: Json) => !builtIn)
      .map(({ builtIn: _, grantable: __, ...permission }: Json) => permission),
    roles: read.roles
      .filter(({ source }: Json) => source === 'tenant')
      .map(({ id: _, source: __, memberCount: ___, ...role }: Json) => ({ ...role, name: 'Finance' })),
  }
  assert.deepEqual([sent.permissions[0].description, sent.roles[0].description], [null, null])

  const { status, body } = await tess.put('/api/admin/access', sent)

  assert.deepEqual([status, body.changes.changed], [200, ['billing']])
  assert.deepEqual(body.permissions, read.permissions)
})

test('the model changes only from the version that was read', async () => {
  const { tess, replaced } = await open()
  const tag = { 'if-match': replaced.headers.get('etag') ?? '' }
  assert.equal((await tess.put('/api/admin/access', { ...model, roles: [] }, tag)).status, 200)
  assert.deepEqual(codeOf(await tess.put('/api/admin/access', model, tag)), [412, 'version_mismatch'])
})

test('two hundred permissions and fifty roles fit, and one more does not', async () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      key: `noun-${n}:write`,
      name: `Write ${n}`,
      description: 'x'.repeat(200),
    }))
  const all = many(200)
  const roles = Array.from({ length: 50 }, (_, n) => ({
    key: `role-${n}`,
    name: `Role ${n}`,
    permissions: all.map(({ key }) => key),
  }))
  const { tess } = await open({ permissions: all, roles })
  assert.equal((await tess.put('/api/admin/access', { permissions: many(201), roles: [] })).status, 400)
  assert.equal((await tess.put('/api/admin/access', { permissions: all, roles: [...roles, billing] })).status, 400)
})

test('another tenant’s roles and permissions are nothing here', async () => {
  const [here, there] = [await open(), await open({ permissions: [], roles: [] })]
  const { status, body } = await there.grant(there.members.cleo, [{ role: 'billing' }])
  assert.deepEqual([status, body.errors[0].pointer], [400, '/grants/0/role'])
  const [role] = await query<{ id: string }>(
    'select id from roles where tenant_id = (select tenant_id from organizations where id = $1)',
    [here.id],
  )
  // As if a statement of ours named a role of another tenant.
  await assert.rejects(
    query(
      `insert into role_grants (tenant_id, membership_id, role_id)
       select tenant_id, id, $2 from memberships where id = $1`,
      [there.members.cleo.id, role?.id],
    ),
    /role_grants_tenant_id_role_id_fkey/,
  )
})
