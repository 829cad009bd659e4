import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Answer, createWorld, type Json, type Organization, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { addMember } from '../../domain/organizations/memberships.ts'
import { newId } from '../../platform/http/schemas.ts'
import { getTenantBySlug } from '../tenants/tenants.ts'

const maxPendingInvites = 130
const world = await createWorld({ worker: true, settings: { MAX_PENDING_INVITES: String(maxPendingInvites) } })
const { ask } = world.postgres
const { id: tenant } = await getTenantBySlug(world.database, 'default')

const address = () => `guest-${randomBytes(5).toString('hex')}@example.com`
const codeOf = ({ status, body }: Answer) => (body.code ? [status, body.code] : [status])
const invite = (who: Person, { path }: Pick<Organization, 'path'>, email: string, role?: unknown) =>
  who.post(`${path}/invites`, { email, ...(role !== undefined && { role }) })
const expire = (id: string) =>
  ask(`update invitations set expires_at = now() - interval '1 second' where id = $1`, [id])
const preview = (id: string, token: string) => world.nobody.post(`/api/invites/${id}/preview`, { token })
const statusOf = async ({ ann, path }: Organization, id: string) => (await ann.get(`${path}/invites/${id}`)).body.status

/** Invitations to these addresses, written past the API where its pace would be in the way. */
async function give({ id, ann }: Organization, emails: readonly string[], status = 'pending'): Promise<string[]> {
  const ids = emails.map(() => newId('inv'))
  await ask(
    `insert into invitations (tenant_id, id, organization_id, email, role, status, invited_by, expires_at)
     select $1, i.id, $2, i.email, 'member', $6, $3, now() + interval '1 day'
     from unnest($4::text[], $5::text[]) as i (id, email)`,
    [tenant, id, ann.id, ids, emails, status],
  )
  return ids
}

/** The token in a mail that is not one of the known ones. */
async function newToken(email: string, ...known: readonly string[]): Promise<string> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const token = await world.mailedToken(email, 'invitation')
    if (!known.includes(token)) return token
    await setTimeout(50)
  }
  throw new Error(`no new mail came to ${email}`)
}

test('an admin invites somebody by email, and gets the invitation', async () => {
  const acme = await world.organization()
  const { id, slug, ben, path } = acme
  const email = address()

  const { status, body, headers } = await invite(ben, acme, email)

  assert.equal(status, 201)
  const { id: inviteId, createdAt, expiresAt, organization, ...rest } = body
  assert.deepEqual(rest, { email, role: 'member', status: 'pending', invitedBy: { id: ben.id, name: 'Ben' } })
  assert.deepEqual([organization.id, organization.slug, organization.logoUrl], [id, slug, null])
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * 24 * 3600 * 1000)
  assert.equal(headers.get('location'), `${path}/invites/${inviteId}`)
  assert.deepEqual((await ben.get(`${path}/invites/${inviteId}`)).body, body)
  assert.deepEqual((await ben.get(`${path}/invites?status=pending`)).body.data, [body])
})

test('an invitation is mailed with a link that shows it', async () => {
  const acme = await world.organization()
  const email = address()
  const { body: invitation } = await invite(acme.ann, acme, email, 'admin')

  const token = await world.mailedToken(email, 'invitation')

  const { status, body } = await preview(invitation.id, token)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    organization: invitation.organization,
    invitedBy: { id: acme.ann.id, name: 'Ann' },
    email,
    role: 'admin',
    expiresAt: invitation.expiresAt,
    hasAccount: false,
  })
  const mails = await world.mails(email)
  assert.equal(mails.length, 1)
  assert.ok(mails[0].html.includes(token))
})

