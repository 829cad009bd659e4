/** The service as the operator meets it. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { realpath, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildConsole } from '../../console/build.ts'
import { createDatabase } from '../../test/database.ts'
import {
  children,
  databaseRuns,
  freePort,
  get,
  makeFolder,
  post,
  type Running,
  root,
  run,
  start,
  stop,
} from '../../test/processes.ts'
import { startSink, until } from '../../test/smtp.ts'
import { password } from '../../test/world.ts'

// npm start would build it, and no test is to wait for that.
await buildConsole()

test('the first start prints where everything is, keeps its secrets for their owner alone, and its link makes the first admin', async () => {
  const service = await start({ folder: await makeFolder(), env: { LOG_LEVEL: 'info' } })
  assert.match(service.out, /"msg":"migrated"/)
  const printed = (label: string) => new RegExp(`^ {2}${label} +(\\S.*)$`, 'm').exec(service.out)?.[1] ?? ''
  assert.equal(printed('Console'), service.url)
  assert.equal((await fetch(printed('Console'))).status, 200)
  assert.equal(printed('API'), `${service.url}/api`)
  assert.equal(printed('Documentation'), `${service.url}/docs`)
  assert.equal((await fetch(printed('Documentation'))).status, 200)
  const data = await realpath(join(service.folder, '.guildhall', 'postgres'))
  assert.equal(printed('Database'), `embedded PostgreSQL in ${data}`)
  for (const secret of ['secret', 'postgres.json']) {
    const { mode } = await stat(join(service.folder, '.guildhall', secret))
    assert.equal(mode & 0o777, 0o600, `${secret} is for its owner alone`)
  }

  const [, token = ''] = /\/set-up#token=(\S+)$/.exec(printed('Set up')) ?? []
  assert.equal((await fetch(printed('Set up'))).status, 200)
  const setUp = { token, email: 'root@example.com', password }
  const made = await post(service, '/api/setup', setUp)
  assert.deepEqual([made.status, made.body.user.role], [201, 'admin'])
  const again = await post(service, '/api/setup', { ...setUp, email: 'other@example.com' })
  assert.deepEqual([again.status, again.body.code], [410, 'token_spent'])

  const [, key = ''] = /\/mailbox#(\S+)$/.exec(printed('Mailbox')) ?? []
  assert.equal((await fetch(printed('Mailbox'))).status, 200)
  await until(async () => {
    const mails = await get(service, '/api/mailbox', { 'guildhall-mailbox-key': key })
    return mails.body.data?.[0]?.to === 'root@example.com'
  }, 'the admin’s verification mail')

  assert.equal(await stop(service), 0)
  const restarted = await start({ folder: service.folder })
  assert.doesNotMatch(restarted.out, /set-up/i)
  const signedIn = await post(restarted, '/api/auth/sign-in', { email: 'root@example.com', password })
  assert.deepEqual([signedIn.status, signedIn.body.user.id], [200, made.body.user.id])
  const me = await get(restarted, '/api/users/me', { authorization: `Bearer ${made.body.session.token}` })
  assert.equal(me.status, 200, 'a session outlives a restart')
  assert.equal(await stop(restarted), 0)
})

for (const [signal, launched, how] of [
  ['SIGTERM', false, 'SIGTERM'],
  ['SIGINT', true, 'SIGINT, by way of the launcher,'],
] as const) {
  test(`${how} finishes the requests under way, then stops the service and its database`, async () => {
    const service = await start({ launched, env: { LOG_LEVEL: 'info' } })
    const burst = Array.from({ length: 12 }, (_, index) =>
      post(service, '/api/auth/sign-up', { email: `guest-${index}@example.com`, password }),
    )
    await Promise.race(burst)
    service.child.kill(signal)

    assert.deepEqual(
      (await Promise.all(burst)).map(({ status }) => status),
      burst.map(() => 201),
    )
    assert.equal(await service.ended, 0)
    assert.ok(!databaseRuns(service), 'the embedded database was stopped')
    await assert.rejects(get(service, '/livez'))
    assert.equal(service.err, '')
    const said = [...service.out.matchAll(/"msg":"(.*?)"/g)].map(([, message]) => message)
    assert.deepEqual(
      said.filter((message) => message !== 'answered' && message !== 'mail'),
      [`listening at ${service.url}`, 'stopping', 'stopped'],
    )
  })
}

test('a service that was killed without warning starts again, with everything it had answered for', async () => {
  const service = await start()
  const ids: string[] = []
  for (const name of ['ann', 'ben', 'cleo']) {
    ids.push((await post(service, '/api/auth/sign-up', { email: `${name}@example.com`, password })).body.user.id)
  }
  service.child.kill('SIGKILL')
  assert.equal(await service.ended, 'SIGKILL')

  const restarted = await start({ folder: service.folder })
  for (const [index, name] of ['ann', 'ben', 'cleo'].entries()) {
    const { status, body } = await post(restarted, '/api/auth/sign-in', { email: `${name}@example.com`, password })
    assert.deepEqual([status, body.user.id], [200, ids[index]])
  }
  assert.equal(await stop(restarted), 0)
  assert.ok(!databaseRuns(restarted))
})

test('a second service on a taken port says so and leaves the first one alone', async () => {
  const first = await start()
  const second = run(['serve'], { folder: first.folder, port: first.port })
  assert.equal(await second.ended, 1)
  assert.match(second.err, new RegExp(`^guildhall: Port ${first.port} on 127\\.0\\.0\\.1 is taken\\..*set PORT`, 'm'))
  assert.doesNotMatch(second.err, /\n\s+at /, 'no stack')
  assert.equal((await get(first, '/livez')).status, 200)
  assert.equal((await post(first, '/api/auth/sign-up', { email: 'ann@example.com', password })).status, 201)
  assert.equal(await stop(first), 0)
})

test('when its launcher is killed without warning, the service stops as if it had been asked to', async () => {
  const service = await start({ launched: true })
  service.child.kill('SIGKILL')
  await service.ended // the service had the same standard output, and has closed it too
  await assert.rejects(get(service, '/livez'))
  await until(() => !databaseRuns(service), 'the embedded database to stop')
  assert.equal(service.err, '')
})

test('npm start ends by SIGTERM only when the service and its database have', async () => {
  const [folder, port] = [await makeFolder({ data: true }), await freePort()]
  const { PATH = '', HOME = '' } = process.env
  const npm = spawn('npm', ['start'], {
    cwd: root,
    env: { PATH, HOME, PORT: String(port), GUILDHALL_DATA: join(folder, '.guildhall'), LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.add(npm)
  let out = ''
  npm.stdout.setEncoding('utf8').on('data', (text) => (out += text))
  const ended = new Promise((resolve) => npm.once('close', resolve))
  await until(() => out.includes('Ctrl-C stops it.'), 'the service to run')
  npm.kill('SIGTERM')
  await ended
  children.delete(npm)
  await assert.rejects(get({ url: `http://127.0.0.1:${port}` }, '/livez'))
  assert.ok(!existsSync(join(folder, '.guildhall', 'postgres', 'postmaster.pid')), 'the embedded database was stopped')
})

test('npm run dev serves the console from its sources and passes the rest on, and one signal stops both', async () => {
  const [folder, port, own] = [await makeFolder({ data: true }), await freePort(), await freePort()]
  const dev = run([String(port)], { folder, port: own, script: 'tools/dev.ts' })
  await until(() => dev.out.includes('Ctrl-C stops it.'), 'the service to run')
  const url = `http://127.0.0.1:${port}`
  assert.match(dev.out, new RegExp(`^ {2}Set up +${url}/set-up#token=`, 'm'))

  const text = async (path: string) => (await fetch(url + path, { headers: { accept: 'text/html' } })).text()
  for (const path of ['/', '/t/acme/', '/t/acme/me']) assert.match(await text(path), /src="\/main\.tsx/, path)
  assert.match(await text('/api/client.ts'), /createClient/, 'a module of the console')
  const [lent = ''] = /\S*slug-of-name\.ts/.exec(await text('/organizations/creation.tsx')) ?? []
  assert.match(await text(lent.replace(/^["']/, '')), /function slugOf/, 'what it has of the service')
  assert.equal((await get({ url }, '/api/tenant')).body.slug, 'default')
  for (const path of ['/livez', '/openapi.json']) assert.equal((await get({ url }, path)).status, 200, path)
  assert.match(await text('/docs/problems'), /last_owner/)

  dev.child.kill('SIGINT')
  await dev.ended
  for (const each of [port, own]) await assert.rejects(get({ url: `http://127.0.0.1:${each}` }, '/livez'))
  assert.ok(!existsSync(join(folder, '.guildhall', 'postgres', 'postmaster.pid')), 'the embedded database was stopped')
})

test('data without its secret, or without its passwords, is not served, and says what is missing', async () => {
  const folder = await makeFolder({ data: true })
  for (const [file, said] of [
    ['secret', /The file \S+secret is missing, which has the secret of the data beside it/],
    ['postgres.json', /The file \S+postgres\.json is missing, which has the passwords of the database in/],
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

test('an error that nobody caught is said, and ends the service in order, with failure', async () => {
  const fails = `process.once('SIGUSR2', () => Promise.reject(new Error('nobody foresaw this')))`
  const service = await start({ env: { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(fails)}"` } })
  assert.equal(await stop(service, 'SIGUSR2'), 1)
  assert.match(service.err, /^Error: nobody foresaw this$/m)
  assert.ok(!databaseRuns(service))
})

test('settings are read from .env of the working directory, and what is not empty in the environment wins', async () => {
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

test('wrong settings are all named at once, before anything is started', async () => {
  const env = { PORT: 'x', LOG_LEVEL: 'loud', TRUST_PROXY: '0.0.0.0/0' }
  const admin = { GUILDHALL_ADMIN_EMAIL: 'root@', GUILDHALL_ADMIN_PASSWORD: 'short' }
  const child = run(['serve'], { env: { ...env, ...admin } })
  assert.equal(await child.ended, 1)
  for (const name of [...Object.keys(env), 'SMTP_URL', ...Object.keys(admin)])
    assert.match(child.err, new RegExp(`- ${name} `))
  assert.doesNotMatch(child.err, /\n\s+at /, 'no stack')
  assert.equal(child.out, '')
})

test('the settings’ admin is made where there is none, but of no other user, and left alone after that', async () => {
  const service = await start()
  assert.equal((await post(service, '/api/auth/sign-up', { email: 'ann@example.com', password })).status, 201)
  assert.equal(await stop(service), 0)
  const { folder } = service
  const as = (email: string, secret = password) => ({
    folder,
    env: { GUILDHALL_ADMIN_EMAIL: email, GUILDHALL_ADMIN_PASSWORD: secret },
  })

  for (const [options, said] of [
    [as('ann@example.com'), /GUILDHALL_ADMIN_EMAIL .*\. A user has the address ann@example\.com already, and is/],
    [as('ben@example.com', 'password1'), /.* GUILDHALL_ADMIN_PASSWORD .* This is among the commonest passwords\./],
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

test('PUBLIC_URL is not under a domain that is one tenant’s own', async () => {
  const folder = await makeFolder({ data: true })
  assert.equal(
    await run(['tenant', 'create', 'shop', '--name', 'Shop', '--domain', 'localhost.example'], { folder }).ended,
    0,
  )
  const child = run(['serve'], {
    folder,
    env: { PUBLIC_URL: 'http://localhost.example', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@example.com' },
  })
  assert.equal(await child.ended, 1)
  assert.match(
    child.err,
    /^guildhall: PUBLIC_URL has the host localhost\.example, which is a domain of the tenant "shop"\./,
  )
})

test('with GUILDHALL_SECRET set to a new and an old one, what the old one made still works; without it, it does not', async () => {
  const [old, fresh] = ['o'.repeat(40), 'f'.repeat(40)]
  const env = { MAILBOX_KEY: 'the key of this mailbox' }
  const mailbox = { 'guildhall-mailbox-key': env.MAILBOX_KEY }
  const service = await start({ env: { ...env, GUILDHALL_SECRET: old } })
  const { folder } = service
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

  const rotated = await start({ folder, env: { ...env, GUILDHALL_SECRET: `${fresh}, ${old}` } })
  const next = await get(rotated, rest, ann)
  assert.deepEqual([next.status, next.body.data[0].name], [200, 'Three'])
  const verified = await post(rotated, '/api/auth/verify-email', { token: tokens[0] }, ann)
  assert.deepEqual([verified.status, verified.body.emailVerified], [200, true])
  await stop(rotated)

  const renewed = await start({ folder, env: { ...env, GUILDHALL_SECRET: fresh } })
  const refused = await get(renewed, rest, ann)
  assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_cursor'])
  const old401 = await post(renewed, '/api/auth/verify-email', { token: tokens[1] }, ben)
  assert.deepEqual([old401.status, old401.body.code], [410, 'token_spent'])
  assert.equal((await get(renewed, '/api/users/me', ben)).status, 200, 'sessions do not hang on the secret')
  const token = await tokenIn(renewed, 'ben@example.com')
  assert.equal((await post(renewed, '/api/auth/verify-email', { token }, ben)).status, 200)
  assert.equal(await stop(renewed), 0)
})

test('a PostgreSQL of one’s own serves, with two services on it, and mail through SMTP', async () => {
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
      assert.match(out, /^ {2}Database +the one of DATABASE_URL$/m)
      assert.match(out, /^ {2}Mail +goes out through SMTP_URL$/m)
      assert.ok(!out.includes('guildhall:') && !out.includes(new URL(database.url).password), 'no password is printed')
      assert.ok(!existsSync(join(folder, '.guildhall')), 'no data folder is made')
    }
    const { body } = await post(one, '/api/auth/sign-up', { email: 'ann@example.com', password })
    const authorization = `Bearer ${body.session.token}`
    assert.equal((await get(other, '/api/users/me', { authorization })).status, 200)
    assert.equal((await sink.to('ann@example.com')).length, 1)
    assert.equal((await post(other, '/api/auth/sign-out', undefined, { authorization })).status, 204)
    assert.equal((await get(one, '/api/users/me', { authorization })).status, 401)

    await database.ask(`insert into migrations (version, name, needs) values (9999, '9999_later.sql', 9999)`)
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

test('a database that the service must not or cannot serve on is refused with a sentence', async () => {
  const database = await createDatabase()
  const name = new URL(database.url).pathname.slice(1)
  const as = (user: string) => database.url.replace(/\/\/[^@]+@/, `//${user}:secret-password@`)
  const roles = { superuser: `${name}_super`, bypasser: `${name}_bypass` }
  await database.ask(`create role ${roles.superuser} login superuser password 'secret-password'`)
  await database.ask(`create role ${roles.bypasser} login bypassrls password 'secret-password'`)
  const absent = database.url.replace(name, 'nothing_here')
  const unused = await freePort()
  try {
    for (const [url, message] of [
      [as(roles.superuser), /The role "\w+" is a superuser, so the wall between tenants would not hold\./],
      [as(roles.bypasser), /The role "\w+" bypasses row security, so the wall between tenants would not hold\./],
      [
        as('guildhall'),
        /PostgreSQL at 127\.0\.0\.1:\d+ does not let the user "guildhall" into .* with this password\./,
      ],
      [absent, /PostgreSQL at \S+ has no database "nothing_here"\. Make a role/],
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
      // They all open it by the same function.
      const commands = url === absent ? ['serve', 'migrate', 'tenant list'] : ['serve']
      for (const child of commands.map((command) => run(command.split(' '), { env }))) {
        assert.equal(await child.ended, 1, child.err)
        assert.match(child.err, new RegExp(`^guildhall: .*${message.source}`))
        assert.doesNotMatch(child.err, /secret-password|\n\s+at /)
        assert.equal(child.out, '')
      }
    }
  } finally {
    await database.ask(`drop role ${roles.superuser}`)
    await database.ask(`drop role ${roles.bypasser}`)
    await database.drop()
  }
})
