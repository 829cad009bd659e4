import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hold } from '../../../test/holding.ts'
import { type Answer, codeOf, createWorld, type Json, type Person } from '../../../test/world.ts'
import { runEverywhere } from '../../tasks.ts'

const world = await createWorld()
const { query } = world.postgres
const tess = await world.tenantAdmin()
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

const role = (key: string, ...permissions: string[]) => ({ key, name: key, permissions })
const done = await tess.put('/api/admin/access', {
  permissions: [
    { key: 'notes:write', name: 'Write', minimumRole: 'admin' },
    { key: 'notes:void', name: 'Void', minimumRole: 'owner' },
  ],
  roles: [
    role('writer', 'notes:write'),
    role('voider', 'notes:void'),
    role('manager', 'members:update', 'invitations:write'),
    role('auditor', 'audit:read'),
  ],
})
assert.equal(done.status, 200)

async function open() {
  const acme = await world.organization()
  const change = (by: Person, member: Json, body: object) => by.patch(`${acme.path}/members/${member.id}`, body)
  return { ...acme, change }
}

test('a suspended member keeps everything, is refused everywhere in the organization, and can only leave', async () => {
  const { ann, ben, cleo, path, id, members, change } = await open()
  await change(ann, members.ben, { grants: [{ role: 'writer' }] })
  await ann.patch(path, { metadata: { plan: 'of members' } })

  const { status, body } = await change(ann, members.ben, { status: 'suspended' })

  assert.deepEqual([status, body.status, body.roles], [200, 'suspended', ['admin', 'member', 'writer']])
  for (const each of ['', '/members', '/members/me', '/invites', '/links', '/roles', '/check/notes:write'])
    assert.deepEqual(codeOf(await ben.get(path + each)), [403, 'membership_suspended'], each)
  assert.deepEqual(codeOf(await ben.patch(path, { name: 'Mine' })), [403, 'membership_suspended'])
  assert.deepEqual(codeOf(await ben.delete(`${path}/members/${members.cleo.id}`)), [403, 'membership_suspended'])
  const [own] = (await ben.get('/api/organizations')).body.data.filter((each: Json) => each.id === id)
  assert.equal(own.membership.status, 'suspended', 'it stays in the list of their organizations')
  assert.deepEqual(own.metadata, {}, 'which members alone see')
  const check = { checks: [{ organizationId: id, permission: 'notes:write' }] }
  assert.deepEqual((await ben.post('/api/check', check)).body.results, [
    { allowed: false, reason: 'membership_suspended' },
  ])

  const listed = async (by: Person, query = '') => (await by.get(`${path}/members${query}`)).body.data?.length
  assert.deepEqual(
    [await listed(cleo), await listed(ann, '?status=suspended'), await listed(ann, '?status=all')],
    [2, 1, 3],
  )
  const read = (by: Person) => by.get(`${path}/members/${members.ben.id}`)
  assert.deepEqual(codeOf(await read(cleo)), [404, 'not_found'], 'plain members do not see them')
  assert.equal((await read(ann)).body.status, 'suspended')
  assert.equal((await ann.get(path)).body.memberCount, 3, 'they count')
  assert.deepEqual(codeOf(await ann.post(`${path}/invites`, { email: ben.email })), [409, 'already_a_member'])

  assert.equal((await change(ann, members.ben, { status: 'active' })).status, 200)
  assert.equal((await ben.get(`${path}/check/notes:write`)).status, 204)
  await change(ann, members.ben, { status: 'suspended' })
  assert.equal((await ben.delete(`${path}/members/me`)).status, 200)
})

test('filters and orders by suspension, end, activity and permissions of others are for those who may change members', async () => {
  const { ann, cleo, path } = await open()
  for (const query of [
    'status=all',
    'permission=notes:write',
    `expiresBefore=${inDays(1)}`,
    `lastActiveBefore=${inDays(1)}`,
    `lastActiveAfter=${inDays(-1)}`,
    'sort=lastActiveAt',
    'sort=-expiresAt',
  ]) {
    assert.deepEqual(codeOf(await cleo.get(`${path}/members?${query}`)), [403, 'forbidden'], query)
    assert.equal((await ann.get(`${path}/members?${query}`)).status, 200, query)
  }
})