test('no response about an invitation has its token or link', async () => {
  const acme = await world.organization()
  const { ann, path, dan } = acme
  const { body: invitation } = await invite(ann, acme, dan.email)
  const token = await world.mailedToken(dan.email, 'invitation')
  const way = `${path}/invites/${invitation.id}`
  const secret = token.split('.').at(-1) ?? ''

  const answers = [
    await ann.get(way),
    await ann.get(`${path}/invites`),
    await ann.get(`${path}/audit`),
    await preview(invitation.id, token),
    await ann.post(`${way}/resend`),
    await dan.get('/api/users/me/audit'),
    await invite(ann, acme, dan.email),
    await dan.post(`/api/invites/${invitation.id}/accept`),
  ]

  const resent = makeMailedToken(world.keyring, 'invitation', { tenant, id: invitation.id, generation: 2 })
  for (const { body } of [{ body: invitation }, ...answers]) {
    const text = JSON.stringify(body)
    for (const each of [secret, resent.split('.').at(-1) ?? '', 'ghm_']) assert.ok(!text.includes(each), text)
    assert.doesNotMatch(text, /link|#token/i)
  }
})

test('an invitation is for the role of member unless it names another existing role', async () => {
  const acme = await world.organization()
  const { ann } = acme
  for (const role of ['member', 'admin', 'owner']) {
    assert.equal((await invite(ann, acme, address(), role)).body.role, role)
  }
  for (const role of ['boss', '', 'Admin', 'admin,member', ['admin'], null, 5]) {
    const answer = await invite(ann, acme, address(), role)
    assert.deepEqual([answer.status, answer.body.errors[0].pointer], [400, '/role'], JSON.stringify(role))
  }
})

test('nobody can invite for a role above their own, and members cannot invite', async () => {
  const acme = await world.organization()
  const { ben, cleo, dan, path } = acme
  for (const [who, role, told] of [
    [ben, 'owner', [403, 'role_above_yours']],
    [ben, 'admin', [201]],
    [ben, 'member', [201]],
    [cleo, 'member', [403, 'forbidden']],
    [dan, 'member', [404, 'not_found']],
  ] as const) {
    assert.deepEqual(codeOf(await invite(who, acme, address(), role)), told, `${who.name} ${role}`)
  }
  assert.equal((await ben.get(`${path}/invites?status=pending`)).body.data.length, 2, 'a refusal leaves nothing')
})

test('nobody can resend or revoke an invitation for a role above their own', async () => {
  const acme = await world.organization()
  const { ann, ben, path } = acme
  const { body: invitation } = await invite(ann, acme, address(), 'owner')
  const way = `${path}/invites/${invitation.id}`

  assert.deepEqual(codeOf(await ben.post(`${way}/resend`)), [403, 'role_above_yours'])
  assert.deepEqual(codeOf(await ben.delete(way)), [403, 'role_above_yours'])

  assert.deepEqual((await ben.get(way)).body, invitation, 'but an admin sees it')
  assert.equal((await ann.post(`${way}/resend`)).status, 200)
  assert.equal((await ann.delete(way)).status, 200)
})

test('an invalid body is refused', async () => {
  const acme = await world.organization()
  const { ann, path } = acme
  for (const email of [
    '',
    'x',
    'a@b',
    'a@b@example.com',
    'a b@example.com',
    'ann@example.com\nbcc: x@example.com',
    '"a b"@example.com',
    'Ann <ann@example.com>',
    'a@example.com,b@example.com',
    'a@[127.0.0.1]',
    5,
    null,
    ['a@example.com'],
  ]) {
    const answer = await ann.post(`${path}/invites`, { email })
    assert.deepEqual([answer.status, answer.body.errors[0].pointer], [400, '/email'], JSON.stringify(email))
  }
  for (const field of ['status', 'organizationId', 'invitedBy', 'expiresAt', 'token', 'redirectUrl']) {
    const answer = await ann.post(`${path}/invites`, { email: address(), [field]: 'x' })
    assert.deepEqual([answer.status, answer.body.errors[0].pointer], [400, `/${field}`])
  }
  assert.deepEqual((await ann.get(`${path}/invites?status=pending`)).body.data, [])
})

test('addresses are normalized before they are compared', async () => {
  const acme = await world.organization()
  const { ann, cleo } = acme
  const local = `bob-${randomBytes(4).toString('hex')}`

  const { body: invitation } = await invite(ann, acme, `  ${local.toUpperCase()}@BÜCHER.example `)

  assert.equal(invitation.email, `${local}@xn--bcher-kva.example`)
  for (const email of [`${local}@bücher.example`, `${local}@XN--BCHER-KVA.example`, `${local}@bu\u0308cher.example`]) {
    const again = await invite(ann, acme, email)
    assert.deepEqual([...codeOf(again), again.body.invitationId], [409, 'already_invited', invitation.id])
  }
  assert.deepEqual(codeOf(await invite(ann, acme, ` ${cleo.email.toUpperCase()}`)), [409, 'already_a_member'])
})

test('if there are several reasons for refusing an invitation, the same one is always given', async () => {
  const acme = await world.organization()
  const { id, ann, dan, path } = acme
  const { body: invitation } = await invite(ann, acme, dan.email)
  const membership = { id: newId('mem'), organizationId: id, userId: dan.id, role: 'member', invitedBy: null } as const
  await world.database.inTenant(tenant, (sql) => addMember(sql, membership)) // and is still invited
  const codes = [await invite(ann, acme, dan.email), await ann.post(`${path}/invites/${invitation.id}/resend`)].map(
    codeOf,
  )
  assert.deepEqual(codes, [
    [409, 'already_a_member'],
    [409, 'already_a_member'],
  ])
})

test('a member cannot be invited again, whatever their role, until they have left', async () => {
  const acme = await world.organization()
  const { ann, ben, cleo, path, members } = acme
  for (const { email } of [ann, ben, cleo]) {
    assert.deepEqual(codeOf(await invite(ben, acme, email)), [409, 'already_a_member'])
  }
  await ann.delete(`${path}/members/${members.cleo.id}`)
  assert.equal((await invite(ben, acme, cleo.email)).status, 201)
})

test('a pending invitation to the same address is named, in this organization only', async () => {
  const [acme, other] = await Promise.all([world.organization(), world.organization()])
  const email = address()
  const { body: invitation } = await invite(acme.ann, acme, email)

  const again = await invite(acme.ben, acme, email, 'admin')

  assert.deepEqual([...codeOf(again), again.body.invitationId], [409, 'already_invited', invitation.id])
  assert.equal((await invite(other.ann, other, email)).status, 201)
  assert.deepEqual((await acme.ann.get(`${acme.path}/invites/${invitation.id}`)).body, invitation)
})

test('an expired invitation does not count, and inviting again closes it', async () => {
  const acme = await world.organization()
  const { ann, ben, path } = acme
  const email = address()
  const { body: first } = await invite(ann, acme, email)
  await expire(first.id)
  assert.equal(await statusOf(acme, first.id), 'expired')

  const second = await invite(ben, acme, email, 'admin')

  assert.equal(second.status, 201)
  assert.notEqual(second.body.id, first.id)
  assert.deepEqual(await ask('select status from invitations where id = $1', [first.id]), [{ status: 'expired' }])
  assert.deepEqual(
    (await ann.get(`${path}/invites?limit=2`)).body.data.map(({ id, status }: Json) => [id, status]),
    [
      [second.body.id, 'pending'],
      [first.id, 'expired'],
    ],
  )
  const resent = await ann.post(`${path}/invites/${first.id}/resend`)
  assert.deepEqual([...codeOf(resent), resent.body.invitationId], [409, 'already_invited', second.body.id])
})

test('an address can be invited again after its invitation was declined, revoked or used', async () => {
  const acme = await world.organization()
  const { ann, dan, path } = acme
  const { body: first } = await invite(ann, acme, dan.email)
  await dan.post(`/api/invites/${first.id}/decline`)
  const { body: second } = await invite(ann, acme, dan.email)
  await ann.delete(`${path}/invites/${second.id}`)
  const { body: third } = await invite(ann, acme, dan.email)
  await dan.post(`/api/invites/${third.id}/accept`)
  await dan.delete(`${path}/members/me`)
  const { status, body: fourth } = await invite(ann, acme, dan.email)

  assert.equal(status, 201)
  assert.deepEqual(
    (await ann.get(`${path}/invites`)).body.data
      .filter(({ email }: Json) => email === dan.email)
      .map(({ id }: Json) => id),
    [fourth.id, third.id, second.id, first.id],
  )
})

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
  const live = await give(acme, Array.from({ length: 110 }, address))
  const dead = await give(acme, Array.from({ length: 120 }, address))
  await ask(`update invitations set expires_at = now() - interval '1 second' where id = any($1)`, [dead])

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

test('a resent invitation has a new link and seven more days; the old link is invalid, and the caller becomes the inviter', async () => {
  const acme = await world.organization()
  const { ann, ben, path } = acme
  const email = address()
  const { body: invitation } = await invite(ann, acme, email)
  const old = await world.mailedToken(email, 'invitation')
  await ask(`update invitations set expires_at = now() + interval '1 hour' where id = $1`, [invitation.id])

  const { status, body } = await ben.post(`${path}/invites/${invitation.id}/resend`)

  assert.equal(status, 200)
  assert.deepEqual(
    { ...body, expiresAt: invitation.expiresAt },
    { ...invitation, invitedBy: { id: ben.id, name: 'Ben' } },
  )
  assert.ok(Math.abs(Date.parse(body.expiresAt) - Date.now() - 7 * 24 * 3600 * 1000) < 60_000)
  const fresh = await newToken(email, old)
  assert.deepEqual(codeOf(await preview(invitation.id, old)), [404, 'not_found'])
  assert.equal((await preview(invitation.id, fresh)).body.invitedBy.id, ben.id)
  const spent = await world.nobody.post('/api/auth/sign-up', { email, password, invitationToken: old })
  assert.deepEqual(codeOf(spent), [410, 'token_spent'])
  assert.equal((await world.nobody.post('/api/auth/sign-up', { email, password, invitationToken: fresh })).status, 201)
})

test('resending an expired invitation makes it pending again', async () => {
  const acme = await world.organization()
  const { ann, dan, path } = acme
  const { body: invitation } = await invite(ann, acme, dan.email)
  await expire(invitation.id)
  assert.deepEqual(codeOf(await dan.post(`/api/invites/${invitation.id}/accept`)), [410, 'invitation_expired'])

  const { body } = await ann.post(`${path}/invites/${invitation.id}/resend`)

  assert.equal(body.status, 'pending')
  assert.equal((await dan.post(`/api/invites/${invitation.id}/accept`)).status, 200)
})

test('an expired invitation that was closed by inviting again can be resent once the newer one is gone', async () => {
  const acme = await world.organization()
  const { ann, path } = acme
  const email = address()
  const { body: first } = await invite(ann, acme, email)
  await expire(first.id)
  const { body: second } = await invite(ann, acme, email)
  await ann.delete(`${path}/invites/${second.id}`)

  assert.equal((await ann.post(`${path}/invites/${first.id}/resend`)).body.status, 'pending')
  assert.deepEqual(codeOf(await invite(ann, acme, email)), [409, 'already_invited'])
})

test('an expired invitation to somebody who is a member now cannot be resent', async () => {
  const acme = await world.organization()
  const { id, ann, dan, path } = acme
  const { body: invitation } = await invite(ann, acme, dan.email)
  await expire(invitation.id)
  await world.join(ann, id, dan)
  assert.deepEqual(codeOf(await ann.post(`${path}/invites/${invitation.id}/resend`)), [409, 'already_a_member'])
})

test('an accepted, declined or revoked invitation can be neither resent nor revoked', async () => {
  const acme = await world.organization()
  const { ann, dan, path } = acme
  const { body: declined } = await invite(ann, acme, dan.email)
  await dan.post(`/api/invites/${declined.id}/decline`)
  const { body: revoked } = await invite(ann, acme, dan.email)
  await ann.delete(`${path}/invites/${revoked.id}`)
  const { body: accepted } = await invite(ann, acme, dan.email)
  await dan.post(`/api/invites/${accepted.id}/accept`)

  for (const { id } of [declined, revoked, accepted]) {
    const before = (await ann.get(`${path}/invites/${id}`)).body
    assert.deepEqual(codeOf(await ann.post(`${path}/invites/${id}/resend`)), [409, 'invitation_not_pending'])
    assert.deepEqual(codeOf(await ann.delete(`${path}/invites/${id}`)), [409, 'invitation_not_pending'])
    assert.deepEqual((await ann.get(`${path}/invites/${id}`)).body, before)
  }
  const { body: expired } = await invite(ann, acme, address())
  await expire(expired.id)
  assert.deepEqual(codeOf(await ann.delete(`${path}/invites/${expired.id}`)), [409, 'invitation_not_pending'])
})

test('a revoked invitation is shown as revoked, and its mail is no longer sent', async () => {
  const acme = await world.organization()
  const { ann, ben, dan, path } = acme
  const { body: invitation } = await invite(ann, acme, dan.email)

  const { status, body } = await ben.delete(`${path}/invites/${invitation.id}`)

  assert.deepEqual([status, body], [200, { ...invitation, status: 'revoked' }])
  assert.equal(await statusOf(acme, invitation.id), 'revoked')
  assert.deepEqual(codeOf(await dan.post(`/api/invites/${invitation.id}/accept`)), [410, 'invitation_revoked'])
})

test('changes of invitations are recorded in the log of the organization', async () => {
  const acme = await world.organization()
  const { ann, ben, dan, path } = acme
  const { body: one } = await invite(ann, acme, address(), 'admin')
  await ben.post(`${path}/invites/${one.id}/resend`)
  await ann.delete(`${path}/invites/${one.id}`)
  const { body: other } = await invite(ann, acme, dan.email)
  await dan.post(`/api/invites/${other.id}/decline`)

  const { data } = (await ann.get(`${path}/audit?action=invitation.*&limit=5`)).body
  assert.deepEqual(
    data.map(({ action, actor, target }: Json) => [action, actor.name, target.type, target.id]),
    [
      ['invitation.declined', 'Dan', 'invitation', other.id],
      ['invitation.sent', 'Ann', 'invitation', other.id],
      ['invitation.revoked', 'Ann', 'invitation', one.id],
      ['invitation.resent', 'Ben', 'invitation', one.id],
      ['invitation.sent', 'Ann', 'invitation', one.id],
    ],
  )
})

/** Each way in which an inviter loses the right to what they sent, which of their invitations (by role) that ends, and the cause told. */
const losses: Readonly<
  Record<
    string,
    { of: 'owner' | 'admin'; lose: (acme: Organization) => Promise<Answer>; ends: string[]; cause?: string }
  >
> = {
  'is removed': {
    of: 'admin',
    lose: ({ ann, path, members }) => ann.delete(`${path}/members/${members.ben.id}`),
    ends: ['admin', 'member'],
    cause: 'inviter_removed',
  },
  leaves: {
    of: 'admin',
    lose: ({ ben, path }) => ben.delete(`${path}/members/me`),
    ends: ['admin', 'member'],
    cause: 'inviter_left',
  },
  'is demoted to member': {
    of: 'admin',
    lose: ({ ann, path, members }) => ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' }),
    ends: ['admin', 'member'],
    cause: 'inviter_demoted',
  },
  'deletes their account': {
    of: 'admin',
    lose: ({ ben }) => ben.delete('/api/users/me', { password }),
    ends: ['admin', 'member'],
  },
  'is demoted from owner to admin': {
    of: 'owner',
    lose: ({ ann, path, members }) => ann.patch(`${path}/members/${members.ben.id}`, { role: 'admin' }),
    ends: ['owner'],
    cause: 'inviter_demoted',
  },
  'demotes themselves from owner to member': {
    of: 'owner',
    lose: ({ ben, path, members }) => ben.patch(`${path}/members/${members.ben.id}`, { role: 'member' }),
    ends: ['owner', 'admin', 'member'],
    cause: 'inviter_demoted',
  },
  'is promoted from admin to owner': {
    of: 'admin',
    lose: ({ ann, path, members }) => ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' }),
    ends: [],
  },
}

for (const [name, { of, lose, ends, cause }] of Object.entries(losses)) {
  test(`an invitation ends with its inviter's right to send it: the inviter ${name}`, async () => {
    const acme = await world.organization()
    const { ann, ben, path, members } = acme
    if (of === 'owner') await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })
    const sent: Record<string, Json> = {}
    for (const role of of === 'owner' ? ['owner', 'admin', 'member'] : ['admin', 'member']) {
      const guest = await world.person('Guest')
      sent[role] = { guest, id: (await invite(ben, acme, guest.email, role)).body.id }
    }
    const { body: anns } = await invite(ann, acme, address())
    const { body: expired } = await invite(ben, acme, address())
    await expire(expired.id)
    const { body: elsewhere } = await ben.post('/api/organizations', { name: 'Elsewhere' })
    await world.join(ben, elsewhere.id, ann, 'owner')
    const { body: other } = await ben.post(`/api/organizations/${elsewhere.id}/invites`, { email: address() })

    assert.equal((await lose(acme)).status, 200)

    for (const [role, { id, guest }] of Object.entries(sent)) {
      const isEnded = ends.includes(role)
      assert.equal(await statusOf(acme, id), isEnded ? 'revoked' : 'pending', role)
      const accepted = await guest.post(`/api/invites/${id}/accept`)
      assert.deepEqual(codeOf(accepted), isEnded ? [410, 'invitation_revoked'] : [200], role)
    }
    assert.equal(await statusOf(acme, anns.id), 'pending', 'others’ invitations stay')
    if (name !== 'deletes their account') {
      assert.equal(await statusOf(acme, expired.id), 'expired')
      const { body } = await ann.get(`/api/organizations/${elsewhere.id}/invites/${other.id}`)
      assert.equal(body.status, 'pending', 'in another organization they have the right still')
    }
    const { data } = (await ann.get(`${path}/audit?action=invitation.revoked`)).body
    const revoked = data.map(({ target }: Json) => target.id).sort()
    const told = revoked.filter((id: string) => id !== expired.id)
    assert.deepEqual(told, ends.map((role) => sent[role].id).sort())
    for (const { details } of data) assert.equal(details?.cause, cause)
  })
}

