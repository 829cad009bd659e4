import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, createWorld, type Json, type Organization, type Person, password } from '../../../test/world.ts'
import { newId } from '../../platform/http/schemas.ts'

const world = await createWorld()
const { query } = world.postgres
const tess = await world.tenantAdmin()
const transfer = (who: Person, { path }: Organization, member: Json) =>
  who.post(`${path}/transfer`, { memberId: member.id })
const transferAsAdmin = ({ id }: Organization, member: Json, who: Person = tess) =>
  who.post(`/api/admin/organizations/${id}/transfer`, { memberId: member.id })

/** The roles of the members, by name. */
async function rolesIn({ path, ben }: Organization): Promise<Json> {
  const { body } = await ben.get(`${path}/members?limit=100`)
  return Object.fromEntries(body.data.map(({ user, role }: Json) => [user.name, role]))
}

/** The owners that the organization counts, and those it has. */
async function ownersOf(id: string): Promise<number[]> {
  const [row] = await query<{ owner_count: number; owners: number }>(
    `select owner_count,
       (select count(*)::int from memberships m where m.tenant_id = o.tenant_id and m.organization_id = o.id and m.role = 'owner') as owners
     from organizations o where o.id = $1`,
    [id],
  )
  return [row?.owner_count ?? 0, row?.owners ?? 0]
}

test('an owner who transfers the organization becomes its admin', async () => {
  for (const heir of ['ben', 'cleo'] as const) {
    const acme = await world.organization()
    const { ann, path, slug, members } = acme

    const { status, body } = await transfer(ann, acme, members[heir])

    assert.equal(status, 200)
    assert.deepEqual(body, {
      from: { ...members.ann, role: 'admin', roles: ['admin', 'member'] },
      to: { ...members[heir], role: 'owner', roles: ['owner', 'admin', 'member'] },
    })
    assert.equal((await ann.get(path)).body.role, 'admin')
    assert.equal((await acme[heir].get(path)).body.role, 'owner')
    assert.deepEqual(await ownersOf(acme.id), [1, 1])
    assert.deepEqual(codeOf(await ann.delete(path, { confirm: slug })), [403, 'forbidden'])
    assert.equal((await ann.delete(`${path}/members/me`)).status, 200, 'who gave it up may leave')
    assert.equal((await acme[heir].delete(path, { confirm: slug })).status, 200)
  }
})

test('an organization cannot be transferred to a suspended user', async () => {
  const acme = await world.organization()
  const { ann, cleo, members } = acme
  await tess.patch(`/api/admin/users/${cleo.id}`, { status: 'suspended' })

  for (const answer of [await transfer(ann, acme, members.cleo), await transferAsAdmin(acme, members.cleo)])
    assert.deepEqual(codeOf(answer), [403, 'user_suspended'])
  assert.deepEqual(await rolesIn(acme), { Ann: 'owner', Ben: 'admin', Cleo: 'member' })
})

test('a transfer to oneself or to another owner is refused and changes nothing', async () => {
  const acme = await world.organization()
  const { ann, path, members } = acme
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })

  for (const member of [members.ann, members.ben]) {
    assert.deepEqual(codeOf(await transfer(ann, acme, member)), [409, 'already_owner'])
    assert.deepEqual(codeOf(await transferAsAdmin(acme, member)), [409, 'already_owner'])
  }

  assert.deepEqual(await rolesIn(acme), { Ann: 'owner', Ben: 'owner', Cleo: 'member' })
  assert.deepEqual(await ownersOf(acme.id), [2, 2])
})

