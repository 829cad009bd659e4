import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { freePort } from '../../../test/ports.ts'
import { root } from '../../../test/processes.ts'
import { queueIsDone } from '../../../test/queue.ts'
import { timeout } from '../../../test/timeout.ts'
import { createWorld, type Json, type Person, password } from '../../../test/world.ts'
import { readConfig } from '../../platform/settings/config.ts'
import { watch } from './watch.ts'

interface Span {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly status: { readonly code?: number }
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
}

/** What receives traces: a collector that speaks OTLP over HTTP, in JSON. */
const spans: Span[] = []
const received: {
  readonly type: string | undefined
  readonly key: string | string[] | undefined
  readonly resource: unknown
}[] = []
const collector = createServer(async (request, response) => {
  const { 'content-type': type, 'api-key': key } = request.headers
  if (type !== 'application/json') {
    received.push({ type, key, resource: undefined })
    request.resume()
    return response.end()
  }
  const { resourceSpans } = (await json(request)) as Json
  for (const { resource, scopeSpans } of resourceSpans) {
    received.push({ type, key, resource: attributesOf(resource.attributes) })
    for (const scope of scopeSpans)
      for (const span of scope.spans) spans.push({ ...span, attributes: attributesOf(span.attributes) })
  }
  response.setHeader('content-type', 'application/json').end('{}')
}).listen(0, '127.0.0.1')
await once(collector, 'listening')
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`

function attributesOf(pairs: readonly { key: string; value: Record<string, unknown> }[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))
}

const world = await createWorld({
  settings: {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20key',
    OTEL_SERVICE_NAME: 'accounts',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  },
  worker: true,
})
after(() => {
  collector.closeAllConnections()
  collector.close()
})

/** Traces what is done meanwhile, and what that has put into the queue. @returns its spans */
async function traced(work: () => Promise<unknown>, traces = world.app.config.traces): Promise<readonly Span[]> {
  await queueIsDone(world.postgres)
  const { config, database, log } = world.app
  const unwatch = await watch({ config: { ...config, traces }, database }, log, timeout)
  spans.length = 0
  await work()
  await queueIsDone(world.postgres)
  await unwatch()
  return [...spans]
}

const parentOf = (all: readonly Span[], span: Span | undefined) =>
  all.find(({ spanId }) => spanId === span?.parentSpanId)
const named = (all: readonly Span[], name: string | RegExp) =>
  all.filter((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)))

test('a trace goes from the request through its door and its statements to the job that it queued', async () => {
  const { ann, id } = await world.organization()
  const all = await traced(() =>
    ann.post(`/api/organizations/${id}/invites`, { email: 'somebody@example.com', role: 'member' }),
  )

  const [request, ...others] = named(all, 'POST /api/organizations/:orgId/invites')
  assert.ok(request && others.length === 0)
  assert.equal(request.kind, 2, 'a server’s')
  assert.equal(request.parentSpanId ?? '', '')
  assert.equal(request.attributes['http.route'], '/api/organizations/:orgId/invites')
  assert.equal(Number(request.attributes['http.response.status_code']), 201)
  const doors = named(all, 'inOrganization')
  assert.deepEqual(
    doors.map((door) => parentOf(all, door)?.name),
    doors.map(() => request.name),
  )
  const pipelines = all.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql')
  const inserted = pipelines.find((pipeline) =>
    /insert into invitations/.test(`${pipeline.attributes['db.query.text']}`),
  )
  assert.ok(inserted && doors.includes(parentOf(all, inserted) as Span), 'its statements are its door’s')
  assert.ok(
    pipelines.some(({ name }) => /^begin, set, /.test(name)),
    'the opening pipeline',
  )

  const [job] = named(all, 'process send_mail')
  assert.equal(job?.traceId, request.traceId)
  assert.ok(
    all.some((span) => span.spanId === job?.parentSpanId),
    'the job belongs to what has put it into the queue',
  )
  assert.ok(
    pipelines.some((pipeline) => parentOf(all, pipeline) === job),
    'and has its own statements',
  )
  assert.deepEqual(new Set(all.map(({ traceId }) => traceId)), new Set([request.traceId]))
})

test("traces carry the service's name and the headers of the settings", () => {
  const [first] = received
  assert.equal(first?.key, 'a key')
  const { 'service.name': name, 'deployment.environment.name': environment } = Object(first?.resource)
  assert.deepEqual([name, environment], ['accounts', 'test'])
})

test('a trace that the caller began continues, and is left out if the caller left it out', async () => {
  const ann = await world.person()
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const ask = (flags: string) =>
    ann.get('/api/users/me', { traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}`, tracestate: 'vendor=secret' })
  const all = await traced(() => ask('01'))
  assert.ok(all.length >= 3)
  assert.deepEqual(new Set(all.map((span) => span.traceId)), new Set([traceId]))
  assert.equal(named(all, 'GET /api/users/me')[0]?.parentSpanId, '00f067aa0ba902b7')

  assert.deepEqual(await traced(() => ask('00')), [])
  const malformed = await traced(() => ann.get('/api/users/me', { traceparent: 'no such thing' }))
  assert.equal(malformed[0]?.traceId.length, 32)
})

