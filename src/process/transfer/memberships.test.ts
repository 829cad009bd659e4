/** Memberships, imported while others change what they name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeLink } from '../../../test/membership-requests.ts'
import { bring, counts, file, quiet } from '../../../test/transfers.ts'
import { createWorld, type Json } from '../../../test/world.ts'
import { caps } from '../../domain/limits/caps.ts'
import { importFiles } from './import.ts'
import { importMemberships } from './memberships.ts'

const world = await createWorld()

/** Lets a membership end now. */
function end(memberId: string) {
  return world.postgres.query('update memberships set expires_at = now() where id = $1', [memberId])
}

test('people and organizations deleted during a batch are left out, and everybody else becomes a member', async () => {
  const tenant = await world.tenant()
  const names = ['kept', 'gone']
  await bring(world, tenant, {
    users: await file(...['owner', ...names].map((externalId) => ({ externalId, email: `${externalId}@example.com` }))),
    organizations: await file(...names.map((externalId) => ({ externalId, name: 'Acme' }))),
    memberships: await file(...names.map((organization) => ({ organization, user: 'owner', role: 'owner' }))),
  })
  const rows = [
    ['kept', 'kept'],
    ['kept', 'gone'],
    ['gone', 'kept'],
  ].map(([organization = '', user = ''], at) => ({
    number: at + 1,
    content: { organization, user, role: 'member' as const, status: 'active' as const },
  }))
  let tries = 0
  const underWay = await world.database.inTenant(tenant.id, async (deleting) => {
    await deleting`delete from users where tenant_id = ${tenant.id} and email = 'gone@example.com'`
    await deleting`
      delete from organizations o
      using external_organizations e
      where o.tenant_id = ${tenant.id} and e.tenant_id = ${tenant.id} and e.organization_id = o.id and e.external_id = 'gone'`
    const importing = world.database.inTenant(tenant.id, (sql) => {
      tries++
      return importMemberships(sql, rows)
    })
    await world.postgres.awaitLine(1)
    return [importing]
  })
  assert.deepEqual(await underWay[0], ['made', { reason: 'unknown_user' }, { reason: 'unknown_organization' }])
  assert.equal(tries, 1, 'it was not begun anew, which only helps where few are deleted')
})

test('a dry run does not block changes of the organizations that it would add members to', async () => {
  const { id, path, ann, ben, cleo, dan, members } = await world.organization()
  await end(members.ben.id)
  const memberships = await file(...[dan, ben].map((user) => ({ organization: id, user: user.id, role: 'admin' })))
  const [reached, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const report = {
    tallies: new Map(),
    begin: () => {},
    note: () => {},
    settle: () => {
      reached.resolve()
      return over.promise
    },
    close: async () => {},
  }
  const { tenantId: tenant } = world
  const options = { report, progress: quiet, isTrial: true, signal: new AbortController().signal }
  const trial = importFiles(world.app, tenant, { memberships }, options)
  await reached.promise
  const answers = [
    await ann.patch(`${path}/members/${members.cleo.id}`, { role: 'admin' }),
    await ann.patch(path, { name: 'Another name' }),
    await ann.post(`${path}/invites`, { email: 'somebody@example.com', role: 'member' }),
    await cleo.delete(`${path}/members/${members.cleo.id}`),
  ]
  const logged = (await ann.get(`${path}/audit?action=member.expired`)).body.data.length
  over.resolve()
  await trial
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 201, 200],
  )
  assert.equal(logged, 1, 'the first of them has settled who has ended')
})

test('a batch does not wait for an organization whose members all exist', async () => {
  const tenant = await world.tenant()
  const { id, ann } = await world.organization({ tenant: tenant.slug })
  const memberships = await file({ organization: id, user: ann.id, role: 'member' })
  const report = await world.database.inTenant(tenant.id, async (sql) => {
    await sql`select from organizations where tenant_id = ${sql.tenant} and id = ${id} for update`
    return bring(world, tenant, { memberships })
  })
  assert.deepEqual(counts(report), [['memberships', 0, 1, 0]])
})

