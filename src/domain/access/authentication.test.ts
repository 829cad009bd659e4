import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asCookie, createCookieWorld, https, sameOrigin, secureName, setCookies } from '../../../test/cookies.ts'
import { codeOf, password } from '../../../test/world.ts'

const { world, send, signIn, browser } = await createCookieWorld()

test('the cookie is a credential, over https only under its host-bound name', async () => {
  const ann = await world.person()
  const { cookie, token } = await browser(ann)

  assert.equal((await send('/api/users/me', { headers: { ...https, cookie } })).body.id, ann.id)
  const unbound = await send('/api/users/me', { headers: { ...https, cookie: `guildhall=${token}` } })
  assert.equal(unbound.status, 401, 'a subdomain could have planted the name without the prefix')
  const bearer = await send('/api/users/me', { headers: { authorization: `Bearer ${token}` } })
  assert.equal(bearer.body.id, ann.id)
  for (const authorization of [
    `Not-Bearer ${token}`,
    `Basic x, Bearer ${token}`,
    `Bearer ${token} x`,
    `Bearer${token}`,
  ])
    assert.equal((await send('/api/users/me', { headers: { authorization } })).status, 401, authorization)
})

test('an invalid cookie is no credential, and does not prevent signing in', async () => {
  const ann = await world.person()
  for (const value of ['', 'nonsense', `ghs_${'0'.repeat(26)}.${'A'.repeat(43)}`]) {
    const headers = { ...https, ...sameOrigin, cookie: `${secureName}=${value}` }
    assert.equal((await send('/api/users/me', { headers })).status, 401)
    assert.equal((await signIn(ann, headers)).status, 200)
  }
})

test('other sites cannot sign in, sign up or set up with a cookie', async () => {
  const ann = await world.person()
  const refused: Record<string, string>[] = [
    {},
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: 'https://accounts.example.com.evil.example' },
    { origin: 'https://evilaccounts.example.com' },
    { origin: 'http://accounts.example.com' },
    { origin: 'https://accounts.example.com:8443' },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://accounts.example.com' },
    { 'sec-fetch-site': 'same-site', origin: 'https://accounts.example.com' },
  ]
  for (const headers of refused) {
    const answer = await signIn(ann, { ...https, ...headers })
    assert.deepEqual(codeOf(answer), [403, 'cross_site'], JSON.stringify(headers))
    assert.deepEqual(setCookies(answer), [])
  }
  const up = { email: 'cross-site@example.com', password }
  const signUp = { method: 'POST', headers: { ...https, ...asCookie }, body: up }
  assert.deepEqual(codeOf(await send('/api/auth/sign-up', signUp)), [403, 'cross_site'])
  const token = `ghu_${'0'.repeat(26)}.${'A'.repeat(43)}`
  const setUp = { ...signUp, body: { ...up, token } }
  assert.deepEqual(codeOf(await send('/api/setup', setUp)), [403, 'cross_site'])
})

test('if a browser does not send Sec-Fetch-Site, the Origin header decides', async () => {
  await world.tenant({ domains: ['login.customer.example'] })
  const ann = await world.person()
  for (const origin of ['https://accounts.example.com', 'https://login.customer.example']) {
    assert.equal((await signIn(ann, { ...https, origin })).status, 200, origin)
  }
  const plain = await signIn(ann, { ...https, origin: 'http://login.customer.example' })
  assert.deepEqual(codeOf(plain), [403, 'cross_site'])
})

test('a request with the cookie changes nothing unless the browser says that it comes from a page of ours', async () => {
  const ann = await world.person()
  const { cookie } = await browser(ann)
  const attempts: [string, string, unknown?][] = [
    ['PATCH', '/api/users/me', { name: 'Mallory' }],
    ['POST', '/api/organizations', { name: 'Mallory' }],
    ['DELETE', '/api/users/me/devices'],
    ['DELETE', '/api/users/me', { password }],
    ['POST', '/api/auth/sign-out'],
    ['POST', '/api/auth/verify-email/resend'],
    ['POST', '/api/auth/verify-email', { token: `ghm_${'0'.repeat(26)}.${'0'.repeat(26)}.${'A'.repeat(43)}` }],
    [
      'POST',
      `/api/invites/inv_${'0'.repeat(26)}/preview`,
      { token: `ghm_${'0'.repeat(26)}.${'0'.repeat(26)}.${'A'.repeat(43)}` },
    ],
  ]
  for (const [method, path, body] of attempts) {
    for (const site of [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'null' }] as Record<string, string>[]) {
      const answer = await send(path, { method, headers: { ...https, ...site, cookie }, body })
      assert.deepEqual(codeOf(answer), [403, 'cross_site'], `${method} ${path} ${JSON.stringify(site)}`)
    }
  }
  const { body } = await send('/api/users/me', { headers: { ...https, cookie } })
  assert.equal(body.name, ann.name)

  const own = await send('/api/users/me', {
    method: 'PATCH',
    headers: { ...https, ...sameOrigin, cookie },
    body: { name: 'Anne' },
  })
  assert.equal(own.body.name, 'Anne')
})