test('the sampler decides which traces are recorded, and a parent-based one follows the caller first', async () => {
  const keptBy = async (OTEL_TRACES_SAMPLER: string, traceparent?: string) => {
    const { traces } = readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER,
      OTEL_TRACES_SAMPLER_ARG: '0',
    })
    return (await traced(() => world.nobody.get('/livez', traceparent ? { traceparent } : {}), traces)).length
  }
  const wanted = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  for (const [sampler, alone, asked] of [
    ['always_on', 1, 1],
    ['always_off', 0, 0],
    ['traceidratio', 0, 0],
    ['parentbased_traceidratio', 0, 1],
  ] as const)
    assert.deepEqual([await keptBy(sampler), await keptBy(sampler, wanted)], [alone, asked], sampler)
})

test('concurrent requests have traces of their own, even if their bodies arrive late', async () => {
  const people = await Promise.all(['Ann', 'Ben', 'Cleo'].map((name) => world.person(name)))
  const all = await traced(() =>
    Promise.all(people.flatMap((each) => [each.get('/api/users/me'), patchLate(each.token, { name: 'Another' })])),
  )
  const requests = named(all, /^(GET|PATCH) /)
  assert.equal(requests.length, 6)
  assert.equal(new Set(requests.map(({ traceId }) => traceId)).size, 6)
  for (const { traceId, spanId, name } of requests) {
    const door = all.find((span) => span.traceId === traceId && /^(read)?asUser$/i.test(span.name))
    assert.equal(door?.parentSpanId, spanId, name)
    assert.ok(
      all.some((span) => span.parentSpanId === door?.spanId),
      name,
    )
  }
})

/** Changes somebody, with a body that is sent once the service has begun with the request. */
async function patchLate(token: string, body: object): Promise<void> {
  const text = JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    expect: '100-continue',
  }
  const sent = request(`${world.url}/api/users/me`, { method: 'PATCH', headers })
  sent.flushHeaders()
  await once(sent, 'continue')
  sent.end(text)
  const [answer] = await once(sent, 'response')
  assert.equal(answer.statusCode, 200)
  answer.resume()
}

test('if requests shared a pipeline, each has a span with its own statements, which names the doors of the others', async () => {
  const people = await Promise.all(['Ann', 'Ben', 'Cleo', 'Dan'].map((name) => world.person(name)))
  const ask = ({ token }: Person) =>
    world.app.inject({ url: '/api/users/me', headers: { authorization: `Bearer ${token}` } })
  const all = await traced(() => Promise.all(people.map(ask)))

  const doors = named(all, 'readAsUser')
  const pipelines = doors.map((door) =>
    all.filter(({ parentSpanId, name }) => parentSpanId === door.spanId && name.startsWith('begin, set, ')),
  )
  assert.deepEqual(
    pipelines.map((each) => each.length),
    people.map(() => 1),
  )
  for (const [index, [pipeline]] of pipelines.entries()) {
    const others = doors.filter((_, other) => other !== index)
    assert.deepEqual(
      new Set(pipeline?.links?.map(({ traceId, spanId }) => `${traceId} ${spanId}`)),
      new Set(others.map(({ traceId, spanId }) => `${traceId} ${spanId}`)),
    )
    assert.equal(`${pipeline?.attributes['db.query.text']}`.match(/begin/g)?.length, 1, 'its own statements alone')
  }
})

