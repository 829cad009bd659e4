/** The client on the real service: lists, refusals, versions, and an unreliable network. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createGuildhall } from '../../test/patient-client.ts'
import { createWorld, type Person } from '../../test/world.ts'
import { listFilters } from './api.ts'
import { type ErrorCode, GuildhallError, invitationIdOf, isGuildhallError, type TokenOptions } from './index.ts'

const world = await createWorld()
const { url } = world

const as = ({ token }: Person, options: Partial<TokenOptions> = {}) => createGuildhall({ url, token, ...options })

/** @returns the error of a call */
async function errorOf(call: Promise<unknown>): Promise<GuildhallError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof GuildhallError, String(error))
  return error
}
const errorCodeOf = async (call: Promise<unknown>): Promise<ErrorCode> => (await errorOf(call)).code

/** A network that handles each request by its own step, in order. */
function network(...steps: ((request: Request, init?: RequestInit) => Promise<Response>)[]) {
  const sent: Request[] = []
  return {
    sent,
    fetch: (request: Request, init?: RequestInit) => {
      const step = steps[sent.length] ?? fetch
      sent.push(request)
      return step(request, init)
    },
  }
}
const lost = (): Promise<never> => Promise.reject(new TypeError('fetch failed'))
/** The request arrives, and its answer is lost. */
const answerLost = async (request: Request) => {
  await (await fetch(request)).text()
  return lost()
}
const refuse =
  (status: number, headers: Record<string, string> = {}) =>
  async () =>
    new Response('<h1>Try again</h1>', { status, headers })
const silent = (_: Request, init: RequestInit = {}) =>
  new Promise<never>((_resolve, reject) =>
    init.signal?.addEventListener('abort', () => reject(init.signal?.reason), { once: true }),
  )

test('a list is read to its end, and no page is fetched that is not used', async () => {
  const ann = await world.person()
  const all = network()
  const { organizations } = as(ann, all)
  const names = ['A', 'B', 'C', 'D', 'E'].map((letter) => `Acme ${letter}`)
  for (const name of names) await organizations.create({ name })
  all.sent.length = 0

  const read: string[] = []
  for await (const { name } of organizations.list({ limit: 2 })) read.push(name)
  assert.deepEqual([read, all.sent.length], [names, 3])

  for await (const { name } of organizations.list({ limit: 2 })) if (name === names[1]) break
  assert.equal(all.sent.length, 4)
})

test('a page has a cursor, and a list continues from it', async () => {
  const { ann, id } = await world.organization()
  const { members } = as(ann).organizations

  const first = await members.list(id, { limit: 2, sort: 'name' }).page()
  assert.deepEqual(
    first.data.map(({ user }) => user.name),
    ['Ann', 'Ben'],
  )
  const cursor = first.nextCursor ?? ''
  const rest: (string | null)[] = []
  for await (const { user } of members.list(id, { limit: 2, sort: 'name', cursor })) rest.push(user.name)
  assert.deepEqual(rest, ['Cleo'])
  assert.equal(await errorCodeOf(members.list(id, { sort: 'email', cursor }).page()), 'invalid_cursor')

  const tess = await world.tenantAdmin()
  const { total } = await as(tess).admin.users.list({ limit: 1, includeTotal: true, organizationId: id }).page()
  assert.equal(total, 3)
})

test('a refusal is an error with its code and all faults', async () => {
  const { ann, id, members } = await world.organization()
  const guildhall = as(ann)

  const error = await errorOf(guildhall.organizations.members.update(id, members.ann.id, { role: 'member' }))
  assert.deepEqual([error.code, error.status, error.errors], ['last_owner', 409, []])
  assert.match(error.message, /^An organization must keep at least one owner\. First make another/)
  assert.match(error.requestId ?? '', /^req_/)
  assert.ok(isGuildhallError(error, 'last_admin', 'last_owner') && !isGuildhallError(error, 'slug_taken'))

  const { errors } = await errorOf(guildhall.organizations.create({ name: '', slug: 'A' }))
  assert.deepEqual(
    errors.map(({ pointer, code }) => [pointer, code]),
    [
      ['/name', 'too_short'],
      ['/slug', 'too_short'],
    ],
  )

  const taken = { email: 'zoe@example.com' }
  const { id: first } = await guildhall.organizations.invitations.create(id, taken)
  const { problem } = await errorOf(guildhall.organizations.invitations.create(id, taken))
  assert.equal(problem?.invitationId, first)
})

