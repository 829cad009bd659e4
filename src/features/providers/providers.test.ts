import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { addPasskey } from '../../../test/sign-in.ts'
import { createWorld, type Json, type Person } from '../../../test/world.ts'
import { findProvider, noteFailure } from '../../domain/providers/stored.ts'
import { newId } from '../../platform/http/schemas.ts'

const world = await createWorld({ processes: 2, settings: { PUBLIC_URL: 'http://127.0.0.1:3000' } })
const { query } = world.postgres

/** An admin of a new tenant, and a way to add providers to it. */
async function makeTenant(domains: string[] = []) {
  const tenant = await world.tenant({ domains })
  const tess = await world.tenantAdmin(tenant.slug)
  const add = (fields: Json = {}) =>
    tess.post('/api/admin/providers', {
      ...{ type: 'oidc', name: `Login ${randomBytes(4).toString('hex')}`, clientId: 'guildhall' },
      ...(fields.type === undefined && { issuer: 'https://login.example.com' }),
      ...fields,
    })
  return { tenant, tess, add }
}

/** Lets a person have begun a session by an identity of a provider. */
async function link(tenant: string, provider: Json, person: Person): Promise<void> {
  const id = newId('idn')
  await query(
    `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject) values ($1, $2, $3, $4, 'x', $2)`,
    [tenant, id, person.id, provider.id],
  )
  await query('update sessions set identity_id = $1 where user_id = $2', [id, person.id])
}

async function isSignedIn(person: Person): Promise<boolean> {
  return (await person.get('/api/users/me')).status === 200
}

test('an admin adds, reads, changes and deletes a provider', async () => {
  const { tenant, tess, add } = await makeTenant()
  const { status, headers, body: made } = await add({ name: 'Acme Login', clientSecret: 'secret' })
  const path = `/api/admin/providers/${made.id}`

  const { id, createdAt, updatedAt, ...rest } = made
  assert.deepEqual([status, headers.get('location')], [201, path])
  assert.deepEqual([createdAt, /^idp_/.test(id)], [updatedAt, true])
  assert.deepEqual(rest, {
    type: 'oidc',
    name: 'Acme Login',
    enabled: true,
    clientId: 'guildhall',
    hasSecret: true,
    issuer: 'https://login.example.com',
    microsoftTenant: null,
    trustsEmail: false,
    redirectUris: [],
    callbackUrl: `http://127.0.0.1:3000/t/${tenant.slug}/sign-in/callback/${id}`,
    identityCount: 0,
    onlyWayInCount: 0,
    lastFailure: null,
  })
  assert.deepEqual((await tess.get('/api/admin/providers')).body, {
    data: [{ ...made, onlyWayInCount: null }],
    nextCursor: null,
  })

  const { body: changed } = await tess.patch(path, { enabled: false, trustsEmail: true, redirectUris: ['a.b:/c'] })
  assert.deepEqual([changed.enabled, changed.trustsEmail, changed.redirectUris], [false, true, ['a.b:/c']])
  assert.deepEqual((await tess.get(path)).body, changed)

  assert.equal((await tess.request(path, { method: 'DELETE', body: { confirm: 'Acme Login' } })).body.deleted, true)
  assert.equal((await tess.get(path)).status, 404)
})

test('a change needs the version that was read, if one is sent', async () => {
  const { tess, add } = await makeTenant()
  const { body, headers } = await add()
  const path = `/api/admin/providers/${body.id}`
  const tag = { 'if-match': headers.get('etag') ?? '' }

  assert.equal((await tess.patch(path, { enabled: false }, tag)).status, 200)
  assert.equal((await tess.patch(path, { enabled: true }, tag)).body.code, 'version_mismatch')
  const { status } = await tess.request(path, { method: 'DELETE', body: { confirm: body.name }, headers: tag })
  assert.equal(status, 412)
})

