import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request as open } from 'node:http'
import { test } from 'node:test'
import { holdTenant } from '../../../test/holding.ts'
import { type Answer, codeOf, createWorld, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { newId } from '../../platform/http/schemas.ts'
import { deleteTenant } from './deletion.ts'
import {
  createTenant,
  ensureDefaultTenant,
  findTenantBySlug,
  getTenantBySlug,
  listTenants,
  TenantError,
  updateTenant,
} from './tenants.ts'

const world = await createWorld()
const { query, awaitLine } = world.postgres

const newSlug = () => `t-${randomBytes(5).toString('hex')}`
const newDomain = () => `${randomBytes(5).toString('hex')}.customer.example`
const newAddress = () => `new-${randomBytes(5).toString('hex')}@example.com`

/** Sends to a host, which fetch() cannot name. */
async function send(
  method: 'GET' | 'POST',
  path: string,
  host: string | undefined,
  headers: Record<string, string> = {},
  sent?: object,
): Promise<Pick<Answer, 'status' | 'body'>> {
  const bytes = sent && JSON.stringify(sent)
  const request = open(world.url + path, {
    method,
    headers: {
      ...(bytes && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }),
      ...(host && { host }),
      ...headers,
    },
  })
  request.end(bytes)
  const [response] = (await once(request, 'response')) as [IncomingMessage] // what the event hands over
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode ?? 0, body: JSON.parse(text) }
}

/** @returns the answer, and the slug of the tenant that the new user is in */
async function signUpAt(host: string | undefined, headers: Record<string, string> = {}) {
  const answer = await send('POST', '/api/auth/sign-up', host, headers, { email: newAddress(), password })
  const [found] = await query<{ slug: string }>(
    'select t.slug from users u join tenants t on t.id = u.tenant_id where u.id = $1',
    [answer.body.user?.id],
  )
  return { ...answer, slug: found?.slug }
}

test('the tenant of a request without a credential comes from its host, else from its header, else it is the default one', async () => {
  const domain = newDomain()
  const { slug } = await world.tenant({ domains: [domain, newDomain()] })
  const named = await world.tenant()

  assert.equal((await signUpAt(undefined)).slug, 'default')
  assert.equal((await signUpAt('localhost:3000')).slug, 'default')
  assert.equal((await signUpAt('unknown.example')).slug, 'default')
  assert.equal((await signUpAt(domain)).slug, slug)
  assert.equal((await signUpAt(`${domain.toUpperCase()}:8443`)).slug, slug)
  assert.equal((await signUpAt(undefined, { 'guildhall-tenant': named.slug })).slug, named.slug)
  assert.equal((await signUpAt(undefined, { 'guildhall-tenant': 'default' })).slug, 'default')
  assert.equal((await signUpAt(domain, { 'guildhall-tenant': slug })).slug, slug)
})

test("a header is refused if it names an unknown tenant, or another than the host's", async () => {
  const domain = newDomain()
  await world.tenant({ domains: [domain] })
  const other = await world.tenant()

  for (const [host, named] of [
    [undefined, 'unknown'],
    [undefined, ''],
    [undefined, 'DEFAULT'],
    [undefined, "' or true --"],
    [undefined, `${other.slug}, default`],
    [domain, other.slug],
    [domain, 'default'],
    [domain, 'unknown'],
  ] as const) {
    const answer = await signUpAt(host, { 'guildhall-tenant': named })
    assert.deepEqual(codeOf(answer), [400, 'tenant_mismatch'], `${host} ${named}`)
  }
})

test('headers of a proxy select no tenant while no proxy is trusted', async () => {
  const domain = newDomain()
  await world.tenant({ domains: [domain] })
  const headers = { 'x-forwarded-host': domain, forwarded: `host=${domain}`, 'x-tenant-id': domain }
  assert.equal((await signUpAt(undefined, headers)).slug, 'default')
})

test("a header that names another tenant than the credential's is refused, and nothing is changed", async () => {
  const { slug } = await world.tenant()
  const there = await world.person('There', { tenant: slug })
  const { ann, path, cleo } = await world.organization()

  for (const named of ['default', 'unknown', '']) {
    assert.deepEqual(codeOf(await there.get('/api/users/me', { 'guildhall-tenant': named })), [400, 'tenant_mismatch'])
    const change = await there.patch('/api/users/me', { name: 'Mallory' }, { 'guildhall-tenant': named })
    assert.deepEqual(codeOf(change), [400, 'tenant_mismatch'])
  }
  assert.equal((await there.get('/api/users/me', { 'guildhall-tenant': slug })).status, 200)
  assert.equal((await there.get('/api/users/me')).status, 200, 'the credential carries its tenant')
  assert.equal((await there.get(path)).status, 404)
  assert.equal((await there.get(path, { 'guildhall-tenant': 'default' })).status, 400)
  assert.equal((await cleo.get(path, { 'guildhall-tenant': slug })).status, 400)
  assert.equal((await ann.get('/api/organizations', { 'guildhall-tenant': slug })).status, 400)
})

