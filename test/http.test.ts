/** HTTP: rules for every request and answer, on any route. */
import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { test } from 'node:test'
import { buildApp } from '../src/app.ts'
import { uuidToTenantId } from '../src/platform/http/schemas.ts'
import { mostBytes } from '../src/platform/pictures/picture.ts'
import { readConfig } from '../src/platform/settings/config.ts'
import { requestApplication } from './application-requests.ts'
import { makeScene } from './authorizations.ts'
import { unfold } from './contract.ts'
import { dump } from './dump.ts'
import { makeProduct } from './grants.ts'
import { holdHeaders } from './headers.ts'
import { makeKeys, offerKeys } from './key-requests.ts'
import { makeLink } from './membership-requests.ts'
import { operationsOf, type Plain, pathsOf, plainly } from './plain.ts'
import { outboxIsEmpty } from './queue.ts'
import { available } from './smtp.ts'
import { speak } from './sockets.ts'
import { lengthenTimers } from './timeout.ts'
import { makeWebhooks, offerWebhooks } from './webhook-requests.ts'
import { type Answer, createWorld, mailboxKey, password } from './world.ts'

const world = await createWorld()
const document = unfold(world.app.swagger())
const send = plainly(world.url)
const { ann, cleo, dan, path: acme, id: orgId, members } = await world.organization()
const ended = await world.signIn(ann)
await ended.post('/api/auth/sign-out')
const aProvider = { type: 'github', name: 'GitHub', clientId: 'guildhall' }
const tess = await world.tenantAdmin()
const { body: provider } = await tess.post('/api/admin/providers', aProvider)
await offerKeys(world)
await offerWebhooks(world)
const ids: Readonly<Record<string, string>> = {
  tenantId: uuidToTenantId(world.tenantId),
  orgId,
  memberId: members.cleo.id,
  inviteId: 'inv_01k9zq3v5hf8gs4m2y7c6t0wdn',
  userId: ann.id,
  deviceId: 'dev_01k9zq3v5hf8gs4m2y7c6t0wdn',
  providerId: provider.id,
  appId: (await requestApplication(tess)).application.id,
  linkId: (await makeLink(ann, orgId)).id,
  ...(await makeKeys(ann, { owner: ann, orgId, admin: tess })),
  ...(await makeWebhooks({ owner: ann, orgId, admin: tess })),
  permission: 'members:read',
}

const paths = pathsOf(document, ids)
const operations = operationsOf(document, ids)
const guarded = operations.filter(({ needsSession, name }) => needsSession && !name.endsWith('/verify-email'))

const bearer = { authorization: `Bearer ${ann.token}` }
const json = { 'content-type': 'application/json' }

/** Sends a request, and again if the service is not ready: `/readyz` answers 503 if PostgreSQL takes longer than two seconds. */
const sendReady: typeof send = (method, path, ...rest) =>
  path === '/readyz' ? available(() => send(method, path, ...rest)) : send(method, path, ...rest)

test('an unknown path is 404 for every caller and every request', async () => {
  for (const path of [
    '/api/',
    '/api/none',
    '/api/users',
    '/api/users/me/',
    '/api//users/me',
    '/API/users/me',
    '/api/users/me/devices/x/y',
    '/none',
    '/.env',
    '/.git/config',
    '/api/users/me%00',
    '/api/users/you?x=1',
  ]) {
    for (const [headers, body] of [
      [{}, undefined],
      [bearer, undefined],
      [{ authorization: 'Bearer nonsense' }, '{not json'],
      [{ ...json, ...bearer }, '{"__proto__":1}'],
      [{ 'content-type': 'text/plain' }, 'x'.repeat(70_000)],
    ] as const) {
      const { status, code } = await send(body === undefined ? 'GET' : 'POST', path, headers, body)
      assert.deepEqual([status, code], [404, 'not_found'], path)
    }
  }
})

test('a path that cannot be decoded is a bad request', async () => {
  for (const path of ['/api/%zz', '/api/organizations/%', '/api/organizations/%ff%fe', '/%c0%ae%c0%ae/etc/passwd']) {
    const answer = await send('GET', path, bearer)
    assert.ok([400, 404].includes(answer.status), `${path}: ${answer.status}`)
    holdHeaders(answer.headers, path)
  }
})

