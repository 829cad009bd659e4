import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, type TestContext, test } from 'node:test'
import { Registry } from 'prom-client'
import { makeScene } from '../../../test/authorizations.ts'
import { makeProduct } from '../../../test/grants.ts'
import { hold } from '../../../test/holding.ts'
import { makeLink } from '../../../test/membership-requests.ts'
import { freePort } from '../../../test/ports.ts'
import { root } from '../../../test/processes.ts'
import { outboxIsEmpty } from '../../../test/queue.ts'
import { type Sample, scrape, sumOf } from '../../../test/scrape.ts'
import { addPasskey, answerOf, beginSignIn, continueWith, enrol } from '../../../test/sign-in.ts'
import { startSink, until } from '../../../test/smtp.ts'
import { open, speak } from '../../../test/sockets.ts'
import { openPatient } from '../../../test/timeout.ts'
import { createWorld, type Json, password, wakeWorkers } from '../../../test/world.ts'
import { problems } from '../../domain/problems.ts'
import { selectWakes } from '../../domain/webhooks/schedule.ts'
import { Relay } from '../../platform/jobs/relay.ts'
import { tasksByClock } from '../../tasks.ts'
import { openWatch } from '../serving.ts'
import { countRows } from './figures.ts'
import { watch } from './watch.ts'

const sink = await startSink()
const world = await createWorld({
  settings: {
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_FROM: 'Guildhall <no-reply@guildhall.example>',
    METRICS_PORT: String(await freePort()),
  },
  worker: true,
})
const { port = 0 } = world.app.config.metrics ?? {}
const ann = await world.person('Ann')
await world.signIn(ann)
const gone = await world.signIn(ann)
await gone.post('/api/auth/sign-out')
const unwatch = await watch(world.app, world.app.log)
after(async () => {
  await unwatch()
  await sink.stop()
})

const requests = 'http_server_request_duration_seconds_count'

/** Waits until a metric has grown by so much since it was as in `before`: it is counted when the answer has gone. */
async function grown(
  before: readonly Sample[],
  by: number,
  name: string,
  labels: Record<string, string> = {},
): Promise<void> {
  const start = sumOf(before, name, labels) ?? 0
  let seen = start
  await until(async () => {
    seen = sumOf((await scrape(port)).samples, name, labels) ?? 0
    return seen >= start + by
  }, `${name} to grow`)
  assert.equal(seen, start + by, name)
}

test('the queue is measured by each task of the worker', async () => {
  const known = await world.postgres.query<{ task: string }>(
    'select identifier as task from graphile_worker._private_tasks',
  )
  assert.ok(known.length > 10)
  const { samples } = await scrape(port)
  assert.deepEqual(
    known.filter(({ task }) => sumOf(samples, 'guildhall_queue_jobs', { task }) === undefined),
    [],
  )
})

test('live sessions are counted, and ended ones are not', async () => {
  const live = async () => sumOf((await scrape(port)).samples, 'guildhall_sessions_live')
  await until(async () => (await live()) !== undefined, 'the count of sessions')
  assert.equal(await live(), 2)
})

test('memberships are counted that ended hours ago, and that the hourly task has not taken away', async (t) => {
  const { ben, cleo, path, members } = await world.organization()
  for (const [id, ago] of [
    [members.ben.id, '3 hours'],
    [members.cleo.id, '1 second'],
  ])
    await world.postgres.query('update memberships set expires_at = now() - $2::interval where id = $1', [id, ago])
  for (const person of [ben, cleo]) assert.equal((await person.get(path)).status, 404)
  const registry = new Registry()
  const stop = countRows(registry, world.database)
  t.after(stop)
  const unsettled = async () =>
    (await registry.getSingleMetric('guildhall_memberships_unsettled')?.get())?.values[0]?.value
  await until(async () => (await unsettled()) !== undefined, 'the count of memberships')
  assert.equal(await unsettled(), 1)
})

