/** The walk through the API (examples/walk.sh), against a service that is started as those start it who have the package alone. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { settings } from '../src/platform/settings/config.ts'
import { findDeadLinks } from './document-links.ts'
import { freePort } from './ports.ts'
import { installPublished } from './published.ts'

const root = join(import.meta.dirname, '..')

/** The endpoints that the walk promises to use. */
const endpoints = [
  'DELETE /api/organizations/:orgId',
  'DELETE /api/organizations/:orgId/members/:memberId',
  'DELETE /api/users/me',
  'DELETE /api/users/me/devices/:deviceId',
  'GET /api/admin/users',
  'GET /api/organizations',
  'GET /api/organizations/:orgId',
  'GET /api/organizations/:orgId/members',
  'GET /api/users/me',
  'GET /api/users/me/audit',
  'GET /api/users/me/devices',
  'PATCH /api/organizations/:orgId',
  'PATCH /api/organizations/:orgId/members/:memberId',
  'PATCH /api/users/me',
  'POST /api/invites/:inviteId/accept',
  'POST /api/organizations',
  'POST /api/organizations/:orgId/invites',
  'POST /api/users/me/password',
]

const folder = await mkdtemp(join(tmpdir(), 'guildhall-walk-'))
const port = await freePort()
await installPublished(folder)
const service = start({ PORT: String(port), LOG_LEVEL: 'warn' })
const closed = once(service, 'close') // npx may end before the service, which has the same output
const said = await printed(service, 'Ctrl-C stops it.')

after(async () => {
  process.kill(-(service.pid ?? 0), 'SIGINT') // as Ctrl-C: npx hands on nothing
  await closed
  // Where root's folder is closed to the database's user, the cluster is elsewhere.
  await rm(await realpath(join(folder, '.guildhall', 'postgres')), { recursive: true })
  await rm(folder, { recursive: true })
})

test('the package has no dead link', () => {
  const { dead, documents } = findDeadLinks(join(folder, 'dist'))
  assert.ok(documents > 10)
  assert.deepEqual(dead, [])
})

test('the walk calls all eighteen endpoints, and can be repeated with the admin that it created', async () => {
  const first = await walk([], { SETUP_TOKEN: tokenOf('set-up#token='), MAILBOX_KEY: tokenOf('mailbox#') })
  assert.deepEqual([first.code, first.errors], [0, ''])
  assert.deepEqual(
    endpoints.filter((endpoint) => !answeredIn(first.output).includes(endpoint)),
    [],
  )
  assert.match(first.output.trimEnd().split('\n').at(-1) ?? '', /^The walk is over: \d+ calls, .* all 18 endpoints/)

  const [, ADMIN_EMAIL = '', ADMIN_PASSWORD = ''] =
    /ADMIN_EMAIL=(\S+) ADMIN_PASSWORD=(\S+)/.exec(first.output) ?? assert.fail('the walk does not say who its admin is')
  const addresses = [`http://localhost:${port}/mailbox#${tokenOf('mailbox#')}`]
  const second = await walk(addresses, { ADMIN_EMAIL, ADMIN_PASSWORD })
  assert.deepEqual([second.code, second.errors], [0, ''])
  assert.deepEqual(answeredIn(second.output).slice(1), answeredIn(first.output).slice(1))

  // What it shows may be kept: no token in it works, and the password of an admin who was there before is not in it.
  assert.match(second.output, /ghs_\w{26}\.…/)
  assert.doesNotMatch(first.output + second.output, /gh[smu]_\w{26}\.\w/)
  assert.equal(second.output.includes(ADMIN_PASSWORD), false)
})

test('the walk stops with a reason at the first unexpected answer', async () => {
  const wrong = await walk([], { MAILBOX_KEY: 'not the key of it', SETUP_TOKEN: tokenOf('set-up#token=') })
  assert.equal(wrong.code, 1)
  // The first walk spent it.
  assert.match(wrong.errors, /The walk stops: POST \/api\/setup answered 410; .* ADMIN_EMAIL=… ADMIN_PASSWORD=…/)

  const without = await walk([], {})
  assert.equal(without.code, 1)
  assert.match(without.errors, /set MAILBOX_KEY/)
})

/** The environment in which the tests run, without settings of ours. */
function environment(own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const foreign = new Set<string>([...settings, 'SETUP_TOKEN', 'ADMIN_EMAIL', 'ADMIN_PASSWORD'])
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.has(name))), ...own }
}

function start(own: Readonly<Record<string, string>>): ChildProcess {
  return spawn('npx', ['--offline', 'guildhall'], {
    cwd: folder,
    detached: true, // a group of its own, as a terminal makes it
    env: environment(own),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Waits until the child has printed a text. @returns everything it has printed by then */
async function printed({ stdout }: ChildProcess, text: string): Promise<string> {
  let output = ''
  for await (const chunk of stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    output += chunk
    if (output.includes(text)) {
      stdout?.resume()
      return output
    }
  }
  throw new Error(`The service ended before it said "${text}". It said:\n${output}`)
}

/** What the start printed after a part of an address. */
function tokenOf(part: string): string {
  return said.split(part)[1]?.split(/\s/)[0] ?? assert.fail(`the start printed no ${part}`)
}

async function walk(args: readonly string[], own: Readonly<Record<string, string>>) {
  const child = spawn('bash', [join(root, 'examples/walk.sh'), ...(args.length > 0 ? args : [base()])], {
    env: environment(own),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const [code] = await once(child, 'close')
  return { code, output, errors }
}

function base(): string {
  return `http://localhost:${port}`
}

/** The endpoints that gave a 2xx in a walk's output, in order. */
function answeredIn(output: string): string[] {
  return [...output.matchAll(/^-> (\w+) (\S+)\n(?: .*\n)*<- 2\d\d$/gm)].map(
    ([, method, path = '']) =>
      `${method} ${path
        .replace(/\?.*/, '')
        .replace(/\b(org|mem|inv|dev|user)_\w{26}/g, (_id, kind: string) => names[kind] ?? kind)}`,
  )
}

const names: Readonly<Record<string, string>> = {
  org: ':orgId',
  mem: ':memberId',
  inv: ':inviteId',
  dev: ':deviceId',
  user: ':userId',
}
