/** Members of any organization, in the hands of an admin of the tenant. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRaces, statuses, together } from '../../../test/races.ts'
import { codeOf, createWorld, type Json, type Organization, type Person } from '../../../test/world.ts'

const world = await createWorld()
const { query } = world.postgres
const races = await openRaces(world)
const tess = await world.tenantAdmin()
const csv = { accept: 'text/csv' }
const pathOf = ({ id }: Organization) => `/api/admin/organizations/${id}`
const memberOf = (acme: Organization, member: Json) => `${pathOf(acme)}/members/${member.id}`

async function logOf({ ann, path }: Organization): Promise<Json[]> {
  return (await ann.get(`${path}/audit`)).body.data
}

async function age(person: Person): Promise<void> {
  await query(
    `update sessions set created_at = now() - interval '601 seconds', authenticated_at = now() - interval '601 seconds' where user_id = $1`,
    [person.id],
  )
}

test('an admin of the tenant sees a member with all that they may do, suspended ones too', async () => {
  const acme = await world.organization()
  const { ann, path, members } = acme
  await ann.patch(`${path}/members/${members.ben.id}`, { status: 'suspended' })

  const { body } = await tess.get(memberOf(acme, members.cleo))
  const suspended = await tess.get(memberOf(acme, members.ben))

  assert.deepEqual(body, (await ann.get(`${path}/members/${members.cleo.id}`)).body)
  assert.deepEqual(suspended.body, (await ann.get(`${path}/members/${members.ben.id}`)).body)
  assert.deepEqual([suspended.body.status, suspended.body.permissions], ['suspended', []])
})

test('where a member is that an admin of the tenant has added, this admin can read', async () => {
  const acme = await world.organization()
  const { status, headers, body } = await tess.post(`${pathOf(acme)}/members`, { userId: acme.dan.id })
  assert.equal(status, 201)
  const place = `${headers.get('location')}`
  assert.equal(place, memberOf(acme, body))
  const found = await tess.get(place)
  assert.deepEqual([found.status, found.body.id], [200, body.id])
})

test('an admin or a key of the tenant has the members as the file that an owner has', async () => {
  const acme = await world.organization()
  const { ann, slug, path, members } = acme
  await ann.patch(`${path}/members/${members.ben.id}`, { status: 'suspended' })
  const list = 'members?status=all&sort=name'
  const key = await world.key(['members:read'])
  const { body: file, headers } = await ann.get(`${path}/${list}`, csv)
  assert.match(file, /,suspended,.*,false,/)

  for (const who of [tess, key])
    for (const name of [acme.id, slug]) {
      const answer = await who.get(`/api/admin/organizations/${name}/${list}`, csv)
      assert.equal(answer.body, file)
      assert.equal(answer.headers.get('content-disposition'), headers.get('content-disposition'))
    }
})

test('an organization that is not there, or of another tenant, has no file', async () => {
  const acme = await world.organization()
  const other = await world.tenantAdmin((await world.tenant()).slug)
  for (const path of ['/api/admin/organizations/nothing', pathOf(acme)]) {
    const answer = await other.get(`${path}/members`, csv)
    assert.deepEqual(codeOf(answer), [404, 'not_found'])
  }
})

test('an admin of the tenant changes roles as an owner could, and the log of the organization says who it was', async () => {
  const acme = await world.organization()
  const { ann, members } = acme

  const raised = await tess.patch(memberOf(acme, members.cleo), { role: 'owner' })
  const lowered = await tess.patch(memberOf(acme, members.ann), { role: 'admin' })

  assert.deepEqual([raised.status, raised.body.role, lowered.status, lowered.body.role], [200, 'owner', 200, 'admin'])
  const entries = (await logOf(acme)).filter(({ action }) => action === 'member.role_changed')
  assert.deepEqual(
    entries.map(({ actor, target, details }) => [actor.id, target.id, details]),
    [
      [tess.id, ann.id, { role: { from: 'owner', to: 'admin' }, via: 'admin' }],
      [tess.id, acme.cleo.id, { role: { from: 'member', to: 'owner' }, via: 'admin' }],
    ],
  )
})

test('an admin of the tenant suspends, ends and removes members, and what rested on them ends', async () => {
  const acme = await world.organization()
  const { ann, ben, cleo, path, members } = acme
  const { body: sent } = await ben.post(`${path}/invites`, { email: 'guest@example.com' })
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()

  assert.equal((await tess.patch(memberOf(acme, members.cleo), { expiresAt })).body.expiresAt, expiresAt)
  assert.equal((await tess.patch(memberOf(acme, members.cleo), { status: 'suspended' })).body.status, 'suspended')
  assert.deepEqual(codeOf(await cleo.get(path)), [403, 'membership_suspended'])
  const removed = await tess.delete(memberOf(acme, members.ben))

  assert.deepEqual([removed.status, removed.body.user.id], [200, ben.id])
  assert.equal((await ben.get(path)).status, 404)
  assert.equal((await ann.get(`${path}/invites/${sent.id}`)).body.status, 'revoked')
  const ends = (await logOf(acme)).filter(({ action }) => ['member.removed', 'member.suspended'].includes(action))
  assert.deepEqual(
    ends.map(({ actor, details }) => [actor.id, details.via]),
    [
      [tess.id, 'admin'],
      [tess.id, 'admin'],
    ],
  )
})

test('the last owner stays, and an owner gets no end', async () => {
  const acme = await world.organization()
  const { members } = acme
  for (const answer of [
    await tess.patch(memberOf(acme, members.ann), { role: 'member' }),
    await tess.delete(memberOf(acme, members.ann)),
  ])
    assert.deepEqual(codeOf(answer), [409, 'last_owner'])
  for (const body of [{ status: 'suspended' }, { expiresAt: new Date(Date.now() + 86_400_000).toISOString() }])
    assert.deepEqual(codeOf(await tess.patch(memberOf(acme, members.ann), body)), [409, 'owner_cannot_end'])
  await races.checkCounts(acme.id)
})

test('a session that is not fresh takes and does not give', async () => {
  const acme = await world.organization()
  const admin = await world.tenantAdmin()
  await age(admin)

  const raised = await admin.patch(memberOf(acme, acme.members.cleo), { role: 'admin' })
  const lowered = await admin.patch(memberOf(acme, acme.members.ben), { role: 'member' })
  const suspended = await admin.patch(memberOf(acme, acme.members.ben), { status: 'suspended' })
  const reactivated = await admin.patch(memberOf(acme, acme.members.ben), { status: 'active' })
  const transferred = await admin.post(`${pathOf(acme)}/transfer`, { memberId: acme.members.cleo.id })

  for (const answer of [raised, reactivated, transferred])
    assert.deepEqual(codeOf(answer), [403, 'confirmation_required'])
  assert.deepEqual([lowered.status, suspended.status], [200, 200])
})

test('only admins of this tenant get in, and a suspended one is out', async () => {
  const acme = await world.organization()
  const { ann, members } = acme
  const [suspended, other] = [await world.tenantAdmin(), await world.tenant()]
  const foreign = await world.tenantAdmin(other.slug)
  await tess.patch(`/api/admin/users/${suspended.id}`, { status: 'suspended' })
  const callers: readonly [Person, number, string][] = [
    [ann, 403, 'forbidden'],
    [foreign, 404, 'not_found'],
    [suspended, 401, 'unauthenticated'],
  ]
  for (const [caller, status, code] of callers) {
    const one = memberOf(acme, members.cleo)
    for (const answer of [await caller.get(one), await caller.patch(one, { role: 'admin' }), await caller.delete(one)])
      assert.deepEqual(codeOf(answer), [status, code])
  }
  assert.equal((await ann.get(`${acme.path}/members/${members.cleo.id}`)).body.role, 'member')
  const elsewhere = await world.organization()
  assert.deepEqual(codeOf(await tess.delete(memberOf(elsewhere, members.cleo))), [404, 'not_found'])
})

test('a key of the tenant changes what its scopes cover', async () => {
  const acme = await world.organization()
  const { members } = acme
  const key = await world.key(['members:read', 'members:update', 'members:remove'])

  assert.equal((await key.get(memberOf(acme, members.ben))).status, 200)
  assert.deepEqual(codeOf(await key.patch(memberOf(acme, members.cleo), { role: 'admin' })), [403, 'role_above_yours'])
  assert.deepEqual(codeOf(await key.delete(memberOf(acme, members.ann))), [403, 'role_above_yours'])
  assert.equal((await key.delete(memberOf(acme, members.cleo))).status, 200)
  const [entry] = await logOf(acme)
  assert.deepEqual([entry?.action, entry?.actor.type], ['member.removed', 'key'])
})

test('two admins who take the last two owners at once leave one', async () => {
  for (const act of ['remove', 'lower'] as const) {
    const acme = await world.organization()
    const { ann, path, members } = acme
    await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })
    const other = await world.tenantAdmin()
    const take = (admin: Person, member: Json) => () =>
      act === 'remove' ? admin.delete(memberOf(acme, member)) : admin.patch(memberOf(acme, member), { role: 'member' })

    const answers = await together(take(tess, members.ann), take(other, members.ben))

    assert.deepEqual(statuses(answers), ['200', '409 last_owner'])
    await races.checkCounts(acme.id)
  }
})