test('new memberships are counted by their way, and checks by their answer', async () => {
  const { ann: owner, cleo, id, path } = await world.organization() // two of three people come by invitation
  const tess = await world.tenantAdmin()
  const { samples } = await scrape(port)
  const [dan, eve] = [await world.person('Dan'), await world.person('Eve')]
  const { token } = await makeLink(owner, id)
  assert.equal((await dan.post('/api/links/join', { token })).status, 200)
  assert.equal((await dan.post('/api/links/join', { token })).status, 200) // who is a member already
  const added = await tess.post(`/api/admin/organizations/${id}/members`, { userId: eve.id })
  assert.equal(added.status, 201)
  await world.join(owner, id, await world.person('Fay'))
  for (const permission of ['members:read', 'members:update', 'notes:lost'])
    await cleo.get(`${path}/check/${permission}`)
  const lineOf = (permission: string) => ({ organizationId: id, permission })
  await cleo.post('/api/check', { checks: [lineOf('members:read'), lineOf('members:update'), lineOf('notes:lost')] })

  for (const way of ['invitation', 'link', 'admin']) await grown(samples, 1, 'guildhall_joins_total', { way })
  await grown(samples, 2, 'guildhall_checks_total', { answer: 'allowed' })
  for (const answer of ['not_granted', 'unknown_permission'])
    await grown(samples, 2, 'guildhall_checks_total', { answer })
})

test('signed tokens are counted', async () => {
  const { samples } = await scrape(port)
  for (const body of [undefined, {}, { audience: 'nobody' }]) await ann.post('/api/tokens', body)
  await grown(samples, 2, 'guildhall_tokens_minted_total', {})
})

test('answers to browsers that applications have sent are counted by their outcome', async () => {
  const scene = await makeScene(world)
  const { samples } = await scrape(port)
  await scene.visit()
  await scene.visit({}, null)
  await scene.visit({ prompt: 'none' }, null)
  await scene.visit({ client_id: 'nobody' })
  for (const outcome of ['code', 'sign_in', 'login_required'])
    await grown(samples, 1, 'guildhall_authorizations_total', { outcome })
})

test('verifications are counted by their outcome', async () => {
  const { cleo, dan, id: organization } = await world.organization()
  const key = await world.key(['credentials:verify'])
  const { samples } = await scrape(port)
  for (const body of [
    { credential: cleo.token },
    { credential: dan.token, organization },
    { credential: cleo.token, organization, permissions: ['members:update'] },
    { credential: 'nothing' },
  ])
    assert.equal((await key.post('/api/credentials/verify', body)).status, 200)
  for (const outcome of ['valid', 'no_access', 'missing_permission', 'unknown'])
    await grown(samples, 1, 'guildhall_verifications_total', { outcome })
})

test('requests are counted by route, method and class of status', async () => {
  const { samples } = await scrape(port)
  const { body } = await ann.post('/api/organizations', { name: 'Acme' })
  await ann.get(`/api/organizations/${body.id}`)
  await ann.get(`/api/organizations/${body.slug}`)
  await ann.get('/api/organizations/org_00000000000000000000000000')

  const one = { http_route: '/api/organizations/:orgId', http_request_method: 'GET' }
  await grown(samples, 2, requests, { ...one, http_response_status_class: '2xx' })
  await grown(samples, 1, requests, { ...one, http_response_status_class: '4xx' })
  await grown(samples, 1, requests, { http_route: '/api/organizations', http_request_method: 'POST' })
  await grown(samples, 1, 'guildhall_problems_total', { code: 'not_found' })
})

test('a check of readiness that the database does not answer is counted', async (t) => {
  const { samples } = await scrape(port)
  const release = await hold(t, world.postgres, 'lock table tenants in access exclusive mode')
  assert.equal((await world.nobody.get('/readyz')).status, 503)
  await release()
  await grown(samples, 1, 'guildhall_problems_total', { code: 'unavailable' })
})