test('a known path with another method is 405, and lists its methods', async () => {
  const pages = ['/docs', '/docs/problems', '/openapi.json', '/mailbox'].map((path) => ({ path, methods: ['GET'] }))
  for (const { path, methods } of [...paths, ...pages]) {
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort()
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      if (allowed.includes(method)) continue
      for (const headers of [{}, bearer, { authorization: 'nonsense' }]) {
        const answer = await send(method, path, headers)
        assert.equal(answer.status, 405, `${method} ${path}`)
        assert.equal(answer.headers.allow, allowed.join(', '), `${method} ${path}`)
        if (method !== 'HEAD') assert.equal(answer.code, 'method_not_allowed')
        holdHeaders(answer.headers, `${method} ${path}`)
      }
      if (!['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) continue
      for (const type of ['text/plain', 'application/json']) {
        const wrong = { cookie: `guildhall=${ann.token}`, 'sec-fetch-site': 'cross-site', 'content-type': type }
        assert.equal((await send(method, path, wrong, '{')).status, 405, `${method} ${path} ${type}`)
      }
    }
  }
  const withBody = await send('PUT', '/api/users/me', { 'content-type': 'text/plain' }, 'x'.repeat(70_000))
  assert.equal(withBody.status, 405)
})

test('a GET writes nothing but the times when session and membership were used', async () => {
  const tess = await world.tenantAdmin()
  const { body: invitation } = await ann.post(`${acme}/invites`, { email: 'read@example.com' })
  const state = async () => (await dump(world.postgres.query)).split('\n')
  await ann.post('/api/tokens') // makes the keys that one of them reads
  const access = { token: (await (await makeProduct(world)).signIn(ann)).access_token }
  // These times are not due meanwhile, with which those of the user would change.
  for (const time of ['sessions set last_active_at', 'memberships set last_active_at', 'grants set last_used_at'])
    await world.postgres.query(`update ${time} = now() + interval '1 hour'`)
  await outboxIsEmpty(world) // who reads events has it relayed
  const before = await state()
  for (const { name, method, path } of operations) {
    if (method !== 'GET') continue
    const { token } = path.startsWith('/api/admin') ? tess : path.endsWith('/userinfo') ? access : ann
    const headers = { authorization: `Bearer ${token}`, 'guildhall-mailbox-key': mailboxKey }
    const { status } = await sendReady(method, path.replace(ids.inviteId ?? '', invitation.id), headers)
    // An address without a request of an application is refused.
    assert.ok([200, 204, 303, ...(path.endsWith('/authorize') ? [400] : [])].includes(status), `${name}: ${status}`)
  }
  assert.deepEqual(await state(), before)
})

test('unusual methods are refused: 405 on a known path, 404 on an unknown one', async () => {
  for (const method of METHODS) {
    if (method === 'CONNECT') continue
    assert.equal((await send(method, '/api/none')).status, 404, method)
    if (['GET', 'HEAD', 'PATCH', 'DELETE'].includes(method)) continue
    const answer = await send(method, acme, bearer, method === 'PROPFIND' ? '<propfind/>' : undefined)
    assert.deepEqual([answer.status, answer.headers.allow], [405, 'DELETE, GET, HEAD, PATCH'], method)
    holdHeaders(answer.headers, method)
  }
})

test('/api redirects to the reference', async () => {
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await send(method, '/api')
    assert.deepEqual([status, headers.location], [302, '/docs'], method)
  }
  assert.equal((await send('POST', '/api')).headers.allow, 'GET, HEAD')
  assert.equal(document.paths['/api'], undefined)
})

test('a request without a host is refused with a problem', async () => {
  const answer = await speak(world.url, 'GET /livez HTTP/1.1\r\n\r\n')
  assert.match(answer, /^HTTP\/1\.1 400 .*"code":"invalid_request".*`Host`/s)
  const old = await speak(world.url, 'GET /livez HTTP/1.0\r\n\r\n')
  assert.match(old, /^HTTP\/1\.1 200 /, 'HTTP/1.0 has none')
})

test('an unknown expectation is ignored', async () => {
  const answer = await send('GET', '/api/users/me', { ...bearer, expect: 'miracles' })
  assert.deepEqual([answer.status, answer.headers['content-type']?.toString().split(';')[0]], [200, 'application/json'])
})

