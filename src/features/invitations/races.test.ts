/** Races: what holds when an invitation, its acceptance and what ends it come at the same moment (better-auth #9154 was such a fault). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { times } from '../../../test/depth.ts'
import { holdRow } from '../../../test/holding.ts'
import { offerKeys, requestKey } from '../../../test/key-requests.ts'
import { type Act, openRaces, slug, statuses, together } from '../../../test/races.ts'
import { until } from '../../../test/smtp.ts'
import { Client, codeOf, createWorld, type Json, type Organization, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'

const world = await createWorld({ processes: 4 })
const { query } = world.postgres
const { checkCounts, meet, membershipOf, restore, tenant, twoOwners } = await openRaces(world)

test('an invitation that is accepted many times at once makes one membership, and all responses are equal', async () => {
  for (let round = 0; round < times(2); round++) {
    const [ann, bob] = await Promise.all([world.person('Ann'), world.person('Bob')])
    const { body: acme } = await ann.post('/api/organizations', { name: 'Acme' })
    const { body: invitation } = await ann.post(`/api/organizations/${acme.id}/invites`, { email: bob.email })
    const accept = () => bob.post(`/api/invites/${invitation.id}/accept`)

    const answers = await meet(acme.id, ...Array(6).fill(accept))

    assert.deepEqual(statuses(answers), Array(6).fill('200'))
    for (const { body } of answers) assert.deepEqual(body, answers[0]?.body)
    assert.equal(answers[0]?.body.organization.memberCount, 2)
    assert.deepEqual(await checkCounts(acme.id).then(({ owners, members }) => [owners, members]), [1, 2])
    const joined = await query(`select from audit_entries where organization_id = $1 and action = 'member.joined'`, [
      acme.id,
    ])
    assert.equal(joined.length, 1)
  }
})

test('if accepting meets declining, revoking or the removal of the inviter, one comes first and the other is refused', async () => {
  const { id, path, ann, ben } = await twoOwners()
  for (let round = 0; round < times(6); round++) {
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
    const memberships = await query('select from memberships where organization_id = $1 and user_id = $2', [id, bob.id])
    const [row] = await query<{ status: string }>('select status from invitations where id = $1', [invitation.id])
    assert.equal(memberships.length, row?.status === 'accepted' ? 1 : 0, row?.status)
    assert.notEqual(row?.status, 'pending')
    await checkCounts(id)
    await restore(id, [ann, ben])
  }
})

test('if several admins invite one address at once, one invitation is created, and the others name it', async () => {
  const { id, path, ann, ben } = await world.organization()
  for (let round = 0; round < times(4); round++) {
    const email = `${slug()}@example.com`
    if (round % 2) {
      const { body } = await ann.post(`${path}/invites`, { email })
      await query(`update invitations set expires_at = now() - interval '1 second' where id = $1`, [body.id])
    }
    const acts = Array.from(
      { length: 8 },
      (_, index) => () => (index % 2 ? ann : ben).post(`${path}/invites`, { email }),
    )

    const answers = round % 4 < 2 ? await meet(id, ...acts) : await together(...acts)

    assert.deepEqual(statuses(answers), ['201', ...Array(7).fill('409 already_invited')])
    const made = answers.find(({ status }) => status === 201)?.body.id
    for (const { status, body } of answers) assert.equal(status === 201 ? body.id : body.invitationId, made)
    const pending = await query<{ id: string }>(`select id from invitations where email = $1 and status = 'pending'`, [
      email,
    ])
    assert.deepEqual(pending, [{ id: made }])
  }
})

test('inviting again and resending an expired invitation at once leave one pending invitation', async () => {
  const { id, path, ann, ben } = await world.organization()
  for (let round = 0; round < times(2); round++) {
    const email = `${slug()}@example.com`
    const { body: expired } = await ann.post(`${path}/invites`, { email })
    await query(`update invitations set expires_at = now() - interval '1 second' where id = $1`, [expired.id])
    const acts: Act[] = [
      () => ann.post(`${path}/invites`, { email }),
      () => ben.post(`${path}/invites/${expired.id}/resend`),
    ]

    const answers = await meet(id, ...(round % 2 ? acts.reverse() : acts))

    assert.deepEqual(statuses(answers), [round % 2 ? '200' : '201', '409 already_invited'])
    const pending = await query(`select from invitations where email = $1 and status = 'pending'`, [email])
    assert.equal(pending.length, 1)
  }
})

test('concurrent resends all succeed in turn, and only the newest link is valid', async () => {
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
  const [row] = await query<{ generation: number }>('select generation from invitations where id = $1', [invitation.id])
  assert.equal(row?.generation, 7)
})

test("deleting an inviter's account while an invitation is sent or resent leaves none in the inviter's name", async () => {
  for (let round = 0; round < times(4); round++) {
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
    const orphans = await query<Json>(
      `select id from invitations where organization_id = $1 and status = 'pending' and invited_by is distinct from $2`,
      [id, ann.id],
    )
    assert.deepEqual(orphans, [])
    await checkCounts(id)
  }
})

test('a user who is suspended while accepting waits for the organization does not join it', async () => {
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

test('a user who gives up the invited address while accepting waits for the organization does not join it', async () => {
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

test('an invitation that the suspension of its inviter is just revoking is neither accepted nor declined', async (t) => {
  const { awaitLine, waiting } = world.postgres
  for (const answer of ['accept', 'decline']) {
    const [tess, mia, cleo] = [await world.tenantAdmin(), await world.person('Mia'), await world.person('Cleo')]
    const before = await world.organization()
    await world.join(before.ann, before.id, mia)
    // Its invitations are revoked in the order of the organizations.
    const [first, second] = [await world.organization(), await world.organization()].sort((a, b) =>
      a.id < b.id ? -1 : 1,
    ) as [Organization, Organization]
    const inviteTo = async ({ id, path, ann }: Organization) => {
      await world.join(ann, id, mia, 'admin')
      return (await mia.post(`${path}/invites`, { email: cleo.email })).body.id
    }
    const { suspension, invited, release } = await world.database.inTenant(tenant, async (sql) => {
      await sql`select from organizations where tenant_id = ${tenant} and id = ${before.id} for no key update`
      const suspension = tess.patch(`/api/admin/users/${mia.id}`, { status: 'suspended' })
      await awaitLine(1)
      // The suspension has not seen these organizations, and so it does not lock them.
      const [invited, last] = [await inviteTo(first), await inviteTo(second)]
      return {
        suspension,
        invited,
        release: await holdRow(t, world.postgres, 'invitations', last, 'for no key update'),
      }
    })
    await until(async () => (await waiting('update invitations')).length === 1, 'the suspension to have revoked one')

    const answered = cleo.post(`/api/invites/${invited}/${answer}`)
    await until(async () => (await waiting('invitations')).length === 2, 'the answer to wait for the suspension')
    await release()

    assert.equal((await suspension).status, 200)
    assert.deepEqual(codeOf(await answered), [410, 'invitation_revoked'])
    assert.equal((await first.ann.get(`${first.path}/invites/${invited}`)).body.status, 'revoked')
    assert.equal((await checkCounts(first.id)).members, 4)
  }
})

test('a person’s key that the tenant does not offer any more accepts nothing that it has waited for', async (t) => {
  const { ann, dan, id, path } = await world.organization()
  await offerKeys(world)
  const { secret } = await requestKey(dan, '/api/users/me/keys', { scopes: ['invitations:answer'] })
  const program = new Client(world, { authorization: `Bearer ${secret}` })
  const { body: invitation } = await ann.post(`${path}/invites`, { email: dan.email })
  const release = await holdRow(t, world.postgres, 'organizations', id)
  const accepting = program.post(`/api/invites/${invitation.id}/accept`)
  await world.postgres.awaitLine(1)
  await query('update tenants set personal_keys = false where id = $1', [world.tenantId])
  await release()

  assert.deepEqual(codeOf(await accepting), [401, 'unauthenticated'])
  assert.equal((await ann.get(path)).body.memberCount, 3)
})