test('requests are counted by the credential that came with them', async () => {
  const { samples } = await scrape(port)
  const key = await world.key(['me:read'], { person: ann })
  await world.postgres.query('update tenants set personal_keys = true')
  assert.equal((await key.get('/api/users/me')).status, 200)
  for (const path of ['/api/users/me', '/api/nothing']) await ann.get(path)
  const application = await makeProduct(world, { scopes: ['openid', 'api'] })
  const { access_token: access } = await application.signIn(ann, { scopes: ['openid', 'api'] })
  assert.equal((await world.nobody.get('/api/users/me', { authorization: `Bearer ${access}` })).status, 200)
  for (const headers of [{}, { authorization: 'Bearer nonsense' }]) await world.nobody.get('/api/users/me', headers)

  await grown(samples, 1, 'guildhall_requests_total', { credential: 'key' })
  await grown(samples, 2, 'guildhall_requests_total', { credential: 'session' })
  await grown(samples, 1, 'guildhall_requests_total', { credential: 'application' })
  await grown(samples, 3, 'guildhall_requests_total', { credential: 'none' }) // the exchange, too
})

test('made-up paths and methods share one label', async () => {
  const { samples } = await scrape(port)
  const urls = Array.from({ length: 300 }, (_, index) => `${world.url}/made-up-${index}/api/${index}?q=${index}`)
  await Promise.all(
    urls.map((url, index) => fetch(url, { method: index % 2 ? 'GET' : 'PROPFIND' }).then((each) => each.text())),
  )

  await grown(samples, 300, requests, { http_route: 'none' })
  const { samples: later } = await scrape(port)
  const known = [...world.app.routes.map(({ url }) => url), 'none']
  for (const { name, labels } of later.filter(({ name }) => name === requests)) {
    assert.ok(known.includes(labels.http_route ?? ''), `${name} of ${labels.http_route}`)
    assert.match(labels.http_request_method ?? '', /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|_OTHER)$/)
    assert.match(labels.http_response_status_class ?? '', /^[1-5]xx$/)
  }
  const ofNone = later.filter(({ name, labels }) => name === requests && labels.http_route === 'none')
  assert.ok(ofNone.length <= 2, `${ofNone.length} series of made-up paths`)
})

test('sign-ins are counted by outcome', async () => {
  const { samples } = await scrape(port)
  const attempt = (body: object) => world.nobody.post('/api/auth/sign-in', body)
  await attempt({ email: ann.email, password })
  await attempt({ email: ann.email, password: 'not the passphrase' })
  await attempt({ email: 'nobody-at-all@example.com', password })
  await attempt({ email: 'no address', password })
  for (const [outcome, count] of Object.entries({ signed_in: 1, invalid_credentials: 2, other: 1, rate_limited: 0 }))
    await grown(samples, count, 'guildhall_sign_ins_total', { method: 'password', outcome })
})

test('each step of a sign-in is counted by its method, and a confirmation is not', async () => {
  const { person, code, recoveryCodes } = await enrol(world)
  const { key } = await addPasskey(person)
  const { samples } = await scrape(port)
  const attempt = await beginSignIn(world, person)
  await continueWith(world, attempt, { recoveryCode: '0'.repeat(24) })
  await continueWith(world, attempt, { totp: code() })
  await continueWith(world, await beginSignIn(world, person), { recoveryCode: recoveryCodes[0] })
  const credential = await answerOf(world, key)
  await world.nobody.post('/api/auth/sign-in/passkey', { credential })
  await world.nobody.post('/api/auth/sign-in/passkey', { credential })
  const { body } = await person.post('/api/auth/confirm', {})
  await person.post('/api/auth/sign-in/continue', { attempt: body.attempt.token, password: 'not the passphrase' })

  const counted = [
    ['password', 'sign_in_incomplete', 2],
    ['password', 'wrong_proof', 0],
    ['recovery_code', 'wrong_proof', 1],
    ['recovery_code', 'signed_in', 1],
    ['totp', 'signed_in', 1],
    ['passkey', 'signed_in', 1],
    ['passkey', 'attempt_spent', 1],
  ] as const
  for (const [method, outcome, count] of counted)
    await grown(samples, count, 'guildhall_sign_ins_total', { method, outcome })
})

