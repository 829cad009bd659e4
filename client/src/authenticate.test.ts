/** `authenticate` in a product's server: over real HTTP for Node's requests, otherwise with web requests. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createGuildhall } from '../../test/patient-client.ts'
import { createWorld, password } from '../../test/world.ts'
import { type IncomingRequest, isGuildhallError, type TokenOptions } from './index.ts'

const world = await createWorld()
const { url } = world
const origin = 'https://notes.example.com'
const cookieName = '__Host-guildhall'

const guildhall = createGuildhall({ url })
const withCookies = createGuildhall({ url, origin })

const incoming = (headers: Record<string, string>, method = 'GET') =>
  new Request(`${origin}/notes`, { method, headers })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** @returns the id of the sender, or the code of the error */
async function judge(request: IncomingRequest, by = guildhall, organization?: string): Promise<string> {
  try {
    const caller =
      organization !== undefined ? await by.authenticate(request, { organization }) : await by.authenticate(request)
    return caller.user.id
  } catch (error) {
    if (isGuildhallError(error)) return error.code
    throw error
  }
}

/** What is no id or slug of an organization. */
const malformed = ['../users/me', '..', '%2e%2e', '', '\ud800']
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'authenticated',
    (error: { code?: string }) => error.code,
  )

/** A product's server on Node. It answers with the result of `authenticate`. */
const server = createServer(async (request, response) => {
  response.end(await judge(request, withCookies))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close())
const product = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const askProduct = (headers: Record<string, string>, method = 'GET') =>
  fetch(product, { method, headers }).then((response) => response.text())

test('the sender of a request is known by the token, on Node and elsewhere', async () => {
  const ann = await world.person()
  assert.equal(await judge(incoming(bearer(ann.token))), ann.id)
  assert.equal(await askProduct(bearer(ann.token)), ann.id)
  assert.equal(await askProduct({ cookie: `theme=dark; ${cookieName}=${ann.token}` }), ann.id)
  assert.equal(await askProduct({}), 'unauthenticated')

  const caller = await guildhall.authenticate(incoming(bearer(ann.token)))
  assert.equal(caller.user.email, ann.email)
  assert.equal((await caller.guildhall.me.get()).id, ann.id, 'asks in their name')
})

test('a session that has ended is refused at the next request', async () => {
  const ann = await world.person()
  const request = incoming(bearer(ann.token))
  assert.equal(await judge(request), ann.id)
  await guildhall.withToken(ann.token).auth.signOut()
  assert.equal(await judge(request), 'unauthenticated')
})

test('only members of the named organization pass, with their present role', async () => {
  const { id, slug, ann, ben, cleo, dan, members } = await world.organization()
  const request = incoming(bearer(cleo.token))
  const { organization } = await guildhall.authenticate(request, { organization: slug })
  assert.deepEqual([organization.id, organization.role, organization.roles], [id, 'member', ['member']])
  await ben.patch(`/api/organizations/${id}/members/${members.cleo.id}`, { role: 'admin' })
  assert.equal((await guildhall.authenticate(request, { organization: id })).organization.role, 'admin')

  assert.equal(await judge(incoming(bearer(dan.token)), guildhall, id), 'not_found')
  await ann.delete(`/api/organizations/${id}/members/${members.cleo.id}`)
  assert.equal(await judge(request, guildhall, id), 'not_found')
  for (const organization of [...malformed, undefined])
    assert.equal(await codeOf(guildhall.authenticate(incoming(bearer(ann.token)), { organization })), 'invalid_id')
})

test('an option that `authenticate` does not have lets nobody pass, with a key and without', async () => {
  const { cleo, id } = await world.organization()
  const { token: key } = await world.key(['credentials:verify'])
  const withKey = createGuildhall({ url, key })
  const request = incoming(bearer(cleo.token))
  const permissions = ['members:update']
  const needed = { signal: new AbortController().signal, permissions }
  const needKey = { name: 'TypeError', message: 'A client without a key has no option `permissions`.' }
  // @ts-expect-error only a client with a key takes them
  await assert.rejects(guildhall.authenticate(request, { organization: id, ...needed }), needKey)
  // @ts-expect-error the same
  await assert.rejects(guildhall.authenticate(request, needed), needKey)
  await assert.rejects(guildhall.authenticate(request, { permissions: undefined as never }), needKey)
  for (const misspelt of [{ organisation: id }, { organization: id, permission: permissions[0] }]) {
    await assert.rejects(guildhall.authenticate(request, misspelt as never), TypeError)
    assert.equal(await codeOf(withKey.authenticate(request, misspelt as never)), 'invalid_request')
  }
})

test('a client has one credential', () => {
  const two = [
    { key: 'ghk_1', token: 'ghs_1' },
    { key: 'ghk_1', session: 'cookie' },
    { token: 'ghs_1', session: 'cookie' },
  ]
  for (const options of two) assert.throws(() => createGuildhall({ url, ...options } as never), TypeError)
  const shared = { url, key: 'ghk_1' }
  // @ts-expect-error the key would be used, and not the token of the person
  assert.throws(() => createGuildhall({ ...shared, token: 'ghs_1' }), TypeError)
  assert.ok(createGuildhall({ url, key: 'ghk_1', token: undefined }))
})

test('a malformed organization is an invalid id with a key, too, and other faults are not', async () => {
  const { ann, id: organization } = await world.organization()
  const { token: key } = await world.key(['credentials:verify'])
  const request = incoming(bearer(ann.token))
  const withKey = createGuildhall({ url, key })
  for (const organization of [...malformed, undefined, null as never])
    await assert.rejects(withKey.authenticate(request, { organization }), { code: 'invalid_id', status: 400 })
  const misspelt = withKey.authenticate(request, { organization, permissions: ['no key of a permission'] })
  assert.equal(await codeOf(misspelt), 'invalid_request')
})

test('an organization that is too long for a request is too large, with a key and without', async () => {
  const { ann } = await world.organization()
  const { token: key } = await world.key(['credentials:verify'])
  const organization = 'a'.repeat(70_000)
  for (const client of [guildhall, createGuildhall({ url, key })])
    assert.equal(await codeOf(client.authenticate(incoming(bearer(ann.token)), { organization })), 'too_large')
})

test('a session without the second factor that the tenant requires is refused, with a key and without, and in no organization', async () => {
  const { id: tenantId, slug } = await world.tenant()
  const { ann, id } = await world.organization({ tenant: slug })
  const { token: key } = await world.key(['credentials:verify'], { tenant: slug })
  const clients = [createGuildhall({ url, tenant: slug }), createGuildhall({ url, key })]
  const request = incoming(bearer(ann.token))
  const judged = async () => {
    const codes: string[] = []
    for (const client of clients)
      for (const options of [{}, { organization: id }])
        codes.push(
          await client.authenticate(request, options as { organization: string }).then(
            ({ user }) => user?.id ?? 'nobody',
            (error: { code: string }) => error.code,
          ),
        )
    return codes
  }
  assert.deepEqual(await judged(), Array(4).fill(ann.id))
  await world.postgres.query(`update tenants set second_factor = 'required' where id = $1`, [tenantId])
  assert.deepEqual(await judged(), Array(4).fill('second_factor_required'))
  await world.postgres.query('update sessions set assurance = 2 where user_id = $1', [ann.id])
  assert.deepEqual(await judged(), Array(4).fill(ann.id))
})

test('a session of another tenant is refused, whatever the request says', async () => {
  const { slug } = await world.tenant()
  const there = await world.person('Ann', { tenant: slug })
  const request = incoming({ ...bearer(there.token), 'guildhall-tenant': slug })
  assert.equal(await judge(request), 'unauthenticated')
  assert.equal(await judge(request, createGuildhall({ url, tenant: slug })), there.id)
})

test('only a token identifies the sender, and a malformed one is refused without a request to Guildhall', async () => {
  const ann = await world.person()
  let asked = 0
  const counting = createGuildhall({
    url,
    origin,
    token: ann.token, // the product's own token must not be used
    fetch: (request, init) => {
      asked++
      return fetch(request, init)
    },
  })
  for (const headers of [
    { 'x-user-id': ann.id, 'x-forwarded-user': ann.email },
    { authorization: 'Bearer undefined' },
    { authorization: `Basic ${ann.token}` },
    { authorization: `Bearer ${ann.token}, Bearer ${ann.token}` },
    { authorization: `Bearer ghs_${'x'.repeat(300)}` },
    { cookie: `${cookieName}=` },
    { cookie: `x${cookieName}=${ann.token}` },
    { cookie: `guildhall=${ann.token}` },
  ])
    assert.equal(await judge(incoming(headers as Record<string, string>), counting), 'unauthenticated')
  assert.equal(asked, 0)
})

test('cookies are accepted only if the product names its origin, under the name for that origin', async () => {
  const ann = await world.person()
  const cookie = `${cookieName}=${ann.token}`
  assert.equal(await judge(incoming({ cookie })), 'unauthenticated')
  assert.equal(await judge(incoming({ cookie }), withCookies), ann.id)
  assert.equal(await judge(incoming({ cookie, ...bearer(ann.token) }), withCookies), 'ambiguous_credentials')
  assert.equal(await judge(incoming({ cookie, ...bearer(ann.token) })), ann.id)

  const atHome = createGuildhall({ url, origin: 'http://localhost:3001' })
  const headers = { 'guildhall-session': 'cookie', 'sec-fetch-site': 'same-origin' }
  const signedIn = await world.nobody.post('/api/auth/sign-in', { email: ann.email, password }, headers)
  const [own = ''] =
    signedIn.headers
      .getSetCookie()
      .find((line) => line.startsWith('guildhall='))
      ?.split(';') ?? []
  assert.equal(await judge(incoming({ cookie: own }), atHome), ann.id)
  assert.equal(await judge(incoming({ cookie }), atHome), 'unauthenticated')
  for (const wrong of ['http://notes.example.com', 'https://notes.example.com/', 'notes.example.com'])
    assert.throws(() => createGuildhall({ url, origin: wrong } satisfies TokenOptions), TypeError, wrong)
})

test('a cookie that another site sends changes nothing and opens no socket', async () => {
  const ann = await world.person()
  const cookie = `${cookieName}=${ann.token}`
  const sent = (headers: Record<string, string>, method = 'POST') =>
    judge(incoming({ cookie, ...headers }, method), withCookies)

  assert.equal(await sent({ 'sec-fetch-site': 'same-origin' }), ann.id)
  assert.equal(await sent({ origin }), ann.id)
  for (const site of ['cross-site', 'same-site', 'none'])
    assert.equal(await sent({ 'sec-fetch-site': site, origin }, 'DELETE'), 'cross_site', site)
  for (const elsewhere of ['https://evil.example', 'null', 'https://notes.example.com.evil.example'])
    assert.equal(await sent({ origin: elsewhere }), 'cross_site', elsewhere)
  assert.equal(await sent({}), 'cross_site', 'what is not said counts as elsewhere')
  assert.equal(await sent({ 'sec-fetch-site': 'cross-site' }, 'GET'), ann.id, 'a link leads here')

  const socket = { method: 'GET', headers: { cookie, upgrade: 'websocket', origin: 'https://evil.example' } }
  assert.equal(await judge(socket, withCookies), 'cross_site')
  assert.equal(await judge({ ...socket, headers: { ...socket.headers, origin } }, withCookies), ann.id)
  assert.equal(await judge({ headers: { cookie } }, withCookies), 'cross_site', 'any method is possible')
  assert.equal(await askProduct({ cookie, origin: 'https://evil.example' }, 'POST'), 'cross_site')
  assert.equal(await askProduct(bearer(ann.token), 'POST'), ann.id, 'no browser sends a token by itself')
})

test('if Guildhall cannot be reached, nobody is signed in or out, and no other server is believed', async () => {
  const ann = await world.person()
  const away = createGuildhall({ url, retries: 0, fetch: () => Promise.reject(new TypeError('fetch failed')) })
  assert.equal(await judge(incoming(bearer(ann.token)), away), 'unreachable')
  for (const body of ['', '{}', '[]', 'null', '"user_"', '<h1>Welcome</h1>', '{"id":7}']) {
    const other = createGuildhall({ url, fetch: async () => new Response(body) })
    assert.equal(await judge(incoming(bearer(ann.token)), other), 'unexpected', body)
  }
})
