/** Logs: what a line says of a request, what none says, and when lines are written. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import { until } from '../../../test/smtp.ts'
import { createWorld, type Json } from '../../../test/world.ts'
import { UnavailableError } from '../database/errors.ts'
import { logForm, redacted } from './log.ts'

const lines: string[] = []
const stream = new Writable({
  write(chunk, _encoding, done) {
    lines.push(String(chunk))
    done()
  },
})
const log = { level: 'trace', stream }
const { app, database, postgres } = await createWorld({ log })

test('logs have route and status, and nothing that people sent', async () => {
  const signedUp = await app.inject({
    method: 'POST',
    url: '/api/auth/sign-up',
    headers: { 'user-agent': 'Marked-Agent/1.0' },
    payload: { email: 'marked-address@example.com', password: 'marked passphrase', name: 'Marked Name' },
  })
  assert.equal(signedUp.statusCode, 201)
  const { token } = signedUp.json().session
  const headers = { authorization: `Bearer ${token}`, cookie: 'other=marked-cookie' }
  await postgres.query('alter table users alter column locale set default $$marked$$')
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
  // An unexpected error: PostgreSQL's detail contains the whole row.
  await postgres.query(`update users set locale = 'en'`)
  await postgres.query('alter table users alter column locale set not null')
  const failed = await app.inject({ method: 'PATCH', url: '/api/users/me', headers, payload: { locale: null } })
  assert.equal(failed.statusCode, 500)
  const fault = lines.map((line) => JSON.parse(line)).find(({ code }) => code === 'internal')
  assert.equal(fault.requestId, failed.headers['x-request-id'])
  // If a table has no wall, the detail really contains the row.
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

/** What a line says of an object. */
function logged(object: object): Record<string, Record<string, unknown>> {
  let line = ''
  const { log } = Fastify({ logger: { ...logForm, stream: { write: (text: string) => (line = text) } } })
  log.error(object, 'failed')
  return JSON.parse(line)
}

/** Secret columns that are keyed hashes or names that other things have, too: nobody gets in with them. */
const harmless = ['account', 'deviceHash', 'fingerprint', 'hash', 'jobs', 'key', 'onceKey', 'source']

test('the value of every secret column is redacted if it is logged', async () => {
  const columns = await postgres.query(
    `select distinct a.attname as name
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and col_description(c.oid, a.attnum) ~ '^secret'`,
  )
  const names = columns.map(({ name }) => String(name).replace(/_(.)/g, (_, letter) => letter.toUpperCase()))
  assert.ok(names.length > 10)
  assert.deepEqual(names.filter((name) => !redacted.includes(name)).sort(), harmless.toSorted())
})

test('an error is logged with its own name, and a person without theirs', () => {
  const { err, user, name } = logged({
    err: Object.assign(new Error('taken back'), { name: 'AbortError' }),
    user: { name: 'Ann' },
    name: 'Ann',
  })
  assert.deepEqual([err?.type, err?.message], ['AbortError', 'taken back'])
  assert.deepEqual([user?.name, name], ['[redacted]', '[redacted]'])
})

test('an error that is logged as `error` is described too, without its other properties', () => {
  const { error: refused } = logged({
    error: Object.assign(new TypeError('no'), { detail: 'ann@example.com', code: 7 }),
  })
  assert.deepEqual([refused?.type, Object.keys(refused ?? {})], ['TypeError', ['type', 'code', 'message', 'stack']])
  const { error: late } = logged({ error: new DOMException('too late', 'TimeoutError') })
  assert.deepEqual([late?.type, late?.message], ['TimeoutError', 'too late'])
})

/**
 * Runs code in a process of its own, whose log is on standard output.
 *
 * @param output by default a pipe that is read
 * @returns the messages of its lines so far, and its end
 */
function runWithLog(t: TestContext, code: string, output: 'pipe' | number = 'pipe') {
  const script = `
    import Fastify from 'fastify'
    import { logForm, onStandardOutput } from './log.ts'
    const { log } = Fastify({ logger: { ...onStandardOutput(), ...logForm } })
    ${code}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', output, 'ignore'],
  })
  t.after(() => child.kill('SIGKILL'))
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (more) => (text += more))
  const messages = () => [...text.matchAll(/"msg":"(.*?)"/g)].map(([, message]) => message)
  return { messages, ended: once(child, 'close') }
}

test('a line is written soon, though no other follows it', async (t) => {
  const { messages } = runWithLog(t, `log.info('one'); setInterval(() => {}, 60_000)`)

  await until(() => messages().length > 0, 'the line')
  assert.deepEqual(messages(), ['one'])
})

test('a warning is written at once, after the lines before it', async (t) => {
  const { messages } = runWithLog(t, `log.info('one'); log.warn('two'); for (;;) {}`)

  await until(() => messages().length === 2, 'the lines of a process whose event loop stands still')
  assert.deepEqual(messages(), ['one', 'two'])
})

for (const [end, code] of [
  ['exits', 'process.exit()'],
  ['ends because of an error', `throw new Error('at the end')`],
] as const) {
  test(`a process that ${end} writes all lines before`, async (t) => {
    const { messages, ended } = runWithLog(t, `for (const line of Array(100).keys()) log.info('line ' + line); ${code}`)

    await ended
    assert.deepEqual(
      messages(),
      Array.from({ length: 100 }, (_, line) => `line ${line}`),
    )
  })
}

test('a process whose output takes nothing goes on', async (t) => {
  const unwritable = await open(import.meta.filename)
  t.after(() => unwritable.close())
  const { ended } = runWithLog(
    t,
    `log.warn('one'); log.info('two'); setImmediate(() => process.exit(7))`,
    unwritable.fd,
  )

  const [code] = await ended
  assert.equal(code, 7)
})
