import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { addPasskey } from '../../../test/sign-in.ts'
import { until } from '../../../test/smtp.ts'
import { type Answer, codeOf, createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { newId } from '../../platform/http/schemas.ts'
import { updateTenant } from '../tenants/tenants.ts'

const world = await createWorld({ processes: 2, worker: true })
const { query } = world.postgres

const newAddress = (domain = 'example.com') => `new-${randomBytes(5).toString('hex')}@${domain}`
const faultOf = ({ status, body }: Answer) => [status, body.errors?.[0].pointer, body.errors?.[0].code]

/** A tenant of its own with an admin who changes its settings. */
async function tenant() {
  const { slug, id } = await world.tenant()
  const tess = await world.tenantAdmin(slug)
  const set = async (settings: object): Promise<Json> => {
    const { status, body } = await tess.patch('/api/admin/tenant', settings)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const signUp = (body: object) =>
    world.nobody.post('/api/auth/sign-up', { email: newAddress(), password, ...body }, { 'guildhall-tenant': slug })
  return { slug, id, tess, set, signUp }
}

const statusOf = async (person: Person) => (await person.get('/api/users/me')).status

test('a sign-in page can read of its tenant what it needs, and no more', async () => {
  const { slug, set } = await tenant()
  const brand = { logoUrl: 'https://example.com/logo.png', color: '#0f766e' }
  await set({
    name: 'The Shop',
    brand,
    signUp: 'invited_only',
    passwordMinimum: 12,
    remotePictures: true,
    shareLinks: false,
    personalKeys: true,
    organizationKeys: true,
    organizationWebhooks: false,
  })

  const { status, body } = await world.nobody.get('/api/tenant', { 'guildhall-tenant': slug })

  assert.equal(status, 200)
  assert.match(body.id, /^ten_/)
  const { id: _id, ...shown } = body
  assert.deepEqual(shown, {
    slug,
    name: 'The Shop',
    brand,
    signUp: 'invited_only',
    passwordMinimum: 12,
    remotePictures: true,
    shareLinks: false,
    personalKeys: true,
    organizationKeys: true,
    organizationWebhooks: false,
    signIn: { url: `http://localhost:3000/t/${slug}`, passkeyDomain: 'localhost', mailCodes: false, providers: [] },
    homeApplication: null,
  })
  const { body: other } = await world.nobody.get('/api/tenant')
  assert.deepEqual(
    [other.slug, other.remotePictures, other.shareLinks, other.personalKeys],
    ['default', false, true, false],
  )
  assert.deepEqual(codeOf(await world.nobody.get('/api/tenant', { 'guildhall-tenant': 'no-such-tenant' })), [
    400,
    'tenant_mismatch',
  ])
})

test('a bearer token decides the tenant; a cookie of one tenant does not hide the page of another', async () => {
  const { slug } = await tenant()
  const ann = await world.person('Ann', { tenant: slug })

  assert.equal((await ann.get('/api/tenant')).body.slug, slug)
  assert.deepEqual(codeOf(await ann.get('/api/tenant', { 'guildhall-tenant': 'default' })), [400, 'tenant_mismatch'])
  const { body } = await world.nobody.get('/api/tenant', { cookie: `guildhall=${ann.token}` })
  assert.equal(body.slug, 'default')
})

test('a new tenant has the documented defaults', async () => {
  const { slug, tess } = await tenant()

  const { status, body } = await tess.get('/api/admin/tenant')

  assert.equal(status, 200)
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...settings } = body
  assert.deepEqual(settings, {
    slug,
    name: 'Another Tenant',
    brand: { logoUrl: null, color: null },
    signUp: 'open',
    allowedEmailDomains: [],
    passwordMinimum: 8,
    sessionIdleSeconds: 14 * 86_400,
    sessionAbsoluteSeconds: 30 * 86_400,
    auditRetentionSeconds: 400 * 86_400,
    eventRetentionSeconds: 30 * 86_400,
    remotePictures: false,
    secondFactor: 'optional',
    shareLinks: true,
    memberLimit: null,
    mailCodes: false,
    tokenSeconds: 300,
    tokenAudiences: [],
    personalKeys: false,
    organizationKeys: false,
    organizationWebhooks: false,
    keyGraceSeconds: 7 * 86_400,
    onlyMailCodesCount: null,
    domains: [],
    mailFrom: null,
    baseUrl: null,
    allowedOrigins: [],
  })
})

test("tenant admins can read the operator's settings, and cannot change them", async () => {
  const { slug, tess } = await tenant()
  const domain = `${slug}.customer.example`
  const set = {
    domains: [domain],
    mailFrom: 'The Shop <hello@example.com>',
    baseUrl: 'https://shop.example.com',
    allowedOrigins: ['https://app.example.com', 'https://app.example.com:8443', 'http://127.0.0.1:4000'],
  }
  await updateTenant(world.database, slug, set)

  const { body } = await tess.get('/api/admin/tenant')

  for (const [field, value] of Object.entries({ slug, ...set })) {
    assert.deepEqual(body[field], value)
    assert.deepEqual(faultOf(await tess.patch('/api/admin/tenant', { [field]: value })), [
      400,
      `/${field}`,
      'unknown_field',
    ])
  }
  for (const origin of [
    'http://app.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost:4000/',
    'https://app.example.com/',
    'https://app.example.com/x',
    '*',
    'null',
  ]) {
    await assert.rejects(updateTenant(world.database, slug, { allowedOrigins: [origin] }), /is not an origin such as/)
  }
})

test('a change is merged and recorded with old and new values; a request that changes nothing is not recorded', async () => {
  const { id, tess, set } = await tenant()
  await set({ brand: { color: '#0f766e' } })

  const body = await set({ brand: { logoUrl: 'https://example.com/l.png' }, passwordMinimum: 10, signUp: 'open' })

  assert.deepEqual(body.brand, { logoUrl: 'https://example.com/l.png', color: '#0f766e' })
  const [entry] = (await tess.get('/api/admin/audit?action=tenant.updated')).body.data
  assert.deepEqual([entry.actor.id, entry.target.type, entry.target.id], [tess.id, 'tenant', body.id])
  assert.deepEqual(entry.details, {
    brand: { from: { logoUrl: null }, to: { logoUrl: 'https://example.com/l.png' } },
    passwordMinimum: { from: 8, to: 10 },
  })
  assert.deepEqual((await set({ brand: { color: null } })).brand.color, null)
  const before = (await query('select from audit_entries where tenant_id = $1', [id])).length
  for (const nothing of [{}, { brand: {} }, { passwordMinimum: 10 }]) await set(nothing)
  assert.equal((await query('select from audit_entries where tenant_id = $1', [id])).length, before)
})

test('two admins can change different settings at once, and both changes stay', async () => {
  const { slug, tess, set } = await tenant()
  const tom = await world.tenantAdmin(slug)
  for (let round = 0; round < 20; round++) {
    await Promise.all([
      set({ passwordMinimum: 9 + round }),
      tom.patch('/api/admin/tenant', { sessionIdleSeconds: 1000 + round }),
    ])
    const { body } = await tess.get('/api/admin/tenant')
    assert.deepEqual([body.passwordMinimum, body.sessionIdleSeconds], [9 + round, 1000 + round])
  }
})

test('all invalid settings are refused at once', async () => {
  const { tess } = await tenant()
  const wrong: [object, string, string][] = [
    [{ passwordMinimum: 7 }, '/passwordMinimum', 'out_of_range'],
    [{ passwordMinimum: 65 }, '/passwordMinimum', 'out_of_range'],
    [{ sessionIdleSeconds: 299 }, '/sessionIdleSeconds', 'out_of_range'],
    [{ sessionAbsoluteSeconds: 400 * 86_400 + 1 }, '/sessionAbsoluteSeconds', 'out_of_range'],
    [{ auditRetentionSeconds: 86_399 }, '/auditRetentionSeconds', 'out_of_range'],
    [{ eventRetentionSeconds: 86_399 }, '/eventRetentionSeconds', 'out_of_range'],
    [{ eventRetentionSeconds: 90 * 86_400 + 1 }, '/eventRetentionSeconds', 'out_of_range'],
    [{ signUp: 'sometimes' }, '/signUp', 'not_allowed'],
    [{ brand: { color: 'red' } }, '/brand/color', 'invalid_format'],
    [{ brand: { color: '#12345g' } }, '/brand/color', 'invalid_format'],
    [{ brand: { logoUrl: 'http://example.com/l.png' } }, '/brand/logoUrl', 'invalid_format'],
    [{ brand: { font: 'Comic Sans' } }, '/brand/font', 'unknown_field'],
    [{ brand: null }, '/brand', 'wrong_type'],
    [{ allowedEmailDomains: ['example.com', 'a@example.com'] }, '/allowedEmailDomains/1', 'invalid_format'],
    [{ allowedEmailDomains: ['*.example.com'] }, '/allowedEmailDomains/0', 'invalid_format'],
    [{ allowedEmailDomains: ['localhost'] }, '/allowedEmailDomains/0', 'invalid_format'],
    [{ allowedEmailDomains: Array(101).fill('example.com') }, '/allowedEmailDomains', 'too_long'],
    [{ name: 'The\u202eShop' }, '/name', 'invalid_format'],
  ]
  for (const [body, pointer, code] of wrong) {
    assert.deepEqual(faultOf(await tess.patch('/api/admin/tenant', body)), [400, pointer, code], JSON.stringify(body))
  }
  const all = await tess.patch('/api/admin/tenant', { passwordMinimum: 1, signUp: 'x', sessionIdleSeconds: 1 })
  assert.equal(all.body.errors.length, 3)
})

test('the sign-up policy applies from the next request on', async () => {
  const { slug, tess, set, signUp } = await tenant()
  assert.equal((await signUp({})).status, 201)

  await set({ signUp: 'closed' })
  assert.deepEqual(codeOf(await signUp({})), [403, 'sign_up_closed'])
  assert.equal((await tess.post('/api/admin/users', { email: newAddress() })).status, 201, 'admins make users still')
  await set({ signUp: 'invited_only' })
  assert.deepEqual(codeOf(await signUp({})), [403, 'sign_up_closed'])
  const { body: acme } = await tess.post('/api/organizations', { name: 'Acme' })
  const email = newAddress()
  await tess.post(`/api/organizations/${acme.id}/invites`, { email })
  const invitationToken = await world.mailedToken(email, 'invitation', slug)
  assert.equal((await signUp({ email, invitationToken })).status, 201)
  await set({ signUp: 'open' })
  assert.equal((await signUp({})).status, 201)
})

test('allowed domains apply to sign-up, invitations, changes of address and users created by admins', async () => {
  const { tess, set, signUp } = await tenant()
  const { body: acme } = await tess.post('/api/organizations', { name: 'Acme' })
  const attempts: ((email: string) => Promise<Answer>)[] = [
    (email) => signUp({ email }),
    (email) => tess.post(`/api/organizations/${acme.id}/invites`, { email }),
    (email) => tess.patch('/api/users/me', { email, currentPassword: password }),
    (email) => tess.post('/api/admin/users', { email }),
  ]

  const { allowedEmailDomains } = await set({ allowedEmailDomains: ['EXAMPLE.org', 'bücher.example', 'example.org'] })

  assert.deepEqual(allowedEmailDomains, ['example.org', 'xn--bcher-kva.example'])
  for (const attempt of attempts) {
    for (const domain of ['example.com', 'sub.example.org', 'example.org.evil.com', 'notexample.org']) {
      assert.deepEqual(codeOf(await attempt(newAddress(domain))), [403, 'email_domain_not_allowed'], domain)
    }
    for (const domain of ['Example.ORG', 'BÜCHER.example', 'xn--bcher-kva.example']) {
      const { status, body } = await attempt(newAddress(domain))
      assert.ok(status === 200 || status === 201, `${domain}: ${JSON.stringify(body)}`)
    }
  }
  await set({ allowedEmailDomains: [] })
  for (const attempt of attempts) assert.ok([200, 201].includes((await attempt(newAddress())).status))
})

test('the password minimum applies to every password set from then on, and to no earlier one', async () => {
  const { slug, tess, set, signUp } = await tenant()
  await set({ passwordMinimum: 24 })
  const short = 'twenty-three letters ab'
  assert.equal(short.length, 23)

  assert.deepEqual(faultOf(await signUp({ password: short })), [400, '/password', 'too_short'])
  assert.equal((await signUp({ password: `${short}c` })).status, 201)
  const changed = await tess.post('/api/users/me/password', { currentPassword: password, newPassword: short })
  assert.deepEqual(faultOf(changed), [400, '/newPassword', 'too_short'])
  assert.equal((await world.signIn(tess, { 'guildhall-tenant': slug })).id, tess.id)
})

test("lifetimes of sessions apply at once, also to live sessions, by the database's clock", async () => {
  const { slug, set } = await tenant()
  const [ann, ben] = [await world.person('Ann', { tenant: slug }), await world.person('Ben', { tenant: slug })]
  const age = (person: Person, column: 'created_at' | 'last_active_at', seconds: number) =>
    query(`update sessions set ${column} = now() - make_interval(secs => $2) where user_id = $1`, [person.id, seconds])
  await age(ann, 'last_active_at', 3000)
  await age(ben, 'created_at', 3000)
  assert.deepEqual([await statusOf(ann), await statusOf(ben)], [200, 200])
  const isNoted = `select true as noted from sessions where user_id = $1 and last_active_at > now() - interval '1 minute'`
  await until(async () => (await query(isNoted, [ann.id])).length > 0, 'the use to be noted, which is after the answer')
  await age(ann, 'last_active_at', 3000)

  await set({ sessionIdleSeconds: 2900 })
  assert.deepEqual([await statusOf(ann), await statusOf(ben)], [401, 200])
  await set({ sessionAbsoluteSeconds: 4000 })
  const [device] = (await ben.get('/api/users/me/devices')).body.data
  assert.equal(Date.parse(device.expiresAt) - Date.parse(device.createdAt), 4_000_000)
  await set({ sessionAbsoluteSeconds: 2900 })
  assert.deepEqual([await statusOf(ann), await statusOf(ben)], [401, 401])
})

test("a mail has the tenant's name and colour of the time when it is composed", async () => {
  const { slug, tess, set } = await tenant()
  await set({ name: 'The Teal Shop', brand: { color: '#0f766e' } })
  const email = newAddress()
  await tess.post('/api/admin/users', { email })

  await world.mailedToken(email, 'reset-password', slug)
  const [mail] = await world.mails(email, slug)
  assert.match(mail.subject, /The Teal Shop/)
  assert.match(mail.text, /The Teal Shop/)
  assert.match(mail.html, /background:#0f766e/)
})

test('admins see how many people only a mailed code lets in', async () => {
  const { slug, id, tess, set } = await tenant()
  const person = () => world.person('Ann', { tenant: slug })
  const [bare, keyed, linked, worded] = await Promise.all([person(), person(), person(), person()])
  assert.equal((await addPasskey(keyed)).answer.status, 201)
  const { body: provider } = await tess.post('/api/admin/providers', { type: 'github', name: 'GitHub', clientId: 'x' })
  await query(
    `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject) values ($1, 'idn_1', $2, $3, 'x', 'x')`,
    [id, linked.id, provider.id],
  )
  await query('update users set password_hash = null where id = any($1)', [[bare.id, keyed.id, linked.id]])
  assert.equal((await tess.get('/api/admin/tenant')).body.onlyMailCodesCount, null)

  assert.equal((await set({ mailCodes: true })).onlyMailCodesCount, 1)
  await tess.patch(`/api/admin/providers/${provider.id}`, { enabled: false })
  assert.equal((await tess.get('/api/admin/tenant')).body.onlyMailCodesCount, 2)
  await query('update users set password_hash = null where id = $1', [worded.id])
  assert.equal((await tess.get('/api/admin/tenant')).body.onlyMailCodesCount, 3)

  const many = `insert into users (tenant_id, id, email) select $1, 'user_' || n, n || '@example.org' from generate_series(1, $2) n`
  await query(many, [id, 9996])
  assert.equal((await tess.get('/api/admin/tenant')).body.onlyMailCodesCount, 9999)
  await query(many.replace('(1,', '(9997,'), [id, 9997])
  assert.equal((await tess.get('/api/admin/tenant')).body.onlyMailCodesCount, null)
})

test('only admins of a tenant can read and change its settings', async () => {
  const { slug, tess } = await tenant()
  const ann = await world.person('Ann', { tenant: slug })
  const elsewhere = await world.tenantAdmin()
  for (const answer of [await ann.get('/api/admin/tenant'), await ann.patch('/api/admin/tenant', { name: 'Mine' })]) {
    assert.deepEqual(codeOf(answer), [403, 'forbidden'])
  }
  await elsewhere.patch('/api/admin/tenant', { name: 'Elsewhere' })
  assert.equal((await tess.get('/api/admin/tenant')).body.name, 'Another Tenant')
})

test('what is wrong in a body is said before who sends it, and of which version', async () => {
  const { slug, tess } = await tenant()
  const ann = await world.person('Ann', { tenant: slug })
  for (const body of [{ tokenAudiences: [newId('app')] }, { brand: { color: 'red' } }]) {
    for (const answer of [
      await ann.patch('/api/admin/tenant', body),
      await tess.patch('/api/admin/tenant', body, { 'if-match': '"0"' }),
    ])
      assert.equal(answer.status, 400, JSON.stringify(answer.body))
  }
})

test('a missing right is said before a version that has changed', async () => {
  const { slug, id, tess } = await tenant()
  const stale = { 'if-match': '"0"' }
  const key = await world.key(['users:write', 'users:delete'], { tenant: slug })
  const ofTess = `/api/admin/users/${tess.id}`
  assert.deepEqual(codeOf(await key.patch(ofTess, { name: 'Tess' }, stale)), [403, 'role_above_yours'])
  assert.deepEqual(codeOf(await key.delete(ofTess, undefined, stale)), [403, 'role_above_yours'])
  const ann = await world.person('Ann', { tenant: slug })
  const made = await key.patch(`/api/admin/users/${ann.id}`, { role: 'admin' }, stale)
  assert.deepEqual(codeOf(made), [403, 'role_above_yours'])

  await query(`update sessions set authenticated_at = now() - interval '11 minutes' where tenant_id = $1`, [id])
  for (const [settings, code] of [
    [{ mailCodes: true }, 'confirmation_required'],
    [{ secondFactor: 'required' }, 'second_factor_required'],
  ] as const)
    assert.deepEqual(codeOf(await tess.patch('/api/admin/tenant', settings, stale)), [403, code])
  assert.equal((await tess.patch('/api/admin/tenant', { name: 'Mine' }, stale)).status, 412)
})
