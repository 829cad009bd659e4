/** The receivers of docs/build/webhooks.md in practice: Node.js, Debian's Flask and PHP get requests of webhooks, and those of attackers. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { newId } from '../src/platform/http/schemas.ts'
import { readDocument, root } from './documents.ts'
import { freePort } from './ports.ts'
import { until } from './smtp.ts'
import { timeout } from './timeout.ts'

/** Debian's own: another one in the path has none of its packages. */
const python = '/usr/bin/python3'
const mebibyte = 1_048_576
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const [secret, next, strange] = [newSecret(), newSecret(), newSecret()]

/** What a receiver keeps of an organization. */
interface State {
  readonly sequence: number
  readonly name: string | null
}

interface Language {
  readonly name: string
  readonly file: string
  readonly command: (port: number) => readonly [string, ...string[]]
  /** What is installed if it is there. */
  readonly needs: readonly [program: string, args: readonly string[], packages: string]
  readonly read: (folder: string, id: string) => State | undefined
  /** Whether it ends at once with a malformed secret; else it answers 500. */
  readonly ends: boolean
}

const languages: readonly Language[] = [
  {
    name: 'Node.js',
    file: 'receiver.mjs',
    command: () => [process.execPath, 'receiver.mjs'],
    needs: [process.execPath, ['--version'], 'nodejs'],
    read: readDatabase,
    ends: true,
  },
  {
    name: 'Python',
    file: 'receiver.py',
    command: (port) => [python, '-m', 'flask', '--app', 'receiver', 'run', '--port', `${port}`],
    needs: [python, ['-c', 'import flask'], 'python3-flask'],
    read: readDatabase,
    ends: true,
  },
  {
    name: 'PHP',
    file: 'receiver.php',
    command: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'],
    needs: ['php', ['--version'], 'php-cli'],
    read: (folder, id) => {
      const file = join(folder, 'data', id)
      return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
    },
    ends: false,
  },
]

function readDatabase(folder: string, id: string): State | undefined {
  const database = new DatabaseSync(join(folder, 'received.db'), { readOnly: true })
  const row = database.prepare('select sequence, name from organizations where id = ?').get(id)
  database.close()
  return row && { sequence: Number(row.sequence), name: row.name === null ? null : String(row.name) }
}

/** A folder with the code of the page. */
function makeFolder({ name, file }: Language): string {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-receiver-'))
  after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules/@guildhall'), { recursive: true })
  symlinkSync(join(root, 'client'), join(folder, 'node_modules/@guildhall/client'))
  mkdirSync(join(folder, 'data'))
  const { blocks } = readDocument('docs/build/webhooks.md')
  const code = blocks.find(({ text }) => /^(?:<\?php\n)?(?:\/\/|#) (\S+)$/m.exec(text)?.[1] === file)
  writeFileSync(join(folder, file), code?.text ?? assert.fail(`there is no receiver for ${name}`))
  return folder
}

function envOf(folder: string, port: number, secrets: string): Record<string, string | undefined> {
  const { PATH, HOME } = process.env
  return { PATH, HOME, PORT: `${port}`, DATA_FOLDER: join(folder, 'data'), WEBHOOK_SECRETS: secrets }
}

/** Starts a receiver. @returns its address and what it keeps */
async function start(language: Language, secrets: string) {
  const [folder, port] = [makeFolder(language), await freePort()]
  const [program, ...args] = language.command(port)
  const child = spawn(program, args, { cwd: folder, env: envOf(folder, port, secrets), stdio: 'ignore' })
  after(async () => {
    const ended = once(child, 'exit')
    if (child.kill()) await ended
  })
  const url = `http://127.0.0.1:${port}/`
  await until(async () => {
    assert.equal(child.exitCode, null, `${language.name} has ended`)
    return (await fetch(url).catch(() => undefined)) !== undefined
  }, `${language.name} to serve`)
  return { url, folder, read: (id: string) => language.read(folder, id) }
}

const newOrganization = () => newId('org')

/** The text of an event. */
function eventOf(
  organizationId: string,
  sequence: number,
  name: string | null,
  { type = 'organization.updated', id = newId('aud') } = {},
): string {
  const organization = { id: organizationId, ...(name !== null && { slug: 'acme', name }) }
  return JSON.stringify({ id, type, sequence, details: null, data: { organization } })
}

interface Sending {
  readonly by?: readonly string[]
  /** In seconds from now on. */
  readonly later?: number
  readonly timestamp?: string
}

/** What Guildhall sends. */
function headersOf(text: string, { by = [secret], later = 0, timestamp }: Sending = {}) {
  const [id = newId('aud')] = /\baud_\w+/.exec(text) ?? []
  const at = timestamp ?? `${Math.floor(Date.now() / 1_000) + later}`
  const signatures = by.map((each) => `v1,${macOf(each, `${id}.${at}.${text}`)}`)
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': at,
    'webhook-signature': signatures.join(' '),
  }
}

function macOf(by: string, message: string): string {
  return createHmac('sha256', Buffer.from(by.slice('whsec_'.length), 'base64'))
    .update(message)
    .digest('base64')
}

async function post(url: string, headers: Readonly<Record<string, string>>, text: string): Promise<number> {
  return (await fetch(url, { method: 'POST', headers, body: text })).status
}

const send = (url: string, text: string, sending: Sending = {}) => post(url, headersOf(text, sending), text)

/** @returns the status, or undefined if the server ends the connection before it has read everything */
function postWhole(url: string, headers: Readonly<Record<string, string>>, text: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
      sent.destroy()
    })
    sent.on('error', () => resolve(undefined))
    sent.end(text)
  })
}

