import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { onInvitations } from '../../../test/invitations.ts'
import { onRows } from '../../../test/rows.ts'
import { type Answer, codeOf, createWorld, type Json } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { addMember } from '../../domain/organizations/memberships.ts'
import { newId } from '../../platform/http/schemas.ts'

const maxPendingInvites = 130
const world = await createWorld({ worker: true, settings: { MAX_PENDING_INVITES: String(maxPendingInvites) } })
const { query } = world.postgres
const { address, expire, inviteBy: invite, preview, statusOf } = onInvitations(world)
const { giveInvitations } = onRows(world)
const { tenantId: tenant } = world

test('an admin invites somebody by email, and gets the invitation', async () => {
  const acme = await world.organization()
  const { id, slug, ben, path } = acme
  const email = address()

  const { status, body, headers } = await invite(ben, acme, email)

  assert.equal(status, 201)
  const { id: inviteId, createdAt, expiresAt, organization, ...rest } = body
  assert.deepEqual(rest, {
    email,
    role: 'member',
    grants: [],
    memberExpiresAt: null,
    locale: null,
    mailed: true,
    status: 'pending',
    invitedBy: { id: ben.id, name: 'Ben' },
  })
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
    grants: [],
    memberExpiresAt: null,
    locale: null,
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
  assert.deepEqual(await query('select status from invitations where id = $1', [first.id]), [{ status: 'expired' }])
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

  await query(`update tenants set allowed_email_domains = '{example.com}' where id = $1`, [tenantId])

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
  const [first = ''] = await giveInvitations(acme, Array.from({ length: maxPendingInvites - 1 }, address))
  await giveInvitations(acme, Array.from({ length: 20 }, address), 'revoked')
  const last = await invite(ann, acme, address())
  assert.equal(last.status, 201)
  const email = address()

  assert.deepEqual(codeOf(await invite(ben, acme, email)), [409, 'limit_reached'])
  assert.deepEqual(await query('select from invitations where email = $1', [email]), [], 'nothing is left of a refusal')
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