test('an invitation that another admin resent survives the first inviter, and ends with the second', async () => {
  const acme = await world.organization()
  const { ann, ben, path, members } = acme
  const { body: invitation } = await invite(ben, acme, address())
  await ann.post(`${path}/invites/${invitation.id}/resend`)

  await ann.delete(`${path}/members/${members.ben.id}`)
  assert.equal(await statusOf(acme, invitation.id), 'pending')

  const eve = await world.person('Eve')
  const { id } = await world.join(ann, acme.id, eve, 'admin')
  await eve.post(`${path}/invites/${invitation.id}/resend`)
  await ann.delete(`${path}/members/${id}`)
  assert.equal(await statusOf(acme, invitation.id), 'revoked')
})

test('deleting the inviter keeps the history of invitations', async () => {
  const acme = await world.organization()
  const { ann, ben, dan, path } = acme
  const { body: accepted } = await invite(ben, acme, dan.email)
  await dan.post(`/api/invites/${accepted.id}/accept`)
  const { body: pending } = await invite(ben, acme, address())

  await ben.delete('/api/users/me', { password })

  const { data } = (await ann.get(`${path}/invites`)).body
  const kept = new Map<string, Json>(data.map((each: Json) => [each.id, each]))
  assert.deepEqual([kept.get(accepted.id).status, kept.get(accepted.id).invitedBy], ['accepted', null])
  assert.deepEqual([kept.get(pending.id).status, kept.get(pending.id).invitedBy], ['revoked', null])
  assert.equal((await dan.get(path)).status, 200, 'and who came by them stays')
})