test('a link from another site can read with the cookie, and a bearer token may come from anywhere', async () => {
  const ann = await world.person()
  const { cookie } = await browser(ann)

  const read = await send('/api/users/me', { headers: { ...https, cookie, 'sec-fetch-site': 'cross-site' } })
  const written = await send('/api/users/me', {
    method: 'PATCH',
    headers: { ...https, authorization: `Bearer ${ann.token}`, 'sec-fetch-site': 'cross-site' },
    body: { name: 'Anne' },
  })

  assert.equal(read.status, 200)
  assert.equal(written.status, 200)
})

test('a cookie and an Authorization header together are refused on every route', async () => {
  const ann = await world.person()
  const { cookie } = await browser(ann)
  const headers = { ...https, ...sameOrigin, cookie, authorization: `Bearer ${ann.token}` }

  const answers = await Promise.all([
    send('/api/users/me', { headers }),
    send('/api/users/me', { method: 'PATCH', headers, body: { name: 'Anne' } }),
    send('/api/auth/sign-out', { method: 'POST', headers }),
    send('/api/auth/sign-in', { method: 'POST', headers, body: { email: ann.email, password } }),
    send('/api/users/me', { headers: { ...headers, cookie: `${secureName}=nonsense` } }),
  ])

  for (const answer of answers) assert.deepEqual(codeOf(answer), [400, 'ambiguous_credentials'])
})

test('signing out succeeds for a deleted tenant, and is refused for a tenant other than the named one', async () => {
  const { slug } = await world.tenant()
  const there = await world.person('There', { tenant: slug })
  const signOut = (named?: string) =>
    there.post('/api/auth/sign-out', undefined, named === undefined ? {} : { 'guildhall-tenant': named })

  assert.deepEqual(codeOf(await signOut('default')), [400, 'tenant_mismatch'])
  assert.equal((await there.get('/api/users/me')).status, 200)
  await world.deleteTenant(slug)
  assert.equal((await signOut()).status, 204)
})

test('a token that is truncated, altered or of another kind is refused (Zitadel CVE-2026-27840)', async () => {
  const ann = await world.person()
  const { token } = ann
  const last = token.at(-1) === 'A' ? 'B' : 'A'
  const tampered = [
    token.slice(0, -1),
    `${token}A`,
    token.slice(0, -1) + last,
    token.toUpperCase(),
    token.replace('ghs_', 'ghu_'),
    token.replace('ghs_', 'ghm_'),
    token.slice(4),
    token.split('.')[1] ?? '',
    `${token} ${token}`,
    `${token}.${token.split('.')[1]}`,
    '',
  ]
  for (const each of tampered) {
    const answer = await send('/api/users/me', { headers: { authorization: `Bearer ${each}` } })
    assert.deepEqual(codeOf(answer), [401, 'unauthenticated'], each)
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
  }
  for (const authorization of [token, `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`, `Token ${token}`]) {
    assert.equal((await send('/api/users/me', { headers: { authorization } })).status, 401, authorization)
  }
  assert.equal((await send('/api/users/me', { headers: { authorization: `bearer  ${token}` } })).status, 200)
})

test('a token that names another tenant gives no access there', async () => {
  const { slug } = await world.tenant()
  const ann = await world.person()
  const there = await world.person('There', { tenant: slug })
  const crossed = there.token.slice(0, 30) + ann.token.slice(30)

  assert.equal((await send('/api/users/me', { headers: { authorization: `Bearer ${crossed}` } })).status, 401)
})

test('no cache stores a response to a credential, errors included (WorkOS CVE-2025-64762)', async () => {
  const ann = await world.person()
  const headers = { ...https, authorization: `Bearer ${ann.token}` }
  const answers = await Promise.all([
    send('/api/users/me', { headers }),
    send('/api/users/me', { headers: { ...https, authorization: 'Bearer nonsense' } }),
    send('/api/admin/users', { headers }),
    send('/api/organizations/nowhere', { headers }),
    send('/api/users/me', { method: 'PUT', headers }),
    send('/api/nothing-here', { headers }),
    send('/api/users/me', { method: 'PATCH', headers, body: { name: 1 } }),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 401, 403, 404, 405, 404, 400],
  )
  for (const { headers: answered } of answers) {
    assert.equal(answered.get('cache-control'), 'no-store')
    assert.equal(answered.get('x-content-type-options'), 'nosniff')
    assert.match(answered.get('strict-transport-security') ?? '', /max-age=\d{8}/)
  }
})

test('concurrent requests never mix identities (Auth0 CVE-2026-40155)', async () => {
  const people = await Promise.all(Array.from({ length: 5 }, (_, index) => world.person(`Person${index}`)))
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const person = people[index % people.length]
      assert.ok(person)
      return [person.id, (await person.get('/api/users/me')).body.id]
    }),
  )
  for (const [expected, actual] of answers) assert.equal(actual, expected)
})