test('the client secret is stored sealed, and no answer and no log has it', async () => {
  const { tenant, tess, add } = await makeTenant()
  const secret = `secret-${randomBytes(8).toString('hex')}`
  const { body } = await add({ clientSecret: secret })
  const replaced = await tess.patch(`/api/admin/providers/${body.id}`, { clientSecret: `${secret}-2` })
  const log = await tess.get('/api/admin/audit?action=provider.*')
  const rows = await query('select * from providers')
  for (const each of [body, replaced.body, log.body, rows]) assert.ok(!JSON.stringify(each).includes(secret))

  assert.deepEqual(log.body.data[0].details, { secretReplaced: true })
  const opened = await world.database.inTenant(tenant.id, (sql) => findProvider(sql, world.keyring, body.id))
  assert.equal(opened?.clientSecret, `${secret}-2`)
})

test('a sealed secret opens for its own provider alone', async () => {
  const { tenant, add } = await makeTenant()
  const [one, other] = [(await add({ clientSecret: 'secret' })).body, (await add({ clientSecret: 'another' })).body]
  const [sealed] = await query<{ secret: Buffer }>('select secret from providers where id = $1', [one.id])
  await query('update providers set secret = $1 where id = $2', [sealed?.secret, other.id])
  const found = await world.database.inTenant(tenant.id, (sql) => findProvider(sql, world.keyring, other.id))
  assert.deepEqual([found?.clientSecret, found?.isSecretLost], [null, true])
})

test('type and issuer never change', async () => {
  const { tess, add } = await makeTenant()
  const { body } = await add()
  for (const change of [{ type: 'google' }, { issuer: 'https://other.example.com' }]) {
    const answer = await tess.patch(`/api/admin/providers/${body.id}`, change)
    assert.deepEqual([answer.status, answer.body.errors[0].code], [400, 'unknown_field'])
  }
})

for (const [what, fields, pointer, code] of [
  ['an OpenID provider without an issuer', { issuer: null }, '/issuer', 'required'],
  ['an issuer without TLS', { issuer: 'http://127.0.0.1:8080' }, '/issuer', 'not_allowed'],
  ['an issuer with a query', { issuer: 'https://example.com/?a=1' }, '/issuer', 'invalid_format'],
  ['an issuer with a password', { issuer: 'https://ann:x@example.com' }, '/issuer', 'invalid_format'],
  ['an issuer of Google', { type: 'google', issuer: 'https://example.com' }, '/issuer', 'not_allowed'],
  ['a Microsoft tenant of GitHub', { type: 'github', microsoftTenant: 'common' }, '/microsoftTenant', 'not_allowed'],
  [
    'a Microsoft tenant by name',
    { type: 'microsoft', microsoftTenant: 'example.com' },
    '/microsoftTenant',
    'invalid_format',
  ],
  ['trust in Microsoft', { type: 'microsoft', trustsEmail: true }, '/trustsEmail', 'not_allowed'],
  ['a redirect URI twice', { redirectUris: ['a.b:/c', 'a.b:/c'] }, '/redirectUris/1', 'not_allowed'],
  [
    'eleven redirect URIs',
    { redirectUris: Array.from({ length: 11 }, (_, i) => `a.b:/${i}`) },
    '/redirectUris',
    'too_long',
  ],
] as const) {
  test(`${what} is refused`, async () => {
    const { add } = await makeTenant()
    const { status, body } = await add(fields)
    assert.deepEqual([status, body.errors[0].pointer, body.errors[0].code], [400, pointer, code])
  })
}

test('a redirect URI has https, loopback or an app’s own scheme', async () => {
  const { tess, add } = await makeTenant()
  const path = `/api/admin/providers/${(await add()).body.id}`
  const send = async (uri: string) => (await tess.patch(path, { redirectUris: [uri] })).status
  for (const uri of [
    'https://app.example.com/callback?a=1',
    'http://127.0.0.1:8080/callback',
    'http://[::1]/callback',
    'http://localhost/callback',
    'com.example.app:/callback',
  ])
    assert.equal(await send(uri), 200, uri)
  for (const uri of [
    'http://app.example.com/callback',
    'http://127.0.0.1.example.com/',
    'javascript:alert(1)',
    'data:text/html,x',
    'app:/callback',
    '/callback',
    'https://app.example.com/#a',
    'https://ann:x@app.example.com/',
    'https://app.example.com\\@evil.example.com/',
    'com.example.app:/call back',
  ])
    assert.equal(await send(uri), 400, uri)
})