/** The alert rules, each of which begins with its name. */
const [, ...alerts] = readFileSync(`${root}/docs/operate/alerts.yml`, 'utf8').split(/^ +- alert: /m)

/** @returns the outcomes that an alert compares, in alphabetical order */
function outcomesOf(alert: string): string[] {
  const rule = alerts.find((each) => each.startsWith(`${alert}\n`)) ?? ''
  const outcomes = [...rule.matchAll(/outcome=~?"(.*?)"/g)].flatMap(([, values = '']) => values.split('|'))
  return [...new Set(outcomes)].sort()
}

/** Until the test ends, a job that fails is tried again after an hour at the earliest, so that the test sees it wait. */
async function postponeFailed(t: TestContext): Promise<void> {
  t.after(() => world.postgres.query('drop function postpone cascade'))
  await world.postgres.query(`
    create function postpone() returns trigger language plpgsql as $$
    begin
      new.run_at = now() + interval '1 hour';
      return new;
    end $$;
    create trigger postpone before update on graphile_worker._private_jobs
      for each row when (new.last_error is distinct from old.last_error) execute function postpone()`)
}

test('mails are counted by outcome, and a failed mail waits in the queue', async (t) => {
  await postponeFailed(t)
  const { samples } = await scrape(port)
  const mailOf = async (manner: typeof sink.manner, outcome: string) => {
    sink.manner = manner
    await world.person('Ben', { verified: false })
    await world.postgres.query(wakeWorkers)
    await grown(samples, 1, 'guildhall_mails_total', { kind: 'verify_email', outcome })
  }
  await mailOf('take', 'sent')
  await mailOf({ at: 'rcpt', code: 550 }, 'refused')
  await mailOf({ at: 'mail', code: 451 }, 'failed')
  assert.deepEqual(outcomesOf('GuildhallMailsFail'), ['failed', 'refused', 'sent'])

  const later = { task: 'send_mail', state: 'later' }
  const seen = await until(async () => {
    const { samples } = await scrape(port)
    return (sumOf(samples, 'guildhall_queue_jobs', later) ?? 0) > 0 ? samples : undefined
  }, 'the mail to wait')
  assert.ok((sumOf(seen, 'guildhall_queue_oldest_job_age_seconds', { task: 'send_mail' }) ?? 0) > 0)
  assert.equal(sumOf(seen, 'guildhall_queue_lag_seconds', { task: 'send_mail' }), 0)
  await grown(samples, 1, 'guildhall_job_duration_seconds_count', { task: 'send_mail', outcome: 'failed' })
})

test('relayed rows are counted, and a sweep shows the age of the oldest row in the outbox', async (t) => {
  await outboxIsEmpty(world)
  const { samples } = await scrape(port)
  await world.person('Ben', { verified: false })
  await grown(samples, 3, 'guildhall_outbox_relayed_rows_total') // two entries and a mail
  await grown(samples, 1, 'guildhall_outbox_relayed_batches_total')

  const database = openPatient(world.postgres.url)
  t.after(() => database.close())
  const relay = new Relay(database, assert.fail, selectWakes)
  const age = async () => {
    await relay.sweep()
    return sumOf((await scrape(port)).samples, 'guildhall_outbox_oldest_row_age_seconds') ?? 0
  }
  await database.inTenant(
    world.tenantId,
    (sql) => sql`
      insert into outbox (tenant_id, written_at, id, jobs)
      values (${sql.tenant}, now() - interval '2 minutes', gen_random_uuid(), '[]')`,
  )
  await until(async () => (await age()) >= 120, 'what a killed process has left to be seen')
  await until(async () => (await age()) === 0, 'it to be relayed')
  await relay.stop()
})

