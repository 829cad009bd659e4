/** Races: requests that exclude each other, sent at once. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Sql } from '../src/platform/database/database.ts'
import { openPatient } from './timeout.ts'
import { type Answer, Client, type Person, type World } from './world.ts'

export type Act = () => Promise<Answer>

export function together(...acts: readonly Act[]): Promise<Answer[]> {
  return Promise.all(acts.map((act) => act()))
}

export function statuses(answers: readonly Answer[]): string[] {
  return answers.map(({ status, body }) => (body.code ? `${status} ${body.code}` : String(status))).sort()
}

/**
 * Sends requests that need the same rows while these are locked, and releases them when all requests wait: so they certainly meet, in about
 * the given order.
 *
 * @param lock locks rows of the world's default tenant
 */
export async function meetAt(
  world: World,
  lock: (sql: Sql) => Promise<unknown>,
  acts: readonly Act[],
): Promise<Answer[]> {
  const { awaitLine } = world.postgres
  let answered = 0
  const answers = await world.database.inTenant(world.tenantId, async (sql) => {
    await lock(sql)
    const sent = acts.map(async (act, index) => {
      await awaitLine(index, () => answered)
      const answer = await act()
      answered++
      return answer
    })
    await awaitLine(acts.length, () => answered)
    return sent
  })
  return Promise.all(answers)
}

/** Another process on the same database, as far as requests can tell: an app with a pool and a port of its own. @param size of the pool */
export async function startSecond(world: World, t: TestContext, size?: number): Promise<World> {
  const database = openPatient(world.postgres.url, size === undefined ? {} : { size })
  const app = await world.otherApp(database)
  t.after(async () => {
    app.server.closeIdleConnections()
    await app.close()
    await database.close()
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` // listens on TCP
  return { ...world, url, nobody: new Client({ ...world, url }, {}) }
}

export const slug = () => `race-${randomBytes(5).toString('hex')}`

/** The requirements of a test file about races, in its world's default tenant. */
export async function openRaces(world: World) {
  const { query } = world.postgres
  const { tenantId: tenant } = world

  /** Sends requests that meet at the row of an organization. */
  function meet(orgId: string, ...acts: readonly Act[]): Promise<Answer[]> {
    const lock = (sql: Sql) => sql`select from organizations where tenant_id = ${tenant} and id = ${orgId} for update`
    return meetAt(world, lock, acts)
  }

  /** @throws AssertionError unless the organization's counts are right and it has an owner */
  async function checkCounts(orgId: string): Promise<{ owners: number; members: number }> {
    const [row] = await query<{ owner_count: number; member_count: number; owners: number; members: number }>(
      `select owner_count, member_count,
         (select count(*)::int from memberships m where m.tenant_id = o.tenant_id and m.organization_id = o.id and m.role = 'owner') as owners,
         (select count(*)::int from memberships m where m.tenant_id = o.tenant_id and m.organization_id = o.id) as members
       from organizations o where o.id = $1`,
      [orgId],
    )
    assert.ok(row, 'the organization is there')
    assert.deepEqual([row.owner_count, row.member_count], [row.owners, row.members])
    assert.ok(row.owners >= 1, 'there is an owner')
    return row
  }

  /** An organization with two owners and a member. */
  async function twoOwners(): Promise<{ id: string; path: string; ann: Person; ben: Person; cleo: Person }> {
    const { id, path, ann, ben, cleo, members } = await world.organization()
    await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })
    return { id, path, ann, ben, cleo }
  }

  /** Makes both people owners again, whatever has happened to one of them. */
  async function restore(orgId: string, pair: readonly Person[]): Promise<void> {
    const rows = await query<{ id: string; user_id: string; role: string }>(
      'select id, user_id, role from memberships where organization_id = $1',
      [orgId],
    )
    const owner = pair.find(({ id }) => rows.some(({ user_id, role }) => user_id === id && role === 'owner'))
    assert.ok(owner, 'one of the two is an owner still')
    for (const person of pair) {
      const row = rows.find(({ user_id }) => user_id === person.id)
      if (!row) await world.join(owner, orgId, person, 'owner')
      else if (row.role !== 'owner') {
        const { status } = await owner.patch(`/api/organizations/${orgId}/members/${row.id}`, { role: 'owner' })
        assert.equal(status, 200)
      }
    }
  }

  async function membershipOf(orgId: string, person: Person): Promise<string> {
    const [row] = await query<{ id: string }>(
      'select id from memberships where organization_id = $1 and user_id = $2',
      [orgId, person.id],
    )
    assert.ok(row)
    return row.id
  }

  return { tenant, meet, checkCounts, twoOwners, restore, membershipOf }
}
