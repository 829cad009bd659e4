/**
 * npm run sqlmap: lets sqlmap search for SQL injection in every parameter of every operation: path, query, headers and bodies. It must find
 * none, and cause no 5xx. It takes about ten minutes, or fewer with `-- --short`, which leaves out statements that sleep.
 *
 * A forwarder between sqlmap and the service inserts working ids and credentials (test/inventory.ts). Each request so gets as far as
 * possible, although sqlmap deletes what it finds and signs out. A deliberately vulnerable path shows that sqlmap would find an injection.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Schema } from '../test/arbitraries.ts'
import { atEnd } from '../test/ending.ts'
import { fillIn, makeInventory } from '../test/inventory.ts'
import { placeOf } from '../test/places.ts'
import { type Operation, readOperations, rightfulCaller } from '../test/requests.ts'
import { createWorld } from '../test/world.ts'
import { readFlag } from './flags.ts'

const isShort = readFlag('--short', 'npm run sqlmap [-- --short]')
if (spawnSync('sqlmap', ['--version']).error) {
  console.error('sqlmap is missing. On Debian and Ubuntu: apt-get install sqlmap; elsewhere see https://sqlmap.org.')
  process.exit(1)
}

const options = [
  ...[
    '--batch',
    '--ignore-stdin',
    '--flush-session',
    '--disable-coloring',
    '--skip-waf',
    '--dbms=PostgreSQL',
    '--ignore-code=*',
  ],
  ...['--level=1', '--risk=1', '--threads=1', '--timeout=30', '--retries=0', '--time-sec=2'],
  `--technique=${isShort ? 'BEU' : 'BEUST'}`,
]

const world = await createWorld()
const folder = await mkdtemp(join(tmpdir(), 'guildhall-sqlmap-'))
let inventory = await makeInventory(world)
/** The present run of sqlmap. */
let statuses: number[] = []
let first = ''

const forwarder = createServer((request, response) => {
  forward(request, response).catch((error) => response.writeHead(502).end(String(error)))
})
await new Promise<void>((resolve) => forwarder.listen(0, '127.0.0.1', resolve))
const { port } = forwarder.address() as AddressInfo // listens on TCP
after(() => {
  forwarder.close()
})
atEnd(() => rmSync(folder, { recursive: true, maxRetries: 10, retryDelay: 100 }))

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { status, body } = request.url?.startsWith('/hole?')
    ? await askThroughHole(request.url)
    : await ask(request, Buffer.concat(chunks))
  statuses.push(status)
  if (statuses.length === 1) first = body
  const isSpoilt = status === 429 || (request.method !== 'GET' && status < 300 && !(await inventory.isWhole()))
  if (isSpoilt) inventory = await makeInventory(world)
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}

interface Answered {
  readonly status: number
  readonly body: string
}

/** Passes a request to the service, with its placeholders filled in. */
async function ask({ url = '', method, headers }: IncomingMessage, sent: Buffer): Promise<Answered> {
  const { 'content-length': _length, connection: _connection, ...others } = headers
  const filled = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [name, fillIn(String(value), inventory)]),
  )
  const path = fillIn(url, inventory)
  if (filled['if-match']?.includes('~etag~')) {
    const { etag = '"0"' } = await send('GET', path, { host: filled.host, authorization: filled.authorization }, '')
    filled['if-match'] = filled['if-match'].replace('~etag~', etag)
  }
  return send(method, path, filled, fillIn(sent.toString(), inventory))
}