test('a change by somebody else is not overwritten', async () => {
  const { ann, ben, id } = await world.organization()
  const { etag } = await as(ann).organizations.get(id)
  const changed = await as(ben).organizations.update(id, { name: 'Ben was here' }, { ifMatch: etag })

  assert.equal(
    await errorCodeOf(as(ann).organizations.update(id, { name: 'Ann' }, { ifMatch: etag })),
    'version_mismatch',
  )
  assert.equal((await as(ann).organizations.update(id, { name: 'Ann' }, { ifMatch: changed.etag })).name, 'Ann')
})

test('each request names the tenant, and asks the source for the token', async () => {
  const { slug } = await world.tenant()
  const there = await world.person('Ann', { tenant: slug })
  const tokens = [there.token, 'ghs_nobody']
  const token = async () => tokens.shift()
  const guildhall = createGuildhall({ url: `${url}/`, tenant: slug, token })

  assert.equal((await guildhall.me.get()).id, there.id)
  assert.equal(await errorCodeOf(guildhall.me.get()), 'unauthenticated')
  assert.equal(await errorCodeOf(guildhall.me.get()), 'unauthenticated')
  assert.equal((await guildhall.tenant.get()).slug, slug)
  assert.equal(await errorCodeOf(as(there, { tenant: 'default' }).me.get()), 'tenant_mismatch')
})

test('cookies are sent only with a cookie session, and responses never come from a cache', async () => {
  const line = network(refuse(500), refuse(500))
  await errorOf(createGuildhall({ url, ...line }).tenant.get())
  await errorOf(createGuildhall({ url, ...line, session: 'cookie' }).tenant.get())
  assert.deepEqual(
    line.sent.map(({ credentials, cache }) => [credentials, cache]),
    [
      ['omit', 'no-store'],
      ['same-origin', 'no-store'],
    ],
  )
})

test('an id that would change the path is not sent', async () => {
  const ann = await world.person()
  const line = network()
  const { me, organizations } = as(ann, line)
  for (const name of ['', '.', '..', undefined as unknown as string])
    assert.equal(await errorCodeOf(me.devices.end(name)), 'invalid_id', name)
  assert.equal(await errorCodeOf(organizations.members.remove('..', 'me')), 'invalid_id')
  assert.equal(line.sent.length, 0)
  assert.equal(await errorCodeOf(organizations.get('../users/me')), 'invalid_id')
  assert.equal(await errorCodeOf(organizations.get('%2e%2e')), 'invalid_id')
})

test('a reading request is retried as often as configured', async () => {
  const ann = await world.person()
  const bad = network(lost, refuse(503, { 'retry-after': '0' }))
  assert.equal((await as(ann, bad).me.get()).id, ann.id)
  assert.equal(bad.sent.length, 3)

  const worse = network(lost, refuse(502), lost)
  const { code, cause } = await errorOf(as(ann, worse).me.get())
  assert.deepEqual([code, cause instanceof TypeError, worse.sent.length], ['unreachable', true, 3])

  const once = network(lost)
  assert.equal(await errorCodeOf(as(ann, { ...once, retries: 0 }).me.get()), 'unreachable')
  assert.equal(once.sent.length, 1)
})

test('a request that changes nothing is retried, also if it is no GET', async () => {
  const { ann, id } = await world.organization()
  const { organizations } = as(ann)
  const { url: address } = await organizations.links.create(id, {})
  const token = /#token=(.+)/.exec(address ?? '')?.[1] ?? assert.fail()
  const { id: inviteId } = await organizations.invitations.create(id, { email: 'zoe@example.com', role: 'member' })
  for (const [call, expected] of [
    [({ auth }) => auth.passkeyOptions(), undefined],
    [({ links }) => links.preview({ token }), undefined],
    [({ invitations }) => invitations.preview(inviteId, { token: 'x' }), 'not_found'],
    [({ auth }) => auth.previewEndSession({ token: 'x' }), 'token_spent'],
  ] satisfies [(guildhall: ReturnType<typeof as>) => Promise<unknown>, ErrorCode | undefined][]) {
    const bad = network(answerLost, refuse(503, { 'retry-after': '0' }))
    const code = await call(as(ann, bad)).then(
      () => undefined,
      (error: GuildhallError) => error.code,
    )
    assert.deepEqual([code, bad.sent.length], [expected, 3], String(call))
  }
})

