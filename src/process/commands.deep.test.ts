/** The commands as the operator meets them. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase } from '../../test/database.ts'
import { get, makeFolder, post, root, run, start, stop } from '../../test/processes.ts'
import { password } from '../../test/world.ts'

test('migrate says what it applied, and when there is nothing to apply', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  await query('drop schema public cascade')
  await query('create schema public authorization guildhall')
  const env = { DATABASE_URL: url, GUILDHALL_SECRET: 's'.repeat(32) }
  for (const said of [/^Applied 0001_tenants\.sql, /, /^The schema is up to date\.\n$/]) {
    const child = run(['migrate'], { env })
    assert.equal(await child.ended, 0, child.err)
    assert.match(child.out, said)
  }
})

test('an error that no command expects is printed without the values of rows', async (t) => {
  const { url, query, drop } = await createDatabase()
  t.after(drop)
  await query(`alter table tenants add constraint tenants_marked check (name <> 'Marked Name')`)
  const env = { DATABASE_URL: url, GUILDHALL_SECRET: 's'.repeat(32) }

  const child = run(['tenant', 'create', 'marked-slug', '--name', 'Marked Name'], { env })

  assert.equal(await child.ended, 1)
  assert.doesNotMatch(child.err, /Marked Name|marked-slug/)
  assert.match(child.err, /^ConstraintError: The constraint tenants_marked was violated\.\n +at /m)
  assert.match(child.err, /^Caused by error: new row .* violates check constraint "tenants_marked"\n +at /m)
  assert.match(child.err, /^ +code: 23514$/m)
})

test('commands manage tenants and admins, with and without a running service', async () => {
  const folder = await makeFolder({ data: true })
  const guildhall = async (...args: string[]) => {
    const child = run(args, { folder, env: { GUILDHALL_ADMIN_PASSWORD: password } })
    return { code: await child.ended, out: child.out, err: child.err }
  }
  const create = ['tenant', 'create', 'shop', '--name', 'The Shop', '--domain', 'Shop.Example.com']
  const decide = ['tenant', 'update', 'default', '--passkey-domain', 'localhost', '--force']
  for (const args of [create, decide]) {
    const { code, err } = await guildhall(...args)
    assert.equal(code, 1)
    assert.match(err, /^guildhall: .* which this command does not know\. Set PUBLIC_URL for it as for the service\.$/m)
  }
  const creating = run(create, { folder, env: { PUBLIC_URL: 'http://localhost:3000' } })
  const created = { code: await creating.ended, out: creating.out, err: creating.err }
  assert.deepEqual([created.code, created.err], [0, ''])
  assert.match(created.out, /^shop\n {2}Name +The Shop\n {2}Id +ten_\w{26}\n {2}Domains +shop\.example\.com\n/)
  assert.match(created.out, /\/t\/shop\/set-up#token=ghu_\S+$/m)
  assert.match(created.out, /^Its mailbox, which needs the key .*\nhttp:\S+\/t\/shop\/mailbox$/m)

  const service = await start({ folder })
  const [, token = ''] = /\/t\/shop\/set-up#token=(\S+)$/m.exec(service.out) ?? []
  assert.ok(token, 'the start makes a link for every tenant without an admin')
  const stale = /#token=(\S+)$/m.exec(created.out)?.[1]
  const shop = { 'guildhall-tenant': 'shop' }
  const spent = await post(service, '/api/setup', { token: stale, email: 'a@example.com', password }, shop)
  assert.deepEqual([spent.status, spent.body.code], [410, 'token_spent'])

  const second = await guildhall('tenant', 'create', 'second', '--name', 'Second')
  for (const page of ['set-up#token=', 'mailbox'])
    assert.ok(
      second.out.includes(`\nhttp://localhost:${service.port}/t/second/${page}`),
      'links lead to where the service is',
    )
  const elsewhere = { folder, env: { PUBLIC_URL: 'http://localhost:9999', MAILBOX_KEY: 'the key of this mailbox' } }
  const told = run(['tenant', 'create', 'third', '--name', 'Third'], elsewhere)
  assert.equal(await told.ended, 0)
  assert.match(told.out, /^http:\/\/localhost:9999\/t\/third\/set-up#token=/m)
  assert.match(told.out, /^Its mailbox:\nhttp:\S+\/t\/third\/mailbox#the key of this mailbox$/m)
  assert.ok(
    !told.out.includes('assumes') &&
      second.out.includes(`assumes that the service is at http://localhost:${service.port}.`),
  )
  for (const slug of ['second', 'third']) assert.equal((await guildhall('tenant', 'delete', slug, '--yes')).code, 0)

  const admin = await guildhall('admin', 'create', '--email', 'root@example.com', '--tenant', 'shop')
  assert.deepEqual([admin.code, admin.out], [0, 'root@example.com is now an admin of the tenant "shop".\n'])
  const signedIn = await post(service, '/api/auth/sign-in', { email: 'root@example.com', password }, shop)
  assert.deepEqual([signedIn.status, signedIn.body.user.role], [200, 'admin'])
  const late = await post(service, '/api/setup', { token, email: 'a@example.com', password }, shop)
  assert.deepEqual([late.status, late.body.code], [410, 'token_spent'], 'any first admin ends the link')
  const twice = await guildhall('admin', 'create', '--email', 'root@example.com', '--tenant', 'shop')
  assert.equal(twice.code, 1)
  assert.match(twice.err, /^guildhall: A user has the address root@example\.com already/)

  assert.equal((await guildhall('tenant', 'update', 'shop', '--name', 'The Store', '--slug', 'store')).code, 0)
  await guildhall(
    'tenant',
    'update',
    'default',
    '--mail-from',
    'Acme <a@acme.example>',
    '--base-url',
    'https://acme.example',
  )
  const credentials = { email: 'root@example.com', password }
  assert.equal((await post(service, '/api/auth/sign-in', credentials, shop)).body.code, 'tenant_mismatch')
  assert.equal((await post(service, '/api/auth/sign-in', credentials, { 'guildhall-tenant': 'store' })).status, 200)
  const listed = await guildhall('tenant', 'list')
  assert.equal(
    listed.out.replace(/ten_\w{26}/g, 'ten_…'),
    `default
  Name      Guildhall
  Id        ten_…
  Domains   none
  Base URL  https://acme.example
  Origins   none
  Sender    Acme <a@acme.example>
  Admins    none: guildhall admin create --email … --tenant default

store
  Name      The Store
  Id        ten_…
  Domains   shop.example.com
  Base URL  http://localhost:${service.port}/t/store (this service)
  Origins   none
  Sender    Guildhall <guildhall@localhost> (MAIL_FROM)
`,
  )
  const cleared = await guildhall('tenant', 'update', 'store', '--domain', '')
  assert.match(cleared.out, /^ {2}Domains +none$/m)
  assert.equal((await guildhall(...create.with(2, 'third'))).code, 0, 'the start has stored where the service is')
  assert.equal((await guildhall('tenant', 'delete', 'third', '--yes')).code, 0)

  const keysOfStore = async () => {
    const [, id] = /^store\n.*\n {2}Id +(ten_\w+)/m.exec(listed.out) ?? []
    const { status, body } = await get(service, `/api/tenants/${id}/jwks.json`)
    return status === 200 ? body.keys.length : status
  }
  assert.equal(await keysOfStore(), 404)
  const [first, next] = [
    await guildhall('tenant', 'rotate-keys', 'store'),
    await guildhall('tenant', 'rotate-keys', 'store'),
  ]
  assert.match(first.out, /^The next signing key of the tenant "store" is published\. It signs from \d{4}-.*Z\.$/m)
  assert.notEqual(next.out, first.out, 'there was none before, so the first one signs at once')
  assert.equal(await keysOfStore(), 2)
  const withdrawn = await guildhall('tenant', 'rotate-keys', 'store', '--now')
  assert.match(withdrawn.out, /^All other keys are withdrawn\./m)
  assert.equal(await keysOfStore(), 1)

  const unsure = await guildhall('tenant', 'delete', 'store')
  assert.equal(unsure.code, 2)
  assert.match(unsure.err, /--yes/)
  assert.equal((await guildhall('tenant', 'delete', 'store', '--yes')).code, 0)
  const gone = await get(service, '/api/users/me', { authorization: `Bearer ${signedIn.body.session.token}` })
  assert.equal(gone.status, 401)

  for (const [args, message] of [
    [['tenant', 'create', '-x', '--name', 'X'], undefined],
    [['tenant', 'create', 'default', '--name', 'X'], /A tenant has this slug already\./],
    [['admin', 'create', '--email', 'x@example.com', '--tenant', 'nothing'], /There is no tenant "nothing"\./],
  ] as const) {
    const { code, err } = await guildhall(...args)
    assert.equal(code, message ? 1 : 2, `${args.join(' ')}\n${err}`)
    if (message) assert.match(err, message)
    assert.doesNotMatch(err, /\n\s+at /, 'no stack')
  }
  assert.equal(await stop(service), 0)
})

test('a command in a folder without data creates none, and says where to run it', async () => {
  const folder = await makeFolder()
  for (const args of [
    ['tenant', 'list'],
    ['tenant', 'create', 'shop', '--name', 'The Shop'],
    ['admin', 'create', '--email', 'ann@example.com'],
  ]) {
    const child = run(args, { folder })
    assert.equal(await child.ended, 1, args.join(' '))
    assert.match(
      child.err,
      /^guildhall: There is no Guildhall data in \S+\/\.guildhall\. Run the command in the folder of [^\n]+\n$/,
    )
  }
  assert.ok(!existsSync(join(folder, '.guildhall')))
})

test('a wrong command line is answered with the usage of that command and exit code 2', async () => {
  for (const [args, message] of [
    [['dance'], /There is no command "dance"/],
    [['tenant', 'list', '--loud'], /Unknown option '--loud'\.$/],
    [['import', '--users', 'users.txt'], /"users\.txt" must end in \.csv/],
    [['serve', 'now'], /"serve" takes no arguments/],
  ] as const) {
    const child = run([...args])
    assert.equal(await child.ended, 2, args.join(' '))
    const [said = '', blank, ...usage] = child.err.trimEnd().split('\n')
    assert.match(said, message)
    assert.equal(blank, '')
    const own = usage.every((line) => line.startsWith(`  guildhall ${args[0]} `))
    assert.ok(args[0] === 'dance' ? usage.join() === 'See: guildhall help' : own, child.err)
    assert.equal(child.out, '')
  }
  for (const args of [['help'], ['--help'], ['-h'], ['dance', '--help']]) {
    const child = run(args)
    assert.equal(await child.ended, 0)
    assert.match(
      child.out,
      /guildhall migrate[\s\S]*"tenant delete" permanently[\s\S]*--start-url[\s\S]*Settings come from/,
    )
    assert.equal(child.err, '')
  }
  for (const args of [
    ['tenant', '--help'],
    ['tenant', 'create', '-h'],
    ['help', 'tenant'],
  ]) {
    const child = run(args)
    assert.equal(await child.ended, 0)
    assert.match(
      child.out,
      /^ {2}guildhall tenant list\n[\s\S]*\n\n"tenant update" replaces [\s\S]*\nSettings come from .*\n$/,
    )
    assert.doesNotMatch(child.out, /migrate|application/)
    assert.equal(child.err, '')
  }
})

test("a new admin's password may come through a pipe, and without a password no admin is created", async () => {
  const folder = await makeFolder({ data: true })
  for (const [typed, code, said] of [
    ['', 2, 'guildhall: The password is empty.'],
    ['\n', 2, 'guildhall: The password is empty.'],
    [password, 0, 'ann@example.com is now an admin of the tenant "default".'],
    [`${password}\n`, 1, 'guildhall: A user has the address ann@example.com already, and is not promoted by this.'],
  ] as const) {
    const child = run(['admin', 'create', '--email', 'ann@example.com'], { folder, input: typed })
    assert.equal(await child.ended, code, child.err)
    assert.ok((child.out + child.err).split('\n').includes(said), child.err)
    assert.doesNotMatch(child.err, /Warning/)
  }
})

test("the version is the package's", async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const child = run(['--version'])
  assert.deepEqual([await child.ended, child.out], [0, `${version}\n`])
})

test('the command that prints the OpenAPI document ends quietly if its reader stops', async () => {
  const child = run(['openapi'])
  child.child.stdout?.once('data', () => child.child.stdout?.destroy())
  assert.equal(await child.ended, 0)
  assert.equal(child.err, '')
})

test('the OpenAPI document is printed without a database', async () => {
  const child = run(['openapi'], { env: { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none', PORT: 'x' } })
  assert.equal(await child.ended, 0)
  assert.ok(JSON.parse(child.out).paths['/api/users/me'])
})