test('plain members cannot read invitation ids or tokens', async () => {
  const acme = await world.organization()
  const { ann, cleo, dan, path } = acme
  const { body: invitation } = await invite(ann, acme, address())
  const way = `${path}/invites/${invitation.id}`
  for (const [person, told] of [
    [cleo, [403, 'forbidden']],
    [dan, [404, 'not_found']],
  ] as const) {
    for (const answer of [
      await person.get(`${path}/invites`),
      await person.get(way),
      await person.delete(way),
      await person.post(`${way}/resend`),
      await invite(person, acme, invitation.email),
      await person.get(`${path}/audit`),
    ]) {
      assert.deepEqual(codeOf(answer), told)
      assert.ok(!JSON.stringify({ ...answer.body, instance: '' }).includes(invitation.id))
    }
  }
  assert.equal(await statusOf(acme, invitation.id), 'pending')
})

test('every invitation is checked against the organization in the path', async () => {
  const [acme, other] = await Promise.all([world.organization(), world.organization()])
  const { body: theirs } = await invite(other.ann, other, address())
  const way = `${acme.path}/invites/${theirs.id}`
  assert.deepEqual(codeOf(await acme.ann.get(way)), [404, 'not_found'])
  assert.deepEqual(codeOf(await acme.ann.delete(way)), [404, 'not_found'])
  assert.deepEqual(codeOf(await acme.ann.post(`${way}/resend`)), [404, 'not_found'])
  assert.deepEqual((await other.ann.get(`${other.path}/invites/${theirs.id}`)).body, theirs)
})

