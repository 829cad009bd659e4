/** The code in the documents: each block runs unchanged, or is listed here with what runs it instead or why nothing does. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { env as ambient, execPath } from 'node:process'
import { after, test } from 'node:test'
import { format, parseEnv, promisify } from 'node:util'
import { createGuildhall } from '../client/src/index.ts'
import { codeAt } from '../src/domain/credentials/totp.ts'
import { readConfig } from '../src/platform/settings/config.ts'
import { newAuthenticator } from './authenticator.ts'
import { stage } from './cast.ts'
import { commandsIn, runCommands } from './commands.ts'
import {
  type Block,
  type Document,
  placesOf,
  programOf,
  readDocument,
  readDocuments,
  root,
  sourceOf,
} from './documents.ts'
import { startProviderDouble } from './provider-double.ts'
import { forgetSteps, mailedCodeOf, passkeyOrigin } from './sign-in.ts'
import { createWorld, mailboxKey, type Person, password } from './world.ts'

/** Blocks that do not run here, by their beginning. */
const elsewhere: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    '$ git clone': 'run by src/process/serve.test.ts: what follows the clone',
    '$ examples/walk.sh': 'run by test/walk.deep.test.ts',
  },
  'docs/operate/commands.md': {
    'guildhall serve': 'run by test/docs-operations.test.ts: forms of commands, which there are',
    'guildhall key create': 'run by src/process/key-commands.deep.test.ts',
    'guildhall application create': 'run by src/process/application-commands.deep.test.ts',
  },
  'docs/build/README.md': { eval: 'run by test/people.deep.test.ts' },
  'client/README.md': { '$ npm run client': 'run by client/package.test.ts: a package is packed and installed' },
  'docs/build/quickstart.md': {
    ...Object.fromEntries(
      ['$ ', '// server.mjs', '// people.mjs', '<!-- sign-in.html'].map((each) => [
        each,
        'run by test/quickstart.deep.test.ts',
      ]),
    ),
    'ISSUER=': 'run by test/sign-in-quickstart.deep.test.ts',
    '// notes.mjs': 'run by test/sign-in-quickstart.deep.test.ts',
  },
  'docs/build/backend.md': Object.fromEntries(
    ['$ ', '// nightly.mjs'].map((each) => [each, 'run by test/backend.deep.test.ts']),
  ),
  'docs/build/sync.md': Object.fromEntries(
    ['$ ', '-- copy.sql', '// copy.mjs', '// events.mjs', '// sync.mjs', 'update guildhall_copy'].map((each) => [
      each,
      'run by test/sync.deep.test.ts',
    ]),
  ),
  'docs/build/applications.md': {
    sequenceDiagram: 'run by test/docs-operations.test.ts: a picture, whose requests there are',
  },
  'docs/build/frameworks.md': {
    '// sign-in.mjs': 'run by test/frameworks.deep.test.ts',
    '# app.py': 'run by test/flask.deep.test.ts',
    ...Object.fromEntries(
      [
        ...[
          '// auth.ts',
          '// proxy.ts',
          '// app/',
          '// src/',
          '// app.mjs',
          '// main.js',
          '# application.yaml',
          '@Bean',
        ],
        ...[
          'builder.Services',
          '# settings.py',
          '# views.py',
          '# config/initializers',
          '# app/controllers',
          'OIDCProviderMetadataURL',
          '# The secret is in',
        ],
      ].map((each) => [each, 'not run: it needs the framework; the page says which were tried']),
    ),
  },
  'docs/build/webhooks.md': {
    'OUTBOUND_PRIVATE=': 'not run: the service runs, and may call 127.0.0.1',
    'npm run client': 'run by client/package.test.ts: a package is packed and installed',
    ...Object.fromEntries(
      ['WEBHOOK_SECRETS=', '// receiver.mjs', '# receiver.py', '<?php'].map((each) => [
        each,
        'run by test/receivers.deep.test.ts',
      ]),
    ),
  },
  'docs/build/providers.md': Object.fromEntries(
    ['OUTBOUND_PRIVATE=', '// provider.mjs'].map((each) => [each, 'run by test/local-provider.test.ts']),
  ),
  'docs/build/permissions.md': {
    '{': 'run here: a file that the code and the commands of the page apply',
    'server {': 'run by test/permissions-proxy.deep.test.ts',
  },
  'docs/build/invitations.md': {
    sequenceDiagram: 'run by test/docs-operations.test.ts: a picture, whose requests there are',
  },
  'docs/operate/backup.md': Object.fromEntries(
    ['create role', 'pg_dump', 'pg_restore', 'test ! -e', 'data=', 'password=', 'psql', 'update webhooks'].map(
      (each) => [each, 'run by test/backup.deep.test.ts'],
    ),
  ),
  'docs/operate/citus.md': {
    '-- on every node': 'not run: test/cluster-database.ts does the same where there is a cluster',
    pg_restore: 'run by src/platform/database/distribute.deep.test.ts where there is a cluster',
  },
  'docs/operate/containers.md': {
    'docker build': 'not run: it needs a container engine; test/image.deep.test.ts builds the image',
    'docker run': 'not run: it needs a container engine',
  },
  'docs/operate/kubernetes.md': {
    'kubectl create': 'not run: it needs a cluster',
    '# values.yaml': 'run by test/chart.deep.test.ts',
    'apiVersion: batch/v1': 'run by test/chart.deep.test.ts',
  },
  'docs/performance.md': { 'apt-get install wrk': 'not run: it takes a quarter of an hour' },
  'docs/operate/postgres.md': {
    'create role': 'run by src/platform/database/migrate.test.ts',
    '[databases]': 'run by test/pooler.deep.test.ts',
  },
  'docs/operate/production.md': { 'cd /opt/guildhall': 'not run: it is for a machine where the service is installed' },
  'docs/security/openid.md': { '# The challenge': 'run by test/openid-proxy.deep.test.ts' },
  'docs/operate/watch.md': {
    '# prometheus.yml': 'not run: it is for Prometheus',
    'POST /api/organizations/:orgId/invites': 'run by src/process/watch/traces.test.ts: a picture of a trace',
  },
}