test('a credential decides the tenant at any host, unless a header contradicts the host', async () => {
  const domain = newDomain()
  const { slug } = await world.tenant({ domains: [domain] })
  const ann = await world.person()
  const there = await world.person('There', { tenant: slug })
  const me = (token: string, headers: Record<string, string> = {}) =>
    send('GET', '/api/users/me', domain, { authorization: `Bearer ${token}`, ...headers })

  assert.equal((await me(there.token, { 'guildhall-tenant': slug })).body.id, there.id)
  assert.equal((await me(ann.token)).body.id, ann.id)
  assert.deepEqual(codeOf(await me(ann.token, { 'guildhall-tenant': 'default' })), [400, 'tenant_mismatch'])
  assert.deepEqual(codeOf(await me(ann.token, { 'guildhall-tenant': slug })), [400, 'tenant_mismatch'])
})

test('the same address belongs to a different person in each tenant', async () => {
  const { slug } = await world.tenant()
  const here = await world.person()
  const there = await world.person('There', { tenant: slug, email: here.email })

  assert.notEqual(here.id, there.id)
  const changed = { currentPassword: password, newPassword: 'another long passphrase' }
  assert.equal((await there.post('/api/users/me/password', changed)).status, 200)
  const signIn = (typed: string, headers: Record<string, string> = {}) =>
    world.nobody.post('/api/auth/sign-in', { email: here.email, password: typed }, headers)
  assert.equal((await signIn(password)).body.user.id, here.id)
  assert.equal((await signIn(changed.newPassword)).status, 401)
  assert.equal((await signIn(changed.newPassword, { 'guildhall-tenant': slug })).body.user.id, there.id)
})

test('the operator creates, finds, lists, changes and deletes tenants', async () => {
  const [slug, renamed] = [newSlug(), newSlug()]
  const [first, second] = [newDomain(), newDomain()].sort() as [string, string]

  const made = await createTenant(world.database, {
    slug,
    name: 'Acme',
    domains: [second, first],
    mailFrom: 'Acme <no-reply@acme.example>',
    baseUrl: 'https://app.acme.example',
    allowedOrigins: ['https://app.acme.example'],
  })
  const { id, createdAt, ...rest } = made
  assert.match(id, /^[0-9a-f-]{36}$/)
  assert.ok(createdAt)
  assert.deepEqual(rest, {
    slug,
    name: 'Acme',
    domains: [first, second],
    mailFrom: 'Acme <no-reply@acme.example>',
    baseUrl: 'https://app.acme.example',
    allowedOrigins: ['https://app.acme.example'],
    signInDomain: null,
    passkeyDomain: null,
  })
  assert.deepEqual(await findTenantBySlug(world.database, slug), made)
  const slugs = (await listTenants(world.database)).map((tenant) => tenant.slug)
  assert.ok(slugs.includes(slug) && slugs.includes('default'))
  assert.deepEqual(slugs, [...slugs].sort())

  const changed = await updateTenant(world.database, slug, { slug: renamed, domains: [second], mailFrom: null })
  assert.deepEqual(changed, { ...made, slug: renamed, domains: [second], mailFrom: null })
  assert.equal((await signUpAt(first)).slug, 'default', 'what is changed holds at once')
  assert.equal((await signUpAt(second)).slug, renamed)

  await deleteTenant(world.database, renamed)
  assert.equal(await findTenantBySlug(world.database, renamed), undefined)
  assert.equal((await signUpAt(second)).slug, 'default')
  await assert.rejects(getTenantBySlug(world.database, renamed), TenantError)
})

test('slugs and domains are unique across all tenants', async () => {
  const domain = newDomain()
  const { slug } = await world.tenant({ domains: [domain] })
  const other = await world.tenant()

  const refused = [
    () => createTenant(world.database, { slug, name: 'Again' }),
    () => createTenant(world.database, { slug: newSlug(), name: 'Again', domains: [domain] }),
    () => updateTenant(world.database, other.slug, { slug }),
    () => updateTenant(world.database, other.slug, { domains: [domain] }),
    () => updateTenant(world.database, other.slug, { domains: [newDomain(), domain] }),
  ]
  for (const act of refused) await assert.rejects(act, TenantError)
  assert.deepEqual(await findTenantBySlug(world.database, other.slug), other, 'a refusal changes nothing')
})