test('members are found by a permission that they hold now, by role or by grant', async () => {
  const { ann, path, members, change } = await open()
  await change(ann, members.cleo, { grants: [{ role: 'voider' }] })
  const found = async (permission: string) =>
    (await ann.get(`${path}/members?permission=${permission}&sort=name`)).body.data.map(({ user }: Json) => user.name)
  assert.deepEqual(await found('notes:write'), ['Ann', 'Ben'])
  assert.deepEqual(await found('notes:void'), ['Ann', 'Cleo'])
  assert.deepEqual(await found('members:update'), ['Ann', 'Ben'])
  assert.deepEqual(await found('notes:lost'), [])
})

test('a membership and a grant end at their moment, without a job', async () => {
  const { ann, cleo, dan, path, id, members, change } = await open()
  await change(ann, members.cleo, { grants: [{ role: 'auditor', expiresAt: inDays(1) }], expiresAt: inDays(2) })
  assert.equal((await cleo.get(`${path}/audit`)).status, 200)
  const check = async () =>
    (await cleo.post('/api/check', { checks: [{ organizationId: id, permission: 'audit:read' }] })).body.results[0]
  assert.ok((await check()).until < inDays(1.01))

  await query(`update role_grants set expires_at = now() where membership_id = $1`, [members.cleo.id])
  assert.deepEqual(codeOf(await cleo.get(`${path}/audit`)), [403, 'forbidden'])
  assert.deepEqual((await cleo.get(`${path}/members/me`)).body.roles, ['member'])
  assert.deepEqual(await check(), { allowed: false, reason: 'not_granted' })

  await query(`update memberships set expires_at = now() where id = $1`, [members.cleo.id])
  assert.deepEqual(codeOf(await cleo.get(path)), [404, 'not_found'])
  assert.deepEqual(await check(), { allowed: false, reason: 'not_a_member' })
  assert.deepEqual((await cleo.get('/api/organizations')).body.data, [])
  assert.equal((await ann.get(`${path}/members?status=all`)).body.data.length, 2)
  assert.deepEqual(codeOf(await ann.get(`${path}/members/${members.cleo.id}`)), [404, 'not_found'])
  assert.equal((await ann.get(path)).body.memberCount, 3, 'until it is settled')

  // The next change of the members settles it.
  const { body: invitation } = await ann.post(`${path}/invites`, { email: dan.email })
  assert.equal((await dan.post(`/api/invites/${invitation.id}/accept`)).status, 200)
  assert.equal((await ann.get(path)).body.memberCount, 3)
  const { data } = (await ann.get(`${path}/audit?action=member.expired`)).body
  assert.deepEqual([data.length, data[0].actor.type, data[0].target.id], [1, 'system', cleo.id])
})

test('an organization that requires a second factor requires none of those whose membership has ended', async () => {
  const { cleo, id, members } = await open()
  await query(`update organizations set second_factor = 'required' where id = $1`, [id])
  const requiredBy = async () => (await cleo.get('/api/users/me/factors')).body.requiredBy
  assert.deepEqual(await requiredBy(), [id])

  await query('update memberships set expires_at = now() where id = $1', [members.cleo.id])

  assert.deepEqual(await requiredBy(), [])
})

test('an end that comes while a request waits for a lock is seen', async () => {
  const { ann, ben, id, path, members, change } = await open()
  await change(ann, members.ben, { expiresAt: inDays(1) })
  const answer = await world.database.inTenant(world.tenantId, async (sql) => {
    await sql`select from organizations where tenant_id = ${sql.tenant} and id = ${id} for no key update`
    const waiting = ben.patch(path, { name: 'Too late' })
    await world.postgres.awaitLine(1)
    await sql`update memberships set expires_at = now() where tenant_id = ${sql.tenant} and id = ${members.ben.id}`
    return [waiting]
  })
  assert.deepEqual(codeOf(await (answer[0] as Promise<Answer>)), [404, 'not_found'])
})

