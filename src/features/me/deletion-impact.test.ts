import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld, type Json, type Person, password } from '../../../test/world.ts'

const world = await createWorld()
const { query } = world.postgres

const impactOf = async (person: Person): Promise<Json> => (await person.get('/api/users/me/deletion-impact')).body
const erase = (person: Person) => person.delete('/api/users/me', { password })
const nothing = { sessions: 1, memberships: 0, invitationsSent: 0, invitationsReceived: 0 }

test('the impact of deleting an account without data is empty', async () => {
  const ann = await world.person()

  assert.deepEqual(await impactOf(ann), {
    counts: nothing,
    deletedOrganizations: [],
    blockingOrganizations: [],
    isLastAdmin: false,
  })
  assert.equal((await erase(ann)).status, 200)
})

test('the impact counts live sessions, memberships and pending invitations', async () => {
  const { ann, ben, id, path } = await world.organization()
  const other = await world.organization()
  await world.join(other.ann, other.id, ben)
  const phone = await world.signIn(ben)
  await (await world.signIn(ben)).post('/api/auth/sign-out')
  const tablet = await world.signIn(ben)
  await query(
    `update sessions set created_at = now() - interval '1 year' where user_id = $1 and token_hash = sha256($2)`,
    [ben.id, Buffer.from(tablet.token)],
  )
  for (const state of ['pending', 'pending', 'revoked', 'expired', 'out of time']) {
    const { body } = await ben.post(`${path}/invites`, {
      email: `${state.replaceAll(' ', '-')}-${Math.random()}@example.com`,
    })
    if (state === 'out of time') await query('update invitations set expires_at = now() where id = $1', [body.id])
    else await query('update invitations set status = $2 where id = $1', [body.id, state])
  }
  const third = await world.organization()
  await third.ann.post(`${third.path}/invites`, { email: ben.email })
  const fourth = await world.organization()
  const declined = await fourth.ann.post(`${fourth.path}/invites`, { email: ben.email })
  await ben.post(`/api/invites/${declined.body.id}/decline`)

  const { counts, deletedOrganizations, blockingOrganizations } = await impactOf(phone)

  assert.deepEqual(counts, { sessions: 2, memberships: 2, invitationsSent: 2, invitationsReceived: 1 })
  assert.deepEqual([deletedOrganizations, blockingOrganizations], [[], []])
  assert.equal((await erase(ben)).status, 200)
  const [left] = await query<{ sent: string; memberships: string }>(
    `select (select count(*) from invitations where invited_by = $1) as sent,
       (select count(*) from memberships where user_id = $1) as memberships`,
    [ben.id],
  )
  assert.deepEqual(left, { sent: '0', memberships: '0' })
  assert.equal((await ann.get(path)).body.memberCount, 2, id)
})

test('a user with an unverified address does not learn of invitations to it', async () => {
  const { ann, path } = await world.organization()
  const eve = await world.person('Eve', { verified: false })
  await ann.post(`${path}/invites`, { email: eve.email })

  assert.deepEqual((await impactOf(eve)).counts, nothing)
})

test('the impact names the organizations that a deletion would delete, and those that prevent it', async () => {
  const { ann, ben, cleo, dan, id, slug, path, members } = await world.organization()
  const { body: alone } = await ann.post('/api/organizations', { name: 'Alone' })
  const shared = await world.organization()
  await world.join(shared.ann, shared.id, ann, 'owner')
  const { body: acme } = await ann.get(path)
  await world.join(ann, id, dan)
  await query(`update users set status = 'suspended' where id = $1`, [dan.id])

  const { counts, deletedOrganizations, blockingOrganizations } = await impactOf(ann)

  assert.equal(counts.memberships, 3)
  assert.deepEqual(deletedOrganizations, [{ id: alone.id, name: 'Alone', slug: alone.slug }])
  assert.deepEqual(blockingOrganizations, [
    { id, name: acme.name, slug, memberCount: 4, candidates: [members.ben, members.cleo] },
  ])
  const refused = await erase(ann)
  assert.deepEqual(
    [refused.status, refused.body.organizations],
    [409, blockingOrganizations.map(({ id, name, slug }: Json) => ({ id, name, slug }))],
  )
  assert.deepEqual(
    [(await impactOf(ben)).blockingOrganizations, (await impactOf(cleo)).blockingOrganizations],
    [[], []],
  )

  const candidate = members.ben.id
  assert.equal((await ann.post(`${path}/transfer`, { memberId: candidate })).status, 200)
  assert.deepEqual((await impactOf(ann)).blockingOrganizations, [])
  assert.equal((await erase(ann)).status, 200)
  assert.equal((await ben.get(`/api/organizations/${alone.id}`)).status, 404)
})

