/** The lock of a tenant's row, on one PostgreSQL and on a cluster: what takes it takes turns in one tenant, and waits for no other tenant. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdRow } from '../../../test/holding.ts'
import { createWorld } from '../../../test/world.ts'
import { noteWebhooks } from '../webhooks/webhook-states.ts'
import { lockTenant } from './tenant-lock.ts'

const world = await createWorld()
const { database, postgres } = world
const { awaitLine } = postgres

const strengths = ['share', 'no key update', 'update'] as const

test("every lock of a tenant waits for its admin's request, and an admin's request for the lock", async (t) => {
  const { id, slug } = await world.tenant()
  const [tess, ben] = [await world.tenantAdmin(slug), await world.person('Ben', { tenant: slug })]
  const release = await holdRow(t, postgres, 'users', ben.id)
  const suspending = tess.patch(`/api/admin/users/${ben.id}`, { status: 'suspended' })
  await awaitLine(1) // with the tenant's row, for Ben's
  let passed = 0
  const locking = strengths.map(async (strength) => {
    await database.inTenant(id, (sql) => lockTenant(sql, strength))
    passed++
  })
  await awaitLine(4, () => passed)
  assert.equal(passed, 0)
  await release()
  assert.equal((await suspending).status, 200)
  await Promise.all(locking)

  for (const strength of strengths) {
    const renaming = await database.inTenant(id, async (sql) => {
      await lockTenant(sql, strength)
      let isAnswered = false
      const answer = tess.patch('/api/admin/tenant', { name: strength }).finally(() => {
        isAnswered = true
      })
      await awaitLine(1, () => Number(isAnswered))
      assert.equal(isAnswered, false, strength)
      return [answer]
    })
    assert.equal((await renaming[0])?.status, 200)
  }
})

test('a lock of one tenant keeps nobody of another waiting', async () => {
  const [held, other] = [await world.tenant(), await world.tenant()]
  const tess = await world.tenantAdmin(other.slug)

  await database.inTenant(held.id, async (sql) => {
    await lockTenant(sql, 'update')
    for (const strength of strengths) await database.inTenant(other.id, (own) => lockTenant(own, strength))
    assert.equal((await tess.patch('/api/admin/tenant', { name: 'Renamed' })).status, 200)
    await world.updateTenant(other.slug, { mailFrom: 'hello@shop.example' })
  })
})

/** What changes a tenant's row, beside its admins. */
const changes = {
  'its deletion': ({ slug }: { slug: string }) => world.deleteTenant(slug),
  'a change by the operator': ({ slug }: { slug: string }) => world.updateTenant(slug, { mailFrom: 'hi@shop.example' }),
  'its first webhook': ({ id }: { id: string }) => database.inTenant(id, noteWebhooks),
}

for (const [name, change] of Object.entries(changes)) {
  test(`${name} waits for a tenant, and keeps neither another tenant waiting nor who has locked it`, async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const tess = await world.tenantAdmin(other.slug)
    let runs = 0

    const [changing] = await database.inTenant(tenant.id, async (sql) => {
      runs++
      await lockTenant(sql)
      const changing = change(tenant)
      await awaitLine(1)
      assert.equal((await tess.patch('/api/admin/tenant', { name: 'Renamed' })).status, 200)
      await sql`update tenants set access_version = access_version + 1 where id = ${sql.tenant}`
      return [changing]
    })

    await changing
    assert.equal(runs, 1) // no deadlock, after which it would begin again
  })
}
