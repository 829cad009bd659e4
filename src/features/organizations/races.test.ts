/** Races: what holds when organizations are made, named and deleted at the same moment. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { times } from '../../../test/depth.ts'
import { type Act, openRaces, slug, statuses, together } from '../../../test/races.ts'
import { type Answer, createWorld } from '../../../test/world.ts'

const world = await createWorld({ processes: 4 })
const { query, awaitLine } = world.postgres
const { meet, tenant, twoOwners } = await openRaces(world)

test('if several requests create one explicit slug at once, one succeeds; without an explicit one each gets its own', async () => {
  const people = await Promise.all(['Ann', 'Ben', 'Cleo', 'Dan'].map((name) => world.person(name)))
  for (let round = 0; round < times(2); round++) {
    const wanted = slug()
    const create = (body: object) =>
      people.flatMap((person) => [1, 2].map(() => () => person.post('/api/organizations', body)))

    const explicit = await together(...create({ name: 'Acme', slug: wanted }))
    assert.deepEqual(statuses(explicit), ['201', ...Array(7).fill('409 slug_taken')])

    const generated = await together(...create({ name: `${wanted} too` }))
    assert.deepEqual(statuses(generated), Array(8).fill('201'))
    const slugs = generated.map(({ body }) => body.slug)
    assert.equal(new Set(slugs).size, 8)
    assert.ok(slugs.includes(`${wanted}-too`))
  }
})

test('if two organizations take one slug at once, one gets it', async () => {
  const ann = await world.person()
  const [one, other] = await Promise.all([1, 2].map(() => ann.post('/api/organizations', { name: 'Acme' })))
  for (let round = 0; round < times(3); round++) {
    const wanted = slug()
    const answers = await together(
      () => ann.patch(`/api/organizations/${one?.body.id}`, { slug: wanted }),
      () => ann.patch(`/api/organizations/${other?.body.id}`, { slug: wanted }),
    )
    assert.deepEqual(statuses(answers), ['200', '409 slug_taken'])
  }
})

test('concurrent creations cannot exceed the limit of organizations', async () => {
  const ann = await world.person()
  await query(
    `insert into organizations (tenant_id, id, slug, name, name_key, owner_count, member_count)
     select u.tenant_id, 'org_limit' || n, 'limit-' || n, 'Limit', 'limit', 1, 1
     from users u, generate_series(1, 98) n where u.id = $1`,
    [ann.id],
  )
  await query(
    `insert into memberships (tenant_id, id, organization_id, user_id, role)
     select u.tenant_id, 'mem_limit' || n, 'org_limit' || n, u.id, 'owner'
     from users u, generate_series(1, 98) n where u.id = $1`,
    [ann.id],
  )

  const answers = await together(
    ...Array.from({ length: 6 }, () => () => ann.post('/api/organizations', { name: 'Acme' })),
  )

  assert.deepEqual(statuses(answers), ['201', '201', ...Array(4).fill('409 limit_reached')])
})

test('an organization that is deleted while others join, invite, leave or delete it is gone for all of them', async () => {
  for (let round = 0; round < times(10); round++) {
    const { id, path, ann, ben, cleo } = await twoOwners()
    const bob = await world.person('Bob')
    const { body: invitation } = await ann.post(`${path}/invites`, { email: bob.email })
    const { body: acme } = await ann.get(path)
    const destroy = () => ann.delete(path, { confirm: acme.slug })
    const rivals: readonly Act[] = [
      () => bob.post(`/api/invites/${invitation.id}/accept`),
      () => ben.post(`${path}/invites`, { email: `${slug()}@example.com` }),
      () => cleo.delete(`${path}/members/me`),
      () => ben.delete(path, { confirm: acme.slug }),
      () => ben.patch(path, { name: 'Renamed' }),
    ]
    const rival = rivals[round % rivals.length] as Act // within its length
    const isFirst = Math.floor(round / rivals.length) % 2 === 0
    const met = isFirst ? await meet(id, destroy, rival) : (await meet(id, rival, destroy)).reverse()

    const [destroyed, other] = met
    const wins = other?.status === 200 || other?.status === 201
    if (round % rivals.length === 3) assert.deepEqual(statuses(met), ['200', '404 not_found'])
    else {
      assert.equal(destroyed?.status, 200)
      assert.ok(wins || other?.body.code === 'not_found', `${other?.status} ${other?.body.code}`)
    }
    for (const [table, column] of [
      ['organizations', 'id'],
      ['memberships', 'organization_id'],
      ['invitations', 'organization_id'],
      ['subjects', 'organization_id'],
      ['audit_entries', 'organization_id'],
    ]) {
      assert.equal((await query(`select from ${table} where ${column} = $1`, [id])).length, 0, table)
    }
  }
})

test('a user who is suspended while a request waits neither creates an organization nor changes their profile', async () => {
  const tess = await world.tenantAdmin()
  const ann = await world.person()
  let answered = 0
  const count = (answer: Answer) => {
    answered++
    return answer
  }

  const answers = await world.database.inTenant(tenant, async (sql) => {
    await sql`update users set status = 'suspended' where tenant_id = ${tenant} and id = ${ann.id}`
    const sent = [
      ann.post('/api/organizations', { name: 'Too late' }).then(count),
      ann.patch('/api/users/me', { name: 'Too late' }).then(count),
    ]
    await awaitLine(2, () => answered)
    return sent
  })

  assert.deepEqual(statuses(await Promise.all(answers)), ['401 unauthenticated', '401 unauthenticated'])
  const { body } = await tess.get(`/api/admin/users/${ann.id}`)
  assert.equal(body.name, 'Ann')
  assert.deepEqual(await query('select from memberships where user_id = $1', [ann.id]), [])
})
