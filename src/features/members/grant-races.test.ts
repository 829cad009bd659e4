/** Races: what holds when grants, suspensions and offers meet what takes the right to them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { times } from '../../../test/depth.ts'
import { type Act, openRaces, statuses, together } from '../../../test/races.ts'
import { type Answer, createWorld, type Json } from '../../../test/world.ts'

const world = await createWorld({ processes: 4 })
const { query } = world.postgres
const tess = await world.tenantAdmin()
const { checkCounts, meet } = await openRaces(world)

const permissions = [
  { key: 'notes:write', name: 'Write', minimumRole: 'admin' },
  { key: 'notes:void', name: 'Void', minimumRole: 'owner' },
]
const writer = (...keys: string[]) => ({ key: 'writer', name: 'Writer', permissions: keys })
const putModel = (roles: object[], drop = '') => tess.put(`/api/admin/access${drop}`, { permissions, roles })

test('when grants meet an edited role and the demotion of who gives them, nobody is given anything by who has lost the right', async () => {
  for (let round = 0; round < times(1); round++) {
    assert.equal((await putModel([writer('notes:write')])).status, 200)
    const { ann, ben, id, path, members } = await world.organization()
    const people = await Promise.all(Array.from({ length: 8 }, () => world.person()))
    const joined: Json[] = []
    for (const person of people) joined.push(await world.join(ann, id, person))
    const grant = (memberId: string): Act => {
      return () => ben.patch(`${path}/members/${memberId}`, { grants: [{ role: 'writer' }] })
    }
    const edit = (index: number): Act => {
      return () => putModel([writer('notes:write', ...(index % 2 === 0 ? ['notes:void'] : []))])
    }
    const acts = [
      ...[...joined, ...joined, ...joined, ...joined].map((member) => grant(member.id)),
      ...Array.from({ length: 17 }, (_, index) => edit(index)),
    ]
    // The demotion comes somewhere among the others.
    acts.splice((round * 12 + 6) % 50, 0, () => ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' }))
    assert.equal(acts.length, 50)

    const answers = statuses(await together(...acts))

    const allowed = ['200', '403 forbidden', '403 role_above_yours']
    assert.deepEqual(
      [...new Set(answers)].filter((each) => !allowed.includes(each)),
      [],
    )
    assert.equal((await grant(joined[0].id)()).status, 403)
    await checkCounts(id)
    // The id of an entry begins with the millisecond in which its request held the organization's lock.
    const late = await query(
      `with moments as (
         select action, left(split_part(id, '_', 2), 10) collate "C" as moment from audit_entries where organization_id = $1)
       select from moments given join moments demoted on demoted.action = 'member.role_changed'
       where given.action = 'member.grants_changed' and given.moment > demoted.moment`,
      [id],
    )
    assert.equal(late.length, 0, 'a grant after the demotion')
    const lost = await query(
      `select from memberships m join role_grants g on g.tenant_id = m.tenant_id and g.membership_id = m.id where m.organization_id = $1 and not m.has_grants`,
      [id],
    )
    assert.equal(lost.length, 0, 'a grant that nobody looks for')
    // What each holds is what the model says that their role and grants give.
    const { roles } = (await tess.get('/api/admin/access')).body
    const given = roles.find(({ key }: Json) => key === 'writer').permissions
    for (const person of people) {
      const { body } = await person.get(`${path}/members/me`)
      const own = body.permissions.filter((key: string) => key.startsWith('notes:'))
      assert.deepEqual(own.sort(), body.grants.length > 0 ? [...given].sort() : [])
    }
  }
})

test('when a transfer meets the suspension or the end of the new owner, one comes first and the other is refused', async () => {
  for (let round = 0; round < times(6); round++) {
    const { ann, ben, cleo, id, path, members } = await world.organization()
    await ann.patch(`${path}/members/${members.cleo.id}`, { role: 'owner' })
    const inAWeek = new Date(Date.now() + 7 * 86_400_000).toISOString()
    const change = [{ status: 'suspended' }, { expiresAt: inAWeek }][round % 2] as object // within its length
    const transfer = () => ann.post(`${path}/transfer`, { memberId: members.ben.id })
    const end = () => cleo.patch(`${path}/members/${members.ben.id}`, change)
    const acts = (round + 1) % 4 > 1 ? [end, transfer] : [transfer, end]

    // Two that certainly meet, or fifty at once: the first decides, and the others find what it has made.
    const answers =
      round % 6 < 4
        ? await meet(id, ...acts)
        : await together(...Array.from({ length: 50 }, (_, index) => acts[index % 2] as Act)) // there are two
    const all = (count: number, status: string) => Array.from({ length: count }, () => status)
    const of = (act: Act) => statuses(answers.filter((_, index) => acts[index % 2] === act))

    const each = answers.length / 2
    const [first] = of(transfer)
    assert.deepEqual(
      [of(transfer), of(end)],
      first === '200'
        ? [['200', ...all(each - 1, '403 forbidden')], all(each, '409 owner_cannot_end')]
        : [all(each, '409 owner_cannot_end'), all(each, '200')],
    )
    await checkCounts(id)
    const [row] = await query<Json>('select role, status, expires_at from memberships where id = $1', [members.ben.id])
    assert.ok(row.role !== 'owner' || (row.status === 'active' && row.expires_at === null))
    assert.equal((await ben.get(path)).status, row.status === 'active' ? 200 : 403)
  }
})

test('when acceptances meet the demotion or removal of the inviter and the end of the role, members have come by right or not at all', async () => {
  const people = await Promise.all(Array.from({ length: 48 }, () => world.person()))
  for (let round = 0; round < times(2); round++) {
    assert.equal((await putModel([writer('notes:write')])).status, 200)
    const { ann, ben, id, path, members } = await world.organization()
    const invites = people.map(({ email }) => ({ email, grants: [{ role: 'writer' }] }))
    const { results } = (await ben.post(`${path}/invites/bulk`, { invites })).body
    const accepts = people.map((person, index): Act => {
      return () => person.post(`/api/invites/${results[index].invitation.id}/accept`)
    })
    const benPath = `${path}/members/${members.ben.id}`
    const isRemoval = round % 2 === 1
    const takeAway = () => (isRemoval ? ann.delete(benPath) : ann.patch(benPath, { role: 'member' }))
    const drop = () => putModel([], '?drop=writer')
    const [early, late] = (round + 1) % 4 > 1 ? [drop, takeAway] : [takeAway, drop]
    const acts: readonly Act[] = [...accepts.slice(0, 16), early, ...accepts.slice(16, 32), late, ...accepts.slice(32)]
    assert.equal(acts.length, 50)

    const answers = await together(...acts)

    const accepted = accepts.map((act) => answers[acts.indexOf(act)] as Answer) // it is one of them
    const known = ['200', '410 invitation_revoked']
    assert.deepEqual(
      statuses(accepted).filter((each) => !known.includes(each)),
      [],
    )
    assert.deepEqual(statuses(answers.filter((answer) => !accepted.includes(answer))), ['200', '200'])
    const came = people.filter((_, index) => accepted[index]?.status === 200).map((person) => person.id)
    const { data } = (await ann.get(`${path}/members?limit=100`)).body
    const others = [ann.id, ben.id, members.cleo.user.id]
    const joined = data.filter(({ user }: Json) => !others.includes(user.id))
    assert.deepEqual(joined.map(({ user }: Json) => user.id).sort(), came.sort())
    assert.deepEqual(
      joined.filter(({ grants }: Json) => grants.length > 0),
      [],
    )
    const { members: count } = await checkCounts(id)
    assert.equal(count, came.length + (isRemoval ? 2 : 3))
    // The id of an entry begins with the millisecond in which its request held the organization's lock.
    const tooLate = await query(
      `with moments as (
         select action, left(split_part(id, '_', 2), 10) collate "C" as moment from audit_entries where organization_id = $1)
       select from moments joined join moments lost on lost.action in ('member.role_changed', 'member.removed')
       where joined.action = 'member.joined' and joined.moment > lost.moment`,
      [id],
    )
    assert.equal(tooLate.length, 0, 'somebody has joined after the inviter lost the right')
  }
})