test('no two providers of a tenant share a name or a redirect URI, and none takes a callback URL', async () => {
  const { tess, add } = await makeTenant()
  const uri = 'https://app.example.com/callback'
  const { body: one } = await add({ name: 'Zo\u00eb', redirectUris: [uri] })
  const { body: other } = await add()

  for (const answer of [
    await add({ name: 'Zoe\u0308', redirectUris: [uri] }),
    await tess.patch(`/api/admin/providers/${other.id}`, { name: 'Zo\u00eb', redirectUris: [uri] }),
  ])
    assert.deepEqual(
      answer.body.errors.map(({ pointer, code }: Json) => [pointer, code]),
      [
        ['/name', 'not_allowed'],
        ['/redirectUris/0', 'not_allowed'],
      ],
    )
  assert.equal((await add({ redirectUris: [one.callbackUrl] })).body.errors[0].pointer, '/redirectUris/0')
  assert.equal(
    (await tess.patch(`/api/admin/providers/${one.id}`, { redirectUris: [uri], enabled: false })).status,
    200,
  )
  assert.equal((await (await makeTenant()).add({ name: 'Zo\u00eb', redirectUris: [uri] })).status, 201)
})

test('a redirect URI is canonical, so that no two providers share a page by two spellings', async () => {
  const { add } = await makeTenant()
  const spellings = ['https://app.example.com:443/cb', 'https://APP.example.com/cb', 'https://app.example.com/a/../cb']
  const empty = ['https://app.example.com/cb?', 'com.example.app:///cb', 'https://app.example.com./cb']
  const escaped = ['https://app.example.com/%63b', 'https://app.example.com/%c3%a9', 'https://app.example.com/%zz']
  for (const uri of [...spellings, ...empty, ...escaped, 'http://0x7f000001/cb', 'https://app.example.com']) {
    const { status, body } = await add({ redirectUris: [uri] })
    assert.deepEqual([status, body.errors[0].pointer, body.errors[0].code], [400, '/redirectUris/0', 'invalid_format'])
  }
  assert.equal((await add({ redirectUris: ['https://app.example.com/caf%C3%A9?a=%20b'] })).status, 201)
})

test('redirect URIs that a provider has are not judged again, and those beside them are', async () => {
  const [one, two] = ['a', 'b'].map((name) => `${name}-${randomBytes(4).toString('hex')}.example.com`)
  const { tenant, tess, add } = await makeTenant([`${one}`])
  const kept = `http://127.0.0.1:3000/t/${tenant.slug}/sign-in/callback/app`
  const { status, body: provider } = await add({ redirectUris: [kept] })
  assert.equal(status, 201)
  // Of two domains none is where people sign in, so that the console's own callback URLs begin like this one.
  await query('insert into tenant_domains (tenant_id, domain) values ($1, $2)', [tenant.id, two])
  const send = async (fields: Json) => {
    const { status, body } = await tess.patch(`/api/admin/providers/${provider.id}`, fields)
    return [status, ...(body.errors ?? []).map(({ pointer }: Json) => pointer)]
  }

  assert.deepEqual(await send({ enabled: false }), [200])
  assert.deepEqual(await send({ redirectUris: [kept, 'https://app.example.com/callback'] }), [200])
  assert.deepEqual(await send({ redirectUris: [kept, `${kept}-2`] }), [400, '/redirectUris/1'])
  assert.deepEqual(await send({ redirectUris: [kept, kept] }), [400, '/redirectUris/1'])
})

test('providers that are added at once share neither name nor redirect URI', async () => {
  const { add } = await makeTenant()
  const fields = { name: 'Acme Login', redirectUris: ['a.b:/c'] }
  const answers = await Promise.all(Array.from({ length: 10 }, () => add(fields)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(9).fill(400)])
})

test('a tenant has at most 20 providers', async () => {
  const { add } = await makeTenant()
  for (let count = 0; count < 20; count++) assert.equal((await add()).status, 201)
  assert.equal((await add()).body.code, 'limit_reached')
})

