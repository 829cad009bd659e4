import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { type Client, createWorld, type Person } from '../../../test/world.ts'
import type { Sql } from '../../platform/database/database.ts'
import { createServer } from '../../platform/http/server.ts'
import { openDoors } from './authorization.ts'
import { lockTenant } from './tenant-lock.ts'

const world = await createWorld()

/** Holds statements on a table back until it is called, or the test ends. It is no part of what the test asks. */
async function holdBack(t: TestContext, table: string): Promise<() => Promise<void>> {
  const url = new URL(world.postgres.url)
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  let ended: Promise<void> | undefined
  const release = () => (ended ??= client.end())
  t.after(release)
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  return release
}

test('if a slug moves to another organization during a request, nothing of that one is shown', async (t) => {
  const mine = await world.organization()
  const other = await world.organization()
  const release = await holdBack(t, 'audit_entries')

  const reading = mine.ann.get(`/api/organizations/${mine.slug}/audit`)
  await world.postgres.awaitLine(1)
  await world.postgres.query('update organizations set slug = $1 where id = $2', [
    `was-${mine.slug}`.slice(0, 48),
    mine.id,
  ])
  await world.postgres.query('update organizations set slug = $1 where id = $2', [mine.slug, other.id])
  await release()

  const { status, body } = await reading
  assert.equal(status, 200)
  for (const entry of body.data) assert.equal(entry.organizationId, mine.id)
  assert.ok(body.data.length > 0)
})

test('if a slug moves to another organization during a request, that one is not locked and not changed', async () => {
  const { ann, id, slug } = await world.organization()
  const { body: other } = await ann.post('/api/organizations', { name: 'Other' })
  const { tenantId: tenant } = world
  const rename = (sql: Sql, organization: string, to: string) =>
    sql`update organizations set slug = ${to} where tenant_id = ${tenant} and id = ${organization}`

  const [writing] = await world.database.inTenant(tenant, async (sql) => {
    await rename(sql, id, `${slug}-old`.slice(-48))
    await rename(sql, other.id, slug)
    const sent = ann.patch(`/api/organizations/${slug}`, { name: 'Renamed' })
    await world.postgres.awaitLine(1) // of the one that had the slug when the request came
    return [sent]
  })

  const { status, body } = await writing
  assert.deepEqual([status, body.code], [404, 'not_found'])
  const names = await Promise.all([id, other.id].map((each) => ann.get(`/api/organizations/${each}`)))
  assert.ok(names.every(({ body }) => body.name !== 'Renamed'))
  assert.equal((await ann.patch(`/api/organizations/${slug}`, { name: 'Renamed' })).body.id, other.id)
})

test('somebody who becomes an admin of the tenant during a request has not locked it and changes nothing', async (t) => {
  const person = await world.person()
  const rename = () => person.patch('/api/admin/tenant', { name: 'Renamed' }, { 'guildhall-tenant': 'default' })
  const release = await holdBack(t, 'tenant_domains') // read by who finds the caller, and not by who locks

  const writing = rename()
  await world.postgres.awaitLine(1)
  await world.postgres.query(`update users set role = 'admin' where id = $1`, [person.id])
  await release()

  const { status, body } = await writing
  assert.deepEqual([status, body.code], [403, 'forbidden'])
  assert.notEqual((await person.get('/api/admin/tenant')).body.name, 'Renamed')
  assert.equal((await rename()).body.name, 'Renamed')
})

/** Sessions that have ended in each way, of people who are members of the organization and admins of the tenant. */
async function endedSessions(orgId: string, owner: Person): Promise<Readonly<Record<string, Client>>> {
  const { query } = world.postgres
  const member = async () => {
    const person = await world.tenantAdmin()
    await world.join(owner, orgId, person, 'owner')
    return person
  }
  const [signedOut, expired, suspended, locked] = await Promise.all([member(), member(), member(), member()])
  await signedOut.post('/api/auth/sign-out')
  await query(`update sessions set created_at = now() - interval '1 year' where user_id = $1`, [expired.id])
  const admin = await world.tenantAdmin()
  await admin.patch(`/api/admin/users/${suspended.id}`, { status: 'suspended' })
  // Suspension ends the sessions too; here the user’s status alone refuses.
  await query(`update users set status = 'suspended' where id = $1`, [locked.id])
  return { 'signed out': signedOut, expired, suspended, 'not active': locked }
}

test('an ended session is refused without waiting for the lock of an organization or of a tenant', async () => {
  const { ann, id, path } = await world.organization()
  const ended = await endedSessions(id, ann)
  const { tenantId: tenant } = world

  const answers = await world.database.inTenant(tenant, async (sql) => {
    await lockTenant(sql, 'update')
    await sql`select from organizations where tenant_id = ${tenant} and id = ${id} for update`
    const sent = Object.entries(ended).map(async ([name, client]) => {
      const changes = await Promise.all([
        client.patch(path, { name: 'Mine' }),
        client.patch('/api/admin/tenant', { name: 'Mine' }),
      ])
      return changes.map(({ status, body }) => `${name}: ${status} ${body.code}`)
    })
    return (await Promise.all(sent)).flat() // all of them are answered while the rows are locked
  })

  const refused = Object.keys(ended).flatMap((name) => Array(2).fill(`${name}: 401 unauthenticated`))
  assert.deepEqual(answers, refused)
})

test('a session that ends while its request waits for the lock changes nothing', async () => {
  const { ben, id, path, ann } = await world.organization()
  const { tenantId: tenant } = world
  const [leaving] = await world.database.inTenant(tenant, async (sql) => {
    await sql`select from organizations where tenant_id = ${tenant} and id = ${id} for update`
    const sent = ben.delete(`${path}/members/me`)
    await world.postgres.awaitLine(1)
    await ben.post('/api/auth/sign-out')
    return [sent]
  })

  assert.equal((await leaving).status, 401)
  assert.equal((await ann.get(`${path}/members`)).body.data.length, 3)
})

test('a path parameter of any length is a bad request, and no internal error', async () => {
  const ann = await world.person()
  for (const length of [201, 2000]) {
    const answer = await ann.get(`/api/organizations/${'a'.repeat(length)}`)
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_id'])
  }
})

test('the service does not start with a route that does not declare who may use it', async () => {
  const { config, database } = world.app
  const app = createServer({ config, database, keyring: world.keyring }, false)
  openDoors(app)
  assert.throws(() => app.get('/open', async () => ({})), /GET \/open does not say who may use it/)
  app.get('/closed', { config: { access: 'user' } }, async () => ({}))
  await app.close()
})