test('an id of another type in the path is a bad request, and an unknown one is not found', async () => {
  const { ann, path, members } = await world.organization()
  for (const [id, told] of [
    [members.ben.id, [400, 'invalid_id']],
    ['me', [400, 'invalid_id']],
    [newId('inv'), [404, 'not_found']],
  ] as const) {
    assert.deepEqual(codeOf(await ann.get(`${path}/invites/${id}`)), told)
    assert.deepEqual(codeOf(await ann.delete(`${path}/invites/${id}`)), told)
    assert.deepEqual(codeOf(await ann.post(`${path}/invites/${id}/resend`)), told)
  }
})

test('inviting does not reveal accounts: an address with an account is answered like one without', async () => {
  const acme = await world.organization()
  const { ann, dan } = acme
  const [known, unknown] = [await invite(ann, acme, dan.email), await invite(ann, acme, address())]
  const shape = ({ status, body, headers }: Answer) => [
    status,
    Object.keys(body),
    { ...body, id: '', email: '', createdAt: '', expiresAt: '' },
    [...headers.keys()].sort(),
  ]
  assert.deepEqual(shape(known), shape(unknown))
})

test('allowed email domains apply to invitations and to resending them', async () => {
  const { id: tenantId, slug } = await world.tenant()
  const acme = await world.organization({ tenant: slug })
  const { ann, path } = acme
  const { body: before } = await invite(ann, acme, 'guest@elsewhere.example')

  await ask(`update tenants set allowed_email_domains = '{example.com}' where id = $1`, [tenantId])

  assert.deepEqual(codeOf(await invite(ann, acme, 'guest2@elsewhere.example')), [403, 'email_domain_not_allowed'])
  assert.deepEqual(codeOf(await invite(ann, acme, 'guest2@sub.example.com')), [403, 'email_domain_not_allowed'])
  assert.deepEqual(codeOf(await ann.post(`${path}/invites/${before.id}/resend`)), [403, 'email_domain_not_allowed'])
  assert.equal((await invite(ann, acme, address())).status, 201)
})