test("a transfer to an unknown or former member, or to another organization's, is 404", async () => {
  const [acme, other] = await Promise.all([world.organization(), world.organization()])
  const { ann, cleo, path, members } = acme
  await cleo.delete(`${path}/members/me`)

  for (const id of [newId('mem'), members.cleo.id, other.members.ben.id]) {
    assert.deepEqual(codeOf(await transfer(ann, acme, { id })), [404, 'not_found'])
    assert.deepEqual(codeOf(await transferAsAdmin(acme, { id })), [404, 'not_found'])
  }
  for (const memberId of ['me', ann.id, 'x', null, undefined]) {
    assert.equal((await ann.post(`${path}/transfer`, { memberId })).status, 400, String(memberId))
  }
  assert.deepEqual(await rolesIn(acme), { Ann: 'owner', Ben: 'admin' })
})

test('only owners can transfer, and other owners stay owners', async () => {
  const acme = await world.organization()
  const { ann, ben, cleo, dan, path, members } = acme
  for (const [who, refused] of [
    [ben, 403],
    [cleo, 403],
    [dan, 404],
    [tess, 404],
  ] as const) {
    assert.equal((await transfer(who, acme, members.cleo)).status, refused)
  }
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })

  assert.equal((await transfer(ben, acme, members.cleo)).status, 200)

  assert.deepEqual(await rolesIn(acme), { Ann: 'owner', Ben: 'admin', Cleo: 'owner' })
  assert.deepEqual(await ownersOf(acme.id), [2, 2])
})

test('a former owner keeps the pending invitations that an admin may send, and loses the others', async () => {
  for (const isByAdmin of [false, true]) {
    const acme = await world.organization()
    const { ann, ben, path, members } = acme
    const invite = async (role: string) =>
      (await ann.post(`${path}/invites`, { email: `${role}-${acme.id.slice(4)}@example.com`, role })).body.id
    const [owner, admin, member] = [await invite('owner'), await invite('admin'), await invite('member')]

    await (isByAdmin ? transferAsAdmin(acme, members.ben) : transfer(ann, acme, members.ben))

    const stateOf = async (id: string) => (await ben.get(`${path}/invites/${id}`)).body.status
    assert.deepEqual(await Promise.all([owner, admin, member].map(stateOf)), ['revoked', 'pending', 'pending'])
    const { data } = (await ben.get(`${path}/audit?action=invitation.revoked`)).body
    assert.deepEqual(
      data.map(({ target }: Json) => target.id),
      [owner],
    )
  }
})

test("a transfer is recorded for the organization and both people, and each person's details go with their account", async () => {
  const acme = await world.organization()
  const { ann, cleo, ben, path, members } = acme
  await transfer(ann, acme, members.cleo)

  const told = (entries: Json[]) =>
    entries.map(({ action, actor, target, details }) => [action, actor.id, target.id, details])
  const handed = ['organization.ownership_transferred', ann.id, cleo.id, { role: { from: 'member', to: 'owner' } }]
  const stepped = ['member.role_changed', ann.id, ann.id, { role: { from: 'owner', to: 'admin' } }]
  const actions = 'action=organization.ownership_transferred,member.role_changed'
  const log = (await ben.get(`${path}/audit?${actions}`)).body.data
  assert.deepEqual(told(log).sort(), [handed, stepped].sort())
  assert.deepEqual(told((await cleo.get(`/api/users/me/audit?${actions}`)).body.data), [handed])
  assert.deepEqual(told((await ann.get(`/api/users/me/audit?${actions}`)).body.data).sort(), [handed, stepped].sort())

  assert.equal((await transfer(cleo, acme, members.ben)).status, 200)
  assert.equal((await cleo.delete('/api/users/me', { password })).status, 200)
  const kept = await query<{ text: string }>(
    `select row_to_json(d)::text as text from audit_details d where user_id = $1`,
    [ann.id],
  )
  assert.ok(kept.every(({ text }) => !text.includes(cleo.id) && !text.includes('Cleo')))
})