for (const language of languages) {
  const [program, args, packages] = language.needs
  const isMissing = spawnSync(program, args).status !== 0
  const skip =
    isMissing && process.env.CI !== 'true' && `${language.name} is missing. Debian: apt-get install ${packages}.`
  const { name } = language
  if (!skip) assert.ok(!isMissing, `${name} is missing`)
  const receiver = skip ? undefined : await start(language, `${secret} ${next}`)
  const here = () => receiver ?? assert.fail('it was skipped')

  test(`${name}: an event is taken that one of the secrets has signed`, { skip }, async () => {
    const { url, read } = here()
    const id = newOrganization()

    for (const [index, by] of [[secret], [next], [secret, next], [strange, next]].entries()) {
      assert.equal(await send(url, eventOf(id, index, `Zoë ${index}`), { by }), 204)
      assert.deepEqual(read(id), { sequence: index, name: `Zoë ${index}` })
    }
    const text = eventOf(id, 9, 'Nine')
    const headers = headersOf(text)
    const signatures = `v1a,c2lnbmF0dXJl ${headers['webhook-signature']}`
    assert.equal(await post(url, { ...headers, 'webhook-signature': signatures }, text), 204)
    assert.equal(read(id)?.name, 'Nine')
  })

  test(`${name}: events of other types, and tests, are answered alike`, { skip }, async () => {
    const { url } = here()
    const [tested, unknown] = [
      { type: 'webhook.test', sequence: 0, data: {} },
      { type: 'guild.founded', sequence: 8, data: { guild: { id: 'gld_1' } } },
    ].map((event) => JSON.stringify({ id: newId('aud'), ...event }))

    for (const text of [tested, unknown, eventOf('org_gone', 7, null).replace('{"id":"org_gone"}', 'null')])
      assert.equal(await send(url, `${text}`), 204, text)
  })

  test(`${name}: a request that was changed, or is signed by others, is refused`, { skip }, async () => {
    const { url, read } = here()
    const id = newOrganization()
    const text = eventOf(id, 1, 'Acme')
    const headers = headersOf(text)
    const signature = headers['webhook-signature']
    const { 'webhook-signature': _, ...unsigned } = headers
    const bad: [Readonly<Record<string, string>>, string][] = [
      [headers, text.replace('Acme', 'Evil')],
      [headers, ''],
      [{ ...headers, 'webhook-id': newId('aud') }, text],
      [{ ...headers, 'webhook-timestamp': `${Number(headers['webhook-timestamp']) + 1}` }, text],
      ...[
        'v1,',
        'v1',
        signature.slice(3),
        signature.replace('v1', 'v2'),
        signature.slice(0, -1),
        `v1,${'é'.repeat(9)}`,
      ].map((each): [Readonly<Record<string, string>>, string] => [{ ...headers, 'webhook-signature': each }, text]),
      [unsigned, text],
      [headersOf(text, { by: [strange] }), text],
      [{ ...headersOf(text), 'webhook-id': '' }, text],
      [{ ...headersOf(text), 'webhook-timestamp': '' }, text],
      [{}, text],
    ]

    for (const [changed, body] of bad) assert.equal(await post(url, changed, body), 400, JSON.stringify(changed))
    assert.equal(read(id), undefined)
    assert.equal(await post(url, headers, text), 204)
    assert.deepEqual(read(id), { sequence: 1, name: 'Acme' })
  })

  test(`${name}: a request is refused that is more than five minutes old or ahead`, { skip }, async () => {
    const { url, read } = here()
    const id = newOrganization()
    const now = Math.floor(Date.now() / 1_000)

    for (const later of [-330, 330, -86_400, 86_400])
      assert.equal(await send(url, eventOf(id, 1, 'Old'), { later }), 400, `${later}`)
    for (const timestamp of [`${now}.5`, `+${now}`, `${now}s`, 'NaN', `${now}000`, '٣'])
      assert.equal(await sendRaw(url, eventOf(id, 1, 'Odd'), timestamp), 400, timestamp)
    assert.equal(read(id), undefined)
    for (const [index, later] of [-270, 270].entries())
      assert.equal(await send(url, eventOf(id, index, 'New'), { later }), 204, `${later}`)
  })

  test(`${name}: an event that comes twice is taken once`, { skip }, async () => {
    const { url, read } = here()
    const [organization, id] = [newOrganization(), newId('aud')]

    assert.equal(await send(url, eventOf(organization, 5, 'Once', { id })), 204)
    assert.equal(await send(url, eventOf(organization, 6, 'Twice', { id })), 204)

    assert.deepEqual(read(organization), { sequence: 5, name: 'Once' })
    const [first, second] = [newOrganization(), newId('aud')]
    const texts = Array.from({ length: 8 }, (_, index) => eventOf(first, index, `${index}`, { id: second }))
    const statuses = await Promise.all(texts.map((text) => send(url, text)))
    assert.deepEqual(new Set(statuses), new Set([204]))
    const { sequence, name } = read(first) ?? assert.fail('none was taken')
    assert.equal(name, `${sequence}`)
  })

  test(`${name}: of two states the later one is kept, also if it is the end`, { skip }, async () => {
    const { url, read } = here()
    const id = newOrganization()

    for (const [sequence, name, kept] of [
      [1_769_851_800_000_002, 'Second', 'Second'],
      [1_769_851_800_000_001, 'First', 'Second'],
      [1_769_851_800_000_003, 'Third', 'Third'],
    ] as const) {
      assert.equal(await send(url, eventOf(id, sequence, name)), 204)
      assert.equal(read(id)?.name, kept)
    }
    assert.equal(await send(url, eventOf(id, 1_769_851_800_000_009, null, { type: 'organization.deleted' })), 204)
    assert.equal(await send(url, eventOf(id, 1_769_851_800_000_008, 'Late')), 204)
    assert.deepEqual(read(id), { sequence: 1_769_851_800_000_009, name: null })
  })

  test(`${name}: a body of one mebibyte is taken, and a larger one is not`, { skip }, async () => {
    const { url, read } = here()
    const id = newOrganization()
    const [largest, larger, huge] = [
      eventOf(id, 1, 'Largest').padEnd(mebibyte),
      eventOf(id, 2, 'Larger').padEnd(mebibyte + 1),
      eventOf(id, 3, 'Huge').padEnd(6 * mebibyte),
    ]

    assert.equal(await send(url, largest), 204)
    for (const text of [larger, huge]) {
      const whole = { ...headersOf(text), 'content-length': `${text.length}` }
      assert.ok([413, undefined].includes(await postWhole(url, whole, text)), 'with its length')
      const chunked = { ...headersOf(text), 'transfer-encoding': 'chunked' }
      assert.ok([413, 400, undefined].includes(await postWhole(url, chunked, text)), 'in chunks')
    }
    assert.deepEqual(read(id), { sequence: 1, name: 'Largest' })
    assert.equal(await send(url, eventOf(id, 4, 'Small')), 204)
  })

  test(`${name}: other methods are refused`, { skip }, async () => {
    for (const method of ['GET', 'PUT', 'DELETE'])
      assert.equal((await fetch(here().url, { method, headers: headersOf('') })).status, 405, method)
  })

  test(`${name}: with a malformed secret, nothing is taken`, { skip }, async () => {
    const short = `whsec_${randomBytes(24).toString('base64')}`
    for (const secrets of ['', 'whsec_', secret.slice(6), `${secret}\n`, short, `${secret} `, `${secret} whsec_`]) {
      if (language.ends) {
        const folder = makeFolder(language)
        const [start, ...args] = language.command(await freePort())
        const env = envOf(folder, await freePort(), secrets)
        const { status, signal } = spawnSync(start, args, { cwd: folder, env, timeout })
        assert.ok(status !== 0 && signal === null, `${JSON.stringify(secrets)}: ${status} ${signal}`)
        continue
      }
      const { url, folder } = await start(language, secrets)
      const empty = 'whsec_'
      for (const by of [[secret], [empty], [secrets]])
        assert.equal(await send(url, eventOf(newOrganization(), 1, 'Empty'), { by }), 500, JSON.stringify(secrets))
      assert.deepEqual(readdirSync(join(folder, 'data')), [])
    }
  })
}

/** Signs a timestamp as it is. */
function sendRaw(url: string, text: string, timestamp: string): Promise<number> {
  const headers = headersOf(text, { timestamp })
  return post(url, { ...headers, 'webhook-timestamp': Buffer.from(timestamp).toString('latin1') }, text)
}