test('the hourly task takes away what has ended, tells the member, and tells before the end', async () => {
  const { ann, ben, cleo, path, members, change } = await open()
  await change(ann, members.cleo, { expiresAt: inDays(2) })
  await change(ann, members.ben, { expiresAt: inDays(5) })
  await runEverywhere(world, 'settle')
  await runEverywhere(world, 'settle')
  const jobs = async (person: Person) =>
    (
      await query<{ kind: string }>(
        `select payload ->> 'kind' as kind from graphile_worker._private_jobs where payload ->> 'userId' = $1 and payload ->> 'kind' like 'membership_%' order by id`,
        [person.id],
      )
    ).map(({ kind }) => kind)
  assert.deepEqual(
    [await jobs(cleo), await jobs(ben), await jobs(ann)],
    [['membership_ending'], [], ['membership_ending']],
  )

  await query(`update memberships set expires_at = now() where id = $1`, [members.cleo.id])
  assert.equal(await runEverywhere(world, 'settle'), 1)
  assert.deepEqual(await jobs(cleo), ['membership_ending', 'membership_ended'])
  assert.equal((await ann.get(path)).body.memberCount, 2)
})

test('nobody gives what they do not hold, nor for longer, and the refusal says what is lacking', async () => {
  const { ann, ben, cleo, members, change } = await open()
  const lacking = ({ status, body }: Answer) => [status, body.code, body.missing, body.until]
  assert.deepEqual(lacking(await change(ben, members.cleo, { grants: [{ role: 'voider' }] })), [
    403,
    'role_above_yours',
    ['notes:void'],
    null,
  ])
  assert.deepEqual(lacking(await change(ben, members.cleo, { role: 'owner' })), [
    403,
    'role_above_yours',
    ['notes:void', 'organization:delete', 'ownership:transfer'],
    null,
  ])
  const until = inDays(3)
  await change(ann, members.ben, { expiresAt: until })
  for (const body of [
    { role: 'admin' },
    { grants: [{ role: 'auditor' }] },
    { grants: [{ role: 'auditor', expiresAt: inDays(4) }] },
  ])
    assert.deepEqual(lacking(await change(ben, members.cleo, body)), [403, 'role_above_yours', [], until])
  assert.equal((await change(ben, members.cleo, { grants: [{ role: 'auditor', expiresAt: inDays(2) }] })).status, 200)
  assert.deepEqual(lacking(await change(ben, members.ben, { expiresAt: null })), [403, 'role_above_yours', [], until])
  assert.equal((await change(ben, members.ben, { expiresAt: inDays(1) })).status, 200, 'taking from oneself is free')

  await change(ann, members.cleo, { role: 'member', grants: [{ role: 'manager' }] })
  assert.deepEqual(lacking(await change(cleo, members.ben, { status: 'suspended' })).slice(0, 2), [
    403,
    'role_above_yours',
  ])
})

test('a member with a role of the product may do what it says, and no more', async () => {
  const { ann, cleo, dan, path, members, change } = await open()
  await change(ann, members.cleo, { grants: [{ role: 'manager' }] })
  assert.equal((await cleo.post(`${path}/invites`, { email: dan.email })).status, 201, 'plain members need no cover')
  assert.deepEqual(codeOf(await cleo.post(`${path}/invites`, { email: 'x@example.com', role: 'admin' })), [
    403,
    'role_above_yours',
  ])
  assert.deepEqual(codeOf(await cleo.get(`${path}/audit`)), [403, 'forbidden'])
  assert.deepEqual(codeOf(await cleo.delete(`${path}/members/${members.ben.id}`)), [403, 'forbidden'])
  const { data } = (await cleo.get(`${path}/roles`)).body
  assert.deepEqual(
    data.filter(({ mayGrant }: Json) => mayGrant).map(({ key }: Json) => key),
    ['member', 'manager'],
  )
})

