/** Races between tenant admins: what holds when they act on each other at the same moment. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { times } from '../../../test/depth.ts'
import { hold, holdRow } from '../../../test/holding.ts'
import { requestKey } from '../../../test/key-requests.ts'
import { type Act, meetAt } from '../../../test/races.ts'
import { type Answer, Client, createWorld, type Person, password } from '../../../test/world.ts'
import { lockTenant } from '../../domain/access/tenant-lock.ts'
import type { Sql } from '../../platform/database/database.ts'

const world = await createWorld({ processes: 4 })
const { query, awaitLine } = world.postgres
const { tenantId: tenant } = world

/**
 * Sends requests that all want the tenant's row, while it is held and changed, and lets go of it when they all wait for it: so they
 * meet for certain, in about the order in which they are given.
 */
async function meet(acts: readonly Act[], meanwhile: () => Promise<unknown> = async () => {}): Promise<Answer[]> {
  const answers = await world.database.inTenant(tenant, async (sql) => {
    await lockTenant(sql, 'update')
    const sent: Promise<Answer>[] = []
    for (const act of acts) {
      sent.push(act())
      await awaitLine(sent.length)
    }
    await meanwhile()
    return sent
  })
  return Promise.all(answers)
}

const pathOf = ({ id }: Person) => `/api/admin/users/${id}`
const said = ({ status, body }: Answer) => (body.code ? `${status} ${body.code}` : String(status))

/** What an admin may do to another and, but for the deletion, to themselves. */
const acts = {
  suspend: (admin: Person, other: Person) => admin.patch(pathOf(other), { status: 'suspended' }),
  demote: (admin: Person, other: Person) => admin.patch(pathOf(other), { role: 'user' }),
  delete: (admin: Person, other: Person) => admin.delete(pathOf(other)),
}
const names = Object.keys(acts) as (keyof typeof acts)[]

/** The tenant's only two admins. */
async function twoAdmins(): Promise<[Person, Person]> {
  const admins = [await world.tenantAdmin(), await world.tenantAdmin()] as [Person, Person]
  await query(`update users set role = 'user' where role = 'admin' and tenant_id = $1 and id <> all($2)`, [
    tenant,
    admins.map(({ id }) => id),
  ])
  return admins
}

async function activeAdmins(): Promise<number> {
  const admins = await query(`select from users where tenant_id = $1 and role = 'admin' and status = 'active'`, [
    tenant,
  ])
  return admins.length
}

test('if two admins suspend, demote or delete each other at once, one is left', async () => {
  for (let round = 0; round < times(9); round++) {
    const [ann, ben] = await twoAdmins()
    const [first, second] = [names[round % 3], names[Math.floor(round / 3) % 3]] as (keyof typeof acts)[]
    assert.ok(first && second)

    const answers = await Promise.all([acts[first](ann, ben), acts[second](ben, ann)])

    const what = `${first} and ${second}: ${answers.map(said)}`
    assert.equal(answers.filter(({ status }) => status === 200).length, 1, what)
    // A suspended or deleted admin has no session any more, and a demoted one has no right.
    for (const { status } of answers) assert.ok([200, 401, 403].includes(status), what)
    assert.equal(await activeAdmins(), 1, what)
  }
})

test('if two admins step down at once, one stays', async () => {
  const own = [(admin: Person) => acts.suspend(admin, admin), (admin: Person) => acts.demote(admin, admin), leave]
  for (let round = 0; round < own.length ** 2; round++) {
    const [ann, ben] = await twoAdmins()
    const [first, second] = [own[round % own.length], own[Math.floor(round / own.length)]]
    assert.ok(first && second)

    const answers = await Promise.all([first(ann), second(ben)])

    assert.deepEqual(answers.map(said).sort(), ['200', '409 last_admin'], `round ${round}`)
    assert.equal(await activeAdmins(), 1)
  }
})

function leave(admin: Person): Promise<Answer> {
  return admin.delete('/api/users/me', { password })
}

test('an admin who is demoted while their requests wait changes nothing', async () => {
  const [ann, ben] = await twoAdmins()
  const cleo = await world.tenantAdmin()

  const answers = await meet([() => acts.demote(ann, ben), () => acts.demote(ben, cleo), () => acts.delete(ben, ann)])

  assert.deepEqual(answers.map(said), ['200', '403 forbidden', '403 forbidden'])
  assert.equal((await cleo.get('/api/admin/users')).status, 200)
})

