/** What the start takes from its settings, what it refuses, and several services. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { buildConsole } from '../../console/build.ts'
import { createDatabase } from '../../test/database.ts'
import { freePort } from '../../test/ports.ts'
import { databaseRuns, get, makeFolder, post, type Running, root, run, start, stop } from '../../test/processes.ts'
import { startSink, until } from '../../test/smtp.ts'
import { password } from '../../test/world.ts'
import { readConfig } from '../platform/settings/config.ts'
import { openResources } from './resources.ts'

// The launcher would build it, and no test is to wait for that.
await buildConsole()

/** @returns the settings of a service on a database that is there already: nothing but the service has to start */
async function ownDatabase(t: TestContext): Promise<{ DATABASE_URL: string; GUILDHALL_SECRET: string }> {
  const { url, drop } = await createDatabase()
  t.after(drop)
  return { DATABASE_URL: url, GUILDHALL_SECRET: 's'.repeat(32) }
}

test('a second service on a taken port says so and does not disturb the first', async () => {
  const first = await start()
  const second = run(['serve'], { folder: first.folder, port: first.port })
  assert.equal(await second.ended, 1)
  assert.match(second.err, new RegExp(`^guildhall: Port ${first.port} on 127\\.0\\.0\\.1 is in use\\..*set PORT`, 'm'))
  assert.doesNotMatch(second.err, /\n\s+at /, 'no stack')
  assert.equal((await get(first, '/livez')).status, 200)
  assert.equal((await post(first, '/api/auth/sign-up', { email: 'ann@example.com', password })).status, 201)
  assert.equal(await stop(first), 0)
})

test('the service refuses data whose secret or passwords are missing, and names what is missing', async () => {
  const folder = await makeFolder({ data: true })
  for (const [file, said] of [
    ['secret', /The file \S+secret is missing\. It holds the secret of the data beside it/],
    ['postgres.json', /The file \S+postgres\.json is missing\. It holds the passwords of the database in/],
  ] as const) {
    const path = join(folder, '.guildhall', file)
    await rename(path, `${path}.away`)
    for (const child of [['serve'], ['tenant', 'list']].map((command) => run(command, { folder }))) {
      assert.deepEqual([await child.ended, child.out], [1, ''])
      assert.match(child.err, said)
    }
    await rename(`${path}.away`, path)
  }
})

test('the service refuses a secret that is not whole, and names its file', async () => {
  const folder = await makeFolder({ data: true })
  for (const content of ['', 'short\n']) {
    await writeFile(join(folder, '.guildhall', 'secret'), content)
    for (const child of [['serve'], ['tenant', 'list']].map((command) => run(command, { folder }))) {
      assert.deepEqual([await child.ended, child.out], [1, ''])
      assert.match(
        child.err,
        /^guildhall: The file \S+secret, which .* has fewer than 32 characters\. Restore it from /,
      )
    }
  }
})

test('if no file can be written, a start says so, and leaves nothing of a secret or of passwords', async () => {
  const folder = await makeFolder()
  const home = join(folder, '.guildhall')
  await mkdir(home)
  const failedStart = async () => {
    const program = [process.execPath, join(root, 'src', 'main.ts'), 'serve']
    const command = 'ulimit -f 0; exec "$0" "$@"' // files of this shell stay empty
    const { PATH, HOME } = process.env
    return await promisify(execFile)('sh', ['-c', command, ...program], { cwd: folder, env: { PATH, HOME } }).catch(
      (error: { code: number; stderr: string }) => error,
    )
  }
  for (const [file, what] of [
    ['secret', 'the secret of this installation'],
    ['postgres.json', 'the passwords of the embedded database'],
  ] as const) {
    const before = await readdir(home)
    const { stderr } = await failedStart()
    const said = `^guildhall: The file \\S+/${file.replace('.', '\\.')}, which holds ${what}, cannot be read or created: .*EFBIG`
    assert.match(stderr, new RegExp(said))
    assert.doesNotMatch(stderr, /\n\s+at /, 'no stack')
    assert.deepEqual(await readdir(home), before)
    await writeFile(join(home, 'secret'), `${'s'.repeat(32)}\n`) // the second start has one
  }
})

