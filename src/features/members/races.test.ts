/** Races: what holds when requests that exclude each other come at the same moment. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type Answer, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { newId } from '../../platform/http/schemas.ts'
import { getTenantBySlug } from '../tenants/tenants.ts'

const world = await createWorld()
const { ask, awaitLine } = world.postgres
const { id: tenant } = await getTenantBySlug(world.database, 'default')

type Act = () => Promise<Answer>

/**
 * Sends requests that all want the same organization's row, while it is held, and lets go of it when they all wait for it: so they
 * meet for certain, in about the order in which they are given.
 */
async function meet(orgId: string, ...acts: readonly Act[]): Promise<Answer[]> {
  let answered = 0
  const answers = await world.database.inTenant(tenant, async (sql) => {
    await sql`select from organizations where tenant_id = ${tenant} and id = ${orgId} for update`
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

const together = (...acts: readonly Act[]) => Promise.all(acts.map((act) => act()))

function statuses(answers: readonly Answer[]): string[] {
  return answers.map(({ status, body }) => (body.code ? `${status} ${body.code}` : String(status))).sort()
}

/** @throws AssertionError unless the counts in the organization's row are the real ones and there is an owner */
async function checkCounts(orgId: string): Promise<{ owners: number; members: number }> {
  const [row] = await ask<{ owner_count: number; member_count: number; owners: number; members: number }>(
    `select owner_count, member_count,
       (select count(*)::int from memberships m where m.organization_id = o.id and m.role = 'owner') as owners,
       (select count(*)::int from memberships m where m.organization_id = o.id) as members
     from organizations o where o.id = $1`,
    [orgId],
  )
  assert.ok(row, 'the organization is there')
  assert.deepEqual([row.owner_count, row.member_count], [row.owners, row.members])
  assert.ok(row.owners >= 1, 'there is an owner')
  return row
}

const slug = () => `race-${randomBytes(5).toString('hex')}`

/** An organization with two owners and a member. */
async function twoOwners(): Promise<{ id: string; path: string; ann: Person; ben: Person; cleo: Person }> {
  const { id, path, ann, ben, cleo, members } = await world.organization()
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })
  return { id, path, ann, ben, cleo }
}

/** Makes both owners again, whatever became of one of them. */
async function restore(orgId: string, pair: readonly Person[]): Promise<void> {
  const rows = await ask<{ id: string; user_id: string; role: string }>(
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
  const [row] = await ask<{ id: string }>('select id from memberships where organization_id = $1 and user_id = $2', [
    orgId,
    person.id,
  ])
  assert.ok(row)
  return row.id
}

test('two owners who demote, remove and leave against each other 200 times over never leave an organization without an owner', async () => {
  const { id, path, ann, ben } = await twoOwners()
  for (let round = 0; round < 200; round++) {
    const [annId, benId] = [await membershipOf(id, ann), await membershipOf(id, ben)]
    const to = round % 2 ? 'admin' : 'member'
    const demote = (who: Person, memberId: string) => () => who.patch(`${path}/members/${memberId}`, { role: to })
    const remove = (who: Person, memberId: string) => () => who.delete(`${path}/members/${memberId}`)
    const leave = (who: Person) => () => who.delete(`${path}/members/me`)
    const duels: readonly (readonly [string, Act, Act, readonly string[]])[] = [
      ['demote each other', demote(ann, benId), demote(ben, annId), ['403 forbidden', '403 role_above_yours']],
      ['remove each other', remove(ann, benId), remove(ben, annId), ['404 not_found']],
      ['leave', leave(ann), leave(ben), ['409 last_owner']],
      ['demote themselves', demote(ann, annId), demote(ben, benId), ['409 last_owner']],
      ['leave and demote oneself', leave(ann), demote(ben, benId), ['409 last_owner']],
      [
        'demote and remove each other',
        demote(ann, benId),
        remove(ben, annId),
        ['403 forbidden', '403 role_above_yours', '404 not_found'],
      ],
      ['leave and demote the other', leave(ann), demote(ann, benId), ['404 not_found', '409 last_owner']],
      ['demote oneself and remove the other', demote(ben, benId), remove(ben, annId), ['403', '409 last_owner']],
      ['leave and be removed', leave(ben), remove(ann, benId), ['404 not_found']],
      ['leave twice', leave(ann), leave(ann), ['404 not_found']],
    ]
    const [name, first, second, lost] = duels[round % duels.length] as (typeof duels)[number] // within its length
    const acts = Math.floor(round / duels.length) % 2 ? [first, second] : [second, first]

    // Some meet at the lock for certain, some come as they come.
    const answers = round % 40 < 20 ? await meet(id, ...acts) : await together(...acts)

    const [winner, loser] = statuses(answers)
    assert.equal(winner, '200', `${name}, round ${round}: ${statuses(answers)}`)
    assert.ok(
      lost.some((each) => loser?.startsWith(each)),
      `${name}, round ${round}: ${loser}`,
    )
    assert.deepEqual((await checkCounts(id)).owners, 1, name)
    await restore(id, [ann, ben])
    assert.deepEqual(await checkCounts(id).then(({ owners, members }) => [owners, members]), [2, 3])
  }
})

test('four owners who all demote, remove and leave at once leave one owner at least, and exact counts', async () => {
  const { id, path, ann, ben, cleo } = await twoOwners()
  const dan = await world.person('Dan')
  await ann.patch(`${path}/members/${await membershipOf(id, cleo)}`, { role: 'owner' })
  await world.join(ann, id, dan, 'owner')
  const people = [ann, ben, cleo, dan]
  for (let round = 0; round < 10; round++) {
    const ids = await Promise.all(people.map((person) => membershipOf(id, person)))
    const acts = people.flatMap((person, index) => [
      () => person.delete(`${path}/members/${ids[(index + 1) % 4]}`),
      () => person.patch(`${path}/members/${ids[(index + 2) % 4]}`, { role: 'member' }),
      () => person.delete(`${path}/members/me`),
      () => person.patch(`${path}/members/${ids[index]}`, { role: 'admin' }),
    ])
    const answers = await together(...acts)

    assert.ok(
      answers.every(({ status }) => status < 500),
      statuses(answers).join(', '),
    )
    assert.ok(answers.some(({ status }) => status === 200))
    await checkCounts(id)
    await restore(id, people)
  }
})

test('an invitation accepted many times at once makes one membership, and each answer is the same', async () => {
  for (let round = 0; round < 10; round++) {
    const [ann, bob] = await Promise.all([world.person('Ann'), world.person('Bob')])
    const { body: acme } = await ann.post('/api/organizations', { name: 'Acme' })
    const { body: invitation } = await ann.post(`/api/organizations/${acme.id}/invites`, { email: bob.email })
    const accept = () => bob.post(`/api/invites/${invitation.id}/accept`)

    const answers = await meet(acme.id, ...Array(6).fill(accept))

    assert.deepEqual(statuses(answers), Array(6).fill('200'))
    for (const { body } of answers) assert.deepEqual(body, answers[0]?.body)
    assert.equal(answers[0]?.body.organization.memberCount, 2)
    assert.deepEqual(await checkCounts(acme.id).then(({ owners, members }) => [owners, members]), [1, 2])
    const joined = await ask(`select from audit_entries where organization_id = $1 and action = 'member.joined'`, [
      acme.id,
    ])
    assert.equal(joined.length, 1)
  }
})

test('of accepting and declining, revoking, or removing the inviter at the same moment, one comes first and the other learns it', async () => {
  const { id, path, ann, ben } = await twoOwners()
  for (let round = 0; round < 18; round++) {
    const bob = await world.person('Bob')
    const { body: invitation } = await ben.post(`${path}/invites`, { email: bob.email })
    const accept = () => bob.post(`/api/invites/${invitation.id}/accept`)
    const benId = await membershipOf(id, ben)
    const rivals: readonly (readonly [Act, readonly (readonly string[])[]])[] = [
      [
        () => bob.post(`/api/invites/${invitation.id}/decline`),
        [
          ['200', '410 invitation_declined'],
          ['200', '410 invitation_used'],
        ],
      ],
      [
        () => ann.delete(`${path}/invites/${invitation.id}`),
        [
          ['200', '410 invitation_revoked'],
          ['200', '409 invitation_not_pending'],
        ],
      ],
      [
        () => ann.delete(`${path}/members/${benId}`),
        [
          ['200', '200'],
          ['200', '410 invitation_revoked'],
        ],
      ],
    ]
    const [rival, outcomes] = rivals[round % 3] as (typeof rivals)[number] // within its length
    const found = statuses(await meet(id, ...(round % 2 ? [accept, rival] : [rival, accept])))

    assert.ok(
      outcomes.some((outcome) => outcome.join() === found.join()),
      found.join(', '),
    )
    const memberships = await ask('select from memberships where organization_id = $1 and user_id = $2', [id, bob.id])
    const [row] = await ask<{ status: string }>('select status from invitations where id = $1', [invitation.id])
    assert.equal(memberships.length, row?.status === 'accepted' ? 1 : 0, row?.status)
    assert.notEqual(row?.status, 'pending')
    await checkCounts(id)
    await restore(id, [ann, ben])
  }
})

test('of parallel invitations to one address one is made, and the others name it', async () => {
  const { id, path, ann, ben } = await world.organization()
  for (let round = 0; round < 10; round++) {
    const email = `${slug()}@example.com`
    if (round % 2) {
      const { body } = await ann.post(`${path}/invites`, { email })
      await ask(`update invitations set expires_at = now() - interval '1 second' where id = $1`, [body.id])
    }
    const acts = Array.from(
      { length: 8 },
      (_, index) => () => (index % 2 ? ann : ben).post(`${path}/invites`, { email }),
    )

    const answers = round % 4 < 2 ? await meet(id, ...acts) : await together(...acts)

    assert.deepEqual(statuses(answers), ['201', ...Array(7).fill('409 already_invited')])
    const made = answers.find(({ status }) => status === 201)?.body.id
    for (const { status, body } of answers) assert.equal(status === 201 ? body.id : body.invitationId, made)
    const pending = await ask<{ id: string }>(`select id from invitations where email = $1 and status = 'pending'`, [
      email,
    ])
    assert.deepEqual(pending, [{ id: made }])
  }
})

test('inviting again and resending what has expired at the same moment leave one pending invitation', async () => {
  const { id, path, ann, ben } = await world.organization()
  for (let round = 0; round < 6; round++) {
    const email = `${slug()}@example.com`
    const { body: expired } = await ann.post(`${path}/invites`, { email })
    await ask(`update invitations set expires_at = now() - interval '1 second' where id = $1`, [expired.id])
    const acts: Act[] = [
      () => ann.post(`${path}/invites`, { email }),
      () => ben.post(`${path}/invites/${expired.id}/resend`),
    ]

    const answers = await meet(id, ...(round % 2 ? acts.reverse() : acts))

    assert.deepEqual(statuses(answers), [round % 2 ? '200' : '201', '409 already_invited'])
    const pending = await ask(`select from invitations where email = $1 and status = 'pending'`, [email])
    assert.equal(pending.length, 1)
  }
})

test('parallel resends all go through, one after the other, and the newest link alone lives', async () => {
  const { id, path, ann, ben } = await world.organization()
  const { body: invitation } = await ann.post(`${path}/invites`, { email: `${slug()}@example.com` })

  const answers = await meet(
    id,
    ...Array.from(
      { length: 6 },
      (_, index) => () => (index % 2 ? ann : ben).post(`${path}/invites/${invitation.id}/resend`),
    ),
  )

  assert.deepEqual(statuses(answers), Array(6).fill('200'))
  const [row] = await ask<{ generation: number }>('select generation from invitations where id = $1', [invitation.id])
  assert.equal(row?.generation, 7)
})

test('of parallel creations with one explicit slug one wins; without one each gets a slug of its own', async () => {
  const people = await Promise.all(['Ann', 'Ben', 'Cleo', 'Dan'].map((name) => world.person(name)))
  for (let round = 0; round < 10; round++) {
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

test('of two organizations that take one slug at the same moment one gets it', async () => {
  const ann = await world.person()
  const [one, other] = await Promise.all([1, 2].map(() => ann.post('/api/organizations', { name: 'Acme' })))
  for (let round = 0; round < 10; round++) {
    const wanted = slug()
    const answers = await together(
      () => ann.patch(`/api/organizations/${one?.body.id}`, { slug: wanted }),
      () => ann.patch(`/api/organizations/${other?.body.id}`, { slug: wanted }),
    )
    assert.deepEqual(statuses(answers), ['200', '409 slug_taken'])
  }
})

test('whoever creates organizations in parallel cannot pass the limit', async () => {
  const ann = await world.person()
  await ask(
    `insert into organizations (tenant_id, id, slug, name, name_key, owner_count, member_count)
     select u.tenant_id, 'org_limit' || n, 'limit-' || n, 'Limit', 'limit', 1, 1
     from users u, generate_series(1, 98) n where u.id = $1`,
    [ann.id],
  )
  await ask(
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

test('an organization that is deleted while somebody joins, invites, leaves or deletes it too is gone for all of them', async () => {
  for (let round = 0; round < 20; round++) {
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
      assert.equal((await ask(`select from ${table} where ${column} = $1`, [id])).length, 0, table)
    }
  }
})

test('an account that is deleted while the other owner leaves, demotes themselves or is demoted leaves an owner behind', async () => {
  for (let round = 0; round < 16; round++) {
    const { id, path, ann, ben } = await twoOwners()
    const phone = await world.signIn(ann)
    const benId = await membershipOf(id, ben)
    const erase = () => ann.delete('/api/users/me', { password })
    const rivals: readonly (readonly [Act, string])[] = [
      [() => ben.delete(`${path}/members/me`), '409 last_owner'],
      [() => ben.patch(`${path}/members/${benId}`, { role: 'admin' }), '409 last_owner'],
      [() => phone.patch(`${path}/members/${benId}`, { role: 'member' }), '401 unauthenticated'],
      [() => phone.delete(`${path}/members/${benId}`), '401 unauthenticated'],
    ]
    const [rival, whenLate] = rivals[round % rivals.length] as (typeof rivals)[number] // within its length
    const erasedFirst = Math.floor(round / rivals.length) % 2 === 0
    const met = await meet(id, ...(erasedFirst ? [erase, rival] : [rival, erase]))

    assert.deepEqual(statuses(met), ['200', erasedFirst ? whenLate : '409 sole_owner'])
    assert.equal((await checkCounts(id)).owners, 1)
  }
})

test('an account that is deleted while it is removed, demoted or promoted by the other owner leaves exact counts', async () => {
  for (let round = 0; round < 12; round++) {
    const { id, path, ann, ben } = await twoOwners()
    const annId = await membershipOf(id, ann)
    const erase = () => ann.delete('/api/users/me', { password })
    const rivals: readonly Act[] = [
      () => ben.delete(`${path}/members/${annId}`),
      () => ben.patch(`${path}/members/${annId}`, { role: 'member' }),
      () => ben.patch(`${path}/members/${annId}`, { role: 'owner' }),
    ]
    const rival = rivals[round % rivals.length] as Act // within its length
    const erasedFirst = Math.floor(round / rivals.length) % 2 === 0
    const met = await meet(id, ...(erasedFirst ? [erase, rival] : [rival, erase]))

    assert.deepEqual(statuses(met), ['200', erasedFirst ? '404 not_found' : '200'])
    assert.deepEqual(await checkCounts(id).then(({ owners, members }) => [owners, members]), [1, 2])
  }
})

test('an invitation made, resent or accepted while the account behind it goes never stands in its name', async () => {
  for (let round = 0; round < 12; round++) {
    const { id, path, ann, ben } = await twoOwners()
    const bob = await world.person('Bob')
    const phone = await world.signIn(ben)
    const { body: invitation } = await ann.post(`${path}/invites`, { email: bob.email })
    const erase = () => ben.delete('/api/users/me', { password })
    const rivals: readonly Act[] = [
      () => phone.post(`${path}/invites`, { email: `${slug()}@example.com` }),
      () => phone.post(`${path}/invites/${invitation.id}/resend`),
    ]
    const rival = rivals[round % rivals.length] as Act // within its length
    const erasedFirst = Math.floor(round / rivals.length) % 2 === 0
    const met = await meet(id, ...(erasedFirst ? [erase, rival] : [rival, erase]))

    assert.ok(
      met.every(({ status }) => [200, 201, 401].includes(status)),
      statuses(met).join(', '),
    )
    const orphans = await ask<Json>(
      `select id from invitations where organization_id = $1 and status = 'pending' and invited_by is distinct from $2`,
      [id, ann.id],
    )
    assert.deepEqual(orphans, [])
    await checkCounts(id)
  }
})

test('a transfer that meets another, a demotion, a removal, a leave or a grant leaves one owner at least, and exact counts', async () => {
  const tess = await world.tenantAdmin()
  const { id, path, ann, ben, cleo } = await world.organization()
  const phone = await world.signIn(ann)

  /** Ann is the owner, Ben an admin and Cleo a member again. @returns their memberships */
  const reset = async () => {
    await ask('update organizations set owner_count = 1, member_count = 3 where id = $1', [id])
    await ask('delete from memberships where organization_id = $1', [id])
    for (const [person, role] of [
      [ann, 'owner'],
      [ben, 'admin'],
      [cleo, 'member'],
    ] as const) {
      await ask(`insert into memberships (tenant_id, id, organization_id, user_id, role) values ($1, $2, $3, $4, $5)`, [
        tenant,
        newId('mem'),
        id,
        person.id,
        role,
      ])
    }
    return { anns: await membershipOf(id, ann), bens: await membershipOf(id, ben), cleos: await membershipOf(id, cleo) }
  }

  for (let round = 0; round < 96; round++) {
    const { anns, bens, cleos } = await reset()
    const transfer = () => ann.post(`${path}/transfer`, { memberId: bens })
    const toCleo = () => phone.post(`${path}/transfer`, { memberId: cleos })
    const setRole = (memberId: string, role: string) => () => phone.patch(`${path}/members/${memberId}`, { role })
    // Each: the two, what they are answered in this order, and what in the other.
    const duels: readonly (readonly [string, Act, Act, readonly string[], readonly string[]])[] = [
      ['two transfers', transfer, toCleo, ['200', '403 forbidden'], ['200', '403 forbidden']],
      ['the same transfer twice', transfer, transfer, ['200', '403 forbidden'], ['200', '403 forbidden']],
      ['leaving', transfer, () => phone.delete(`${path}/members/me`), ['200', '200'], ['409 last_owner', '200']],
      ['demoting oneself', transfer, setRole(anns, 'member'), ['200', '200'], ['409 last_owner', '200']],
      ['demoting the other', transfer, setRole(bens, 'member'), ['200', '403 role_above_yours'], ['200', '200']],
      ['granting', transfer, setRole(cleos, 'owner'), ['200', '403 role_above_yours'], ['200', '200']],
      [
        'granting the same',
        transfer,
        setRole(bens, 'owner'),
        ['200', '403 role_above_yours'],
        ['200', '409 already_owner'],
      ],
      [
        'removing',
        toCleo,
        () => ann.delete(`${path}/members/${cleos}`),
        ['200', '403 role_above_yours'],
        ['200', '404 not_found'],
      ],
      [
        'their leaving',
        toCleo,
        () => cleo.delete(`${path}/members/me`),
        ['200', '409 last_owner'],
        ['200', '404 not_found'],
      ],
      [
        'a removal by an admin',
        toCleo,
        () => ben.delete(`${path}/members/${cleos}`),
        ['200', '403 role_above_yours'],
        ['200', '404 not_found'],
      ],
      [
        'being removed',
        transfer,
        () => ben.delete(`${path}/members/${anns}`),
        ['200', '200'],
        ['403 role_above_yours', '200'],
      ],
      [
        'a transfer by a tenant admin',
        transfer,
        () => tess.post(`/api/admin/organizations/${id}/transfer`, { memberId: cleos }),
        ['200', '200'],
        ['200', '403 forbidden'],
      ],
    ]
    const [name, first, second, inOrder, reversed] = duels[round % duels.length] as (typeof duels)[number] // within its length
    const isReversed = Math.floor(round / duels.length) % 2 === 1
    const acts = isReversed ? [second, first] : [first, second]

    // Most meet at the lock for certain, in order; some come as they come.
    const isMet = round < duels.length * 6
    const answers = await (isMet ? meet(id, ...acts) : together(...acts))

    const told = answers.map(({ status, body }) => (body.code ? `${status} ${body.code}` : String(status)))
    if (isMet) assert.deepEqual(told, isReversed ? reversed : inOrder, `${name}, round ${round}`)
    else assert.ok(told.includes('200') && answers.every(({ status }) => status < 500), `${name}: ${told}`)
    const { owners } = await checkCounts(id)
    assert.ok(owners === 1 || name.startsWith('granting'), `${name}, round ${round}: ${owners} owners`)
  }
})

test('a transfer that meets the deletion of an account leaves an owner behind, whichever comes first', async () => {
  for (let round = 0; round < 6; round++) {
    const { id, path, ann, ben, members } = await world.organization()
    const phone = await world.signIn(ann)
    const transfer = () => phone.post(`${path}/transfer`, { memberId: members.ben.id })
    const rivals: readonly (readonly [Act, readonly string[], readonly string[]])[] = [
      [() => ann.delete('/api/users/me', { password }), ['200', '200'], ['409 sole_owner', '200']],
      [() => ben.delete('/api/users/me', { password }), ['200', '409 sole_owner'], ['200', '404 not_found']],
    ]
    const [erase, inOrder, reversed] = rivals[round % 2] as (typeof rivals)[number] // within its length
    const isReversed = Math.floor(round / 2) % 2 === 1

    const answers = await meet(id, ...(isReversed ? [erase, transfer] : [transfer, erase]))

    const told = answers.map(({ status, body }) => (body.code ? `${status} ${body.code}` : String(status)))
    assert.deepEqual(told, isReversed ? reversed : inOrder, `round ${round}`)
    assert.equal((await checkCounts(id)).owners, 1)
  }
})

test('a transfer and the deletion of the organization by a tenant admin: either it goes with its new owner, or is gone', async () => {
  const tess = await world.tenantAdmin()
  for (let round = 0; round < 4; round++) {
    const { id, slug, path, ann, members } = await world.organization()
    const transfer = () => ann.post(`${path}/transfer`, { memberId: members.ben.id })
    const destroy = () => tess.delete(`/api/admin/organizations/${id}`, { confirm: slug })

    const answers = await meet(id, ...(round % 2 ? [destroy, transfer] : [transfer, destroy]))

    assert.deepEqual(statuses(answers), round % 2 ? ['200', '404 not_found'] : ['200', '200'])
    assert.deepEqual(await ask('select from memberships where organization_id = $1', [id]), [])
  }
})

test('whoever is suspended while accepting waits for the organization does not join it', async () => {
  const tess = await world.tenantAdmin()
  const { id, path, ann } = await world.organization()
  const eve = await world.person('Eve')
  const { body: invited } = await ann.post(`${path}/invites`, { email: eve.email })

  const answers = await meet(
    id,
    () => eve.post(`/api/invites/${invited.id}/accept`),
    () => tess.patch(`/api/admin/users/${eve.id}`, { status: 'suspended' }),
  )

  assert.deepEqual(statuses(answers), ['200', '401 unauthenticated'])
  assert.equal((await checkCounts(id)).members, 3)
})

test('whoever gives the invited address up while accepting waits for the organization does not join it', async () => {
  const { id, path, ann } = await world.organization()
  for (const answer of ['accept', 'decline']) {
    const eve = await world.person('Eve')
    const { body: invited } = await ann.post(`${path}/invites`, { email: eve.email })
    await eve.patch('/api/users/me', { email: `new-${eve.email}`, currentPassword: password })
    const token = makeMailedToken(world.keyring, 'change_email', { tenant, id: eve.id, generation: 1 })

    const answers = await meet(
      id,
      () => eve.post(`/api/invites/${invited.id}/${answer}`),
      () => eve.post('/api/auth/verify-email', { token }),
    )

    assert.deepEqual(statuses(answers), ['200', '403 invitation_for_another_email'])
    assert.equal((await ann.get(`${path}/invites/${invited.id}`)).body.status, 'pending')
  }
  assert.equal((await checkCounts(id)).members, 3)
})

test('whoever is suspended while a request waits for their own row neither creates an organization nor changes their profile', async () => {
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
  assert.deepEqual(await ask('select from memberships where user_id = $1', [ann.id]), [])
})