test('a used connection and a busy event loop show in the metrics', async () => {
  const held = Promise.withResolvers<void>()
  const holding = world.database.acrossTenants(async (sql) => {
    await sql`select 1`
    await held.promise
  })
  await until(async () => {
    const { samples } = await scrape(port)
    return (sumOf(samples, 'db_client_connection_count', { db_client_connection_state: 'used' }) ?? 0) > 0
  }, 'a connection to be used')
  held.resolve()
  await holding

  await until(async () => {
    for (const end = performance.now() + 200; performance.now() < end; );
    const { samples } = await scrape(port)
    return (sumOf(samples, 'nodejs_eventloop_delay_max_seconds') ?? 0) > 0.1
  }, 'the delay to be seen')
})

test('the metrics name no person and no tenant', async () => {
  const { body: organization } = await ann.post('/api/organizations', { name: 'Very Secret Society' })
  const tenant = await world.tenant({ domains: ['society.example.com'] })
  await world.nobody.get('/api/tenant', { 'guildhall-tenant': tenant.slug })
  await world.nobody.get('/api/me?email=somebody@example.com')
  await world.nobody.post('/api/auth/sign-in', { email: ann.email, password: 'not the passphrase' })
  const { text, samples } = await scrape(port)
  for (const each of [
    ann.email,
    ann.id,
    ann.token,
    ann.name,
    organization.id,
    organization.slug,
    tenant.id,
    tenant.slug,
    'example.com',
    '127.0.0.1',
  ])
    assert.ok(!text.includes(each), each)
  assert.doesNotMatch(text, /@|[a-z]+_[0-9a-z]{26}|[0-9a-f]{8}-[0-9a-f]{4}/)
  for (const { name, labels } of samples) {
    if (name === 'guildhall_problems_total') assert.ok(Object.hasOwn(problems, labels.code ?? ''), labels.code)
    for (const [label, value] of Object.entries(labels)) {
      const pattern = label === 'http_route' ? /^(none|\/[\w/:.*-]*)$/ : /^[\w.+]+$/
      assert.match(value, pattern, `${name} ${label}`)
    }
  }
})

test('the metrics port answers only /metrics', async () => {
  const asks = [
    ['GET', '/', 404],
    ['GET', '/api/users/me', 404],
    ['POST', '/metrics', 405],
    ['HEAD', '/metrics', 200],
  ] as const
  for (const [method, path, status] of asks) {
    assert.equal((await fetch(`http://127.0.0.1:${port}${path}`, { method })).status, status, `${method} ${path}`)
  }
  assert.match(
    (await fetch(`http://127.0.0.1:${port}/metrics`)).headers.get('content-type') ?? '',
    /^text\/plain; version=0\.0\.4/,
  )
  assert.equal((await world.nobody.get('/metrics')).status, 404, 'the port that everybody reaches has none')
})