test('a request with a key is retried with the same key, and is done once', async () => {
  const ann = await world.person()
  const bad = network(answerLost, refuse(409, { 'retry-after': '0' }))
  const { organizations } = as(ann, bad)

  const made = await organizations.create({ name: 'Acme' })
  assert.equal(bad.sent.length, 3)
  assert.equal(new Set(bad.sent.map(({ headers }) => headers.get('idempotency-key'))).size, 1)
  const { data } = await organizations.list().page()
  assert.deepEqual(
    data.map(({ id }) => id),
    [made.id],
  )

  const options = { idempotencyKey: 'a "key" of \\ ours' }
  const one = await organizations.create({ name: 'Widgets' }, options)
  assert.equal((await organizations.create({ name: 'Widgets' }, options)).id, one.id)
  assert.equal(await errorCodeOf(organizations.create({ name: 'Gadgets' }, options)), 'idempotency_key_reused')
  assert.equal(bad.sent.at(-1)?.headers.get('idempotency-key'), String.raw`"a \"key\" of \\ ours"`)
})

test('a request that could be done twice is sent once', async () => {
  const { ann, id, members } = await world.organization()
  for (const step of [answerLost, refuse(503, { 'retry-after': '0' }), refuse(429, { 'retry-after': '0' })]) {
    const bad = network(step)
    const { organizations, auth, me } = as(ann, bad)
    for (const call of [
      () => organizations.members.update(id, members.cleo.id, { role: 'admin' }),
      () => me.devices.endOthers(),
      () => auth.resendVerification(),
    ]) {
      bad.sent.length = 0
      await errorOf(call())
      assert.equal(bad.sent.length, 1)
    }
  }
})

test('a change of an organization whose slug reads like a preview is sent once', async () => {
  const ann = await world.person()
  await as(ann).organizations.create({ name: 'Preview', slug: 'preview' })
  const bad = network(answerLost, answerLost)
  const { organizations } = as(ann, bad)
  for (const call of [
    () => organizations.update('preview', { name: 'Review' }),
    () => organizations.delete('preview', { confirm: 'preview' }),
  ]) {
    bad.sent.length = 0
    assert.equal(await errorCodeOf(call()), 'unreachable')
    assert.equal(bad.sent.length, 1)
  }
})

test('an answer that asks for a long wait is an error with the length of the wait', async () => {
  const ann = await world.person()
  const busy = network(refuse(429, { 'retry-after': '11' }))
  const error = await errorOf(as(ann, busy).me.get())
  assert.deepEqual([error.status, error.retryAfter, busy.sent.length], [429, 11, 1])

  const soon = new Date(Date.now() + 60_000).toUTCString()
  const { retryAfter = 0 } = await errorOf(as(ann, network(refuse(503, { 'retry-after': soon }))).me.get())
  assert.ok(retryAfter > 50 && retryAfter <= 60)
})

test('a signal ends a request, also while it waits for a retry', async () => {
  const ann = await world.person()
  const stop = new AbortController()
  const reason = new Error('enough')
  const busy = network(async () => {
    setTimeout(() => stop.abort(reason), 20)
    return new Response('', { status: 503, headers: { 'retry-after': '4' } })
  })
  await assert.rejects(as(ann, busy).me.get({ signal: stop.signal }), reason)
  await assert.rejects(
    as(ann)
      .organizations.list({}, { signal: AbortSignal.abort(reason) })
      .page(),
    reason,
  )
  assert.equal(busy.sent.length, 1)
})

test('a request without an answer ends after the timeout', async () => {
  const ann = await world.person()
  const still = network(silent)
  const change = await errorOf(as(ann, { ...still, timeout: 20 }).me.devices.endOthers())
  assert.deepEqual([change.code, still.sent.length], ['unanswered', 1])
  assert.match(change.message, /in time\. The request may or may not have succeeded\.$/)
  still.sent.length = 0
  const read = await errorOf(as(ann, { ...network(silent, silent, silent), timeout: 20 }).me.get())
  assert.deepEqual([read.code, read.message], ['unanswered', 'Guildhall did not answer in time.'])
})