test('if there are very many members, the impact names admins first, then the earliest members', async () => {
  const { ann, id, members } = await world.organization()
  await query(
    `insert into users (tenant_id, id, email)
     select tenant_id, 'user_' || lpad(n::text, 26, '0'), 'many-' || n || '@example.com'
     from organizations, generate_series(1, 40) n where id = $1`,
    [id],
  )
  await query(
    `insert into memberships (tenant_id, id, organization_id, user_id, role, joined_at)
     select tenant_id, 'mem_' || lpad(n::text, 26, '0'), id, 'user_' || lpad(n::text, 26, '0'),
       case when n > 38 then 'admin' else 'member' end, now() - make_interval(days => n)
     from organizations, generate_series(1, 40) n where id = $1`,
    [id],
  )
  await query('update organizations set member_count = 43 where id = $1', [id])

  const { candidates, memberCount } = (await impactOf(ann)).blockingOrganizations[0]

  assert.deepEqual([candidates.length, memberCount], [20, 43])
  const admins = candidates.filter(({ role }: Json) => role === 'admin').map(({ id }: Json) => id)
  const many = (n: number) => `mem_${String(n).padStart(26, '0')}`
  assert.deepEqual(admins, [many(40), many(39), members.ben.id])
  assert.deepEqual(
    candidates.slice(3).map(({ id }: Json) => id),
    Array.from({ length: 17 }, (_, index) => many(38 - index)),
  )
})

test('the impact says so to the last active admin of a tenant', async () => {
  const { slug } = await world.tenant()
  const admin = await world.tenantAdmin(slug)
  const user = await world.person('Ben', { tenant: slug })
  const suspended = await world.tenantAdmin(slug)
  await query(`update users set status = 'suspended' where id = $1`, [suspended.id])

  assert.deepEqual([(await impactOf(admin)).isLastAdmin, (await impactOf(user)).isLastAdmin], [true, false])
  assert.equal((await erase(admin)).status, 409)
  await world.tenantAdmin(slug)
  assert.equal((await impactOf(admin)).isLastAdmin, false)
})

test('one factor shows nobody of an organization that requires two', async () => {
  const { ann, id } = await world.organization()
  const seen = async () => {
    const { blockingOrganizations } = await impactOf(ann)
    return blockingOrganizations.map((each: Json) => [each.id, each.memberCount, each.candidates.length])
  }
  const requireTwo = (table: 'organizations' | 'tenants', of: unknown, policy: 'required' | 'optional') =>
    query(`update ${table} set second_factor = $2 where id = $1`, [of, policy])

  assert.deepEqual(await seen(), [[id, 3, 2]])
  await requireTwo('organizations', id, 'required')
  assert.deepEqual(await seen(), [[id, 3, 0]])
  await requireTwo('organizations', id, 'optional')
  await requireTwo('tenants', world.tenantId, 'required')
  assert.deepEqual(await seen(), [[id, 3, 0]])
  await query('update sessions set assurance = 2 where user_id = $1', [ann.id])
  assert.deepEqual(await seen(), [[id, 3, 2]])
  await requireTwo('tenants', world.tenantId, 'optional')
})