test('a tenant admin can transfer to a member, in place of the owner who joined first, suspended or not', async () => {
  const acme = await world.organization()
  const { ann, ben, cleo, path, members } = acme
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })
  await query(`update users set status = 'suspended' where id = $1`, [ann.id])

  const { status, body } = await tess.post(`/api/admin/organizations/${acme.slug}/transfer`, {
    memberId: members.cleo.id,
  })

  assert.deepEqual(
    [status, body.from.id, body.from.role, body.from.user.status, body.to.id, body.to.role],
    [200, members.ann.id, 'admin', 'suspended', members.cleo.id, 'owner'],
  )
  assert.deepEqual(await rolesIn(acme), { Ann: 'admin', Ben: 'owner', Cleo: 'owner' })
  assert.deepEqual(await ownersOf(acme.id), [2, 2])
  const { data } = (await cleo.get(`${path}/audit?action=organization.ownership_transferred`)).body
  assert.deepEqual([data[0].actor.id, data[0].target.id], [tess.id, cleo.id])
  assert.equal((await ben.get('/api/users/me/audit?action=member.role_changed')).body.data.length, 1, 'his own')
})

test('a tenant admin can transfer an organization whose only owner is suspended', async () => {
  const acme = await world.organization()
  const { ann, ben, slug, path, members } = acme
  await query(`update users set status = 'suspended' where id = $1`, [ann.id])

  assert.equal((await transferAsAdmin(acme, members.ben)).status, 200)

  assert.equal((await ben.delete(`${path}/members/${members.ann.id}`)).status, 200)
  assert.equal((await ben.delete(path, { confirm: slug })).status, 200)
})

test('a tenant admin can transfer their own organization, and an owner who is no tenant admin cannot use that operation', async () => {
  const acme = await world.organization()
  const { id, ann, path, members } = acme
  const role = await world.join(ann, id, tess, 'owner')
  await query(`update memberships set joined_at = now() - interval '1 year' where id = $1`, [role.id])

  assert.deepEqual(codeOf(await transferAsAdmin(acme, members.cleo, ann)), [403, 'forbidden'])
  const { body } = await transferAsAdmin(acme, members.cleo)

  assert.deepEqual([body.from.user.id, body.to.user.id], [tess.id, acme.cleo.id])
  assert.equal((await tess.get(path)).body.role, 'admin')
})

test('the owner count stays exact through transfers in an organization with more than 100 members', async () => {
  const acme = await world.organization()
  const { id, ann, cleo, path, members } = acme
  await query(
    `insert into users (tenant_id, id, email)
     select o.tenant_id, 'user_' || lpad(n::text, 26, '0'), 'many-' || n || '@example.com'
     from organizations o, generate_series(1, 150) n where o.id = $1`,
    [id],
  )
  await query(
    `insert into memberships (tenant_id, id, organization_id, user_id, role, joined_at)
     select o.tenant_id, 'mem_' || lpad(n::text, 26, '0'), o.id, 'user_' || lpad(n::text, 26, '0'),
       case when n <= 120 then 'owner' else 'member' end, now() - make_interval(days => n)
     from organizations o, generate_series(1, 150) n where o.id = $1`,
    [id],
  )
  await query('update organizations set member_count = 153, owner_count = 121 where id = $1', [id])

  assert.equal((await transfer(ann, acme, members.cleo)).status, 200)
  assert.deepEqual(await ownersOf(id), [121, 121])
  const byAdmin = await transferAsAdmin(acme, members.ann)
  assert.equal(byAdmin.body.from.id, `mem_${'120'.padStart(26, '0')}`, 'the owner who joined first is on no first page')
  assert.deepEqual(await ownersOf(id), [121, 121])
  await query(`update memberships set role = 'member' where organization_id = $1 and role = 'owner' and id <> $2`, [
    id,
    members.cleo.id,
  ])
  await query('update organizations set owner_count = 1 where id = $1', [id])
  assert.deepEqual(codeOf(await cleo.delete(`${path}/members/me`)), [409, 'last_owner'])
  assert.equal((await transfer(cleo, acme, members.ben)).status, 200)
  assert.deepEqual(await ownersOf(id), [1, 1])
  assert.equal((await cleo.delete(`${path}/members/me`)).status, 200)
})