test('HEAD answers what GET answers, without the body', async () => {
  for (const { name, method, path } of operations) {
    if (method !== 'GET') continue
    for (const headers of [{ ...bearer, 'guildhall-mailbox-key': mailboxKey }, {}]) {
      const [head, get] = [await sendReady('HEAD', path, headers), await sendReady('GET', path, headers)]
      assert.equal(head.status, get.status, name)
      assert.equal(head.text, '', name)
      if (get.status === 204) continue
      assert.equal(head.headers['content-type'], get.headers['content-type'], name)
      assert.equal(head.headers['content-length'], get.headers['content-length'], name)
    }
  }
})

for (const { name, method, path, takesBody, takesPicture } of guarded) {
  test(`${name} checks size and media type, credential, form, session, in this order`, async () => {
    if (method !== 'GET') {
      // Only the head of the request: a client need not send a body that will not be read.
      const isLong = path.endsWith('/bulk') || path.endsWith('/access')
      const length = takesPicture ? mostBytes + 1 : isLong ? 524_289 : 65_537
      const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: ${length}\r\n\r\n`
      assert.match(await speak(world.url, head), /^HTTP\/1\.1 413 .*"code":"too_large"/s)
      const text = await send(method, path, { 'content-type': 'text/plain' }, 'text')
      assert.deepEqual([text.status, text.code], [415, 'unsupported_media_type'])
    }
    const wrong = takesBody ? '{"surplus":' : undefined
    for (const headers of [
      {},
      { authorization: 'Bearer' },
      { authorization: 'Bearer ghs_short' },
      { authorization: `Basic ${ann.token}` },
      { authorization: ann.token },
      { authorization: `Bearer ${ann.token} ${ann.token}` },
      { authorization: `Bearer ${ann.token}x` },
      { authorization: `Bearer ghs_zzzzzzzzzzzzzzzzzzzzzzzzzz.${'a'.repeat(43)}` },
      { authorization: `Bearer ${'x'.repeat(8000)}` },
      { cookie: 'guildhall=nonsense' },
    ]) {
      const answer = await send(method, `${path}?surplus=1`, { ...json, ...headers }, wrong)
      assert.deepEqual([answer.status, answer.code], [401, 'unauthenticated'], JSON.stringify(headers))
      assert.equal(answer.headers['www-authenticate'], 'Bearer')
    }
    // If the session has ended and the body is invalid, the body is checked first.
    const gone = { authorization: `Bearer ${ended.token}` }
    const misfit = await send(
      method,
      `${path}?surplus=1`,
      { ...json, ...gone },
      takesBody ? '{"surplus":1}' : undefined,
    )
    assert.deepEqual([misfit.status, misfit.code], [400, 'invalid_request'])
    if (takesBody) assert.equal((await send(method, path, { ...json, ...gone }, wrong)).code, 'malformed_json')
    if (path.includes('_')) {
      const id = await send(
        method,
        path.replace(/_[0-9a-z]{26}/, '_1'),
        { ...json, ...gone },
        takesBody ? '{}' : undefined,
      )
      assert.ok(['invalid_id', 'invalid_request'].includes(id.code ?? ''), `${id.code}`)
    }
  })
}

test('an ended session is 401 before anything is revealed of an organization or a conflict', async () => {
  const slug = (await ann.post('/api/organizations', { name: 'Taken' })).body.slug
  const foreign = (await dan.post('/api/organizations', { name: 'Foreign' })).body.id

  assert.equal((await ended.get(`/api/organizations/${foreign}`)).status, 401)
  assert.equal((await ended.patch(acme, { slug })).status, 401)
  assert.equal((await dan.patch(acme, { slug })).status, 404)
  assert.equal((await cleo.patch(acme, { slug })).status, 403)
  assert.equal((await ann.patch(acme, { slug })).status, 409)
})

test('every response has the security headers, errors too, and is not cached', async () => {
  const answers: [number, Plain][] = [
    [200, await send('GET', '/livez')],
    [200, await sendReady('GET', '/readyz')],
    [200, await send('GET', '/api/users/me', bearer)],
    [200, await send('GET', '/api/mailbox', { 'guildhall-mailbox-key': mailboxKey })],
    [201, await send('POST', '/api/organizations', { ...bearer, ...json }, '{"name":"Acme"}')],
    [204, await send('POST', '/api/auth/sign-out')],
    [400, await send('GET', '/api/organizations?limit=0', bearer)],
    [400, await send('GET', '/api/organizations/%zz', bearer)],
    [401, await send('GET', '/api/users/me')],
    [403, await send('GET', '/api/admin/users', bearer)],
    [404, await send('GET', '/api/none', bearer)],
    [404, await send('GET', '/none')],
    [404, await send('GET', '/api/mailbox')],
    [405, await send('PUT', '/api/users/me', bearer)],
    [409, await send('DELETE', `${acme}/members/me`, bearer)],
    [413, await send('POST', '/api/organizations', { ...bearer, ...json }, 'x'.repeat(65_537))],
    [415, await send('POST', '/api/organizations', bearer, 'x')],
  ]
  for (const [status, answer] of answers) {
    assert.equal(answer.status, status)
    assert.equal(answer.headers['cache-control'], 'no-store', String(status))
    assert.equal(answer.headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'")
    holdHeaders(answer.headers, String(status))
  }
  for (const path of ['/', '/docs', '/docs/problems', '/openapi.json', '/mailbox', '/invitation', '/pages/page.css']) {
    holdHeaders((await send('GET', path)).headers, path)
  }
  assert.equal(answers[0]?.[1].headers['strict-transport-security'], undefined)
})

test('an answer that is no problem and no JSON has the security headers too, and so has one to an application', async () => {
  const tag = (await send('GET', '/pages/page.css')).headers.etag ?? ''
  const tess = await world.tenantAdmin()
  const { post, code, exchange, refresh, userinfo } = await makeProduct(world)
  const product = await exchange(await code(ann))
  const scene = await makeScene(world)
  const toApplication = await scene.visit({ prompt: 'none' }, null)
  const toPage = await scene.visit()
  const answers: [string, Pick<Answer, 'status' | 'headers'> | Plain, number][] = [
    ['to an application', toApplication.response, 303],
    ['to a page', toPage.response, 303],
    [
      'an address without an application',
      await scene.visit({ client_id: undefined }).then(({ response }) => response),
      400,
    ],
    ['unchanged', await send('GET', '/pages/page.css', { 'if-none-match': tag }), 304],
    ['a list as CSV', await tess.get('/api/admin/users', { accept: 'text/csv' }), 200],
    ['tokens', product, 200],
    ['refreshed tokens', await refresh(product.body.refresh_token), 200],
    ['a refused code', await exchange('ghc_none'), 400],
    ['user information', await userinfo(product.body.access_token), 200],
    ['refused user information', await userinfo('ght_none'), 401],
    ['revoked', await post('revoke', { token: product.body.refresh_token }), 200],
    ['refused to revoke', await post('revoke', { token: 'ghf_none', client_secret: 'none' }), 401],
  ]
  for (const [what, { status, headers }, expected] of answers) {
    assert.equal(status, expected, what)
    holdHeaders(headers, what)
  }
})

test('only behind TLS, responses have Strict-Transport-Security', async () => {
  const config = readConfig({
    TRUST_PROXY: '127.0.0.1',
    PUBLIC_URL: 'https://accounts.example.com',
    SMTP_URL: 'smtp://x',
    MAIL_FROM: 'a@example.com',
  })
  const app = await buildApp({ ...world, config }, { log: false, mailboxKey: undefined })
  for (const [proto, expected] of [
    ['https', 'max-age=63072000; includeSubDomains'],
    ['http', undefined],
  ] as const) {
    for (const url of ['/livez', '/api/none', '/api/users/me', '/api/%zz', '/api/organizations/%ff']) {
      const { headers } = await app.inject({ url, headers: { 'x-forwarded-proto': proto } })
      assert.equal(headers['strict-transport-security'], expected, `${proto} ${url}`)
    }
  }
  await app.close()
})

test('request ids are made here, never taken from the client, and never repeat', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => send('GET', '/livez', { 'x-request-id': 'mine', 'request-id': 'mine' })),
  )
  assert.equal(new Set(answers.map(({ headers }) => headers['x-request-id'])).size, 20)
})

test('a forwarding header of an untrusted client has no effect', async () => {
  const { body } = await world.nobody.post(
    '/api/auth/sign-in',
    { email: ann.email, password },
    { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7', 'x-real-ip': '203.0.113.7' },
  )
  assert.equal(body.session.device.ip, '127.0.0.1')
})

test('headers of a client that is not the named proxy select no tenant, no cookie name and no HSTS', async () => {
  const config = readConfig({ TRUST_PROXY: '192.0.2.1', SMTP_URL: 'smtp://x', MAIL_FROM: 'a@example.com' })
  const app = await buildApp({ ...world, config }, { log: false, mailboxKey: undefined })
  const domain = 'accounts.proxied.example'
  const { name } = await world.tenant({ domains: [domain] })
  const headers = {
    ...{ 'x-forwarded-host': domain, 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' },
    ...{
      forwarded: `for=192.0.2.1;host=${domain};proto=https`,
      'guildhall-session': 'cookie',
      'sec-fetch-site': 'same-origin',
    },
  }
  const payload = { email: ann.email, password }
  const seenFrom = async (remoteAddress: string) => {
    const shown = await app.inject({ url: '/api/tenant', headers, remoteAddress })
    const signIn = { method: 'POST', url: '/api/auth/sign-in', headers, remoteAddress, payload } as const
    const { cookies } = await app.inject({
      ...signIn,
      headers: { ...headers, 'guildhall-tenant': 'default', 'x-forwarded-host': '' },
    })
    const undecoded = await Promise.all(
      ['/api/%zz', '/api/organizations/%ff'].map((url) => app.inject({ url, headers, remoteAddress })),
    )
    return {
      isTenant: shown.json().name === name,
      cookies: cookies.map((cookie) => cookie.name).filter((each) => each.endsWith('guildhall')),
      areTls: [shown, ...undecoded].map((answer) => 'strict-transport-security' in answer.headers),
    }
  }

  for (const client of ['127.0.0.1', '192.0.2.2', '::ffff:192.0.2.2', '2001:db8::1'])
    assert.deepEqual(
      await seenFrom(client),
      { isTenant: false, cookies: ['guildhall'], areTls: [false, false, false] },
      client,
    )
  for (const proxy of ['192.0.2.1', '::ffff:192.0.2.1'])
    assert.deepEqual(
      await seenFrom(proxy),
      { isTenant: true, cookies: ['__Host-guildhall'], areTls: [true, true, true] },
      proxy,
    )
  await app.close()
})

test('a request names one valid host', async () => {
  const answers = ['Host: a.example\r\nHost: b.example', 'Host:', 'Host: [::1', 'Host: evil@127.0.0.1', 'Host: a b']
  for (const host of answers) {
    const answer = await speak(world.url, `GET /livez HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 400 /, host)
  }
  for (const host of ['127.0.0.1:3000', '[::1]:3000', 'xn--bcher-kva.example', 'a_b.example.']) {
    const answer = await speak(world.url, `GET /livez HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 200 /, host)
  }
})

test('a request has one credential and one type of its body, of which nothing in front can have read another', async () => {
  const ann = await world.person()
  const ask = (...fields: string[]) =>
    speak(
      world.url,
      ['GET /api/users/me HTTP/1.1', 'Host: a.example', ...fields, 'Connection: close', '', ''].join('\r\n'),
    )
  const credential = `Authorization: Bearer ${ann.token}`
  assert.match(await ask(credential), /^HTTP\/1\.1 200 /)
  for (const second of [credential, 'authorization: Bearer ghs_other', 'Authorization: Basic eDp5'])
    for (const fields of [
      [credential, second],
      [second, credential],
    ])
      assert.match(await ask(...fields), /^HTTP\/1\.1 400 .*"code":"invalid_request".*`authorization`/is, second)
  const types = ['Content-Type: application/json', 'content-type: text/plain']
  assert.match(await ask(credential, ...types), /^HTTP\/1\.1 400 .*`content-type`/is)
})

test('many concurrent readiness checks ask the database once', async (t) => {
  const app = await world.otherApp(world.database)
  t.after(() => app.close())
  // A reading may take two seconds and is shared for one more (snapshots.ts), which could pass meanwhile.
  lengthenTimers(t, 1_000, 2_000)
  const { mock } = t.mock.method(world.database, 'acrossTenants') // it still calls the original
  const answers = await Promise.all(Array.from({ length: 50 }, () => app.inject('/readyz')))
  assert.deepEqual([mock.callCount(), new Set(answers.map(({ statusCode }) => statusCode))], [1, new Set([200])])
})