const fetchByNode = globalThis.fetch
const world = await createWorld({ worker: true, settings: { OUTBOUND_PRIVATE: '127.0.0.1' } })
const double = await startProviderDouble()
/** The settings of the service, for the operator's commands. */
const operatorsEnv = { DATABASE_URL: world.postgres.url, GUILDHALL_SECRET: 'a secret that is only used in tests' }
const documents = readDocuments(['README.md', 'client/README.md', 'docs/**/*.md'])
const place = mkdtempSync(join(tmpdir(), 'guildhall-documented-'))
mkdirSync(join(place, 'node_modules'))
symlinkSync(join(root, 'node_modules/jose'), join(place, 'node_modules/jose'))
after(() => rmSync(place, { recursive: true }))

/** Where issuers of tokens are. Their names begin with PUBLIC_URL, which is the one of the documents. */
const issuers = '/api/tenants/'

/** The next steps of the authenticator apps of a page, by seed. */
const steps = new Map<string, number>()
const presentStep = () => Math.floor(Date.now() / 30_000)

/** It creates a client of its own. */
const alone = 'client/README.md'
const programs = documents.filter((document) => sourceOf(document).trim() !== '')
for (const document of programs)
  writeProgram(fileOf(document), document.path === alone ? sourceOf(document) : programOf(document))
const compilerOptions = {
  noUnusedLocals: false,
  typeRoots: [join(root, 'node_modules/@types')],
  lib: ['es2023', 'dom', 'dom.iterable'],
}
writeFileSync(join(place, 'package.json'), JSON.stringify({ type: 'module' }))
writeFileSync(
  join(place, 'tsconfig.json'),
  JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }),
)

test('the code of the documents compiles', async () => {
  // Each program has its document's line numbers, so that the compiler's messages point there.
  const compiling = promisify(execFile)('node', [join(root, 'node_modules/typescript/bin/tsc'), '--project', place])
  await compiling.catch(({ stdout }) => assert.fail(stdout.replaceAll('.md.ts', '.md')))
})

for (const document of programs.filter(({ path }) => path !== alone))
  test(`the code of ${document.path} does what it says`, async () => {
    const said = new Set<string>()
    const env = await enter(said)
    stage.shown = (language) => blockIn(document, language)
    await import(fileOf(document))
    const silent = placesOf(document).filter((line) => !said.has(line))
    assert.deepEqual(silent, [], 'every line that says what it prints has printed it')

    if (document.path === 'docs/build/permissions.md') writeFileSync(join(place, 'access.json'), stage.shown('json'))
    for (const { text, line } of document.blocks.filter(isShell)) {
      const commands = commandsIn(text)
      const secret = [...steps.keys()].at(-1)
      if (secret !== undefined) await forgetSteps(world)
      const shown = secret === undefined ? {} : { CODE: codeAt(secret, presentStep()) }
      const printed = await runCommands(commands, { cwd: place, url: world.url, env: { ...env, ...shown } })
      for (const [index, { command, output }] of commands.entries())
        if (output) assert.match(printed[index] ?? '', output, `${document.path}:${line} ${command}`)
    }
  })

