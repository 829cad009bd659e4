/** HTTP: what holds for every request and answer, whatever the route. */
import assert from 'node:assert/strict'
import { request as httpRequest, type IncomingHttpHeaders, METHODS } from 'node:http'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { buildApp } from '../src/app.ts'
import { ensureDefaultTenant } from '../src/features/tenants/tenants.ts'
import { Database } from '../src/platform/database/database.ts'
import { UnavailableError } from '../src/platform/database/errors.ts'
import { readConfig } from '../src/platform/settings/config.ts'
import { unfold } from './contract.ts'
import { createDatabase } from './database.ts'
import { dump } from './dump.ts'
import { speak } from './sockets.ts'
import { createWorld, type Json, mailboxKey, password } from './world.ts'

const world = await createWorld()
const document = unfold(world.app.swagger())
const { hostname, port } = new URL(world.url)
const { ann, cleo, dan, path: acme, id: orgId, members } = await world.organization()
const ended = await world.signIn(ann)
await ended.post('/api/auth/sign-out')
const ids: Readonly<Record<string, string>> = {
  orgId,
  memberId: members.cleo.id,
  inviteId: 'inv_01k9zq3v5hf8gs4m2y7c6t0wdn',
  userId: ann.id,
  deviceId: 'dev_01k9zq3v5hf8gs4m2y7c6t0wdn',
}

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly takesBody: boolean
  readonly needsSession: boolean
}
const paths = Object.entries<Json>(document.paths).map(([template, methods]) => ({
  template,
  path: template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? ''),
  methods: Object.keys(methods).map((method) => method.toUpperCase()),
}))
const operations: Operation[] = paths.flatMap(({ template, path, methods }) =>
  methods.map((method) => {
    const operation = document.paths[template][method.toLowerCase()]
    return {
      name: `${method} ${template}`,
      method,
      path,
      takesBody: Boolean(operation.requestBody),
      needsSession: operation.security.some((way: Json) => 'session' in way) && Boolean(operation.responses['401']),
    }
  }),
)
const guarded = operations.filter(({ needsSession, name }) => needsSession && !name.endsWith('/verify-email'))

interface Plain {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly code: string | undefined
}

/** A request as it stands here, with nothing added by a client library. */
function send(
  method: string,
  path: string,
  headers: Record<string, string | string[]> = {},
  body?: string | Buffer,
): Promise<Plain> {
  return new Promise((resolve, reject) => {
    const length =
      body === undefined || 'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(body) }
    const request = httpRequest(
      { hostname, port, method, path, headers: { ...headers, ...length }, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const isProblem = response.headers['content-type']?.startsWith('application/problem+json') && text !== ''
          const code: string | undefined = isProblem ? JSON.parse(text).code : undefined
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, code })
        })
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

const bearer = { authorization: `Bearer ${ann.token}` }
const json = { 'content-type': 'application/json' }

test('an unknown path is 404, whoever asks and whatever is sent', async () => {
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

test('a path that cannot be decoded is the caller’s fault', async () => {
  for (const path of ['/api/%zz', '/api/organizations/%', '/api/organizations/%ff%fe', '/%c0%ae%c0%ae/etc/passwd']) {
    const answer = await send('GET', path, bearer)
    assert.ok([400, 404].includes(answer.status), `${path}: ${answer.status}`)
    holdHeaders(answer, path)
  }
})

test('a known path under another method is 405, and says which methods it has', async () => {
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
        holdHeaders(answer, `${method} ${path}`)
      }
    }
  }
  const withBody = await send('PUT', '/api/users/me', { 'content-type': 'text/plain' }, 'x'.repeat(70_000))
  assert.equal(withBody.status, 405)
})