test('a source of tokens or a network that heeds no signal holds no call for longer than the timeout and the signal', async () => {
  const never = () => new Promise<never>(() => {})
  const late = { url: world.url, timeout: 20 }
  assert.equal(await errorCodeOf(createGuildhall({ ...late, token: never }).me.get()), 'unanswered')
  assert.equal(await errorCodeOf(createGuildhall({ ...late, token: 'ghs_1', fetch: never }).me.get()), 'unanswered')

  const stop = new AbortController()
  const reading = createGuildhall({ url: world.url, token: never }).me.get({ signal: stop.signal })
  stop.abort(new Error('enough'))
  await assert.rejects(reading, /enough/)
})

test('as many retries as are wanted are made, with pauses of ten seconds at most', async (t) => {
  const unreachable = network(...Array(10).fill(lost))
  const delays: number[] = []
  t.mock.method(globalThis, 'setTimeout', (end: () => void, delay = 0) => {
    if (delay < 2 ** 31 - 1) delays.push(delay)
    if (delay < 2 ** 31 - 1) queueMicrotask(end)
  })
  const { me } = createGuildhall({ url: world.url, token: 'ghs_1', retries: 9, timeout: Infinity, ...unreachable })
  assert.equal(await errorCodeOf(me.get()), 'unreachable')
  assert.deepEqual([unreachable.sent.length, delays.length, Math.max(...delays) <= 10_000], [10, 9, true])
})

test('the timeout is for all attempts together', async () => {
  const ann = await world.person()
  const still = network(silent, silent, silent)
  assert.equal(await errorCodeOf(as(ann, { ...still, timeout: 20 }).me.get()), 'unanswered')
  assert.equal(still.sent.length, 1)
  const busy = network(refuse(503, { 'retry-after': '9' }))
  const { status, retryAfter } = await errorOf(as(ann, { ...busy, timeout: 8_000 }).me.get())
  assert.deepEqual([status, retryAfter, busy.sent.length], [503, 9, 1], 'there is no time for another')
})

test('what a server asks at each request of its own has five seconds, and all else 35', async (t) => {
  const { ann, id } = await world.organization()
  const { token: key } = await world.key(['credentials:verify'])
  const timers = t.mock.method(globalThis, 'setTimeout')
  const longestOf = async (call: () => PromiseLike<unknown>) => {
    timers.mock.resetCalls()
    await call()
    const own = timers.mock.calls.filter(({ stack }) => stack.stack?.includes('/transport.ts')) // the service runs in this process
    return Math.max(...own.map(({ arguments: [, delay = 0] }) => delay))
  }
  const request = new Request(url, { headers: { authorization: `Bearer ${ann.token}` } })
  const timeout = undefined // as if the option was absent
  const guildhall = as(ann, { timeout })
  const backend = createGuildhall({ url, key, timeout })
  for (const asking of [
    () => guildhall.authenticate(request),
    () => guildhall.authenticate(request, { organization: id }),
    () => guildhall.check(id, 'members:read'),
    () => guildhall.caller({ organization: id }),
    () => guildhall.tokens.create(),
    () => backend.authenticate(request, { organization: id }),
    () => backend.credentials.verify({ credential: ann.token }),
  ])
    assert.equal(await longestOf(asking), 5_000, String(asking))
  for (const other of [
    () => guildhall.me.update({ name: 'Ann' }),
    () => guildhall.organizations.update(id, { name: 'Acme' }),
    () => guildhall.organizations.create({ name: 'Widgets' }),
    () => guildhall.organizations.members.list(id).page(),
  ])
    assert.equal(await longestOf(other), 35_000, String(other))
  assert.equal(await longestOf(() => as(ann, { timeout: 1_000 }).caller()), 1_000)
})

test('a timeout that no timer can count is the longest one', async (t) => {
  const ann = await world.person()
  const timers = t.mock.method(globalThis, 'setTimeout')
  for (const timeout of [Infinity, 2 ** 31]) {
    timers.mock.resetCalls()
    assert.equal((await as(ann, { timeout }).me.get()).id, ann.id)
    const delays = timers.mock.calls.map(({ arguments: [, delay = 0] }) => delay)
    assert.equal(Math.max(...delays), 2 ** 31 - 1)
  }
})