test('a span has the code of a refusal, and nothing that people sent', async () => {
  const ann = await world.person('Annabelle')
  const all = await traced(async () => {
    await world.nobody.post('/api/auth/sign-in', { email: ann.email, password: 'not the passphrase' })
    await ann.get('/api/users/me/audit?limit=7&made-up=somebody@example.com')
    await ann.get('/api/organizations/org_00000000000000000000000000')
    await ann.post('/api/auth/sign-in', { email: 'nobody-at-all@example.com', password })
    await ann.patch('/api/users/me', { name: 'A Very Secret Name' })
  })
  const [refused] = named(all, 'POST /api/auth/sign-in')
  assert.equal(refused?.attributes['error.type'], 'invalid_credentials')
  assert.equal(refused?.status.code ?? 0, 0, 'which is no fault of the service')
  const door = named(all, 'readInOrganization')[0]
  assert.deepEqual([door?.attributes['error.type'], door?.status.code ?? 0], ['not_found', 0])

  const told = JSON.stringify(all)
  const [user] = await world.postgres.query<{ tenant: string }>('select tenant_id as tenant from users limit 1')
  for (const each of [
    ann.email,
    ann.id,
    ann.token,
    'example.com',
    'Annabelle',
    'Secret',
    'passphrase',
    'org_0000',
    user?.tenant ?? '?',
    '127.0.0.1',
  ])
    assert.ok(!told.includes(each), each)
  assert.ok(all.some(({ attributes }) => `${attributes['db.query.text']}`.includes('set local guildhall.tenant = ?')))
  const texts = all.map(({ attributes }) => `${attributes['db.query.text'] ?? ''}`)
  assert.ok(
    texts.some((text) => /token_hash = \$\d/.test(text)),
    'statements have places in the place of values',
  )
})

/** What a process does to watch. It says which of the libraries it loads. */
const watching = (environment: object) => `
  import { registerHooks } from 'node:module'
  registerHooks({ resolve: (name, context, next) => {
    const found = next(name, context)
    if (/prom-client|opentelemetry/.test(found.url)) console.log(name)
    return found
  } })
  const { readConfig } = await import('./src/platform/settings/config.ts')
  const { openWatch } = await import('./src/process/serving.ts')
  await import('./src/process/serve.ts')
  const database = { acrossTenants: async () => [] }
  const unwatch = await openWatch({ config: readConfig(${JSON.stringify(environment)}), database })
  await unwatch()`

test('if traces are switched off, their libraries are not loaded', async () => {
  const loadedWith = (environment: object) => {
    const options = ['--input-type=module', '--eval', watching(environment)]
    const { stdout, stderr } = spawnSync(process.execPath, options, { cwd: root, encoding: 'utf8' })
    assert.equal(stderr, '')
    return stdout
  }
  const off = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' }
  assert.equal(loadedWith(off), '')
  assert.match(loadedWith({ METRICS_PORT: String(await freePort()) }), /^prom-client$/m)
})

test('traces are sent as protobuf unless the settings say otherwise', async () => {
  received.length = 0
  const traces = readConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint }).traces
  const unwatch = await watch({ ...world.app, config: { ...world.app.config, traces } }, world.app.log, timeout)
  await world.nobody.get('/livez')
  await unwatch()
  assert.deepEqual(
    received.map(({ type }) => type),
    ['application/x-protobuf'],
  )
})
