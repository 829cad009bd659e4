/** Rechecks of keys: a key that loses something while its request waits for a row makes no change by what it had. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { holdRow } from '../../../test/holding.ts'
import { offerKeys } from '../../../test/key-requests.ts'
import { startSecond } from '../../../test/races.ts'
import { onStoredKeys } from '../../../test/stored-keys.ts'
import { type Answer, Client, codeOf, createWorld, type Organization } from '../../../test/world.ts'
import { builtInPermissions } from '../permissions/permissions.ts'

const world = await createWorld()
const { query, awaitLine } = world.postgres
const { tenantKey } = onStoredKeys(world)
await offerKeys(world)
const tess = await world.tenantAdmin()

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
/** All that an owner may do, so that the key can make one. */
const scopes = ['users:write', ...builtInPermissions.map(({ key }) => key)]

/** What takes something from a key of the tenant. */
const losses: Record<string, { lose: (path: string) => Promise<Answer>; refusal: unknown[]; isShorter?: true }> = {
  'is narrowed': {
    lose: (path) => tess.patch(path, { scopes: ['invitations:read'] }),
    refusal: [403, 'insufficient_scope'],
  },
  'is given an earlier end': {
    lose: (path) => tess.patch(path, { expiresAt: inDays(10) }),
    refusal: [403, 'role_above_yours'],
    isShorter: true,
  },
  'is rotated without an overlap': {
    lose: (path) => tess.post(`${path}/rotate`, { overlapSeconds: 0 }),
    refusal: [401, 'unauthenticated'],
  },
}

/** What a key of the tenant does, and which row it waits for. */
interface Doing {
  readonly act: (key: Client, acme: Organization) => Promise<Answer>
  readonly row: (acme: Organization) => readonly [string, string]
}
/** It gives something that lasts longer than a key with an earlier end. */
const gifts: Record<string, Doing> = {
  'for an organization adds no member': {
    act: (key, { id, dan }) => key.post(`/api/admin/organizations/${id}/members`, { userId: dan.id, ...membership }),
    row: ({ id }) => ['organizations', id],
  },
  'for a user adds no member': {
    act: (key, { id, dan }) => key.post(`/api/admin/organizations/${id}/members`, { userId: dan.id, ...membership }),
    row: ({ dan }) => ['users', dan.id],
  },
  'for an organization invites nobody': {
    act: (key, { id, dan }) =>
      key.post(`/api/admin/organizations/${id}/invites`, { email: dan.email, memberExpiresAt }),
    row: ({ id }) => ['organizations', id],
  },
  'for a member makes no owner': {
    act: (key, { id, members }) =>
      key.patch(`/api/admin/organizations/${id}/members/${members.ben.id}`, { role: 'owner' }),
    row: ({ ben }) => ['users', ben.id],
  },
}
const others: Record<string, Doing> = {
  'for a member hands no organization on': {
    act: (key, { id, members }) => key.post(`/api/admin/organizations/${id}/transfer`, { memberId: members.ben.id }),
    row: ({ ben }) => ['users', ben.id],
  },
  'for a user changes no profile': {
    act: (key, { dan }) => key.patch(`/api/admin/users/${dan.id}`, { name: 'Renamed' }),
    row: ({ dan }) => ['users', dan.id],
  },
}
const memberExpiresAt = inDays(20)
const membership = { role: 'member', expiresAt: memberExpiresAt }

for (const [when, { lose, refusal, isShorter = false }] of Object.entries(losses)) {
  for (const [what, { act, row }] of Object.entries({ ...gifts, ...(!isShorter && others) })) {
    test(`a key that ${when} while its request waits ${what}`, async (t) => {
      const acme = await world.organization()
      const { id, program } = await tenantKey(tess, { scopes })
      const release = await holdRow(t, world.postgres, ...row(acme))
      const sent = act(program, acme)
      await awaitLine(1)

      assert.equal((await lose(`/api/admin/keys/${id}`)).status, 200)
      await release()

      assert.deepEqual(codeOf(await sent), refusal)
      assert.deepEqual(await tracesOf(acme), { members: 3, owner: acme.ann.id, invitations: 0, name: acme.dan.name })
    })
  }

  for (const [offer, status, body] of [
    ['invites', 'pending', { email: 'somebody@example.com', memberExpiresAt }],
    ['links', 'live', { memberExpiresAt }],
  ] as const) {
    test(`an offer that a key makes while it ${when} is not made (${offer})`, async (t) => {
      const acme = await world.organization()
      const { id, program } = await tenantKey(tess, { scopes })
      const [lost, sent] = await meetAtKey(
        t,
        id,
        () => lose(`/api/admin/keys/${id}`),
        () => program.post(`${acme.path}/${offer}`, body),
      )

      assert.deepEqual([codeOf(lost), codeOf(sent)], [[200], refusal])
      assert.deepEqual((await acme.ann.get(`${acme.path}/${offer}?status=${status}`)).body.data, [])
    })
  }
}