test("the code of the client's README runs as it is", async () => {
  const { addApp, notes } = await import(fileOf(readDocument('client/README.md')))

  const asAnn = { headers: { authorization: `Bearer ${await tokenOf('ann@example.com')}` } }
  const answer = await notes(new Request('https://notes.example.com/', asAnn))
  assert.equal(await answer.text(), 'Hello Ann, owner of Acme & Co.')
  assert.equal((await notes(new Request('https://notes.example.com/'))).status, 401)
  const of = [world.tenantId, 'acme']
  await world.postgres.query(
    `update organizations set second_factor = 'required' where tenant_id = $1 and slug = $2`,
    of,
  )
  assert.equal((await notes(new Request('https://notes.example.com/', asAnn))).status, 403)

  const old = await tokenOf('ann@example.com')
  await world.postgres.query(`update sessions set authenticated_at = now() - interval '1 hour'`)
  await world.postgres.query(`update users set email_verified = true where email = 'ann@example.com'`)
  const stored: string[] = []
  const { setup, secret } = await addApp(
    old,
    async () => 'correct horse battery staple',
    (token: string) => stored.push(token),
  )
  const ann = createGuildhall({ url: world.url, token: stored[0] ?? assert.fail() })
  await ann.me.factors.add({ type: 'totp', setup, code: codeAt(secret, presentStep()) })
  await assert.rejects(createGuildhall({ url: world.url, token: old }).me.get(), { code: 'unauthenticated' })
})

test('the commands of docs/operate/import.md import users, organizations, memberships, linked accounts, applications and webhooks, and export them again', async () => {
  const files = {
    'users.csv': 'externalId,email\n1,gil@example.com',
    'organizations.csv': 'externalId,name\nguild,Guild',
    'memberships.csv': 'organization,user,role\nguild,1,owner',
    'identities.csv': 'user,provider,subject\n1,Former Login,gil',
    'webhooks.csv': 'organization,name,url\nguild,Billing,https://billing.example.com/guildhall',
    'applications.csv': 'name,kind,redirectUris\nGuild Hall,server,"[""https://product.example.com/callback""]"',
  }
  const { query } = world.postgres
  await query(
    `insert into providers (tenant_id, id, type, name, is_enabled, client_id)
     values ($1, 'idp_former', 'google', 'Former Login', false, 'guildhall')`,
    [world.tenantId],
  )
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), `${text}\n`)
  const [imports, exports] = readDocument('docs/operate/import.md').blocks.filter(({ language }) => language === 'sh')
  assert.ok(imports && exports)

  const run = (text: string) => runCommands(commandsIn(text), { cwd: place, url: world.url, env: operatorsEnv })
  const [tried = '', made = '', linked = '', registered = '', sending = ''] = await run(imports.text)
  for (const printed of [tried, made]) assert.match(printed, /^memberships +1 +1 +0 +0$/m)
  assert.match(linked, /^identities +1 +1 +0 +0$/m)
  assert.match(registered, /^applications +1 +1 +0 +0$/m)
  assert.match(sending, /^webhooks +1 +1 +0 +0$/m)
  await run(exports.text)
  assert.match(readFileSync(join(place, 'users.ndjson'), 'utf8'), /"externalId":"1","email":"gil@example.com"/)
  assert.match(
    readFileSync(join(place, 'identities.ndjson'), 'utf8'),
    /^\{"user":"1","provider":"Former Login","subject":"gil","issuer":"https:\/\/accounts\.google\.com",/m,
  )
  assert.match(readFileSync(join(place, 'applications.ndjson'), 'utf8'), /^\{"name":"Guild Hall","kind":"server",/m)
  assert.match(readFileSync(join(place, 'webhooks.ndjson'), 'utf8'), /"name":"Billing"/)
  await query(`delete from providers where id = 'idp_former'`)
})

