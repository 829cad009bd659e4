/** The order of locks: what a deletion of an account waits for, and what it holds meanwhile. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dump, traces } from '../../../test/dump.ts'
import { hold, holdRow } from '../../../test/holding.ts'
import { finishJobs } from '../../../test/queue.ts'
import { createWorld, type Person, password } from '../../../test/world.ts'

const world = await createWorld()
const { query, awaitLine } = world.postgres

const erase = (person: Person) => person.delete('/api/users/me', { password })

test('a deletion of an account waits for no inviter of the person, whose own deletion may wait for the invitations', async (t) => {
  const [one, other] = [await world.organization(), await world.organization()]
  const eve = await world.person('Eve')
  await world.join(other.ben, other.id, eve)
  const { body: invited } = await one.ben.post(`${one.path}/invites`, { email: eve.email })

  const people = 'select from users where tenant_id = $1 and id = any($2) for update'
  const release = await hold(t, world.postgres, people, [world.tenantId, [one.ben.id, other.ben.id]])
  assert.equal((await erase(eve)).status, 200)
  await release()

  const { status, email } = (await one.ann.get(`${one.path}/invites/${invited.id}`)).body
  assert.deepEqual([status, email], ['revoked', null])
})

test('a deletion of an account waits for no member whom the person has invited and suspended', async (t) => {
  const { ann, ben, id, path } = await world.organization()
  const eve = await world.person('Eve')
  const member = await world.join(ben, id, eve)
  assert.equal((await ben.patch(`${path}/members/${member.id}`, { status: 'suspended' })).status, 200)

  const release = await hold(t, world.postgres, 'select from users where tenant_id = $1 and id = $2 for update', [
    world.tenantId,
    eve.id,
  ])
  assert.equal((await erase(ben)).status, 200)
  await release()

  assert.equal((await ann.get(`${path}/members/${member.id}`)).body.status, 'suspended')
  assert.deepEqual(await query('select invited_by, suspended_by from memberships where id = $1', [member.id]), [
    { invited_by: null, suspended_by: null },
  ])
})

test('a deletion of an account locks the organizations that go with it before the person and invitations', async (t) => {
  const ann = await world.person()
  const { body: alone } = await ann.post('/api/organizations', { name: 'Alone' })
  await ann.post(`/api/organizations/${alone.id}/invites`, { email: 'guest@example.com' })

  // As a mail about the invitation does.
  const release = await hold(
    t,
    world.postgres,
    'select from organizations where tenant_id = $1 and id = $2 for key share',
    [world.tenantId, alone.id],
  )
  const erased = erase(ann)
  await awaitLine(1)
  await query('select from users where tenant_id = $1 and id = $2 for key share nowait', [world.tenantId, ann.id])
  await query('select from invitations where tenant_id = $1 and organization_id = $2 for share nowait', [
    world.tenantId,
    alone.id,
  ])
  await release()

  assert.equal((await erased).status, 200)
  assert.deepEqual(await query('select from organizations where id = $1', [alone.id]), [])
})

test('a deletion of an account waits for somebody who wants its address before it changes what hangs on them', async (t) => {
  const [ann, bob] = [await world.person(), await world.person('Bob')]
  const asked = await bob.patch('/api/users/me', { email: ann.email, currentPassword: password })
  assert.equal(asked.body.pendingEmail, ann.email)

  const release = await hold(t, world.postgres, 'select from users where tenant_id = $1 and id = $2 for update', [
    world.tenantId,
    bob.id,
  ])
  const erased = erase(ann)
  await awaitLine(1)
  for (const table of ['mailed_tokens', 'audit_details'])
    await query(`select from ${table} where tenant_id = $1 and user_id = $2 for update nowait`, [
      world.tenantId,
      bob.id,
    ])
  await release()

  assert.equal((await erased).status, 200)
  assert.equal((await bob.get('/api/users/me')).body.pendingEmail, null)
})

test('two people who want each other’s address are locked in the order of their ids before one of them is deleted', async (t) => {
  for (const [deleted, strength] of [
    ['Bob', 'for update'],
    ['Ann', 'for key share'], // only her own deletion waits for it
  ]) {
    const [ann, bob] = [await world.person(), await world.person('Bob')] // ids sort by time
    for (const [one, other] of [[ann, bob] as const, [bob, ann] as const])
      assert.equal((await one.patch('/api/users/me', { email: other.email, currentPassword: password })).status, 200)

    const select = 'select from users where tenant_id = $1 and id = $2'
    const release = await hold(t, world.postgres, `${select} ${strength}`, [world.tenantId, ann.id])
    const [going, staying] = deleted === 'Bob' ? [bob, ann] : [ann, bob]
    const erased = erase(going)
    await awaitLine(1)
    await query(`${select} for update nowait`, [world.tenantId, bob.id]) // would be a deadlock
    await release()

    assert.equal((await erased).status, 200)
    assert.equal((await staying.get('/api/users/me')).body.pendingEmail, null)
  }
})

test('a deletion of an account waits for nothing that names those who want its address', async (t) => {
  const [bob, ann, cleo] = [await world.person('Bob'), await world.person(), await world.person('Cleo')] // ids sort by time
  for (const each of [bob, cleo])
    assert.equal((await each.patch('/api/users/me', { email: ann.email, currentPassword: password })).status, 200)

  const people = 'select from users where tenant_id = $1 and id = any($2) for key share' // as a foreign key does
  const release = await hold(t, world.postgres, people, [world.tenantId, [bob.id, cleo.id]])
  assert.equal((await erase(ann)).status, 200)
  await release()

  for (const each of [bob, cleo]) assert.equal((await each.get('/api/users/me')).body.pendingEmail, null)
})

test('a deletion of an admin of the tenant leaves an invitation that somebody sends again at the same moment', async (t) => {
  const { ann, ben, id, path } = await world.organization()
  const [admin, other] = [await world.tenantAdmin(), await world.tenantAdmin()]
  const email = `guest-${id.slice(4)}@example.com`
  const { body: sent } = await admin.post(`/api/admin/organizations/${id}/invites`, { email })
  await finishJobs(world)
  const [mail] = await query<{ id: string }>('select id from mails where invitation_id = $1', [sent.id])

  const release = await holdRow(t, world.postgres, 'mails', mail?.id) // for it, sending again waits with the invitation
  const again = ben.post(`${path}/invites/${sent.id}/resend`)
  await awaitLine(1)
  const erased = other.delete(`/api/admin/users/${admin.id}`)
  await awaitLine(2)
  await release()

  assert.deepEqual([(await again).status, (await erased).status], [200, 200])
  const { status, invitedBy } = (await ann.get(`${path}/invites/${sent.id}`)).body
  assert.deepEqual([status, invitedBy?.id], ['pending', ben.id])
  await finishJobs(world)
  const mails = await query<{ id: string }>('select id from mails where invitation_id = $1', [sent.id])
  assert.equal(mails.length, 1)
  assert.notEqual(mails[0]?.id, mail?.id)
})

test('a transfer waits for the deletion of an account that its stored answer would name', async (t) => {
  const [tess] = await Promise.all([world.tenantAdmin(), world.tenantAdmin()]) // the last admin could not go
  const { ann, dan, id, path } = await world.organization()
  const { body: member } = await tess.post(`/api/admin/organizations/${id}/members`, { userId: dan.id })
  assert.equal(member.invitedBy.id, tess.id)

  const release = await hold(
    t,
    world.postgres,
    'select from audit_details where tenant_id = $1 and user_id = $2 for update',
    [world.tenantId, tess.id],
  )
  const erased = erase(tess)
  await awaitLine(1)
  const transferred = ann.post(`${path}/transfer`, { memberId: member.id }, { 'idempotency-key': '"a transfer"' })
  await awaitLine(2)
  await release()

  assert.deepEqual([(await erased).status, (await transferred).status], [200, 200])
  assert.equal((await transferred).body.to.invitedBy, null)
  await finishJobs(world)
  assert.deepEqual(traces(await dump(query), { id: tess.id, email: tess.email }), [])
})