for (const [what, change] of [
  ['an earlier end', { expiresAt: inDays(10) }],
  ['fewer scopes', { scopes: ['users:write'] }],
] as const) {
  test(`a key that is given ${what} while its request waits does what it still may`, async (t) => {
    const { dan } = await world.organization()
    const { id, program } = await tenantKey(tess, { scopes })
    const release = await holdRow(t, world.postgres, 'users', dan.id)
    const sent = program.patch(`/api/admin/users/${dan.id}`, { name: 'Renamed' })
    await awaitLine(1)

    assert.equal((await tess.patch(`/api/admin/keys/${id}`, change)).status, 200)
    await release()

    const { status, body } = await sent
    assert.deepEqual([status, body.name], [200, 'Renamed'])
  })
}

test('a key that loses the scope of its request is told which one the request needs', async (t) => {
  const { dan } = await world.organization()
  const { id, program } = await tenantKey(tess, { scopes: ['invitations:write', 'users:write', 'users:read'] })
  const release = await holdRow(t, world.postgres, 'users', dan.id)
  const sent = program.patch(`/api/admin/users/${dan.id}`, { name: 'Renamed' })
  await awaitLine(1)

  assert.equal((await tess.patch(`/api/admin/keys/${id}`, { scopes: ['users:read'] })).status, 200)
  await release()

  const { status, body } = await sent
  assert.deepEqual([status, body.code, body.scope], [403, 'insufficient_scope', 'users:write'])
})

test('a key that is rotated with an overlap while its request waits makes its change by the secret before', async (t) => {
  const acme = await world.organization()
  const { id, program } = await tenantKey(tess, { scopes })
  const [rotated, invited] = await meetAtKey(
    t,
    id,
    () => tess.post(`/api/admin/keys/${id}/rotate`, { overlapSeconds: 3_600 }),
    () => program.post(`${acme.path}/invites`, { email: 'somebody@example.com', memberExpiresAt }),
  )

  assert.deepEqual([rotated.status, invited.status], [200, 201])
})

test('a secret that a rotation has ended in another process does not change the profile of its person', async (t) => {
  const ann = await world.person('Ann')
  const [second, key] = [await startSecond(world, t), await world.key(['me:update'], { person: ann })]
  const program = new Client(second, { authorization: `Bearer ${key.token}` })
  const [rotated, changed] = await meetAtKey(
    t,
    key.id,
    () => ann.post(`/api/users/me/keys/${key.id}/rotate`, { overlapSeconds: 0 }), // holds the person, and waits for the key
    () => program.patch('/api/users/me', { name: 'By the secret before' }),
  )

  assert.deepEqual([codeOf(rotated), codeOf(changed)], [[200], [401, 'unauthenticated']])
  assert.equal((await ann.get('/api/users/me')).body.name, 'Ann')
})

/** Sends a change of a key, then a request by it, while the key’s row is held. @returns both answers */
async function meetAtKey(
  t: TestContext,
  id: string,
  change: () => Promise<Answer>,
  act: () => Promise<Answer>,
): Promise<[Answer, Answer]> {
  const release = await holdRow(t, world.postgres, 'api_keys', id)
  const changed = change()
  await awaitLine(1)
  const acted = act()
  await awaitLine(2)
  await release()
  return Promise.all([changed, acted])
}

/** What the acts would have changed. */
async function tracesOf({ id, dan }: Organization) {
  const [traces] = await query(
    `select (select count(*)::int from memberships where organization_id = $1) as members,
       (select string_agg(user_id, ' ') from memberships where organization_id = $1 and role = 'owner') as owner,
       (select count(*)::int from invitations where organization_id = $1 and status = 'pending') as invitations,
       (select name from users where id = $2) as name`,
    [id, dan.id],
  )
  return traces
}