test('the callback is on the domain of the tenant, or on the one that the operator chose', async () => {
  const [one, two] = [
    `a-${randomBytes(4).toString('hex')}.example.com`,
    `b-${randomBytes(4).toString('hex')}.example.com`,
  ]
  const { tenant, tess, add } = await makeTenant([one])
  const { body } = await add()
  assert.equal(body.callbackUrl, `http://${one}:3000/sign-in/callback/${body.id}`)

  await query('insert into tenant_domains (tenant_id, domain) values ($1, $2)', [tenant.id, two])
  const path = `/api/admin/providers/${body.id}`
  assert.ok((await tess.get(path)).body.callbackUrl.startsWith('http://127.0.0.1:3000/'))
  await query('update tenants set sign_in_domain = $2 where id = $1', [tenant.id, two])
  assert.ok((await tess.get(path)).body.callbackUrl.startsWith(`http://${two}:3000/`))
})

test('deleting a provider needs its name, and ends the sessions that its identities began, and no others', async () => {
  const { tenant, tess, add } = await makeTenant()
  const [{ body: one }, { body: other }] = [await add(), await add()]
  const [ann, ben, cleo] = [
    await world.person('Ann', { tenant: tenant.slug }),
    await world.person('Ben', { tenant: tenant.slug }),
    await world.person('Cleo', { tenant: tenant.slug }),
  ]
  await link(tenant.id, one, ann)
  await link(tenant.id, other, ben)
  const path = `/api/admin/providers/${one.id}`
  assert.equal((await tess.get(path)).body.identityCount, 1)

  const wrong = await tess.request(path, { method: 'DELETE', body: { confirm: other.name } })
  assert.deepEqual([wrong.status, wrong.body.code, await isSignedIn(ann)], [400, 'confirmation_mismatch', true])
  assert.equal((await tess.request(path, { method: 'DELETE', body: { confirm: one.name } })).status, 200)

  assert.deepEqual([await isSignedIn(ann), await isSignedIn(ben), await isSignedIn(cleo)], [false, true, true])
  assert.deepEqual(await query('select user_id from identities where tenant_id = $1', [tenant.id]), [
    { user_id: ben.id },
  ])
  const { data } = (await tess.get('/api/admin/audit?action=provider.deleted')).body
  assert.deepEqual(data[0].target, { type: 'provider', id: one.id, name: null })
  assert.deepEqual(data[0].details, { type: 'oidc', name: one.name, identityCount: 1, endedSessions: 1 })
})

test('admins see how many people have no other way in than a provider', async () => {
  const { tenant, tess, add } = await makeTenant()
  const [one, other] = [(await add()).body, (await add()).body]
  const people = [1, 2, 3, 4].map(() => world.person('Ann', { tenant: tenant.slug }))
  const [bare, keyed, twice, worded] = await Promise.all(people)
  assert.ok(bare && keyed && twice && worded)
  for (const person of [bare, keyed, twice, worded]) await link(tenant.id, one, person)
  await link(tenant.id, one, bare) // two accounts there are one way in
  await link(tenant.id, other, twice)
  assert.equal((await addPasskey(keyed)).answer.status, 201)
  await query('update users set password_hash = null where id = any($1)', [[bare.id, keyed.id, twice.id]])
  const count = async () => (await tess.get(`/api/admin/providers/${one.id}`)).body.onlyWayInCount

  assert.equal(await count(), 1)
  await tess.patch(`/api/admin/providers/${other.id}`, { enabled: false })
  assert.equal(await count(), 2, 'a provider that is disabled is no way in')
  await tess.patch('/api/admin/tenant', { mailCodes: true })
  assert.equal(await count(), 0)
  await tess.patch('/api/admin/tenant', { mailCodes: false })

  await query(
    `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject)
     select $1, 'idn_' || n, $2, $3, 'y', n::text from generate_series(1, 9995) n`,
    [tenant.id, bare.id, one.id],
  )
  assert.equal(await count(), 2)
  await link(tenant.id, one, bare)
  assert.equal(await count(), null)
})

test('admins see why the last failed sign-in failed', async () => {
  const { tenant, tess, add } = await makeTenant()
  const { body, headers } = await add()
  const before = Date.now()
  await world.database.inTenant(tenant.id, (sql) => noteFailure(sql, body.id, 'bad_client'))
  const read = await tess.get(`/api/admin/providers/${body.id}`)
  assert.equal(read.body.lastFailure.reason, 'bad_client')
  assert.ok(Math.abs(Date.parse(read.body.lastFailure.at) - before) < 60_000)
  assert.equal(read.headers.get('etag'), headers.get('etag'))
})
