import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { hold } from '../../../test/holding.ts'
import { onRows } from '../../../test/rows.ts'
import {
  type Answer,
  codeOf,
  createWorld,
  type Json,
  type Organization,
  type Person,
  password,
} from '../../../test/world.ts'
import { pipelines } from '../../platform/channels.ts'
import { newId } from '../../platform/http/schemas.ts'

const world = await createWorld()
const { query, awaitLine } = world.postgres
const { giveMembers } = onRows(world)

const setRole = (who: Person, { path }: Organization, member: Json, role: unknown) =>
  who.patch(`${path}/members/${member.id}`, { role })

const remove = (who: Person, { path }: Organization, member: Json) => who.delete(`${path}/members/${member.id}`)
const namesOf = ({ body }: Answer) => body.data.map(({ user }: Json) => user.name)

test('an organization keeps at least one owner', async () => {
  const acme = await world.organization()
  const { ann, path, members } = acme

  for (const role of ['member', 'admin']) {
    assert.deepEqual(codeOf(await setRole(ann, acme, members.ann, role)), [409, 'last_owner'])
  }
  assert.deepEqual(codeOf(await remove(ann, acme, members.ann)), [409, 'last_owner'])
  assert.deepEqual(codeOf(await ann.delete(`${path}/members/me`)), [409, 'last_owner'])

  assert.equal((await ann.get(`${path}/members/${members.ann.id}`)).body.role, 'owner')
  assert.deepEqual(await query('select owner_count, member_count from organizations where id = $1', [acme.id]), [
    { owner_count: 1, member_count: 3 },
  ])
})

test('an owner can step down or leave if there is another', async () => {
  const acme = await world.organization()
  const { ann, ben, path, members } = acme
  await setRole(ann, acme, members.ben, 'owner')

  const stepped = await setRole(ann, acme, members.ann, 'member')
  assert.deepEqual([stepped.status, stepped.body.role, stepped.body.roles], [200, 'member', ['member']])
  assert.deepEqual(codeOf(await ben.delete(`${path}/members/me`)), [409, 'last_owner'])

  await setRole(ben, acme, members.ann, 'owner')
  assert.deepEqual(codeOf(await ben.delete(`${path}/members/me`)), [200])
  assert.deepEqual(codeOf(await ann.delete(`${path}/members/me`)), [409, 'last_owner'])
})

test('a suspended owner still counts as owner', async () => {
  const acme = await world.organization()
  const { ann, ben, path, members } = acme
  await setRole(ann, acme, members.ben, 'owner')
  await query(`update users set status = 'suspended' where id = $1`, [ben.id])

  assert.deepEqual(codeOf(await ann.delete(`${path}/members/me`)), [200])
})

test('a member has user, role, implied roles, time of joining and inviter', async () => {
  const { path, ann, cleo, members } = await world.organization()

  const { status, body } = await cleo.get(`${path}/members/${members.cleo.id}`)

  assert.equal(status, 200)
  const { joinedAt, permissions, ...rest } = body
  assert.deepEqual(permissions, ['members:leave', 'members:read', 'organization:read'])
  assert.deepEqual(rest, {
    id: members.cleo.id,
    user: {
      id: cleo.id,
      name: 'Cleo',
      email: cleo.email,
      avatarUrl: null,
      status: 'active',
      hasSecondFactor: null, // Cleo is neither owner nor admin
    },
    role: 'member',
    roles: ['member'],
    grants: [],
    status: 'active',
    expiresAt: null,
    lastActiveAt: null, // nor may Cleo change members
    invitedBy: { id: ann.id, name: 'Ann' },
  })
  assert.ok(Math.abs(Date.parse(joinedAt) - Date.now()) < 60_000)
  assert.equal(members.ann.invitedBy, null, 'nobody invited the creator')
})

test('every member sees all members, and nobody else does', async () => {
  const { path, ann, ben, cleo, dan, members } = await world.organization()
  for (const person of [ann, ben, cleo]) {
    assert.deepEqual(namesOf(await person.get(`${path}/members`)), ['Ann', 'Ben', 'Cleo'])
    assert.equal((await person.get(`${path}/members/${members.ann.id}`)).body.user.email, ann.email)
  }
  assert.deepEqual(codeOf(await dan.get(`${path}/members`)), [404, 'not_found'])
})

/**
 * Who may make whom what, beside another owner, so that no cell is about the last one. Each row: the caller's role, the member's,
 * and what making them a member, an admin and an owner, and removing them, answers.
 */