test('the service and systemd accept the settings and units in docs/operate and docs/security', () => {
  const settings = ['docs/operate/watch.md', 'docs/security/openid.md'].map((path) =>
    readDocument(path).blocks.filter(({ language }) => language === 'sh'),
  )
  assert.deepEqual(
    settings.map(({ length }) => length),
    [2, 1],
  )
  for (const { text } of settings.flat())
    readConfig(Object.fromEntries(Object.entries(parseEnv(text)).map(([name, value = '']) => [name, value])))

  const [unit] = readDocument('docs/operate/production.md').blocks
  const file = join(place, 'guildhall.service')
  writeFileSync(file, unit?.text.replace('/usr/bin/node', execPath) ?? '')
  const { error, output } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
  if (!error) assert.equal(output.join(''), '') // systemd is not installed everywhere
})

test('Node.js reads the senders in docs/operate/production.md as they are meant', () => {
  const { text } = readDocument('docs/operate/production.md')
  const senders = [...text.matchAll(/`(MAIL_FROM=[^`]+)`/g)].map(([, line = '']) => parseEnv(line).MAIL_FROM)
  assert.deepEqual(senders, ['"Acme, Inc." <no-reply@example.com>', 'Guildhall <no-reply@example.com>'])
})

test('nginx and Caddy accept the configurations in docs/operate/proxy.md', () => {
  const textIn = (language: string) => blockIn(readDocument('docs/operate/proxy.md'), language)
  // The certificate and the ports are the reader's own.
  const server = textIn('nginx')
    .replace(/^ *ssl_certificate.*$/gm, '')
    .replace(/listen (\d+)(?: ssl)?/g, `listen unix:${place}/$1.sock`)
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (each) => `${each}_temp_path ${place}/nginx;`,
  )
  writeFileSync(
    join(place, 'nginx.conf'),
    `pid ${place}/nginx.pid; error_log stderr; events {} http { access_log off; ${folders.join(' ')} ${server} }`,
  )
  writeFileSync(join(place, 'Caddyfile'), textIn('caddyfile'))
  const run = (program: string, ...args: string[]) => {
    const env = { PATH: `${ambient.PATH}:/usr/sbin`, HOME: place }
    const { error, status, stderr, stdout } = spawnSync(program, args, { encoding: 'utf8', env })
    if (error) return undefined // they are not installed everywhere
    assert.equal(status, 0, stderr)
    return stdout
  }
  run('nginx', '-t', '-c', join(place, 'nginx.conf'))
  const adapted = run('caddy', 'adapt', '--adapter', 'caddyfile', '--config', join(place, 'Caddyfile'))
  if (adapted === undefined) return
  // In nanoseconds: less than the service's 72 seconds, and what the page says of an answer.
  assert.match(adapted, /"keep_alive":\{"idle_timeout":60000000000\}/)
  assert.match(adapted, /"response_header_timeout":30000000000\b/)
})

test('every block of code is run here, or is listed with what runs it or why nothing does', () => {
  const here = [
    'docs/operate/import.md: guildhall import',
    'docs/operate/import.md: guildhall export',
    'docs/operate/production.md: [Unit]',
    'docs/operate/proxy.md: upstream guildhall',
    'docs/operate/proxy.md: accounts.example.com',
    'docs/operate/watch.md: METRICS_PORT',
    'docs/operate/watch.md: OTEL_',
    'docs/security/openid.md: PUBLIC_URL',
  ]
  const left = documents.flatMap(({ path, blocks }) =>
    blocks
      .filter(({ language }) => language !== 'ts')
      .filter((block) => !(programs.some((each) => each.path === path) && path !== alone && isShell(block)))
      .map(({ text, line }) => ({ path, line, text })),
  )
  const isListed = ({ path, text }: { path: string; text: string }) =>
    here.some((each) => `${path}: ${text}`.startsWith(each)) ||
    Object.keys(elsewhere[path] ?? {}).some((beginning) => text.startsWith(beginning))
  assert.deepEqual(
    left.filter((block) => !isListed(block)),
    [],
  )

  for (const [path, beginnings] of Object.entries(elsewhere))
    for (const [beginning, reason] of Object.entries(beginnings)) {
      assert.ok(
        readDocument(path).blocks.some(({ text }) => text.startsWith(beginning)),
        `${path} has no ${beginning}`,
      )
      const [, file] = /^run by (\S+\.test\.ts)/.exec(reason) ?? []
      assert.ok(!file || existsSync(join(root, file)), reason)
    }
})

/** Creates Acme and its people, in a tenant of their own. @returns the values for its commands */
async function enter(said: Set<string>): Promise<Record<string, string>> {
  const { slug: tenant, id: tenantId } = await world.tenant()
  const make = (name: string) => world.person(name, { tenant, email: `${name.toLowerCase()}@example.com` })
  const [ann, bob, cleo] = [await make('Ann'), await make('Bob'), await make('Cleo')]
  const [dan, tess] = [await make('Dan'), await make('Tess')]
  const { body: acme } = await ann.post('/api/organizations', { name: 'Acme' })
  await world.join(ann, acme.id, bob, 'admin')
  await world.join(ann, acme.id, cleo)
  await world.postgres.query(`update users set role = 'admin' where id = $1`, [tess.id])
  const guildhall = createGuildhall({ url: world.url, tenant })
  const as = ({ token }: Person) => guildhall.withToken(token)
  Object.assign(stage, { guildhall, ann: as(ann), bob: as(bob), cleo: as(cleo), dan: as(dan), tess: as(tess) })
  stage.mailed = (email, page) => world.mailedToken(email, page, tenant)
  steps.clear()
  stage.totpOf = (secret) => {
    const step = Math.max(steps.get(secret) ?? 0, presentStep())
    steps.set(secret, step + 1) // each step is good once
    return codeAt(secret, step)
  }
  stage.mailedCode = (attempt) => mailedCodeOf(world, attempt)
  stage.age = async (email) => {
    await world.postgres.query(
      `update sessions set authenticated_at = now() - interval '1 hour'
       where user_id in (select id from users where tenant_id = $1 and email = $2)`,
      [tenantId, email],
    )
  }
  stage.issuer = double.origin
  stage.atProvider = (url, claims) => {
    double.claims = { ...claims }
    return { ...double.signIn(url), state: new URL(url).searchParams.get('state') ?? '' }
  }
  openBrowser()
  reachIssuers()
  stage.print = (place, expected, ...values) => {
    said.add(place)
    assert.equal(format(...values), expected, place)
  }
  return { TENANT: tenant, TOKEN: ann.token, MAILBOX_KEY: mailboxKey, ...operatorsEnv }
}

/** Lets what reads the keys of an issuer reach the service, which has another port. */
function reachIssuers(): void {
  const own = `${world.app.config.publicUrl}${issuers}`
  globalThis.fetch = (target, init) =>
    fetchByNode(
      typeof target === 'string' && target.startsWith(own) ? target.replace(own, world.url + issuers) : target,
      init,
    )
}

/** Gives Node what a page has: a browser whose authenticator holds one passkey. */
function openBrowser(): void {
  const key = newAuthenticator(-7, { origin: passkeyOrigin })
  const asIs = (options: unknown) => options
  const PublicKeyCredential = { parseCreationOptionsFromJSON: asIs, parseRequestOptionsFromJSON: asIs }
  const credentials = {
    create: async ({ publicKey }: { publicKey: Parameters<typeof key.create>[0] }) => ({
      toJSON: () => key.create(publicKey),
    }),
    get: async ({ publicKey }: { publicKey: Parameters<typeof key.get>[0] }) => ({ toJSON: () => key.get(publicKey) }),
  }
  Object.assign(globalThis, { PublicKeyCredential })
  Object.defineProperty(globalThis.navigator, 'credentials', { value: credentials, configurable: true })
}

function fileOf({ path }: Document): string {
  return join(place, `${path.startsWith('client') ? 'client-' : ''}${basename(path)}.ts`)
}

function writeProgram(file: string, program: string): void {
  writeFileSync(
    file,
    program
      .replaceAll(new RegExp(`http://localhost:3000(?!${issuers})`, 'g'), world.url)
      .replaceAll(`'@guildhall/client'`, JSON.stringify(join(root, 'client/src/index.ts')))
      .replaceAll(`'@guildhall/client/tokens'`, JSON.stringify(join(root, 'client/src/verifier.ts')))
      .replaceAll(`'@guildhall/client/webhooks'`, JSON.stringify(join(root, 'client/src/receiver.ts'))),
  )
}

function blockIn({ blocks, path }: Document, language: string): string {
  return blocks.find((block) => block.language === language)?.text ?? assert.fail(`${path} has no block in ${language}`)
}

function isShell({ language }: Block): boolean {
  return language === 'console'
}

async function tokenOf(email: string): Promise<string> {
  const passwords = ['correct horse battery staple', password]
  for (const each of passwords) {
    const { status, body } = await world.nobody.post('/api/auth/sign-in', { email, password: each })
    if (status === 200) return body.session.token
  }
  throw new Error(`${email} cannot sign in`)
}