test('a server that is not Guildhall is an error, and a redirect gets no token', async (t) => {
  const ann = await world.person()
  const got: string[] = []
  const server = createServer((request, response) => {
    got.push(`${request.url} ${request.headers.authorization === undefined ? '' : 'with a token'}`)
    if (request.url === '/elsewhere') return response.end('{}')
    if (request.method === 'PATCH')
      return response.writeHead(404, { 'content-type': 'application/problem+json' }).end('{"title":"No","code":"no"}')
    if (request.method === 'GET') return response.end('<h1>Welcome</h1>')
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const guildhall = as(ann, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })

  assert.equal(await errorCodeOf(guildhall.me.get()), 'unexpected')
  assert.equal(await errorCodeOf(guildhall.organizations.create({ name: 'Acme' })), 'unexpected')
  assert.equal(await errorCodeOf(guildhall.me.update({ name: 'Ann' })), 'unexpected')
  assert.deepEqual(
    got,
    ['/api/users/me', '/api/organizations', '/api/users/me'].map((path) => `${path} with a token`),
  )
  assert.throws(() => createGuildhall({ url: 'accounts.example.com' }), TypeError)
  assert.throws(() => createGuildhall({ url: 'file:///etc/passwd' }), TypeError)
})

test('a list ends with an error if another server answers it', async () => {
  const ann = await world.person()
  const answering = (body: object | null) => async () =>
    new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
  for (const page of [null, { data: [] }, { data: [], nextCursor: 1 }, { data: {}, nextCursor: null }, {}]) {
    const { organizations } = as(ann, network(answering(page)))
    assert.equal(await errorCodeOf(organizations.list().page()), 'unexpected', JSON.stringify(page))
  }
  const nothing = network(async () => new Response(null, { status: 204 }))
  assert.equal(await errorCodeOf(as(ann, nothing).organizations.list().page()), 'unexpected')
  const round = answering({ data: [1], nextCursor: 'the same' })
  const read: unknown[] = []
  const goRound = async () => {
    for await (const item of as(ann, network(round, round, round)).organizations.list()) read.push(item)
  }
  assert.equal(await errorCodeOf(goRound()), 'unexpected')
  assert.deepEqual(read, [1])
})

test('a value that cannot be sent is refused with a code, and the error does not contain the token', async () => {
  for (const token of ['ghs_secret\r\nX: 1', 'ghs_secret\u20ac', 'ghs secret', 'ghs_secret\ud800', 'ghs_secret\0']) {
    const { sent, fetch } = network()
    const error = await errorOf(createGuildhall({ url, token, fetch }).me.get())
    assert.deepEqual([error.code, error.status, sent.length], ['unauthenticated', 401, 0])
    assert.doesNotMatch(`${error.message} ${error.stack} ${error.cause}`, /secret/)
  }
  const { organizations } = as(await world.person())
  assert.equal(await errorCodeOf(organizations.get('acme\ud800')), 'invalid_id')
  assert.equal(await errorCodeOf(organizations.list({ query: '\udc00' }).page()), 'invalid_request')
})

test('a header that cannot be sent rejects the call with the code of a refusal', async () => {
  const { sent, fetch } = network()
  const { organizations } = as(await world.person(), { fetch })
  for (const wrong of ['Rechnung-№', 'a\nb', 'a\0b', 'a\x7fb']) {
    const { code, status, message } = await errorOf(organizations.create({ name: 'Acme' }, { idempotencyKey: wrong }))
    assert.deepEqual([code, status], ['invalid_request', 400], JSON.stringify(wrong))
    assert.equal(message, '`idempotencyKey` contains invalid characters. Nothing was sent.')
    assert.equal(
      await errorCodeOf(organizations.update('acme', { name: 'Acme' }, { ifMatch: `"${wrong}"` })),
      'invalid_request',
    )
    assert.equal(await errorCodeOf(createGuildhall({ url, tenant: wrong, fetch }).tenant.get()), 'tenant_mismatch')
  }
  assert.equal(sent.length, 0)
  assert.equal((await createGuildhall({ url, tenant: 'default\n' }).tenant.get()).slug, 'default')
})

test('a filter is refused that would not be sent, or that is a list but takes one value', async () => {
  const { sent, fetch } = network()
  const { admin, me, organizations } = as(await world.tenantAdmin(), { fetch })
  const hook = 'whk_00000000000000000000000000'
  const nothing = undefined as never // as it is without types
  const calls: Record<string, () => Promise<unknown>> = {
    'id is an empty list': () => admin.users.list({ id: [] }).page(),
    'email is an empty list': () => admin.users.list({ email: [] }).page(),
    'action is an empty list': () => me.audit.list({ action: [] }).page(),
    'types is an empty list': () => admin.events.read({ types: [] }),
    'types is an empty list of what is followed': () =>
      organizations.events.follow('acme', { types: [] })[Symbol.asyncIterator]().next(),
    'types is an empty list of deliveries': () => admin.webhooks.deliveries(hook, { types: [] }).page(),
    'externalId is undefined': () => admin.users.list({ externalId: nothing }).page(),
    'externalId is null': () => admin.users.list({ externalId: null as never }).page(),
    'userId is undefined': () => admin.audit.list({ limit: 1, userId: nothing }).page(),
    'organizationId is undefined': () => admin.events.read({ organizationId: nothing }),
    'organizationId is undefined in what is followed': () =>
      admin.events.follow({ organizationId: nothing })[Symbol.asyncIterator]().next(),
    'types is undefined in what is followed': () =>
      organizations.events.follow('acme', { types: nothing })[Symbol.asyncIterator]().next(),
  }
  for (const [name, call] of Object.entries(calls)) {
    const { code, status, message } = await errorOf(call())
    assert.deepEqual([code, status], ['invalid_request', 400], name)
    assert.match(`\`${name.replace(' ', '` ')}`, new RegExp(`^${message.replace(/\. Nothing was sent\.$/, '')}( |$)`))
  }
  assert.equal(sent.length, 0)
  const several = { externalId: ['1', '2'] as never }
  for (const call of [
    () => admin.users.list(several).page(),
    () => admin.organizations.list(several).page(),
    () => admin.users.list({ query: ['ann', 'bob'] as never }).page(),
  ]) {
    const { code, message } = await errorOf(call())
    assert.equal(code, 'invalid_request')
    assert.match(message, /^`(externalId|query)` takes one value\. Nothing was sent\.$/)
  }
  assert.equal(sent.length, 0)

  const ofPage = { cursor: nothing, limit: nothing, sort: nothing, includeTotal: nothing }
  assert.equal((await admin.users.list({ role: 'admin', ...ofPage }).page()).nextCursor, null)
  assert.ok((await admin.events.read({ after: nothing })).data.length > 0)
})

test('the client knows which filters take a list', () => {
  type Parameter = { in?: string; name: string; schema: { type?: string } }
  const { paths, components } = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'))
  const operations = Object.values<Record<string, { parameters?: Parameter[] }>>(paths).flatMap(Object.values)
  const found = [
    ...operations.flatMap(({ parameters = [] }) => parameters),
    ...Object.values<Parameter>(components.parameters),
  ]
    .filter((parameter) => parameter.in === 'query' && parameter.schema.type === 'array')
    .map(({ name }) => name)
  assert.deepEqual([...new Set(found)].sort(), listFilters)
})

test('what the source of the token throws is thrown as it is', async () => {
  for (const reason of [new SyntaxError('of a token'), new URIError('of a token'), new Error('of a token')]) {
    const { sent, fetch } = network()
    const token = () => Promise.reject(reason)
    await assert.rejects(createGuildhall({ url, token, fetch }).me.get(), (error) => error === reason)
    assert.equal(sent.length, 0)
  }
})

test('the token of a mailed link contains the id of its invitation', () => {
  const row = '01k9zq3v5hf8gs4m2y7c6t0wdn'
  assert.equal(invitationIdOf(`ghm_${row}.${row}.${'x'.repeat(43)}`), `inv_${row}`)
  for (const token of [
    '',
    'ghm_secret',
    `ghs_${row}.secret`,
    `ghm_${row}.secret`,
    `ghm_${row}.../secret.x`,
    `ghm_${row}.${row}.`,
  ])
    assert.throws(
      () => invitationIdOf(token),
      (error) => isGuildhallError(error, 'invalid_id') && !error.message.includes('secret'),
    )
})