const matrix = [
  ['owner', 'owner', '200', '200', '200', '200'],
  ['owner', 'admin', '200', '200', '200', '200'],
  ['owner', 'member', '200', '200', '200', '200'],
  ['admin', 'owner', 'role_above_yours', 'role_above_yours', 'role_above_yours', 'role_above_yours'],
  ['admin', 'admin', '200', '200', 'role_above_yours', '200'],
  ['admin', 'member', '200', '200', 'role_above_yours', '200'],
  ['member', 'owner', 'forbidden', 'forbidden', 'forbidden', 'forbidden'],
  ['member', 'admin', 'forbidden', 'forbidden', 'forbidden', 'forbidden'],
  ['member', 'member', 'forbidden', 'forbidden', 'forbidden', 'forbidden'],
] as const

test('nobody can change or remove a member above them, or grant a role above their own', async () => {
  const acme = await world.organization()
  const { id, path, ann, ben, cleo } = acme
  const callers = { owner: ann, admin: ben, member: cleo }
  for (const [own, other, ...outcomes] of matrix) {
    for (const [index, to] of (['member', 'admin', 'owner', 'nobody'] as const).entries()) {
      const [memberId] = await giveMembers(id, ['Somebody'], other)
      const way = `${path}/members/${memberId}`
      const answer = await (to === 'nobody' ? callers[own].delete(way) : callers[own].patch(way, { role: to }))

      const told = answer.status === 200 ? '200' : answer.body.code
      assert.equal(told, outcomes[index], `${own} makes ${other} ${to}`)
      const rows = await query<{ role: string }>('select role from memberships where id = $1', [memberId])
      const left = rows[0]?.role ?? 'nobody'
      assert.equal(left, told === '200' ? to : other, `${own} makes ${other} ${to}`)
    }
  }
  const [counted] = await query<{ owner_count: number; member_count: number; owners: number; members: number }>(
    `select owner_count, member_count,
       (select count(*)::int from memberships m where m.tenant_id = o.tenant_id and m.organization_id = o.id and m.role = 'owner') as owners,
       (select count(*)::int from memberships m where m.tenant_id = o.tenant_id and m.organization_id = o.id) as members
     from organizations o where id = $1`,
    [id],
  )
  assert.deepEqual([counted?.owner_count, counted?.member_count], [counted?.owners, counted?.members])
})

test('nobody can raise their own role', async () => {
  const acme = await world.organization()
  const { ben, cleo, members } = acme
  assert.deepEqual(codeOf(await setRole(ben, acme, members.ben, 'owner')), [403, 'role_above_yours'])
  assert.deepEqual(codeOf(await setRole(cleo, acme, members.cleo, 'admin')), [403, 'forbidden'])
  assert.deepEqual(codeOf(await setRole(cleo, acme, members.cleo, 'member')), [403, 'forbidden'])
})

test('an admin can step down, and is then no admin', async () => {
  const acme = await world.organization()
  const { ben, members } = acme
  assert.equal((await setRole(ben, acme, members.ben, 'member')).body.role, 'member')
  assert.deepEqual(codeOf(await setRole(ben, acme, members.ben, 'admin')), [403, 'forbidden'])
})

test('an admin cannot change or remove an owner, or delete the organization', async () => {
  const acme = await world.organization()
  const { id, slug, path, ann, ben, members } = acme
  await giveMembers(id, ['Another owner'], 'owner')
  for (const role of ['member', 'admin', 'owner']) {
    assert.deepEqual(codeOf(await setRole(ben, acme, members.ann, role)), [403, 'role_above_yours'])
  }
  assert.deepEqual(codeOf(await remove(ben, acme, members.ann)), [403, 'role_above_yours'])
  assert.deepEqual(codeOf(await ben.delete(path, { confirm: slug })), [403, 'forbidden'])
  assert.equal((await ann.get(path)).body.role, 'owner')
})

test('unknown, empty and duplicate roles are refused, and so is any other field', async () => {
  const acme = await world.organization()
  const { path, ann, members } = acme
  for (const role of ['boss', '', 'Owner', 'owner,admin', ['owner'], ['member', 'owner'], null, 5, true, {}]) {
    const answer = await setRole(ann, acme, members.cleo, role)
    assert.equal(answer.status, 400, JSON.stringify(role))
    assert.deepEqual(answer.body.errors[0].pointer, '/role')
  }
  for (const body of [{ role: 'admin', roles: ['owner'] }, { role: 'admin', memberId: members.ben.id }, []]) {
    assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, body)).status, 400, JSON.stringify(body))
  }
  assert.equal((await ann.get(`${path}/members/${members.cleo.id}`)).body.role, 'member')
})

