/** Administration of an organization by somebody who loses the right to it while they wait for its row. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, type Client, codeOf, createWorld, type Organization } from '../../../test/world.ts'

const world = await createWorld()
const { query } = world.postgres
const tess = await world.tenantAdmin()
const pathOf = ({ id }: Organization) => `/api/admin/organizations/${id}`

const acts: readonly ((who: Client, acme: Organization) => Promise<Answer>)[] = [
  (who, acme) => who.post(`${pathOf(acme)}/members`, { userId: acme.dan.id }),
  (who, acme) => who.delete(`${pathOf(acme)}/members/${acme.members.cleo.id}`),
  (who, acme) => who.post(`${pathOf(acme)}/transfer`, { memberId: acme.members.cleo.id }),
  (who, acme) => who.patch(pathOf(acme), { name: 'Another' }),
  (who, acme) => who.delete(pathOf(acme), { confirm: acme.slug }),
]
const scopes = [
  'invitations:write',
  'members:remove',
  'ownership:transfer',
  'organization:update',
  'organization:delete',
]

/** @param lose is called while the request waits for the organization's row */
async function loseWhileWaiting(
  acme: Organization,
  act: () => Promise<Answer>,
  lose: () => Promise<unknown>,
): Promise<Answer> {
  const { answer } = await world.database.inTenant(world.tenantId, async (sql) => {
    await sql`select from organizations where tenant_id = ${sql.tenant} and id = ${acme.id} for no key update`
    const answer = act()
    await world.postgres.awaitLine(1)
    await lose()
    return { answer }
  })
  return answer
}

const seenBy = async ({ ann, path }: Organization) => [
  (await ann.get(path)).body,
  (await ann.get(`${path}/members`)).body,
]

test('a key of the tenant that ends while its request waits changes nothing', async () => {
  for (const act of acts) {
    const acme = await world.organization()
    const key = await world.key(scopes)
    const before = await seenBy(acme)

    const answer = await loseWhileWaiting(
      acme,
      () => act(key, acme),
      async () => assert.equal((await tess.delete(`/api/admin/keys/${key.id}`)).status, 200),
    )

    assert.deepEqual(codeOf(answer), [401, 'unauthenticated'], String(act))
    assert.deepEqual(await seenBy(acme), before, String(act))
  }
})

test('an admin whose session ends, or who is demoted, while their request waits changes nothing', async () => {
  for (const act of acts)
    for (const [loss, refusal] of [
      ['update sessions set ended_at = now() where user_id = $1', [401, 'unauthenticated']],
      [`update users set role = 'user' where id = $1`, [403, 'forbidden']],
    ] as const) {
      const acme = await world.organization()
      const admin = await world.tenantAdmin()
      const before = await seenBy(acme)

      const answer = await loseWhileWaiting(
        acme,
        () => act(admin, acme),
        () => query(loss, [admin.id]),
      )

      assert.deepEqual(codeOf(answer), refusal, String(act))
      assert.deepEqual(await seenBy(acme), before, String(act))
    }
})