test("an organization's name with a URL or markup is inert in mail", async () => {
  const ann = await world.person('Ann https://evil.example/<b>x</b>', { email: address() })
  const name = 'evil.example <a href="https://evil.example/">click</a> & https://evil.example'
  const { body: acme } = await ann.post('/api/organizations', { name })
  const email = address()
  await invite(ann, { path: `/api/organizations/${acme.id}` }, email)
  const token = await world.mailedToken(email, 'invitation')

  const [mail] = await world.mails(email)

  for (const text of [mail.subject, mail.text, mail.html]) assert.doesNotMatch(text, /evil\.example|https:\/\/evil/)
  assert.doesNotMatch(mail.html, /<a href="[^"]*evil|<b>/)
  const links = [...mail.html.matchAll(/href="([^"]+)"/g)].map(([, link]) => link)
  assert.ok(links.length > 0 && links.every((link) => link.endsWith(`/invitation#token=${token}`)), String(links))
})

test('an organization never has more than MAX_PENDING_INVITES pending invitations', async () => {
  const acme = await world.organization()
  const { ann, ben, path } = acme
  const [first = ''] = await give(acme, Array.from({ length: maxPendingInvites - 1 }, address))
  await give(acme, Array.from({ length: 20 }, address), 'revoked')
  const last = await invite(ann, acme, address())
  assert.equal(last.status, 201)
  const email = address()

  assert.deepEqual(codeOf(await invite(ben, acme, email)), [409, 'limit_reached'])
  assert.deepEqual(await ask('select from invitations where email = $1', [email]), [], 'nothing is left of a refusal')
  assert.equal(
    (await ann.post(`${path}/invites/${last.body.id}/resend`)).status,
    200,
    'a pending one takes no more room',
  )

  await expire(first)
  assert.equal((await invite(ben, acme, email)).status, 201, 'an expired one takes none')
  assert.deepEqual(codeOf(await ann.post(`${path}/invites/${first}/resend`)), [409, 'limit_reached'])
  await ann.delete(`${path}/invites/${last.body.id}`)
  assert.equal((await ann.post(`${path}/invites/${first}/resend`)).status, 200)
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
  await ask('update users set email_verified = true where id = $1', [guest.id])
  assert.deepEqual([await listed(guest), await listed(stranger)], [1, 0])
})