function send(
  method: string | undefined,
  path: string,
  headers: OutgoingHttpHeaders,
  body: string,
): Promise<Answered & { readonly etag: string | undefined }> {
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) }
    const sent = httpRequest(world.url + path, { method, headers: { ...headers, ...length } }, async (answer) => {
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk)
      const { statusCode: status = 0, headers } = answer
      resolve({ status, body: Buffer.concat(chunks).toString(), etag: headers.etag })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Deliberately vulnerable: inserts text into a statement. */
async function askThroughHole(url: string): Promise<Answered> {
  const slug = new URL(url, world.url).searchParams.get('slug')
  try {
    const rows = await world.postgres.query(`select slug, name from tenants where slug = '${slug}'`)
    return { status: 200, body: JSON.stringify(rows) }
  } catch (error) {
    return { status: 200, body: String(error) }
  }
}

/** `*` marks what sqlmap tries. */
const mark = '*'

function example(operation: Operation, name: string, schema: Schema): string {
  const { enum: words, examples, format, type, minimum, items } = schema
  if (items) return example(operation, name, items)
  const fallbacks = {
    boolean: 'true',
    integer: minimum,
    string: format === 'date-time' ? '2026-01-31T09:30:00Z' : 'abc',
  }
  const fallback = fallbacks[String(type) as keyof typeof fallbacks] // undefined for other types
  return String(placeOf(operation, name) ?? words?.[0] ?? examples?.[0] ?? fallback ?? 'abc')
}

/** A request in sqlmap's form, with a mark at each parameter. @returns the request and the number of marks */
function requestTo(operation: Operation): { text: string; marks: number } {
  const { method, template, parameters, body } = operation
  const marked = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place && parameter.name !== 'cursor')
      .map(({ name, schema }) => [name, `${example(operation, name, schema)}${mark}`] as const)
  const path = marked('path').reduce((filled, [name, value]) => filled.replace(`{${name}}`, value), template)
  const query = marked('query').map(([name, value]) => `${name}=${value}`)
  const by = rightfulCaller(operation)
  const isAnonymous =
    /\/auth\/(?!verify)|\/setup$|\/preview$|\/tenant$|\/mailbox$|z$/.test(template) && !template.includes('/admin/')
  const fields = Object.entries(body?.properties ?? {})
    .filter(([name]) => name !== 'invitationToken') // only its own address may use it, and that address has an account here
    .map(([name, schema]) => [name, jsonOf(operation, name, schema)])
  const lines = [
    `${method} ${path}${query.length > 0 ? `?${query.join('&')}` : ''} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `User-Agent: Mozilla/5.0${mark}`,
    ...(isAnonymous ? [] : [`Authorization: Bearer ~${by}~`]),
    ...(template === '/api/mailbox' ? ['Guildhall-Mailbox-Key: ~mailboxKey~'] : []),
    ...(parameters.some(({ name }) => name === 'Guildhall-Session') ? ['Sec-Fetch-Site: same-origin'] : []),
    ...marked('header').map(([name, value]) => `${name}: ${value}`),
    ...(body ? ['Content-Type: application/json'] : []),
  ]
  const json = body ? `{${fields.map(([name, value]) => `"${name}":${value}`).join(',')}}` : ''
  const text = `${lines.join('\r\n')}\r\n\r\n${json}`
  return { text, marks: text.split(mark).length - 1 }
}

function jsonOf(operation: Operation, name: string, schema: Schema): string {
  const types = [schema.type ?? 'object'].flat()
  if (types.includes('array')) return `["${example(operation, name, schema)}${mark}"]`
  if (types.includes('object')) {
    const inside = Object.entries(schema.properties ?? { plan: { type: 'string' } })
    return `{${inside.map(([key, each]) => `"${key}":${jsonOf(operation, key, each)}`).join(',')}}`
  }
  // A parameter that is no text gets no text: otherwise the rest of the request would never be checked.
  return types.includes('string') ? `"${example(operation, name, schema)}${mark}"` : example(operation, name, schema)
}

let scanner: ChildProcess | undefined
atEnd(() => scanner?.kill('SIGKILL'))

/** @returns sqlmap's output */
async function scan(name: string, text: string): Promise<string> {
  const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.txt`)
  await writeFile(file, text)
  statuses = []
  const child = spawn('sqlmap', ['-r', file, '--output-dir', folder, ...options], { stdio: ['ignore', 'pipe', 'pipe'] })
  scanner = child
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  await new Promise((resolve) => child.on('close', resolve))
  return said.slice(-5000)
}

test('sqlmap sees a hole where there is one', async () => {
  const said = await scan('hole', `GET /hole?slug=default${mark} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
  assert.match(said, /identified the following injection point/, said)
})

let sent = 0
for (const operation of readOperations(world.app.swagger())) {
  const { text, marks } = requestTo(operation)
  test(`${operation.name}: nothing in ${marks} parameters`, async () => {
    const said = await scan(operation.name, text)
    sent += statuses.length
    assert.match(said, /all tested parameters do not appear to be injectable/, said)
    assert.doesNotMatch(said, /identified the following injection point/, said) // sqlmap retries what it suspects by itself
    assert.ok((statuses[0] ?? 0) < 300, `the request itself is refused: ${first}`)
    assert.deepEqual(
      statuses.filter((status) => status >= 500),
      [],
      said,
    )
    assert.ok(statuses.length > 20 * marks, `only ${statuses.length} requests for ${marks} parameters: ${said}`)
    console.log(`  ${statuses.length} requests, ${[...new Set(statuses)].sort().join(', ')}: ${operation.name}`)
  })
}
after(() => console.log(`sqlmap sent ${sent} requests.`))