test('a key that is ended while its requests wait for a user changes nothing', async (t) => {
  const tess = await world.tenantAdmin()
  const ann = await world.person('Ann')
  const scopes = ['organizations:create', 'users:write', 'users:delete', 'sessions:end']
  const { key, secret } = await requestKey(tess, '/api/admin/keys', { scopes })
  const program = new Client(world, { authorization: `Bearer ${secret}` })
  const release = await holdRow(t, world.postgres, 'users', ann.id)
  const sent = [
    program.post('/api/admin/organizations', { name: 'Acme', ownerId: ann.id }),
    program.patch(pathOf(ann), { name: 'Renamed' }),
    program.delete(`${pathOf(ann)}/devices`),
    program.delete(pathOf(ann)),
  ]
  await awaitLine(sent.length)

  assert.equal((await tess.delete(`/api/admin/keys/${key.id}`)).status, 200)
  await release()

  const answers = await Promise.all(sent)
  assert.deepEqual(
    answers.map(said),
    answers.map(() => '401 unauthenticated'),
  )
  assert.equal((await ann.get('/api/users/me')).body.name, 'Ann')
  assert.deepEqual((await ann.get('/api/organizations')).body.data, [])
})

test('a user who becomes the last admin while their account is being deleted stays', async () => {
  const [ann, ben] = await twoAdmins()
  await query(`update users set role = 'user' where id = $1`, [ben.id])

  const { answer } = await world.database.inTenant(tenant, async (sql) => {
    await sql`update users set role = 'admin' where tenant_id = ${tenant} and id = ${ben.id}`
    await sql`update users set role = 'user' where tenant_id = ${tenant} and id = ${ann.id}`
    const answer = leave(ben) // reads that ben is none, and waits for his row
    await awaitLine(1)
    return { answer }
  })

  assert.equal(said(await answer), '409 last_admin')
  assert.equal(await activeAdmins(), 1)
})

test('no invitation and no session survives a suspension at the same time', async () => {
  const [admin] = await twoAdmins()
  const { ann, ben, path } = await world.organization()
  for (let round = 0; round < times(7); round++) {
    await query(`update users set status = 'active' where id = $1`, [ben.id])
    await query('update sessions set ended_at = null where user_id = $1 and token_hash is not null', [ben.id])
    const email = `round-${round}@example.com`
    const invite = () => ben.post(`${path}/invites`, { email })
    const signIn = () => world.nobody.post('/api/auth/sign-in', { email: ben.email, password })
    const suspend = () => acts.suspend(admin, ben)
    // They meet at Ben's row, in each order.
    const acting: Act[] = [invite, signIn]
    acting.splice(round % 3, 0, suspend)
    if (round % 6 > 2) acting.reverse()
    const lock = (sql: Sql) => sql`select from users where tenant_id = ${tenant} and id = ${ben.id} for update`
    const answers = await meetAt(world, lock, acting)
    const [invited, suspended] = [invite, suspend].map((act) => answers[acting.indexOf(act)])
    assert.ok(invited && suspended)
    assert.equal(suspended.status, 200)
    assert.ok([201, 401].includes(invited.status), said(invited))
    const left = await query(`select from invitations where status = 'pending' and invited_by = $1`, [ben.id])
    assert.equal(left.length, 0, `round ${round}: ${said(invited)}`)
    assert.equal((await query('select from sessions where user_id = $1 and ended_at is null', [ben.id])).length, 0)
  }
  assert.equal((await ann.get(path)).status, 200)
})

test('if a user and an admin change different fields at once, both changes stay', async () => {
  const [admin] = await twoAdmins()
  const ann = await world.person()
  for (let round = 0; round < times(5); round++) {
    const [own, admins] = await Promise.all([
      ann.patch('/api/users/me', { name: `Ann ${round}` }),
      admin.patch(pathOf(ann), { appMetadata: { round } }),
    ])
    assert.deepEqual([own.status, admins.status], [200, 200])
    const { body } = await ann.get('/api/users/me')
    assert.deepEqual([body.name, body.appMetadata], [`Ann ${round}`, { round }])
  }
})

test('an invitation is not created if its inviter is suspended while it waits', async (t) => {
  const { ann, path, id } = await world.organization()
  const release = await hold(t, world.postgres, `update users set status = 'suspended' where id = $1`, [ann.id])
  const inviting = ann.post(`${path}/invites`, { email: 'somebody@example.com' })
  await awaitLine(1)
  await release()

  assert.equal((await inviting).status, 401)
  assert.deepEqual(await query(`select from invitations where organization_id = $1 and status = 'pending'`, [id]), [])
})