test('an uncaught error is logged without its details, and ends the service in order with a failure', async () => {
  const error = `Object.assign(new Error('nobody foresaw this'), { detail: 'Key (email)=(ann@example.com)' })`
  for (const fails of [`Promise.reject(${error})`, `setImmediate(() => { throw ${error} })`]) {
    const program = encodeURIComponent(`process.once('SIGUSR2', () => { ${fails} })`)
    const service = await start({ env: { NODE_OPTIONS: `--import "data:text/javascript,${program}"` } })
    assert.equal(await stop(service, 'SIGUSR2'), 1)
    const line = /^\{"level":60,.*"message":"nobody foresaw this",.*"msg":"uncaught error"\}$/m
    assert.match(service.out, line)
    assert.doesNotMatch(service.out + service.err, /ann@example\.com/)
    assert.ok(!databaseRuns(service), fails)
  }
})

test('if standard output cannot be written, `guildhall migrate` says so on standard error and fails', async (t) => {
  const full = openSync('/dev/full', 'w')
  t.after(() => closeSync(full))
  const env = { PATH: process.env.PATH, ...(await ownDatabase(t)) }
  const program = [join(root, 'src', 'main.ts'), 'migrate']
  const child = spawn(process.execPath, program, { cwd: tmpdir(), env, stdio: ['ignore', full, 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => (said += text))
  const [code] = await once(child, 'close')
  assert.deepEqual([code, said], [1, 'guildhall: Error: ENOSPC: no space left on device, write\n'])
})

test('settings are read from .env in the working directory, and non-empty environment variables override them', async () => {
  const folder = await makeFolder({ data: true })
  const port = await freePort()
  await writeFile(
    join(folder, '.env'),
    `PORT=${port}\nGUILDHALL_DATA=elsewhere\nLOG_LEVEL=loud\nMAILBOX_KEY='the #1 key of .env itself' # the mailbox\n`,
  )
  const child = run(['serve'], { folder, env: { LOG_LEVEL: undefined } })
  assert.equal(await child.ended, 1)
  assert.match(child.err, /LOG_LEVEL must be one of/)

  const env = { LOG_LEVEL: 'silent', GUILDHALL_DATA: '.guildhall', MAILBOX_KEY: '' }
  const service = await start({ folder, env })
  assert.match(service.out, /\/mailbox#the #1 key of \.env itself$/m)
  assert.ok(existsSync(join(folder, '.guildhall', 'public-url')) && !existsSync(join(folder, 'elsewhere')))
  assert.equal(await stop(service), 0)
})

test('all wrong settings are reported at once, before anything starts', async () => {
  const env = { PORT: 'x', LOG_LEVEL: 'loud', TRUST_PROXY: '0.0.0.0/0' }
  const admin = { GUILDHALL_ADMIN_EMAIL: 'root@', GUILDHALL_ADMIN_PASSWORD: 'short' }
  const child = run(['serve'], { env: { ...env, ...admin } })
  assert.equal(await child.ended, 1)
  for (const name of [...Object.keys(env), 'SMTP_URL', ...Object.keys(admin)])
    assert.match(child.err, new RegExp(`- ${name} `))
  assert.doesNotMatch(child.err, /\n\s+at /, 'no stack')
  assert.equal(child.out, '')
})

test('the admin in the settings is created if the tenant has none, never from an existing user, and is not changed later', async (t) => {
  const env = await ownDatabase(t)
  const service = await start({ env })
  assert.equal((await post(service, '/api/auth/sign-up', { email: 'ann@example.com', password })).status, 201)
  assert.equal(await stop(service), 0)
  const as = (email: string, secret = password) => ({
    env: { ...env, GUILDHALL_ADMIN_EMAIL: email, GUILDHALL_ADMIN_PASSWORD: secret },
  })

  for (const [options, said] of [
    [
      as('ann@example.com'),
      /No admin can be created from GUILDHALL_ADMIN_EMAIL .*\. A user has the address ann@example\.com already, and is/,
    ],
    [as('ben@example.com', 'password1'), /.* GUILDHALL_ADMIN_PASSWORD\. .* This password is too common\./],
  ] as const) {
    const refused = run(['serve'], options)
    assert.equal(await refused.ended, 1)
    assert.match(refused.err, new RegExp(`^guildhall: ${said.source}`, 'm'))
  }

  for (const secret of [password, 'another good passphrase']) {
    const made = await start(as('Root@Example.com', secret))
    assert.doesNotMatch(made.out + made.err, /set-up/i)
    assert.ok(!(made.out + made.err).includes(secret))
    for (const [email, role] of [
      ['root@example.com', 'admin'],
      ['ann@example.com', 'user'],
    ]) {
      const { status, body } = await post(made, '/api/auth/sign-in', { email, password })
      assert.deepEqual([status, body.user?.role], [200, role])
    }
    assert.equal(await stop(made), 0)
  }
})

test('a service serves if another one makes the admin of the settings while it starts', async (t) => {
  const { url, query, awaitLine, drop } = await createDatabase()
  t.after(drop)
  const env = {
    DATABASE_URL: url,
    GUILDHALL_SECRET: 's'.repeat(32),
    GUILDHALL_ADMIN_EMAIL: 'root@example.com',
    GUILDHALL_ADMIN_PASSWORD: password,
  }
  assert.equal(await stop(await start({ env: { ...env, GUILDHALL_ADMIN_EMAIL: '' } })), 0)
  await query('begin')
  const [tenant] = await query<{ id: string }>(`select id from tenants where slug = 'default' for no key update`)

  const starting = start({ env })
  await awaitLine(1) // it has found no admin, and is about to make one
  const admin = { id: `user_${'1'.repeat(26)}`, email: 'root@example.com', role: 'admin' }
  const values = [tenant?.id, admin.id, admin.email, admin.role]
  await query('insert into users (tenant_id, id, email, role) values ($1, $2, $3, $4)', values)
  await query('commit')

  assert.equal(await stop(await starting), 0)
  assert.deepEqual(await query('select id, email, role from users'), [admin])
})

test('a service starts while another session reads every table, as pg_dump does', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  const env = { DATABASE_URL: url, GUILDHALL_SECRET: 's'.repeat(32) }
  assert.equal(await stop(await start({ env })), 0)
  const tables = await query(`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind in ('r', 'p') and c.relnamespace::regnamespace::text in ('public', 'graphile_worker')`)
  assert.ok(tables.some(({ name }) => name === 'migrations') && tables.some(({ name }) => name.includes('.')))
  await query(`begin isolation level repeatable read;
    lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`)

  assert.equal(await stop(await start({ env })), 0)
  assert.equal(await run(['tenant', 'list'], { env }).ended, 0)
  await query('commit')
})

test('a start, and `guildhall migrate`, say that another process migrates, and end when they are stopped', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  const env = { DATABASE_URL: url, GUILDHALL_SECRET: 's'.repeat(32) }
  await query('delete from migrations where version = (select max(version) from migrations)')
  await query('begin; lock table migrations in share row exclusive mode')

  for (const [command, code, said] of [
    ['serve', 0, ''],
    ['migrate', 1, 'guildhall: Stopped. Run the same command again to apply the rest.\n'],
  ] as const) {
    const child = run([command], { env, port: await freePort() })
    const waits = 'guildhall: Another process migrates the database. This one waits until the other has ended.\n'
    await until(() => child.err !== '', 'the process to say that it waits')
    assert.equal(child.err, waits)
    assert.equal(await stop(child), code)
    assert.deepEqual([child.out, child.err], ['', waits + said])
  }
  await query('rollback')
})

test('a start, and `guildhall migrate`, that wait for the tables of the queue end when they are stopped', async (t) => {
  const { url, query, waiting, drop } = await createDatabase()
  t.after(drop)
  const env = { DATABASE_URL: url, GUILDHALL_SECRET: 's'.repeat(32) }
  for (const [command, code, said] of [
    ['serve', 0, ''],
    ['migrate', 1, 'guildhall: Stopped. Run the same command again to apply the rest.\n'],
  ] as const) {
    await query('begin; lock table graphile_worker.migrations in access exclusive mode')
    const child = run([command], { env, port: await freePort() })
    t.after(() => child.child.kill('SIGKILL'))
    await until(async () => (await waiting('graphile_worker')).length === 1, 'the process to wait')
    assert.equal(await stop(child), code)
    assert.deepEqual([child.out, child.err], ['', said])
    await query('rollback')
    await until(async () => (await waiting('graphile_worker')).length === 0, 'what it left to end')
  }
})

test('PUBLIC_URL cannot be under a domain that belongs to one tenant', async (t) => {
  const env = await ownDatabase(t)
  const create = ['tenant', 'create', 'shop', '--name', 'Shop', '--domain', 'localhost.example']
  const unlocated = run(create, { env })
  assert.equal(await unlocated.ended, 1)
  assert.match(unlocated.err, /^guildhall: A tenant's domain must not be the host of the service, .* Set PUBLIC_URL /)
  assert.equal(await run(create, { env: { ...env, PUBLIC_URL: 'http://localhost:3000' } }).ended, 0)
  const child = run(['serve'], {
    env: { ...env, PUBLIC_URL: 'http://localhost.example', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@example.com' },
  })
  assert.equal(await child.ended, 1)
  assert.match(child.err, /^guildhall: The host of PUBLIC_URL, localhost\.example, is a domain of the tenant "shop"\./)
})

test('if GUILDHALL_SECRET names a new and an old secret, what the old one signed still works; without the old one it does not', async (t) => {
  const [old, fresh] = ['o'.repeat(40), 'f'.repeat(40)]
  const env = { ...(await ownDatabase(t)), MAILBOX_KEY: 'the key of this mailbox' }
  const mailbox = { 'guildhall-mailbox-key': env.MAILBOX_KEY }
  const service = await start({ env: { ...env, GUILDHALL_SECRET: old } })
  const people: { authorization: string }[] = []
  const tokens: string[] = []
  const tokenIn = async (from: Running, to: string) =>
    until(async () => {
      const { body } = await get(from, `/api/mailbox?to=${to}`, mailbox)
      return /#token=(\S+)/.exec(body.data[0]?.text)?.[1]
    }, `a mail to ${to}`)
  for (const name of ['ann', 'ben']) {
    const { body } = await post(service, '/api/auth/sign-up', { email: `${name}@example.com`, password })
    people.push({ authorization: `Bearer ${body.session.token}` })
    tokens.push(await tokenIn(service, `${name}@example.com`))
  }
  const [ann = { authorization: '' }, ben = { authorization: '' }] = people
  for (const name of ['One', 'Two', 'Three']) await post(service, '/api/organizations', { name }, ann)
  const page = await get(service, '/api/organizations?limit=1', ann)
  const rest = `/api/organizations?limit=1&cursor=${page.body.nextCursor}`
  await stop(service)

  const rotated = await start({ env: { ...env, GUILDHALL_SECRET: `${fresh}, ${old}` } })
  const next = await get(rotated, rest, ann)
  assert.deepEqual([next.status, next.body.data[0].name], [200, 'Three'])
  const verified = await post(rotated, '/api/auth/verify-email', { token: tokens[0] }, ann)
  assert.deepEqual([verified.status, verified.body.emailVerified], [200, true])
  await stop(rotated)

  const renewed = await start({ env: { ...env, GUILDHALL_SECRET: fresh } })
  const refused = await get(renewed, rest, ann)
  assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_cursor'])
  const old401 = await post(renewed, '/api/auth/verify-email', { token: tokens[1] }, ben)
  assert.deepEqual([old401.status, old401.body.code], [410, 'token_spent'])
  assert.equal((await get(renewed, '/api/users/me', ben)).status, 200, 'sessions do not hang on the secret')
  const token = await tokenIn(renewed, 'ben@example.com')
  assert.equal((await post(renewed, '/api/auth/verify-email', { token }, ben)).status, 200)
  assert.equal(await stop(renewed), 0)
})

test('variables of the shell for another PostgreSQL change nothing, for the embedded database and for DATABASE_URL', async (t) => {
  const shell = {
    PGHOST: 'db.example.com',
    PGUSER: 'somebody',
    PGPASSWORD: 'a password of somebody',
    PGSSLMODE: 'prefer',
    PGSSLNEGOTIATION: 'direct',
    PGOPTIONS: '-c default_transaction_read_only=on',
    PGCLIENT_ENCODING: 'LATIN1',
    PGAPPNAME: 'psql',
  }
  const own = await ownDatabase(t)
  const zofie = { email: 'zofie@example.com', name: 'Žofie', password }
  for (const env of [shell, { ...shell, WORKERS: '2' }, { ...shell, ...own }]) {
    const service = await start({ folder: await makeFolder(), env })
    assert.equal((await post(service, '/api/auth/sign-up', zofie)).status, 201)
    assert.equal(await stop(service), 0)
  }
  const doctor = run(['doctor'], { env: { ...shell, ...own } })
  await doctor.ended
  assert.match(doctor.out, /Database .* answers in/)
})

test('two services run on an external PostgreSQL, and send mail by SMTP', async () => {
  const database = await createDatabase()
  const sink = await startSink()
  const env = {
    DATABASE_URL: database.url,
    GUILDHALL_SECRET: 's'.repeat(32),
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_FROM: 'Guildhall <no-reply@guildhall.example>',
  }
  try {
    const [one, other] = await Promise.all([
      start({ folder: await makeFolder(), env }),
      start({ folder: await makeFolder(), env }),
    ])
    for (const { out, folder } of [one, other]) {
      assert.match(out, /^ {2}Database +PostgreSQL of DATABASE_URL$/m)
      assert.match(out, /^ {2}Mail +sent through SMTP_URL$/m)
      assert.ok(!out.includes('guildhall:') && !out.includes(new URL(database.url).password), 'no password is printed')
      assert.ok(!existsSync(join(folder, '.guildhall')), 'no data folder is made')
    }
    const { body } = await post(one, '/api/auth/sign-up', { email: 'ann@example.com', password })
    const authorization = `Bearer ${body.session.token}`
    assert.equal((await get(other, '/api/users/me', { authorization })).status, 200)
    assert.equal((await sink.to('ann@example.com')).length, 1)
    assert.equal((await post(other, '/api/auth/sign-out', undefined, { authorization })).status, 204)
    assert.equal((await get(one, '/api/users/me', { authorization })).status, 401)

    await database.query(`insert into migrations (version, name, needs) values (9999, '9999_later.sql', 9999)`)
    const late = run(['serve'], { env })
    assert.equal(await late.ended, 1)
    assert.match(
      late.err,
      /^guildhall: The schema is at version 9999, newer than this code \(\d+\), and needs code .*\. Start the newer Guildhall\./m,
    )
    assert.deepEqual(await Promise.all([stop(one), stop(other)]), [0, 0])
  } finally {
    await sink.stop()
    await database.drop()
  }
})

test('a database that the service must not or cannot use is refused with a sentence', async () => {
  const database = await createDatabase()
  const name = new URL(database.url).pathname.slice(1)
  const as = (user: string) => database.url.replace(/\/\/[^@]+@/, `//${user}:secret-password@`)
  const roles = { superuser: `${name}_super`, bypasser: `${name}_bypass` }
  await database.query(`create role ${roles.superuser} login superuser password 'secret-password'`)
  await database.query(`create role ${roles.bypasser} login bypassrls password 'secret-password'`)
  const absent = database.url.replace(name, 'nothing_here')
  const unused = await freePort()
  try {
    for (const [url, message] of [
      [as(roles.superuser), /The role "\w+" is a superuser, so the wall between tenants would not hold\./],
      [as(roles.bypasser), /The role "\w+" bypasses row security, so the wall between tenants would not hold\./],
      [
        as('guildhall'),
        /PostgreSQL at 127\.0\.0\.1:\d+ refuses the login of the user "guildhall" to .* with this password\./,
      ],
      [
        database.url.replace(/:[^:@]+@/, '@'),
        /PostgreSQL at 127\.0\.0\.1:\d+ asks for the password of the user "guildhall", but DATABASE_URL has no password\./,
      ],
      [absent, /PostgreSQL at \S+ has no database "nothing_here"\. Create a role/],
      [
        `postgresql://guildhall:secret-password@127.0.0.1:${unused}/guildhall`,
        /cannot be reached at 127\.0\.0\.1:\d+ .*ECONNREFUSED/,
      ],
      [
        'postgresql://guildhall:secret-password@nowhere.invalid/guildhall',
        /cannot be reached at nowhere\.invalid:5432 .*nowhere\.invalid/,
      ],
    ] as const) {
      const env = { DATABASE_URL: url, GUILDHALL_SECRET: 's'.repeat(32) }
      await assert.rejects(openResources(readConfig(env), 'migrate'), (error: Error) => {
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /secret-password/)
        return true
      })
      if (url !== absent) continue
      // Every command opens the database by this function, and prints what it says.
      for (const child of ['serve', 'migrate', 'tenant list'].map((command) => run(command.split(' '), { env }))) {
        assert.equal(await child.ended, 1, child.err)
        assert.match(child.err, new RegExp(`^guildhall: .*${message.source}`))
        assert.doesNotMatch(child.err, /secret-password|\n\s+at /)
        assert.equal(child.out, '')
      }
    }
  } finally {
    await database.query(`drop role ${roles.superuser}`)
    await database.query(`drop role ${roles.bypasser}`)
    await database.drop()
  }
})

/** Writes down each file that a process loads, what it makes of Intl, and when it ends, which modules of Node it has loaded. */
const watchLoads = `
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
const write = (line) => appendFileSync(process.env.LOADED, line + '\\n')
registerHooks({
  load(url, context, next) {
    write(url)
    return next(url, context)
  },
})
for (const name of ['DateTimeFormat', 'Segmenter'])
  Intl[name] = new Proxy(Intl[name], {
    construct(target, values) {
      write('Intl.' + name)
      return Reflect.construct(target, values)
    },
  })
process.on('exit', () => write(process.moduleLoadList.join('\\n')))`

test('a start loads nothing large that only some requests and jobs need', async () => {
  const folder = await makeFolder({ data: true })
  const list = join(folder, 'loaded')
  const env = {
    LOADED: list,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(watchLoads)}`,
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'Guildhall <no-reply@guildhall.example>',
  }
  assert.equal(await stop(await start({ folder, env })), 0)
  const loaded = await readFile(list, 'utf8')
  const isLoaded = (name: string) => loaded.includes(`/node_modules/${name}/`)
  assert.ok(isLoaded('fastify'))
  const later = [
    '@opentelemetry/api',
    '@scalar/fastify-api-reference',
    '@simplewebauthn/server',
    '@zxcvbn-ts/language-common',
    'bcryptjs',
    'csv-parse',
    'nodemailer',
    'prom-client',
    'sharp',
  ]
  assert.deepEqual(later.filter(isLoaded), [])
  assert.match(loaded, /^NativeModule _http_server$/m)
  assert.doesNotMatch(loaded, /^NativeModule internal\/deps\/undici\/|^Intl\./m)
})