test('what is read is not changed by it: no GET writes more than when a session was used', async () => {
  const tess = await world.tenantAdmin()
  const { body: invitation } = await ann.post(`${acme}/invites`, { email: 'read@example.com' })
  const state = async () =>
    (await dump(world.postgres.ask)).split('\n').filter((row) => !row.startsWith('public.sessions '))
  const before = await state()
  for (const { name, method, path } of operations) {
    if (method !== 'GET') continue
    const { token } = path.startsWith('/api/admin') ? tess : ann
    const headers = { authorization: `Bearer ${token}`, 'guildhall-mailbox-key': mailboxKey }
    assert.equal((await send(method, path.replace(ids.inviteId ?? '', invitation.id), headers)).status, 200, name)
  }
  assert.deepEqual(await state(), before)
})

test('unusual methods are refused like any other: 405 on a known path, 404 on an unknown one', async () => {
  for (const method of METHODS) {
    if (method === 'CONNECT') continue
    assert.equal((await send(method, '/api/none')).status, 404, method)
    if (['GET', 'HEAD', 'PATCH', 'DELETE'].includes(method)) continue
    const answer = await send(method, acme, bearer, method === 'PROPFIND' ? '<propfind/>' : undefined)
    assert.deepEqual([answer.status, answer.headers.allow], [405, 'DELETE, GET, HEAD, PATCH'], method)
    holdHeaders(answer, method)
  }
})