test('an id in the body is refused, and every member is checked against the organization in the path', async () => {
  const [acme, other] = await Promise.all([world.organization(), world.organization()])
  const { path, ann } = acme
  const theirs = `${path}/members/${other.members.cleo.id}`
  assert.deepEqual(codeOf(await ann.get(theirs)), [404, 'not_found'])
  assert.deepEqual(codeOf(await ann.patch(theirs, { role: 'admin' })), [404, 'not_found'])
  assert.deepEqual(codeOf(await ann.delete(theirs)), [404, 'not_found'])
  assert.equal((await ann.patch(theirs, { role: 'admin', organizationId: other.id })).status, 400)
  const { body } = await other.ann.get(`${other.path}/members/${other.members.cleo.id}`)
  assert.equal(body.role, 'member')
})

test('an id of another type or form is a bad request, and `me` cannot change a role', async () => {
  const { path, ann, cleo, members } = await world.organization()
  for (const id of [cleo.id, 'ME', 'x', members.cleo.id.slice(0, -1), `${members.cleo.id}0`]) {
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { body: { role: 'member' } } : {}
      const answer = await ann.request(`${path}/members/${id}`, { method, ...body })
      assert.deepEqual(codeOf(answer), [400, 'invalid_id'], `${method} ${id}`)
    }
  }
  assert.deepEqual(codeOf(await ann.patch(`${path}/members/me`, { role: 'member' })), [400, 'invalid_id'])
  assert.deepEqual(codeOf(await ann.delete(`${path}/members/${newId('mem')}`)), [404, 'not_found'])
})

test('setting the present role changes nothing and leaves no trace', async () => {
  const acme = await world.organization()
  const { path, ann, members } = acme
  assert.equal((await setRole(ann, acme, members.cleo, 'member')).body.role, 'member')
  assert.equal((await setRole(ann, acme, members.ann, 'owner')).status, 200)
  assert.deepEqual((await ann.get(`${path}/audit?action=member.role_changed`)).body.data, [])
})

test('a change of role, a removal and a leave are recorded', async () => {
  const acme = await world.organization()
  const { path, ann, ben, cleo, members } = acme
  await setRole(ann, acme, members.cleo, 'admin')
  await remove(cleo, acme, members.ben)
  await cleo.delete(`${path}/members/me`)

  const { data } = (await ann.get(`${path}/audit?action=member.*&limit=3`)).body
  assert.deepEqual(
    data.map(({ action, actor, target, details }: Json) => [action, actor.id, target.id, details]),
    [
      ['member.left', cleo.id, cleo.id, { memberId: members.cleo.id, role: 'admin' }],
      ['member.removed', cleo.id, ben.id, { memberId: members.ben.id, role: 'admin' }],
      ['member.role_changed', ann.id, cleo.id, { role: { from: 'member', to: 'admin' } }],
    ],
  )
})

test('a member leaves by `me` or by their own id, and the response is the former membership', async () => {
  const acme = await world.organization()
  const { path, ben, cleo, members } = acme

  const left = await cleo.delete(`${path}/members/me`)
  const { user, ...rest } = members.cleo
  const shown = { ...rest, user: { ...user, hasSecondFactor: null }, lastActiveAt: null }
  assert.deepEqual([left.status, left.body], [200, shown])
  const alsoLeft = await remove(ben, acme, members.ben)
  assert.deepEqual([alsoLeft.status, alsoLeft.body], [200, members.ben])

  for (const person of [cleo, ben]) {
    assert.deepEqual(codeOf(await person.get(path)), [404, 'not_found'])
    assert.deepEqual(codeOf(await person.delete(`${path}/members/me`)), [404, 'not_found'])
    assert.deepEqual((await person.get('/api/organizations')).body.data, [])
  }
})

test('a removed member loses access with the next request, and can be invited again', async () => {
  const acme = await world.organization()
  const { id, path, ann, cleo, members } = acme
  const phone = await world.signIn(cleo)

  const removed = await remove(ann, acme, members.cleo)
  assert.deepEqual([removed.status, removed.body], [200, members.cleo])

  for (const session of [cleo, phone]) {
    for (const way of [
      path,
      `${path}/members`,
      `${path}/members/${members.cleo.id}`,
      `${path}/members/${members.ann.id}`,
    ]) {
      assert.deepEqual(codeOf(await session.get(way)), [404, 'not_found'])
    }
    assert.equal((await session.get('/api/users/me')).status, 200, 'the account has nothing to do with it')
  }
  assert.deepEqual(codeOf(await remove(ann, acme, members.cleo)), [404, 'not_found'])

  const again = await world.join(ann, id, cleo)
  assert.notEqual(again.id, members.cleo.id, 'ids are never reused')
})