test("the operator's settings are validated", async () => {
  const sentences: Record<string, RegExp> = {
    slug: /^A slug has 3 to 48 /,
    name: /^A name has 1 to 100 /,
    domains: /^".*" is not a domain such as /,
    baseUrl: /^The base URL is one like https:/,
    mailFrom: /^The sender is an address like /,
    allowedOrigins: /^"https:\/\/a\.example\/" is not an origin such as /,
  }
  const wrong: object[] = [
    { slug: 'ab' },
    { slug: '-abc' },
    { slug: 'abc-' },
    { slug: 'Abc' },
    { slug: 'a_c' },
    { slug: 'a'.repeat(49) },
    { name: '' },
    { name: '  ' },
    { name: 'x'.repeat(101) },
    { domains: ['https://acme.example'] },
    { domains: ['acme.example/path'] },
    { domains: ['acme.example:443'] },
    { domains: ['Acme.example'] },
    { domains: ['localhost'] },
    { domains: ['127.0.0.1'] },
    { domains: ['*.acme.example'] },
    { domains: [''] },
    { baseUrl: 'acme.example' },
    { baseUrl: 'https://acme.example/' },
    { baseUrl: 'javascript:alert(1)' },
    { mailFrom: 'a@b.c\nBcc: x@y.z' },
    { allowedOrigins: ['https://a.example/'] },
  ]
  const { slug } = await world.tenant()
  for (const settings of wrong) {
    const fresh = { slug: newSlug(), name: 'Acme', ...settings }
    const [message] = Object.keys(settings).map((name) => sentences[name])
    const error = { name: 'TenantError', message }
    await assert.rejects(createTenant(world.database, fresh), error, JSON.stringify(settings))
    await assert.rejects(updateTenant(world.database, slug, settings), error, JSON.stringify(settings))
  }
})

test('the default tenant is created once, keeps its slug and cannot be deleted', async () => {
  await Promise.all(Array.from({ length: 4 }, () => ensureDefaultTenant(world.database)))
  assert.equal((await query(`select from tenants where slug = 'default'`)).length, 1)
  await assert.rejects(updateTenant(world.database, 'default', { slug: newSlug() }), TenantError)
  await assert.rejects(deleteTenant(world.database, 'default'), TenantError)
})

test("a tenant admin's change is not lost while the operator changes the tenant", async (t) => {
  const { id, slug } = await world.tenant()
  const tess = await world.tenantAdmin(slug)
  const release = await holdTenant(t, world.postgres, id)
  const renaming = tess.patch('/api/admin/tenant', { name: 'New name' })
  await awaitLine(1)
  const updating = updateTenant(world.database, slug, { mailFrom: 'hello@shop.example' })
  await awaitLine(2)
  await release()

  assert.equal((await renaming).body.name, 'New name')
  const { name, mailFrom } = await updating
  assert.deepEqual([name, mailFrom], ['New name', 'hello@shop.example'])
  const { body } = await tess.get('/api/admin/audit?action=tenant.updated')
  assert.deepEqual(
    body.data.map(({ details }: Answer['body']) => details),
    [{ mailFrom: { from: null, to: 'hello@shop.example' } }, { name: { from: 'Another Tenant', to: 'New name' } }],
  )
})

test('if several processes create one tenant at once, one does, and the others get an error', async () => {
  const slug = newSlug()
  const outcomes = await Promise.allSettled(
    Array.from({ length: 4 }, () => createTenant(world.database, { slug, name: 'Acme' })),
  )
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const outcome of outcomes) if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof TenantError)
})

test("a mailed token at another tenant's host is refused if a header names either of the two", async () => {
  const domain = newDomain()
  const [host, own] = [await world.tenant({ domains: [domain] }), await world.tenant()]
  const token = makeMailedToken(world.keyring, 'reset_password', { tenant: own.id, id: newId('user'), generation: 1 })
  const reset = async (headers: Record<string, string>) =>
    codeOf(await send('POST', '/api/auth/reset-password', domain, headers, { token, newPassword: password }))
  for (const { slug } of [own, host]) {
    assert.deepEqual(await reset({ 'guildhall-tenant': slug }), [400, 'tenant_mismatch'], slug)
  }
  assert.deepEqual(await reset({}), [410, 'token_spent'])
})

test("changes of a tenant are recorded in its log as the operator's", async () => {
  const { slug, id } = await world.tenant()
  await updateTenant(world.database, slug, { name: 'Renamed' })
  await updateTenant(world.database, slug, { name: 'Renamed' })

  const entries = await query<{ action: string; actor_type: string; target_id: string; details: object }>(
    'select action, actor_type, target_id, details from audit_entries where tenant_id = $1 order by id',
    [id],
  )

  assert.deepEqual(
    entries.map(({ action, actor_type, target_id }) => [action, actor_type, target_id]),
    [
      ['tenant.created', 'operator', id],
      ['tenant.updated', 'operator', id],
    ],
  )
  assert.deepEqual(entries[1]?.details, { name: { from: 'Another Tenant', to: 'Renamed' } })
})
