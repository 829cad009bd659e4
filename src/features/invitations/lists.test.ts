/** Lists of invitations, for admins of the organization and for the invited user. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onInvitations } from '../../../test/invitations.ts'
import { onRows } from '../../../test/rows.ts'
import { type Answer, codeOf, createWorld, type Json, type Person } from '../../../test/world.ts'

const world = await createWorld()
const { query } = world.postgres
const { address, expire, inviteBy: invite } = onInvitations(world)
const { giveInvitations } = onRows(world)
const { tenantId: tenant } = world

test('invitations are listed newest first and by state; expired ones are not pending', async () => {
  const acme = await world.organization()
  const { ann, dan, path } = acme
  const make = async (email = address()) => (await invite(ann, acme, email)).body.id as string // as the contract says
  const pending = await make()
  const expired = await make()
  await expire(expired)
  const revoked = await make()
  await ann.delete(`${path}/invites/${revoked}`)
  const declined = await make(dan.email)
  await dan.post(`/api/invites/${declined}/decline`)
  const listed = async (query = '') =>
    (await ann.get(`${path}/invites${query}`)).body.data.map(({ id }: Json) => id as string)

  assert.deepEqual((await listed()).slice(0, 4), [declined, revoked, expired, pending])
  for (const [status, ids] of Object.entries({
    pending: [pending],
    expired: [expired],
    revoked: [revoked],
    declined: [declined],
  })) {
    assert.deepEqual(await listed(`?status=${status}`), ids)
  }
  const accepted = (await ann.get(`${path}/invites?status=accepted`)).body.data
  assert.deepEqual(accepted.map(({ email }: Json) => email).sort(), [acme.ben.email, acme.cleo.email])
  for (const query of ['status=open', 'status=', 'status=pending&status=expired', 'limit=0', 'email=x']) {
    assert.deepEqual(codeOf(await ann.get(`${path}/invites?${query}`)), [400, 'invalid_request'], query)
  }
})

test('each of more than 100 invitations is reachable once; expired ones do not displace live ones', async () => {
  const acme = await world.organization()
  const { ann, path } = acme
  const live = await giveInvitations(acme, Array.from({ length: 110 }, address))
  const dead = await giveInvitations(acme, Array.from({ length: 120 }, address))
  await query(`update invitations set expires_at = now() - interval '1 second' where id = any($1)`, [dead])

  for (const [status, ids] of [
    ['pending', live],
    ['expired', dead],
  ] as const) {
    for (const limit of [100, 17]) {
      const found: string[] = []
      let way = `${path}/invites?status=${status}&limit=${limit}`
      for (let pages = 0; way && pages < 20; pages++) {
        const { body, headers }: Answer = await ann.get(way)
        found.push(...body.data.map(({ id }: Json) => id))
        way = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? ''
      }
      assert.deepEqual(found.sort(), [...ids].sort(), `${status} ${limit}`)
    }
  }
})

test('an invited user finds the pending invitations for their verified address, newest first', async () => {
  const [acme, other] = await Promise.all([world.organization(), world.organization()])
  const guest = await world.person('Guest')
  const mine = async () => (await guest.get('/api/users/me/invites')).body.data
  assert.deepEqual(await mine(), [])

  const first = await invite(acme.ben, acme, guest.email, 'admin')
  const second = await invite(other.ann, other, guest.email)

  assert.deepEqual(await mine(), [second.body, first.body])
  await expire(second.body.id)
  assert.deepEqual(await mine(), [first.body], 'what has expired is not pending')
  await acme.ann.delete(`${acme.path}/invites/${first.body.id}`)
  assert.deepEqual(await mine(), [])
  for (const answer of ['accept', 'decline']) {
    const organization = await world.organization()
    const { body } = await invite(organization.ann, organization, guest.email)
    assert.equal((await mine())[0].id, body.id)
    assert.equal((await guest.post(`/api/invites/${body.id}/${answer}`)).status, 200)
    assert.deepEqual(await mine(), [], answer)
  }
})

test("an unverified address has no invitations, and nobody sees another's", async () => {
  const acme = await world.organization()
  const guest = await world.person('Guest', { verified: false })
  await invite(acme.ann, acme, guest.email)
  const stranger = await world.person('Stranger')
  const listed = async (person: Person) => (await person.get('/api/users/me/invites')).body.data.length

  assert.deepEqual([await listed(guest), await listed(stranger), await listed(acme.ann)], [0, 0, 0])
  await query('update users set email_verified = true where id = $1', [guest.id])
  assert.deepEqual([await listed(guest), await listed(stranger)], [1, 0])
})

test('all of more than a hundred invitations to one address are reachable; expired ones do not displace live ones', async () => {
  const guest = await world.person('Guest')
  await query(
    `insert into organizations (tenant_id, id, slug, name, name_key, owner_count, member_count)
     select $1, 'org_' || lpad(n::text, 26, '0'), 'inviting-' || n, 'Inviting', 'inviting', 1, 1 from generate_series(1, 240) n`,
    [tenant],
  )
  await query(
    `insert into invitations (tenant_id, id, organization_id, email, role, created_at, expires_at)
     select $1, 'inv_' || lpad(n::text, 26, '0'), 'org_' || lpad(n::text, 26, '0'), $2, 'member',
       '2026-01-01'::timestamptz + make_interval(mins => n / 50),
       now() + case when n > 110 then interval '-1 day' else interval '1 day' end
     from generate_series(1, 240) n`,
    [tenant, guest.email],
  )
  const found: string[] = []
  for (let path: string | undefined = '/api/users/me/invites?limit=40'; path; ) {
    const { body, headers }: Answer = await guest.get(path)
    found.push(...body.data.map(({ id }: Json) => id))
    path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
  }
  assert.equal(found.length, 110)
  assert.deepEqual(found, [...new Set(found)].sort().reverse())
})
