import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createWorld } from '../../../test/world.ts'
import type { Sql } from '../../platform/database/database.ts'
import { createServer } from '../../platform/http/server.ts'
import { openDoors } from './authorization.ts'

const world = await createWorld()

/** Holds statements on a table back until it is called. */
async function holdBack(table: string): Promise<() => Promise<void>> {
  const url = new URL(world.postgres.url)
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  return async () => {
    await client.query('rollback')
    await client.end()
  }
}

test('if a slug moves to another organization during a request, nothing of that one is shown', async () => {
  const mine = await world.organization()
  const other = await world.organization()
  const release = await holdBack('audit_entries')

  const reading = mine.ann.get(`/api/organizations/${mine.slug}/audit`)
  await world.postgres.awaitLine(1)
  await world.postgres.ask('update organizations set slug = $1 where id = $2', [
    `was-${mine.slug}`.slice(0, 48),
    mine.id,
  ])
  await world.postgres.ask('update organizations set slug = $1 where id = $2', [mine.slug, other.id])
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