test('all of more than a hundred invitations to one address are reachable; expired ones do not displace live ones', async () => {
  const guest = await world.person('Guest')
  await ask(
    `insert into organizations (tenant_id, id, slug, name, name_key, owner_count, member_count)
     select $1, 'org_' || lpad(n::text, 26, '0'), 'inviting-' || n, 'Inviting', 'inviting', 1, 1 from generate_series(1, 240) n`,
    [tenant],
  )
  await ask(
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

test('resending or revoking an invitation is refused if it was revoked while the request waited', async () => {
  const acme = await world.organization()
  const { ann, path } = acme
  for (const act of ['resend', 'revoke']) {
    const { body } = await invite(ann, acme, address())
    const [answer] = await world.database.inTenant(tenant, async (sql) => {
      await sql`update invitations set status = 'revoked', email = null where tenant_id = ${tenant} and id = ${body.id}`
      const sent =
        act === 'resend' ? ann.post(`${path}/invites/${body.id}/resend`) : ann.delete(`${path}/invites/${body.id}`)
      await world.postgres.awaitLine(1)
      return [sent] as const // in a list, so that nobody waits for it before the commit
    })
    assert.deepEqual(codeOf(await answer), [409, 'invitation_not_pending'], act)
    assert.equal(await statusOf(acme, body.id), 'revoked')
  }
})
