/** Races: what holds when requests that change who owns an organization come at the same moment. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { times } from '../../../test/depth.ts'
import { type Act, openRaces, statuses, together } from '../../../test/races.ts'
import { createWorld, type Person, password } from '../../../test/world.ts'
import { newId } from '../../platform/http/schemas.ts'

const world = await createWorld({ processes: 4 })
const { query } = world.postgres
const { checkCounts, meet, membershipOf, restore, tenant, twoOwners } = await openRaces(world)

test('two owners who repeatedly demote, remove and leave at once never leave an organization without an owner', async () => {
  const { id, path, ann, ben } = await twoOwners()
  for (let round = 0; round < times(40); round++) {
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

test('four owners who all demote, remove and leave at once leave at least one owner, and exact counts', async () => {
  const { id, path, ann, ben, cleo } = await twoOwners()
  const dan = await world.person('Dan')
  await ann.patch(`${path}/members/${await membershipOf(id, cleo)}`, { role: 'owner' })
  await world.join(ann, id, dan, 'owner')
  const people = [ann, ben, cleo, dan]
  for (let round = 0; round < times(3); round++) {
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

test('deleting an account while the other owner leaves or is demoted leaves an owner', async () => {
  for (let round = 0; round < times(8); round++) {
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

test('deleting an account while the other owner removes, demotes or promotes it leaves exact counts', async () => {
  for (let round = 0; round < times(6); round++) {
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

test('a transfer at the same time as a transfer, demotion, removal, leave or grant leaves at least one owner, and exact counts', async () => {
  const tess = await world.tenantAdmin()
  const { id, path, ann, ben, cleo } = await world.organization()
  const phone = await world.signIn(ann)

  /** Ann is the owner, Ben an admin and Cleo a member again. @returns their memberships */
  const reset = async () => {
    await query('update organizations set owner_count = 1, member_count = 3 where id = $1', [id])
    await query('update invitations set membership_id = null where organization_id = $1', [id])
    await query('delete from memberships where organization_id = $1', [id])
    for (const [person, role] of [
      [ann, 'owner'],
      [ben, 'admin'],
      [cleo, 'member'],
    ] as const) {
      await query(
        `insert into memberships (tenant_id, id, organization_id, user_id, role) values ($1, $2, $3, $4, $5)`,
        [tenant, newId('mem'), id, person.id, role],
      )
    }
    return { anns: await membershipOf(id, ann), bens: await membershipOf(id, ben), cleos: await membershipOf(id, cleo) }
  }

  for (let round = 0; round < times(36); round++) {
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
    const isMet = Math.floor(round / duels.length) % 3 < 2
    const answers = await (isMet ? meet(id, ...acts) : together(...acts))

    const told = answers.map(({ status, body }) => (body.code ? `${status} ${body.code}` : String(status)))
    if (isMet) assert.deepEqual(told, isReversed ? reversed : inOrder, `${name}, round ${round}`)
    else assert.ok(told.includes('200') && answers.every(({ status }) => status < 500), `${name}: ${told}`)
    const { owners } = await checkCounts(id)
    assert.ok(owners === 1 || name.startsWith('granting'), `${name}, round ${round}: ${owners} owners`)
  }
})

test('a transfer at the same time as the deletion of an account leaves an owner, whichever comes first', async () => {
  for (let round = 0; round < times(4); round++) {
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

test('if a transfer meets the deletion by a tenant admin, the organization is deleted, before or after the transfer', async () => {
  const tess = await world.tenantAdmin()
  for (let round = 0; round < times(2); round++) {
    const { id, slug, path, ann, members } = await world.organization()
    const transfer = () => ann.post(`${path}/transfer`, { memberId: members.ben.id })
    const destroy = () => tess.delete(`/api/admin/organizations/${id}`, { confirm: slug })

    const answers = await meet(id, ...(round % 2 ? [destroy, transfer] : [transfer, destroy]))

    assert.deepEqual(statuses(answers), round % 2 ? ['200', '404 not_found'] : ['200', '200'])
    assert.deepEqual(await query('select from memberships where organization_id = $1', [id]), [])
  }
})