test('a first owner is held to the same rules as every other member, and an organization without another one is skipped', async () => {
  const tenant = await world.tenant()
  const admin = await world.tenantAdmin(tenant.slug)
  const people = ['ann', 'ben'].map((externalId) => ({ externalId, email: `${externalId}@example.com` }))
  const refused = {
    suspended: { status: 'suspended' },
    ending: { expiresAt: new Date(Date.now() + 86_400_000).toISOString() },
    unknown: { grants: [{ role: 'nobody-has-it' }] },
    saved: { status: 'suspended' },
  }
  const report = await bring(world, tenant, {
    users: await file(...people),
    organizations: await file(...Object.keys(refused).map((externalId) => ({ externalId, name: 'Acme' }))),
    memberships: await file(
      ...Object.entries(refused).map(([organization, more]) => ({ organization, user: 'ann', role: 'owner', ...more })),
      { organization: 'saved', user: 'ben', role: 'owner' },
    ),
  })

  const reasons = report.flatMap((line) =>
    'row' in line ? [`${line.organization ?? line.externalId} ${line.reason}`] : [],
  )
  assert.deepEqual(reasons.sort(), [
    'ending no_owner',
    'ending owner_cannot_end',
    'saved owner_cannot_end',
    'suspended no_owner',
    'suspended owner_cannot_end',
    'unknown no_owner',
    'unknown unknown_role',
  ])
  const { body: made } = await admin.get('/api/admin/organizations')
  assert.equal(made.data.length, 1)
  const { body: members } = await admin.get(`/api/admin/organizations/${made.data[0].id}/members`)
  assert.deepEqual(
    members.data.map(({ user, role, status }: Json) => [user.email, role, status]),
    [['ben@example.com', 'owner', 'active']],
  )
})

test('a member gets as many grants by an import as by the API', async () => {
  const tenant = await world.tenant()
  const admin = await world.tenantAdmin(tenant.slug)
  const grants = Array.from({ length: caps.grants.most + 1 }, (_, n) => ({ role: `role-${n}` }))
  const model = {
    permissions: [{ key: 'notes:write', name: 'Write' }],
    roles: grants.map(({ role }) => ({ key: role, name: role, permissions: ['notes:write'] })),
  }
  assert.equal((await admin.put('/api/admin/access', model)).status, 200)
  const people = ['owner', 'some', 'more'].map((externalId) => ({ externalId, email: `${externalId}@example.com` }))
  const report = await bring(world, tenant, {
    users: await file(...people),
    organizations: await file({ externalId: 'acme', name: 'Acme' }),
    memberships: await file(
      { organization: 'acme', user: 'owner', role: 'owner' },
      { organization: 'acme', user: 'some', role: 'member', grants: grants.slice(1) },
      { organization: 'acme', user: 'more', role: 'member', grants },
    ),
  })

  assert.deepEqual(
    report.filter((line) => 'row' in line),
    [
      {
        file: 'memberships',
        row: 3,
        organization: 'acme',
        user: 'more',
        reason: 'invalid',
        faults: [{ column: 'grants', code: 'too_long' }],
      },
    ],
  )
  const { body: organizations } = await admin.get('/api/admin/organizations')
  const { body: members } = await admin.get(`/api/admin/organizations/${organizations.data[0].id}/members`)
  assert.deepEqual(members.data.map((member: Json) => member.grants.length).sort(), [0, caps.grants.most].sort())
})