test('the owner count is exact in an organization with more than 100 members', async () => {
  const acme = await world.organization()
  const { id, path, ann, members } = acme
  await giveMembers(id, Array(150).fill('Member'))
  // Newest last: an owner that no first page of members has.
  const [late] = await giveMembers(id, ['Late'], 'owner')

  assert.equal((await setRole(ann, acme, members.ann, 'member')).status, 200, 'the other owner counts')
  assert.deepEqual(await query('select owner_count, member_count from organizations where id = $1', [id]), [
    { owner_count: 1, member_count: 154 },
  ])
  assert.equal((await ann.get(path)).body.memberCount, 154)
  await query(`update memberships set role = 'owner' where id = $1`, [members.ann.id])
  await query('update organizations set owner_count = 2 where id = $1', [id])
  assert.equal((await ann.delete(`${path}/members/${late}`)).status, 200)
  assert.deepEqual(codeOf(await ann.delete(`${path}/members/me`)), [409, 'last_owner'])
})

test("the name of a member's inviter is erased with the inviter's account", async () => {
  const { id, path, ann, ben, dan } = await world.organization()
  const member = await world.join(ben, id, dan)
  assert.deepEqual(member.invitedBy, { id: ben.id, name: 'Ben' })

  await ben.delete('/api/users/me', { password })

  assert.equal((await ann.get(`${path}/members/${member.id}`)).body.invitedBy, null)
})

test("members have their users' present profile", async () => {
  const { path, ann, cleo, members } = await world.organization()
  await cleo.patch('/api/users/me', { name: 'Cleopatra', avatarUrl: 'https://example.com/c.png' })
  await query(`update users set status = 'suspended' where id = $1`, [cleo.id])

  const { user } = (await ann.get(`${path}/members/${members.cleo.id}`)).body

  assert.deepEqual(user, {
    id: cleo.id,
    name: 'Cleopatra',
    email: cleo.email,
    avatarUrl: 'https://example.com/c.png',
    status: 'suspended',
    hasSecondFactor: false,
  })
  assert.deepEqual(namesOf(await ann.get(`${path}/members?query=cleop`)), ['Cleopatra'])
})

test('no encoding of a path gets past its checks', async () => {
  const { path, cleo, members, id } = await world.organization()
  for (const way of [
    `${path}/members/${members.ann.id}%2f..`,
    `${path}/members/..%2f${members.ann.id}`,
    `${path}//members/${members.ann.id}`,
    `${path}/members/${members.ann.id}%00`,
    `${path}/members/%6d%65%5f`,
    `/api/organizations/${id}%252f/members/${members.ann.id}`,
    `/api/Organizations/${id}/members/${members.ann.id}`,
  ]) {
    const answer = await cleo.delete(way)
    assert.ok([400, 404].includes(answer.status), `${way} ${answer.status}`)
  }
  const removal = await cleo.delete(`${path}/members/${members.ann.id.replace('mem', '%6Dem')}`)
  assert.deepEqual(codeOf(removal), [403, 'forbidden'], 'an encoded letter is the letter')
  const unique = randomBytes(3).toString('hex')
  assert.deepEqual(codeOf(await cleo.get(`/api/organizations/${unique}/../${id}x`)), [400, 'invalid_id'])
})

test('a member can be removed while their inviter deletes their account, without a deadlock', async (t) => {
  const { ann, ben, id, path } = await world.organization()
  const eve = await world.person('Eve')
  const member = await world.join(ben, id, eve)
  assert.equal((await ben.delete(`${path}/members/me`)).status, 200)
  const failed: unknown[] = []
  const note = (message: unknown) => failed.push((message as { error: unknown }).error) // of a failed promise
  pipelines.error.subscribe(note)
  t.after(() => pipelines.error.unsubscribe(note))

  // What erasing Ben comes to once it has locked the invitations that he sent, and before his row goes.
  const mails = 'select from graphile_worker._private_jobs where starts_with(key, $1) for update'
  const release = await hold(t, world.postgres, mails, [`mail:${ben.id}:`])
  const deleted = ben.delete('/api/users/me', { password })
  await awaitLine(1)
  const removed = ann.delete(`${path}/members/${member.id}`)
  await awaitLine(2)
  await release()

  assert.deepEqual([(await deleted).status, (await removed).status], [200, 200])
  assert.deepEqual(failed, [])
})
