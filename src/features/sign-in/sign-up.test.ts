import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { codeOf, createWorld, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { deleteTenant } from '../tenants/deletion.ts'
import { findTenantBySlug } from '../tenants/tenants.ts'

const world = await createWorld({ processes: 2 })
const { query } = world.postgres

const newAddress = (domain = 'example.com') => `new-${randomBytes(5).toString('hex')}@${domain}`
const signUp = (body: object, headers: Record<string, string> = {}) =>
  world.nobody.post('/api/auth/sign-up', body, headers)

/** The token of an invitation's newest mail, which only the keyring can make. */
async function invitationToken(invitationId: string): Promise<string> {
  const [row] = await query<{ tenant_id: string; generation: number }>(
    'select tenant_id, generation from invitations where id = $1',
    [invitationId],
  )
  assert.ok(row)
  const { tenant_id: tenant, generation } = row
  return makeMailedToken(world.keyring, 'invitation', { tenant, id: invitationId, generation })
}

test('a sign-up also signs in, with an unverified address', async () => {
  const email = newAddress()

  const { status, body, headers } = await signUp({ email, password, name: 'Ann' })

  assert.equal(status, 201)
  const { id, createdAt, updatedAt, lastActiveAt, ...rest } = body.user
  assert.deepEqual(rest, {
    email,
    emailVerified: false,
    pendingEmail: null,
    name: 'Ann',
    avatarUrl: null,
    locale: null,
    timeZone: null,
    metadata: {},
    appMetadata: {},
    role: 'user',
    status: 'active',
    hasPassword: true,
    hasSecondFactor: false,
  })
  assert.match(id, /^user_/)
  assert.equal(createdAt, updatedAt)
  assert.ok(lastActiveAt)
  assert.equal(body.session.device.current, true)
  assert.equal(headers.get('cache-control'), 'no-store')
  const me = await world.nobody.get('/api/users/me', { authorization: `Bearer ${body.session.token}` })
  assert.equal(me.body.id, id)
})

test('an address is stored in one form, and compared in it (Auth.js GHSA-7rqj-j65f-68wh)', async () => {
  const random = randomBytes(5).toString('hex')
  const first = await signUp({ email: `  Ann.${random}@Bücher.EXAMPLE `, password })

  assert.equal(first.status, 201)
  assert.equal(first.body.user.email, `ann.${random}@xn--bcher-kva.example`)
  for (const same of [
    `ANN.${random}@xn--bcher-kva.example`,
    `ann.${random}@BÜCHER.example`,
    `ann.${random}@ｂücher.example`,
  ]) {
    assert.deepEqual(codeOf(await signUp({ email: same, password })), [409, 'email_taken'], same)
  }
})

test('an invalid address is refused', async () => {
  const wrong = [
    'ann',
    'ann@',
    '@example.com',
    'ann@localhost',
    'ann@@example.com',
    'ann@example..com',
    '.ann@example.com',
    'ann.@example.com',
    'a..n@example.com',
    '"ann"@example.com',
    'ann@[127.0.0.1]',
    'ann@127.0.0.1',
    'ann@example.com,ben@example.com',
    'ann@example.com\r\nBcc: ben@example.com',
    'Ann <ann@example.com>',
    'änn@example.com',
    'ann @example.com',
    'ann@exa mple.com',
    'ann@example.com%00',
    'ann\u0000@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ann@${'a'.repeat(64)}.com`,
    `${'a'.repeat(60)}@${'b.'.repeat(100)}com`,
  ]
  for (const email of wrong) {
    const answer = await signUp({ email, password })
    assert.deepEqual(codeOf(answer), [400, 'invalid_request'], email)
    assert.deepEqual(
      answer.body.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/email'],
    )
  }
})

test('every fault of the body is reported at once', async () => {
  const { status, body } = await signUp({ email: 'ann', password: 'short', name: '', admin: true })

  assert.equal(status, 400)
  const faults = body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
  assert.deepEqual(faults.sort(), [
    '/admin unknown_field',
    '/email invalid_format',
    '/name too_short',
    '/password too_short',
  ])
})

test('what the tenant finds wrong with a password is reported with all other faults', async () => {
  const { slug } = await world.tenant()
  await query('update tenants set password_minimum = 12 where slug = $1', [slug])
  const faults = async (body: object) =>
    (await signUp(body, { 'guildhall-tenant': slug })).body.errors.map(
      ({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`,
    )
  assert.deepEqual(await faults({}), ['/email required', '/password required'])
  assert.deepEqual(await faults({ email: 'ann', password: 'too few char'.slice(1) }), [
    '/email invalid_format',
    '/password too_short',
  ])
  assert.deepEqual(await faults({ password: 'administrator' }), ['/email required', '/password common_password'])
  const named = { name: '', email: 'longer-than-12@example.com', password: 'longer-than-12' }
  assert.deepEqual(await faults(named), ['/name too_short', '/password contains_identity'])
  assert.deepEqual(await faults({ password: 7 }), ['/email required', '/password wrong_type'])
  assert.deepEqual(await faults([]), [' wrong_type'])
  await query('update tenants set mail_codes = true where slug = $1', [slug])
  assert.deepEqual(await faults({}), ['/email required'])

  const faultless = { email: newAddress(), password: 'correct horse' }
  assert.deepEqual(codeOf(await signUp(faultless, { 'guildhall-tenant': 'nobody' })), [400, 'tenant_mismatch'])
  const { status, body } = await signUp({ ...faultless, name: '' }, { 'guildhall-tenant': 'nobody' })
  assert.deepEqual([status, body.code, body.errors.length], [400, 'invalid_request', 1])
})

test('a sign-up cannot set admin, verified or id through its body (better-auth PR#9974)', async () => {
  for (const field of ['role', 'emailVerified', 'id', 'status', 'appMetadata', 'tenantId', 'metadata', 'device']) {
    const answer = await signUp({ email: newAddress(), password, [field]: 'admin' })
    assert.equal(answer.status, 400, field)
    assert.deepEqual([answer.body.errors[0].pointer, answer.body.errors[0].code], [`/${field}`, 'unknown_field'])
  }
})

test('if many requests sign up with one address at once, one gets it', async () => {
  const email = newAddress()

  const answers = await Promise.all(Array.from({ length: 20 }, () => signUp({ email, password })))

  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  for (const answer of answers) if (answer.status !== 201) assert.deepEqual(codeOf(answer), [409, 'email_taken'])
  const rows = await query('select from users where email = $1', [email])
  assert.equal(rows.length, 1)
  const entries = await query(
    `select from audit_details d join audit_entries e on e.tenant_id = d.tenant_id and e.id = d.entry_id
    where e.action = 'user.signed_up' and d.details->>'email' = $1`,
    [email],
  )
  assert.equal(entries.length, 1, 'a refused one leaves nothing behind')
})

test('a closed sign-up does not reveal who has an account', async () => {
  const { slug } = await world.tenant()
  const ann = await world.person('Ann', { tenant: slug })
  const headers = { 'guildhall-tenant': slug }
  await query(`update tenants set sign_up = 'closed' where slug = $1`, [slug])

  const known = await signUp({ email: ann.email, password }, headers)
  const unknown = await signUp({ email: newAddress(), password }, headers)

  assert.deepEqual(codeOf(known), [403, 'sign_up_closed'])
  assert.deepEqual({ ...known.body, requestId: 0 }, { ...unknown.body, requestId: 0 })

  await query(`update tenants set sign_up = 'open', allowed_email_domains = '{allowed.example}' where slug = $1`, [
    slug,
  ])
  const elsewhere = await signUp({ email: ann.email, password }, headers)
  assert.deepEqual(codeOf(elsewhere), [403, 'email_domain_not_allowed'])
  const below = await signUp({ email: newAddress('sub.allowed.example'), password }, headers)
  assert.deepEqual(codeOf(below), [403, 'email_domain_not_allowed'])
  assert.equal((await signUp({ email: newAddress('Allowed.Example'), password }, headers)).status, 201)
})

test('a tenant has its own minimum length of passwords', async () => {
  const { slug } = await world.tenant()
  await query('update tenants set password_minimum = 20 where slug = $1', [slug])
  const headers = { 'guildhall-tenant': slug }

  const short = await signUp(
    { email: newAddress(), password: 'x'.repeat(4) + '9 chars of nineteen'.slice(0, 15) },
    headers,
  )
  const long = await signUp({ email: newAddress(), password: 'twenty characters :)' }, headers)

  assert.deepEqual([short.status, short.body.errors[0].code], [400, 'too_short'])
  assert.equal(long.status, 201)
})

test("signing up with an invitation's token verifies the invited address at once", async () => {
  const { ann, path, id } = await world.organization()
  const email = newAddress()
  const { body: invitation } = await ann.post(`${path}/invites`, { email: email.toUpperCase() })
  const token = await invitationToken(invitation.id)

  const { status, body } = await signUp({ email, password, invitationToken: token })

  assert.deepEqual([status, body.user.emailVerified], [201, true])
  const { body: still } = await ann.get(`${path}/invites/${invitation.id}`)
  assert.equal(still.status, 'pending', 'the token is spent, the invitation is not')
  const bearer = { authorization: `Bearer ${body.session.token}` }
  assert.equal((await world.nobody.get(path, bearer)).status, 404, 'signing up joins nobody')
  const accepted = await world.nobody.post(`/api/invites/${invitation.id}/accept`, undefined, bearer)
  assert.equal(accepted.body.organization.id, id)
})

test('sign-up through an invite cannot take an existing account (Cal.com)', async () => {
  const { ann, path } = await world.organization()
  const ben = await world.person('Ben')
  const { body: invitation } = await ann.post(`${path}/invites`, { email: ben.email })
  const invitationToken_ = await invitationToken(invitation.id)

  const answer = await signUp({
    email: ben.email,
    password: 'the password of a stranger',
    invitationToken: invitationToken_,
  })

  assert.deepEqual(codeOf(answer), [409, 'email_taken'])
  assert.equal((await world.nobody.post('/api/auth/sign-in', { email: ben.email, password })).status, 200)
})

test("an invitation's token with another address is refused, and creates nothing", async () => {
  const { ann, path } = await world.organization()
  const { body: invitation } = await ann.post(`${path}/invites`, { email: newAddress() })
  const token = await invitationToken(invitation.id)
  const email = newAddress()

  assert.deepEqual(codeOf(await signUp({ email, password, invitationToken: token })), [
    403,
    'invitation_for_another_email',
  ])

  assert.equal((await query('select from users where email = $1', [email])).length, 0)
  const right = await signUp({ email: invitation.email, password, invitationToken: token })
  assert.equal(right.body.user.emailVerified, true, 'the token is not spent by a refusal')
})

test('a forged or altered invitation token creates nothing (Keycloak CVE-2026-1529)', async () => {
  const { ann, path } = await world.organization()
  const first = (await ann.post(`${path}/invites`, { email: newAddress() })).body
  const second = (await ann.post(`${path}/invites`, { email: newAddress() })).body
  const token = await invitationToken(first.id)
  const [head = '', row = '', mac = ''] = token.split('.')
  const otherRow = second.id.slice('inv_'.length)
  const flipped = (mac[0] === 'A' ? 'B' : 'A') + mac.slice(1)
  const tenant = await findTenantBySlug(world.database, 'default')
  assert.ok(tenant)
  const asVerification = makeMailedToken(world.keyring, 'verify_email', {
    tenant: tenant.id,
    id: first.id,
    generation: 1,
  })
  const future = makeMailedToken(world.keyring, 'invitation', { tenant: tenant.id, id: first.id, generation: 2 })

  for (const [invitationToken, email] of [
    [`${head}.${row}.${flipped}`, first.email],
    [`${head}.${otherRow}.${mac}`, second.email],
    [`ghm_${'0'.repeat(26)}.${row}.${mac}`, first.email],
    [`${head}.${'0'.repeat(26)}.${mac}`, first.email],
    [asVerification, first.email],
    [future, first.email],
    [token.slice(0, -1), first.email],
    [`${token}A`, first.email],
    ['nonsense', first.email],
  ]) {
    assert.deepEqual(codeOf(await signUp({ email, password, invitationToken })), [410, 'token_spent'])
  }
  for (const invitationToken of ['', null, 7]) {
    assert.equal((await signUp({ email: first.email, password, invitationToken })).status, 400)
  }
  assert.equal((await query('select from users where email = $1', [first.email])).length, 0)
})

test('the token of an ended invitation cannot be used to sign up', async () => {
  const { ann, path } = await world.organization()
  const endings: [string, string][] = [
    ['invitation_revoked', `status = 'revoked'`],
    ['invitation_declined', `status = 'declined'`],
    ['invitation_used', `status = 'accepted'`],
    ['invitation_expired', `status = 'expired'`],
    ['invitation_expired', `expires_at = now() - interval '1 second'`],
    ['token_spent', `generation = generation + 1`],
    ['token_spent', `token_spent_at = now()`],
  ]
  for (const [code, change] of endings) {
    const email = newAddress()
    const { body } = await ann.post(`${path}/invites`, { email })
    const token = await invitationToken(body.id)
    await query(`update invitations set ${change} where id = $1`, [body.id])
    assert.deepEqual(codeOf(await signUp({ email, password, invitationToken: token })), [410, code], change)
  }
})

test('if many requests sign up with one token at once, one succeeds', async () => {
  const { ann, path } = await world.organization()
  const email = newAddress()
  const { body } = await ann.post(`${path}/invites`, { email })
  const token = await invitationToken(body.id)

  const answers = await Promise.all(
    Array.from({ length: 10 }, () => signUp({ email, password, invitationToken: token })),
  )

  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 9 }, () => 409)])
})

test('if only the invited may sign up, nothing but a valid token is accepted', async () => {
  const { slug } = await world.tenant()
  const { ann, path } = await world.organization({ tenant: slug })
  await query(`update tenants set sign_up = 'invited_only' where slug = $1`, [slug])
  const email = newAddress()
  const { body } = await ann.post(`${path}/invites`, { email })
  const token = await invitationToken(body.id)
  const forged = token.slice(0, -2) + (token.endsWith('AA') ? 'BB' : 'AA')
  const headers = { 'guildhall-tenant': slug }

  assert.deepEqual(codeOf(await signUp({ email, password }, headers)), [403, 'sign_up_closed'])
  assert.equal((await signUp({ email, password, invitationToken: forged }, headers)).status, 410)
  const elsewhere = { email, password, invitationToken: token }
  assert.deepEqual(codeOf(await signUp(elsewhere, { 'guildhall-tenant': 'default' })), [400, 'tenant_mismatch'])
  const answer = await signUp(elsewhere)
  assert.equal(answer.status, 201, 'the token names its tenant')
  const [user] = await query<{ slug: string }>(
    'select slug from tenants t join users u on u.tenant_id = t.id where u.id = $1',
    [answer.body.user.id],
  )
  assert.equal(user?.slug, slug)
})

test('a token of a deleted tenant cannot be used to sign up', async () => {
  const { slug } = await world.tenant()
  const { ann, path } = await world.organization({ tenant: slug })
  const email = newAddress()
  const { body } = await ann.post(`${path}/invites`, { email })
  const token = await invitationToken(body.id)
  await deleteTenant(world.database, slug)

  assert.deepEqual(codeOf(await signUp({ email, password, invitationToken: token })), [410, 'token_spent'])
})

test('names are stored in NFC, and have no control or direction characters', async () => {
  const { body } = await signUp({ email: newAddress(), password, name: 'Zoe\u0308' })
  assert.equal(body.user.name, 'Zo\u00eb')

  for (const name of ['', ' ', 'a\nb', 'a\u202eb', 'a\u2066b', 'a\u0000b', '\ud800', 'x'.repeat(101)]) {
    assert.equal((await signUp({ email: newAddress(), password, name })).status, 400, JSON.stringify(name))
  }
  assert.equal((await signUp({ email: newAddress(), password, name: '😀'.repeat(100) })).status, 201)
})