test('no request to the metrics port ends the service, and connections beyond a hundred are refused', async () => {
  const at = `http://127.0.0.1:${port}`
  const end = 'host: x\r\nconnection: close\r\n\r\n'
  for (const target of ['//', '///', '//:', '/\\', 'http://', 'http://[', '//a:99999/metrics', '*', '/%', '/%ff']) {
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      assert.match(await speak(at, `${method} ${target} HTTP/1.1\r\n${end}`), /^HTTP\/1\.1 404 /, `${method} ${target}`)
  }
  for (const [bytes, answer] of [
    ['GET ? HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['GET /metrics HTTP/1.1\r\nconnection: close\r\n\r\n', /^HTTP\/1\.1 400 /],
    [`GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${end}`, /^HTTP\/1\.1 431 /],
    [`CONNECT x:1 HTTP/1.1\r\n${end}`, /^$/],
    [`GET http://x/metrics?a=b HTTP/1.1\r\n${end}`, /^HTTP\/1\.1 200 /],
  ] as const)
    assert.match(await speak(at, bytes), answer, bytes.slice(0, 40))

  const idle = Array.from({ length: 150 }, () => open(at))
  await Promise.race(idle.map(({ answer }) => answer))
  for (const { socket } of idle) socket.destroy()
  await Promise.all(idle.map(({ answer }) => answer))
  const connects = () =>
    fetch(`${at}/metrics`, { method: 'HEAD' }).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(connects, 'others to be let in again')
})

test('dashboard and alert rules name existing metrics with existing labels and values', async () => {
  sink.manner = 'take'
  await world.nobody.get('/livez')
  await world.person('Cleo', { verified: false })
  await world.postgres.query(wakeWorkers)
  const samples = await until(async () => {
    const { samples } = await scrape(port)
    const isSent = sumOf(samples, 'guildhall_mails_total') && sumOf(samples, 'guildhall_job_duration_seconds_count')
    return isSent ? samples : undefined
  }, 'a request, a mail and a job to be counted')
  const labelsOf = new Map(samples.map(({ name, labels }) => [name, Object.keys(labels)]))
  const ofPrometheus = ['job', 'instance', 'le']
  const read = (file: string) => readFileSync(`${root}/docs/operate/${file}`, 'utf8')
  const rules = [...read('alerts.yml').matchAll(/^ +expr: (.+)$/gm)].map(([, expression = '']) => expression)
  const { panels } = JSON.parse(read('dashboard.json')) as Json
  const charts = panels.flatMap(({ targets = [] }: Json) => targets.map(({ expr }: Json) => expr))
  assert.ok(rules.length > 10 && charts.length > 20)
  for (const expression of [...rules, ...charts]) {
    const bare = expression.replace(/\{[^}]*\}|\bby \([^)]*\)/g, '')
    const names =
      bare
        .match(/\b(?!(histogram|label)_)[a-z]+_(?!over_time)\w+/g)
        ?.filter((name: string) => !/_over_time$/.test(name)) ?? []
    assert.deepEqual(
      names.filter((name: string) => !labelsOf.has(name)),
      [],
      expression,
    )
    const selected = [...expression.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, name, selectors]) =>
      [...selectors.matchAll(/(\w+)[=!]~?"(.*?)"/g)].map(([, label = '', values = '']) => ({ name, label, values })),
    )
    for (const { name, label, values } of selected.filter(({ label }) => !ofPrometheus.includes(label))) {
      assert.ok(labelsOf.get(name)?.includes(label), `${name} has no ${label}: ${expression}`)
      if (/^(http_|guildhall_mails_)/.test(name)) continue // they have a value from the first time that it occurs
      const known = new Set(samples.filter((sample) => sample.name === name).map(({ labels }) => labels[label]))
      assert.deepEqual(
        values.split('|').filter((value: string) => !known.has(value)),
        [],
        `${label} of ${name}: ${expression}`,
      )
    }
  }
  assert.equal(new Set(panels.map(({ id }: Json) => id)).size, panels.length, 'each panel has an id of its own')
})

test('an alert knows each task that begins by the clock', () => {
  const rule = alerts.find((each) => each.startsWith('GuildhallTaskFails\n')) ?? ''
  const [, tasks = ''] = /task=~"(.*?)"/.exec(rule) ?? []
  assert.deepEqual(tasks.split('|').sort(), [...tasksByClock].sort())
})

test('what is over before an alert has waited does not fire it', () => {
  const minutesOf = (rule: string, pattern: RegExp) => [...rule.matchAll(pattern)].map(([, minutes]) => Number(minutes))
  const waiting = alerts.filter(
    (rule) => !/for: 0m/.test(rule) && /severity: critical|expr: increase\(.*\) > 0$/m.test(rule),
  )
  assert.ok(waiting.length > 3)
  for (const rule of waiting) {
    const [wait = 0] = minutesOf(rule, /for: (\d+)m$/gm)
    assert.ok(wait > Math.max(0, ...minutesOf(rule, /\[(\d+)m\]/g)), rule)
  }
})

test('the error for a taken port names the setting', async () => {
  await assert.rejects(openWatch(world.app, world.app.log), {
    name: 'ServeError',
    message: `Port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or set METRICS_PORT.`,
  })
})