test('owners are neither suspended nor given an end, and nobody who is becomes one', async () => {
  const { ann, path, members, change } = await open()
  await change(ann, members.ben, { role: 'owner' })
  assert.deepEqual(codeOf(await change(ann, members.ben, { status: 'suspended' })), [409, 'owner_cannot_end'])
  await change(ann, members.ben, { role: 'admin' })
  assert.deepEqual(codeOf(await change(ann, members.ann, { expiresAt: inDays(1) })), [409, 'owner_cannot_end'])
  await change(ann, members.ben, { expiresAt: inDays(1) })
  await change(ann, members.cleo, { status: 'suspended' })
  for (const member of [members.ben, members.cleo]) {
    assert.deepEqual(codeOf(await change(ann, member, { role: 'owner' })), [409, 'owner_cannot_end'])
    assert.deepEqual(codeOf(await ann.post(`${path}/transfer`, { memberId: member.id })), [409, 'owner_cannot_end'])
  }
})

test('nobody becomes an owner while their account is suspended', async () => {
  const { ann, ben, id, members, change } = await open()
  const promotions = () => [
    change(ann, members.ben, { role: 'owner' }),
    tess.patch(`/api/admin/organizations/${id}/members/${members.ben.id}`, { role: 'owner' }),
  ]
  await tess.patch(`/api/admin/users/${ben.id}`, { status: 'suspended' })
  for (const answer of promotions()) assert.deepEqual(codeOf(await answer), [403, 'user_suspended'])
  for (const role of ['member', 'admin']) assert.equal((await change(ann, members.ben, { role })).status, 200, role)

  await tess.patch(`/api/admin/users/${ben.id}`, { status: 'active' })
  assert.equal((await change(ann, members.ben, { role: 'owner' })).status, 200)
  await tess.patch(`/api/admin/users/${ben.id}`, { status: 'suspended' })
  assert.equal((await change(ann, members.ben, { role: 'owner' })).status, 200, 'a suspended owner stays one')
})

test('a promotion waits for the suspension of an account that is under way', async (t) => {
  const { ann, ben, members, change } = await open()
  const suspension = `update users set status = 'suspended' where tenant_id = $1 and id = $2`
  const release = await hold(t, world.postgres, suspension, [world.tenantId, ben.id])
  const promoting = change(ann, members.ben, { role: 'owner' })
  await world.postgres.awaitLine(1)
  await release()
  assert.deepEqual(codeOf(await promoting), [403, 'user_suspended'])
})

test('an end is between a minute and five years ahead, and nobody suspends themselves', async () => {
  const { ann, ben, members, change } = await open()
  const at = ({ body }: Answer) => body.errors?.map(({ pointer, code }: Json) => `${pointer} ${code}`)
  for (const days of [-1, 30 / 86_400, 366 * 5 + 1]) {
    assert.deepEqual(at(await change(ann, members.cleo, { expiresAt: inDays(days) })), ['/expiresAt out_of_range'])
    const grants = [{ role: 'writer', expiresAt: inDays(days) }]
    assert.deepEqual(at(await change(ann, members.cleo, { grants })), ['/grants/0/expiresAt out_of_range'])
  }
  assert.deepEqual(at(await change(ben, members.ben, { status: 'suspended' })), ['/status not_allowed'])
  const twice = [{ role: 'writer' }, { role: 'writer' }]
  assert.deepEqual(at(await change(ann, members.cleo, { grants: twice })), ['/grants/1/role not_allowed'])
})