test('/api leads to the reference', async () => {
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

test('an expectation that nobody knows is passed over', async () => {
  const answer = await send('GET', '/api/users/me', { ...bearer, expect: 'miracles' })
  assert.deepEqual([answer.status, answer.headers['content-type']?.toString().split(';')[0]], [200, 'application/json'])
})

test('HEAD answers what GET answers, without the body', async () => {
  for (const { name, method, path } of operations) {
    if (method !== 'GET') continue
    for (const headers of [{ ...bearer, 'guildhall-mailbox-key': mailboxKey }, {}]) {
      const [head, get] = [await send('HEAD', path, headers), await send('GET', path, headers)]
      assert.equal(head.status, get.status, name)
      assert.equal(head.text, '', name)
      assert.equal(head.headers['content-type'], get.headers['content-type'], name)
      assert.equal(head.headers['content-length'], get.headers['content-length'], name)
    }
  }
})

for (const { name, method, path, takesBody } of guarded) {
  test(`${name} checks size and media type, credential, form, session, in this order`, async () => {
    if (method !== 'GET') {
      // Only the head of the request: nobody has to send what will not be read.
      const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 65537\r\n\r\n`
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
    // A session that ended and a form that does not fit: the form is judged first.
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

test('an ended session is 401 before anything of an organization or a conflict is told', async () => {
  const slug = (await ann.post('/api/organizations', { name: 'Taken' })).body.slug
  const foreign = (await dan.post('/api/organizations', { name: 'Foreign' })).body.id

  assert.equal((await ended.get(`/api/organizations/${foreign}`)).status, 401)
  assert.equal((await ended.patch(acme, { slug })).status, 401)
  assert.equal((await dan.patch(acme, { slug })).status, 404)
  assert.equal((await cleo.patch(acme, { slug })).status, 403)
  assert.equal((await ann.patch(acme, { slug })).status, 409)
})

test('bodies are JSON: any other media type or encoding is 415', async () => {
  for (const { name, method, path, takesBody } of operations) {
    if (!takesBody) continue
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'multipart/form-data; boundary=x' },
      { 'content-type': 'text/json' },
      { 'content-type': 'application/jsonp' },
      { 'content-type': 'application/json; charset=latin1' },
      { 'content-type': 'application/xml' },
      { 'content-type': 'nonsense' },
      { 'content-type': '' },
      {},
      { ...json, 'content-encoding': 'gzip' },
    ] as Record<string, string>[]) {
      const answer = await send(method, path, { ...bearer, ...headers }, '{}')
      assert.deepEqual(
        [answer.status, answer.code],
        [415, 'unsupported_media_type'],
        `${name} ${JSON.stringify(headers)}`,
      )
    }
  }
  for (const type of [
    'application/json',
    'APPLICATION/JSON; charset=UTF-8',
    'application/merge-patch+json',
    'application/json;charset="utf-8"',
  ]) {
    const answer = await send('PATCH', '/api/users/me', { ...bearer, 'content-type': type }, '{"name":"Ann"}')
    assert.equal(answer.status, 200, type)
  }
})

test('what is not JSON in UTF-8 is malformed, and nothing is guessed', async () => {
  for (const body of [
    '{',
    '{"name":"Ann"',
    '{"name":}',
    "{'name':'Ann'}",
    '{"name":"Ann",}',
    '{name:"Ann"}',
    'NaN',
    'undefined',
    '{"name":"An\nn"}',
    '{}{}',
    '01',
    '{"name":"\\x41"}',
    '/* */{}',
    Buffer.from([0x7b, 0x22, 0x6e, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]),
    Buffer.from([0x7b, 0x22, 0x6e, 0x22, 0x3a, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d]),
    Buffer.from('{"name":"Ann"}', 'utf16le'),
    Buffer.from([0xc0, 0x80]),
    '\u0000',
  ]) {
    const answer = await send('PATCH', '/api/users/me', { ...bearer, ...json }, body)
    assert.deepEqual([answer.status, answer.code], [400, 'malformed_json'], String(body))
  }
  assert.equal((await ann.get('/api/users/me')).body.name, 'Ann')
})

test('a body may be as large as the limit and not a byte larger, announced or not', async () => {
  const { length } = '{"metadata":{"text":""}}'
  const body = (size: number) => `{"metadata":{"text":"${'x'.repeat(size - length)}"}}`
  const chunked = { ...bearer, ...json, 'transfer-encoding': 'chunked' }

  assert.equal((await send('PATCH', '/api/users/me', { ...bearer, ...json }, body(65_536))).code, 'invalid_request')
  assert.equal((await send('PATCH', '/api/users/me', chunked, body(65_536))).code, 'invalid_request')
  assert.equal((await send('PATCH', '/api/users/me', { ...bearer, ...json }, body(65_537))).code, 'too_large')
  assert.equal((await send('PATCH', '/api/users/me', chunked, body(65_537))).code, 'too_large')
})

test('bodies nested thirty thousand levels deep are refused like any other', async () => {
  const arrays = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
  const objects = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  for (const nested of [arrays, objects]) {
    for (const body of [nested, `{"metadata":${nested}}`, `{"metadata":{"a":${nested}}}`, `{"name":${nested}}`]) {
      const answer = await send('PATCH', '/api/users/me', { ...bearer, ...json }, body)
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_request'])
    }
    assert.equal((await send('POST', '/api/auth/sign-out', json, nested)).status, 400)
  }
})

test('no body of 64 KiB keeps the service busy for long', { timeout: 10_000 }, async () => {
  const repeated = (depth: number, times: number) =>
    `${'['.repeat(depth)}{${Array(times).fill('"":1').join()}}${']'.repeat(depth)}`
  const bodies = [
    ...[31, 2_000, 6_000, 20_000].map((depth) => repeated(depth, 8_000 - Math.ceil(depth / 2.5) + 1)),
    `{${Array.from({ length: 31 }, (_, depth) => `"${'k'.repeat(2_000)}${depth}":{`).join('')}${'}'.repeat(31)},"":1,"":2}`,
    JSON.stringify({ name: '\u0300\u0323\u0327\u0316'.repeat(8_000) }),
    JSON.stringify({ email: `${'\u0300\u0323'.repeat(8_000)}@example.com`, locale: 'x-'.repeat(10_000) }),
    `{"metadata":{"a":[${Array(10_000).fill('1e308').join()}]}}`,
  ]
  for (const body of bodies) {
    const { status, code } = await send('PATCH', '/api/users/me', { ...bearer, ...json }, body)
    assert.deepEqual([status, code], [400, 'invalid_request'], body.slice(0, 80))
  }
})

test('a route without a body takes none or {}, with any content type or none', async () => {
  for (const { name, method, path, takesBody, needsSession } of operations) {
    if (takesBody || method === 'GET') continue
    const expected = needsSession ? 401 : 204
    for (const type of [
      undefined,
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'nonsense/type; x=y',
    ]) {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
      for (const body of [undefined, '', '{}', ' {} \n']) {
        const { status } = await send(method, path, headers, body)
        assert.equal(status, expected, `${name} with ${JSON.stringify(body)} as ${type}`)
      }
    }
    for (const [body, code] of [
      ['{"a":1}', 'invalid_request'],
      ['[]', 'invalid_request'],
      ['null', 'invalid_request'],
      ['"x"', 'invalid_request'],
      ['{"__proto__":1}', 'invalid_request'],
      ['{', 'malformed_json'],
    ] as const) {
      const answer = await send(method, path, { ...json, authorization: `Bearer ${ended.token}` }, body)
      assert.deepEqual([answer.status, answer.code], [400, code], `${name} with ${body}`)
    }
    assert.equal((await send(method, path, { 'content-type': 'text/plain' }, 'text')).status, 415, name)
  }
})

/** What every answer carries, and what none does. */
function holdHeaders({ headers }: Pick<Plain, 'headers'>, what: string): void {
  assert.equal(headers['x-content-type-options'], 'nosniff', what)
  assert.equal(headers['referrer-policy'], 'no-referrer', what)
  assert.equal(headers['cross-origin-resource-policy'], 'same-origin', what)
  assert.match(
    headers['content-security-policy']?.toString() ?? '',
    /^default-src 'none'; .*frame-ancestors 'none'/,
    what,
  )
  assert.match(headers['x-request-id']?.toString() ?? '', /^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/, what)
  for (const name of ['server', 'x-powered-by', 'access-control-allow-origin']) {
    assert.equal(headers[name], undefined, `${what} carries ${name}`)
  }
}

test('every answer carries the security headers, errors too, and is kept by no cache', async () => {
  const answers: [number, Plain][] = [
    [200, await send('GET', '/livez')],
    [200, await send('GET', '/readyz')],
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
    holdHeaders(answer, String(status))
  }
  for (const path of ['/', '/docs', '/docs/problems', '/openapi.json', '/mailbox', '/invitation', '/pages/page.css']) {
    holdHeaders(await send('GET', path), path)
  }
  assert.equal(answers[0]?.[1].headers['strict-transport-security'], undefined)
})

test('behind TLS, and only there, answers ask for TLS from then on', async () => {
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

test('request ids are made here, never taken from the caller, and never twice the same', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => send('GET', '/livez', { 'x-request-id': 'mine', 'request-id': 'mine' })),
  )
  assert.equal(new Set(answers.map(({ headers }) => headers['x-request-id'])).size, 20)
})

test('a forwarding header of a stranger changes nothing', async () => {
  const { body } = await world.nobody.post(
    '/api/auth/sign-in',
    { email: ann.email, password },
    { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7', 'x-real-ip': '203.0.113.7' },
  )
  assert.equal(body.session.device.ip, '127.0.0.1')
})

test('logs say route and status, and nothing of what people sent', async (t) => {
  const own = await createDatabase()
  t.after(() => own.drop())
  const database = new Database(own.url)
  await ensureDefaultTenant(database)
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const log = { level: 'trace', stream }
  const app = await buildApp({ config: readConfig({}), database, keyring: world.keyring }, { log, mailboxKey })
  t.after(async () => {
    await app.close()
    await database.close()
  })
  const signedUp = await app.inject({
    method: 'POST',
    url: '/api/auth/sign-up',
    headers: { 'user-agent': 'Marked-Agent/1.0' },
    payload: { email: 'marked-address@example.com', password: 'marked passphrase', name: 'Marked Name' },
  })
  assert.equal(signedUp.statusCode, 201)
  const { token } = signedUp.json().session
  const headers = { authorization: `Bearer ${token}`, cookie: 'other=marked-cookie' }
  await own.ask('alter table users alter column locale set default $$marked$$')
  for (const request of [
    { url: '/api/users/me', headers },
    { url: '/api/organizations?query=marked-query', headers },
    { url: '/api/organizations/marked-slug', headers },
    { url: '/api/marked-path?marked=query', headers },
    { url: '/api/%zz-marked', headers },
    { url: '/api/mailbox?to=marked-address@example.com', headers: { 'guildhall-mailbox-key': 'marked-key' } },
    { method: 'POST', url: '/api/auth/sign-in', payload: { email: 'marked-address@example.com', password: 'marked' } },
    {
      method: 'POST',
      url: '/api/auth/sign-in',
      payload: { email: 'marked@example.com', password: 'marked', marked: 1 },
    },
    {
      method: 'POST',
      url: '/api/auth/sign-up',
      payload: { email: 'marked-address@example.com', password: 'marked passphrase' },
    },
    {
      method: 'PATCH',
      url: '/api/users/me',
      headers,
      payload: { name: 'Marked Again', metadata: { marked: 'marked' } },
    },
    {
      method: 'PATCH',
      url: '/api/users/me',
      headers: { ...headers, 'content-type': 'text/marked' },
      payload: 'marked',
    },
  ] as const) {
    await app.inject(request)
  }
  // What nobody foresaw: PostgreSQL tells the whole row in the detail of its error.
  await own.ask(`update users set locale = 'en'`)
  await own.ask('alter table users alter column locale set not null')
  const failed = await app.inject({ method: 'PATCH', url: '/api/users/me', headers, payload: { locale: null } })
  assert.equal(failed.statusCode, 500)
  // Where a table has no wall, it tells the row in earnest.
  const error = await database
    .acrossTenants((sql) => sql`insert into tenants (id, slug, name) values (gen_random_uuid(), 'marked', null)`)
    .catch((refusal: Json) => refusal)
  assert.match(error.detail, /marked/)
  app.log.error({ err: error, name: 'Marked Name', user: { name: 'Marked Name' } }, 'failed')
  const { err, name, user } = JSON.parse(lines.at(-1) ?? '')
  assert.deepEqual([err.type, err.code, err.cause], ['DatabaseError', '23502', undefined])
  assert.deepEqual(Object.keys(err), ['type', 'code', 'message', 'stack'])
  assert.deepEqual([name, user.name], ['[redacted]', '[redacted]'])
  app.log.error({ err: new UnavailableError(error) }, 'failed')
  const { err: outer } = JSON.parse(lines.at(-1) ?? '')
  assert.deepEqual([outer.type, outer.cause.type], ['UnavailableError', 'DatabaseError'])
  const circle = new AggregateError([new Error('one of several')], 'several')
  circle.cause = circle
  app.log.error({ err: circle }, 'failed')
  const { err: several } = JSON.parse(lines.at(-1) ?? '')
  assert.deepEqual([several.errors[0].message, several.cause.cause.cause.cause], ['one of several', undefined])

  for (const line of lines) assert.match(JSON.parse(line).time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const text = lines.join('')
  assert.match(text, /"route":"\/api\/organizations\/:orgId"/)
  assert.match(text, /"requestId":"req_/)
  assert.match(text, /null value in column/)
  assert.match(text, /"code":"invalid_credentials","msg":"refused"/)
  for (const secret of [/marked/i, /\?/, new RegExp(token.slice(31)), /argon2id/, /Bearer /]) {
    assert.doesNotMatch(text.replaceAll('null value in column', ''), secret)
  }
})

test('text of every writing comes back as it was sent, composed', async () => {
  const names = [
    '李小龍',
    'Zoë Ångström',
    'Zoe\u0308',
    'مريم بنت سعيد',
    'שרה',
    'नमस्ते',
    '👩‍👩‍👧‍👦 & co.',
    '🦄'.repeat(100),
    'a\u0300\u0301\u0302\u0303\u0304',
    'ß İ ı ﬃ',
    '<script>alert(1)</script>',
    `Robert'); drop table users;--`,
    '{{7*7}} #{7*7} %s %00 \\u0000',
    'null',
    'ᾷ',
    '\u{10ffff}',
  ]
  for (const name of names) {
    const composed = name.normalize('NFC')
    const user = await ann.patch('/api/users/me', { name })
    assert.deepEqual([user.status, user.body.name], [200, composed], JSON.stringify(name))
    const created = await ann.post('/api/organizations', { name, metadata: { [name]: [name, { [name]: name }] } })
    assert.deepEqual([created.status, created.body.name], [201, composed])
    const { body } = await ann.get(`/api/organizations/${created.body.slug}`)
    assert.equal(body.name, composed)
    assert.deepEqual(body.metadata, { [name]: [name, { [name]: name }] })
    const found = await ann.get(`/api/organizations?query=${encodeURIComponent([...name].slice(0, 20).join(''))}`)
    assert.ok(
      found.body.data.some(({ id }: Json) => id === body.id),
      `${name} is not found by its beginning`,
    )
  }
})

test('metadata keeps every key and value that JSON has', async () => {
  const metadata = JSON.parse(
    `{"":0,"constructor":1,"toString":"x","hasOwnProperty":false,"toJSON":{},"$ref":"#/a","a.b":[[],{}],"length":-1,"0":"zero",
      "large":1e21,"small":1e-7,"exact":9007199254740991,"fraction":0.1,"yes":true,"line":"\\u2028\\u2029\\u0001\\u007f\\ufeff\\uffff","prototype":{"a":1}}`,
  )
  const { status } = await ann.patch('/api/users/me', { metadata })
  assert.equal(status, 200)
  assert.deepEqual((await ann.get('/api/users/me')).body.metadata, metadata)
})

test('a field that is given twice is refused by its name, and an array may repeat its values', async () => {
  const twice = (raw: string) => ann.request('/api/users/me', { method: 'PATCH', raw })
  for (const [raw, pointer] of [
    ['{"name":"Ann","name":"Eve"}', '/name'],
    ['{"name":"Ann","na\\u006de":"Eve"}', '/name'],
    ['{"metadata":{"list":[1,{"a":1},{"b":2,"b":3}]}}', '/metadata/list/2/b'],
    ['{"metadata":{"a/b":{"~":1,"~":2}}}', '/metadata/a~1b/~0'],
  ] as const) {
    const { status, body } = await twice(raw)
    assert.deepEqual([status, body.errors?.[0].pointer, body.errors?.[0].code], [400, pointer, 'not_allowed'], raw)
  }
  for (const raw of [
    '{"metadata":{"a":{"x":1},"b":{"x":1},"list":["x","x",[],[]],"text":"{\\"x\\":1,\\"x\\":2}"}}',
    '{"name":":","metadata":{":":"{","{":":"}}',
  ]) {
    assert.equal((await twice(raw)).status, 200, raw)
  }
})

test('a request names one host, in the form of one', async () => {
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

test('however many ask whether it is ready, the database is asked once', async (t) => {
  const { mock } = t.mock.method(world.database, 'acrossTenants') // which goes on doing what it does
  const answers = await Promise.all(Array.from({ length: 50 }, () => world.nobody.get('/readyz')))
  assert.ok(answers.every(({ status }) => status === 200))
  assert.ok(mock.callCount() <= 2, `${mock.callCount()} times`) // where a second ends in between
})

test('metadata is as large as the database writes it', async () => {
  const few = Array.from({ length: 20 }, () => 1e308)
  assert.equal((await ann.patch('/api/users/me', { metadata: { few } })).status, 200)
  const many = Array.from({ length: 30 }, () => 1e308)
  const { status, body } = await ann.patch('/api/users/me', { metadata: { many } })
  assert.deepEqual([status, body.errors?.[0].code], [400, 'too_long'])
})