test('a member whose time has ended is imported as a newcomer, and a dry run says so', async () => {
  const tenant = await world.tenant()
  const { id, path, ann, ben, cleo, members } = await world.organization({ tenant: tenant.slug })
  await ann.patch(`${path}/members/${members.ben.id}`, { status: 'suspended' })
  for (const member of [members.ben, members.cleo]) await end(member.id)
  const { token } = await makeLink(ann, id)
  const rows = [ann, ben, cleo, cleo].map((user) => ({ organization: id, user: user.id, role: 'member' }))
  const imports = { memberships: await file(...rows) }

  const tried = await bring(world, tenant, imports, { isTrial: true })
  const untouched = (await ann.get(`${path}/members?status=all`)).body.data.length
  const done = await bring(world, tenant, imports)

  assert.deepEqual([counts(tried), untouched], [[['memberships', 2, 2, 0]], 1])
  assert.deepEqual(counts(done), [['memberships', 2, 2, 0]])
  const { data } = (await ann.get(`${path}/members?sort=name`)).body
  assert.deepEqual(
    data.map(({ user, role, status, expiresAt }: Json) => [user.name, role, status, expiresAt]),
    [
      ['Ann', 'owner', 'active', null],
      ['Ben', 'member', 'active', null],
      ['Cleo', 'member', 'active', null],
    ],
  )
  assert.equal((await ann.get(path)).body.memberCount, 3)
  assert.equal((await ann.get(`${path}/audit?action=member.expired`)).body.data.length, 2)
  assert.equal((await ben.delete(`${path}/members/me`)).status, 200)
  assert.equal((await ben.post('/api/links/join', { token })).status, 200, 'nobody keeps him out any more')
})

test('an end beyond five years and a role that is granted twice are refused, as in the API', async () => {
  const tenant = await world.tenant()
  const admin = await world.tenantAdmin(tenant.slug)
  const permissions = [{ key: 'notes:write', name: 'Write' }]
  const roles = [{ key: 'writer', name: 'Writer', permissions: ['notes:write'] }]
  assert.equal((await admin.put('/api/admin/access', { permissions, roles })).status, 200)
  const { id, ann, dan, path } = await world.organization({ tenant: tenant.slug })
  const eve = await world.person('Eve', { tenant: tenant.slug })
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const far = inDays(5 * 366 + 1)
  const row = { organization: id, user: dan.id, role: 'member' }
  const report = await bring(world, tenant, {
    memberships: await file(
      { ...row, expiresAt: '9999-12-31T00:00:00Z' },
      { ...row, grants: [{ role: 'writer', expiresAt: far }], expiresAt: far },
      { ...row, grants: [{ role: 'writer' }, { role: 'writer', expiresAt: inDays(1) }] },
      { ...row, grants: [{ role: 'writer', expiresAt: inDays(1) }], expiresAt: inDays(5 * 365) },
      { ...row, user: eve.id, grants: [{ role: 'writer', expiresAt: inDays(-1) }] },
    ),
  })

  const faults = report.flatMap((line) => ('row' in line ? [[line.row, line.reason, line.faults]] : []))
  const tooFar = (column: string) => ({ column, code: 'out_of_range' })
  assert.deepEqual(faults, [
    [1, 'invalid', [tooFar('expiresAt')]],
    [2, 'invalid', [tooFar('grants'), tooFar('expiresAt')]],
    [3, 'invalid', [{ column: 'grants', code: 'not_allowed' }]],
  ])
  const { data } = (await ann.get(`${path}/members?sort=name`)).body
  const grants = new Map(data.map(({ user, grants: own }: Json) => [user.id, own.map(({ role }: Json) => role)]))
  assert.deepEqual([grants.get(dan.id), grants.get(eve.id)], [['writer'], []], 'a grant that has ended is left out')
})

test('an organization is imported with more members than its limit, which then lets nobody else in', async () => {
  const tenant = await world.tenant()
  const admin = await world.tenantAdmin(tenant.slug)
  const names = ['ann', 'ben', 'cleo']
  const report = await bring(world, tenant, {
    users: await file(...names.map((externalId) => ({ externalId, email: `${externalId}@example.com` }))),
    organizations: await file({ externalId: 'acme', name: 'Acme', memberLimit: 2 }),
    memberships: await file(
      ...names.map((user) => ({ organization: 'acme', user, role: user === 'ann' ? 'owner' : 'member' })),
    ),
  })

  assert.deepEqual(counts(report).at(-1), ['memberships', 3, 0, 0])
  const [acme] = (await admin.get('/api/admin/organizations')).body.data
  assert.deepEqual([acme.memberCount, acme.memberLimit], [3, 2])
  const dan = await world.person('Dan', { tenant: tenant.slug })
  const added = await admin.post(`/api/admin/organizations/${acme.id}/members`, { userId: dan.id })
  assert.deepEqual([added.status, added.body.code], [409, 'members_full'])
})