test('every role and every end that is wrong is named in one answer', async () => {
  const { ann, ben, id, path, members, change } = await open()
  const late = inDays(366 * 5 + 1)
  const grants = [{ role: 'nothing', expiresAt: late }, { role: 'auditor' }, { role: 'auditor', expiresAt: late }]
  const inGrants = [
    '/grants/0/role not_allowed',
    '/grants/0/expiresAt out_of_range',
    '/grants/2/role not_allowed',
    '/grants/2/expiresAt out_of_range',
  ]
  const offer = { grants, memberExpiresAt: late }
  const inOffer = [...inGrants, '/memberExpiresAt out_of_range']
  const invites = [
    { email: 'one@example.com', ...offer },
    { email: 'one@example.com', ...offer },
  ]
  const member = { userId: tess.id.replace('user_0', 'user_1'), grants, expiresAt: late }
  const bodies: readonly [string, Promise<Answer>, string[]][] = [
    ['a change', change(ann, members.cleo, { grants, expiresAt: late }), [...inGrants, '/expiresAt out_of_range']],
    [
      'a change of oneself',
      change(ben, members.ben, { status: 'suspended', expiresAt: late }),
      ['/status not_allowed', '/expiresAt out_of_range'],
    ],
    ['an invitation', ann.post(`${path}/invites`, { email: 'one@example.com', ...offer }), inOffer],
    [
      'a bulk',
      ann.post(`${path}/invites/bulk`, { invites }),
      [
        '/invites/1/email not_allowed',
        ...['/invites/0', '/invites/1'].flatMap((at) => inOffer.map((each) => at + each)),
      ],
    ],
    // `auditor` has a built-in permission, which no link gives.
    ['a link', ann.post(`${path}/links`, offer), ['/grants/1/role not_allowed', ...inOffer]],
    [
      'a new member',
      tess.post(`/api/admin/organizations/${id}/members`, member),
      ['/userId not_allowed', ...inGrants, '/expiresAt out_of_range'],
    ],
  ]
  for (const [what, answer, expected] of bodies) {
    const { status, body } = await answer
    assert.equal(status, 400, what)
    const found = new Set(body.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`))
    assert.deepEqual([...found].sort(), [...expected].sort(), what)
  }
})

test('offers of somebody who loses the right end with it', async () => {
  const { ann, ben, dan, path, members, change } = await open()
  const { body: invitation } = await ben.post(`${path}/invites`, { email: dan.email, grants: [{ role: 'writer' }] })
  const { body: link } = await ben.post(`${path}/links`, { grants: [{ role: 'writer' }] })
  await change(ann, members.ben, { role: 'member', grants: [{ role: 'manager' }] }) // may invite, but not give that
  assert.equal((await ann.get(`${path}/invites/${invitation.id}`)).body.status, 'revoked')
  assert.equal((await ann.get(`${path}/links/${link.id}`)).body.endedBecause, 'maker')
  assert.deepEqual(codeOf(await dan.post(`/api/invites/${invitation.id}/accept`)), [410, 'invitation_revoked'])
})

test('an offer whose maker’s right has ended by time is dead at that moment', async () => {
  const { ann, ben, dan, path, members, change } = await open()
  await change(ann, members.ben, { role: 'member', grants: [{ role: 'manager', expiresAt: inDays(2) }] })
  const expiring = { email: dan.email, memberExpiresAt: undefined }
  const { body: invitation } = await ben.post(`${path}/invites`, expiring)
  const { body: link } = await ben.post(`${path}/links`, {})
  const token = link.url.split('#token=')[1]
  await query(`update role_grants set expires_at = now() where membership_id = $1`, [members.ben.id])

  assert.deepEqual(codeOf(await dan.post(`/api/invites/${invitation.id}/accept`)), [410, 'invitation_revoked'])
  assert.deepEqual(codeOf(await dan.post('/api/links/join', { token })), [410, 'link_ended'])
  assert.deepEqual(codeOf(await world.nobody.post('/api/links/preview', { token })), [410, 'link_ended'])
  const again = await ann.post(`${path}/invites`, { email: dan.email })
  assert.equal(again.status, 201, 'a dead invitation stands in nobody’s way')
  assert.equal((await ann.get(`${path}/invites/${invitation.id}`)).body.status, 'revoked')
  await runEverywhere(world, 'settle')
  assert.equal((await ann.get(`${path}/links/${link.id}`)).body.endedBecause, 'maker')
})
