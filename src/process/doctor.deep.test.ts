/** `guildhall doctor`, as the operator meets it. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase } from '../../test/database.ts'
import { freePort } from '../../test/ports.ts'
import { makeFolder, run, start, stop } from '../../test/processes.ts'
import { startSink } from '../../test/smtp.ts'
import { Keyring } from '../platform/cryptography.ts'

const findings = (out: string) =>
  Object.fromEntries([...out.matchAll(/^ {2}(ok|warn|fail) +(\w+) /gm)].map(([, level, subject]) => [subject, level]))

async function examine(folder: string, env: Record<string, string> = {}) {
  const child = run(['doctor'], { folder, env })
  return { code: await child.ended, out: child.out, err: child.err, found: findings(child.out) }
}

test('the doctor reports what works and what does not, and says what to do', async (t) => {
  const sink = await startSink()
  t.after(() => sink.stop())
  const folder = await makeFolder({ data: true })

  const local = await examine(folder)
  assert.deepEqual([local.code, local.err], [0, ''])
  // A machine may be too slow for `ok`: the database then takes long to answer, and when its clock was read is less certain.
  const { Database, Clock } = local.found
  const [, took] = /answers in (\d+) ms/.exec(local.out) ?? []
  if (Number(took) < 100) assert.equal(Database, 'ok')
  if (/Clock +is \d+ ms from/.test(local.out)) assert.equal(Clock, 'ok')
  for (const level of [Database, Clock]) assert.match(`${level}`, /^(ok|warn)$/)
  assert.deepEqual(local.found, {
    Guildhall: 'ok',
    Settings: 'ok',
    Address: 'warn',
    Database,
    Wall: 'ok',
    Clock,
    Rights: 'ok',
    Queue: 'ok',
    Domains: 'ok',
    Outbox: 'ok',
    Secrets: 'ok',
    Passkeys: 'ok',
    Tokens: 'ok',
    Applications: 'ok',
    Admins: 'warn',
    Mail: 'warn',
    Console: local.found.Console,
  })
  assert.match(local.out, /^ {2}warn {2}Admins +There is no tenant yet\./m)
  assert.match(local.out, /^0 failed, /m)

  const proxied = {
    PUBLIC_URL: 'https://accounts.example.com',
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_FROM: 'Guildhall <no-reply@example.com>',
  }
  const half = await examine(folder, proxied)
  assert.deepEqual([half.code, half.found.Address, half.found.Mail], [0, 'warn', 'ok'])
  const metrics = { METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' }
  const smtp = `smtp://127.0.0.1:${await freePort()}`
  await writeFile(join(folder, '.env'), `TRUST_PROXY=127.0.0.1\nLIMIT_SIGNUP=1/60\n`)
  const unsent = await examine(folder, { ...proxied, ...metrics, SMTP_URL: smtp })
  const { Settings, Address, Mail, Metrics } = unsent.found
  assert.deepEqual([unsent.code, Settings, Address, Mail, Metrics], [1, 'warn', 'ok', 'fail', 'warn'])
  assert.match(unsent.out, /Settings +\.env has unknown settings: LIMIT_SIGNUP\.\n/)
})

test('the doctor names the rights that the role lacks, the missing queue and late jobs, and creates nothing', async (t) => {
  const { query, url, drop } = await createDatabase()
  t.after(drop)
  const env = { DATABASE_URL: url, GUILDHALL_SECRET: 'a secret that is only used in tests' }
  await query(`insert into tenants (id, slug, name) values (gen_random_uuid(), 'shop', 'Shop')`)
  await query('revoke insert, update, delete on users from guildhall')
  await query('alter table graphile_worker._private_tasks force row level security')
  const barred = await examine(await makeFolder(), env)
  assert.deepEqual([barred.code, barred.found.Wall, barred.found.Rights], [1, 'ok', 'fail'])
  assert.match(barred.out, /Rights +The role lacks rights on: users, graphile_worker\._private_tasks\.\n/)

  await query('grant insert, update, delete on users to guildhall')
  await query('drop schema graphile_worker cascade')
  await query(`insert into outbox select id, now() - interval '6 minutes', gen_random_uuid(), '[]' from tenants`)
  const { code, found, out } = await examine(await makeFolder(), env)
  assert.deepEqual([code, found.Rights, found.Queue, found.Outbox], [1, 'ok', 'fail', 'warn'])
  assert.match(out, /Outbox +Jobs or events of these tenants have waited .+: "shop"\. Check that a service runs,\n/)
  assert.match(out, /Queue +is not in this database, so no mail is sent\. Start the service or run "guildhall migrate"/)
  assert.match(out, /^ {2}warn {2}Admins +The tenant "shop" has none: guildhall admin create --email … --tenant shop$/m)
  assert.deepEqual(await query('select slug from tenants'), [{ slug: 'shop' }])
})

test('the doctor counts what an older secret still protects, and what no secret opens', async (t) => {
  const { query, url, drop } = await createDatabase()
  t.after(drop)
  const [newest, older, lost] = ['n'.repeat(32), 'o'.repeat(32), 'l'.repeat(32)] as const
  const examineWith = async (...secrets: string[]) =>
    examine(await makeFolder(), { DATABASE_URL: url, GUILDHALL_SECRET: secrets.join() })
  for (const [slug, secrets] of [
    ['bar', [older, older, newest]],
    ['shop', [older, lost]],
  ] as const) {
    const values = [slug, secrets.map((secret) => new Keyring([secret]).name)]
    await query('insert into tenants (id, slug, name) values (gen_random_uuid(), $1, $1)', [slug])
    await query(
      `insert into users (tenant_id, id, email, email_verified, role)
       select t.id, 'user_' || n, n || '@example.com', true, 'user'
       from tenants t, unnest($2::text[]) with ordinality s (name, n)
       where slug = $1`,
      values,
    )
    await query(
      `insert into factors (tenant_id, id, user_id, type, name, seed, sealed_under, last_step)
       select t.id, 'fac_' || n, 'user_' || n, 'totp', 'App', 'sealed', s.name, 0
       from tenants t, unnest($2::text[]) with ordinality s (name, n)
       where slug = $1`,
      values,
    )
  }
  await query(
    `insert into providers (tenant_id, id, type, name, client_id, secret, sealed_under)
     select id, 'idp_1', 'google', 'Google', 'guildhall', 'sealed', $1 from tenants where slug = 'shop'`,
    [new Keyring([lost]).name],
  )
  await query(
    `insert into webhooks (tenant_id, id, name, url, place)
     select id, 'whk_1', 'Billing', 'https://billing.example.com', 0 from tenants where slug = 'shop'`,
  )
  await query(
    `insert into webhook_secrets (tenant_id, webhook_id, id, secret, sealed_under)
     select id, 'whk_1', gen_random_uuid(), 'sealed', $1 from tenants where slug = 'shop'`,
    [new Keyring([lost]).name],
  )

  const rotating = await examineWith(newest, older, lost)
  assert.deepEqual([rotating.code, rotating.found.Secrets], [0, 'warn'])
  assert.match(
    rotating.out,
    /Secrets +Seeds, client secrets, signing keys and secrets of webhooks that are still encrypted with an older secret: 6\. /,
  )

  const broken = await examineWith(newest, older)
  assert.equal(broken.code, 1)
  const lacking = /fail {2}Secrets +GUILDHALL_SECRET lacks the secret of: (.*)\. They do not work\./
  assert.deepEqual(lacking.exec(broken.out)?.slice(1), [
    'tenant "shop" (authenticator apps: 1, client secrets of providers: 1, signing keys: 0, secrets of webhooks: 1)',
  ])
  assert.match(broken.out, /warn {2}Secrets .* with an older secret: 3\. /)
})

test('after a change of PUBLIC_URL, the start and the doctor name the passkeys that do not work, and how to delete them', async (t) => {
  const { query, url, drop } = await createDatabase()
  t.after(drop)
  const env = { DATABASE_URL: url, GUILDHALL_SECRET: 'a secret that is only used in tests' }
  await query(`insert into tenants (id, slug, name) values (gen_random_uuid(), 'shop', 'Shop')`)
  await query(`insert into users (tenant_id, id, email, email_verified, role)
    select id, 'user_1', 'ann@example.com', true, 'admin' from tenants`)
  await query(`insert into factors (tenant_id, id, user_id, type, name, credential_id, public_key, sign_count, is_synced, rp_id)
    select t.id, 'fac_' || n, 'user_1', 'passkey', 'Key', n::text::bytea, '', 0, false, domain
    from tenants t, unnest('{localhost,before.example,before.example}'::text[]) with ordinality d (domain, n)`)
  const said = /Passkeys of the tenant \\?"shop\\?" that do not work: 2\. They belong to the domain before\.example, /
  const remedy = 'tenant update shop --passkey-domain "" --force'

  const service = await start({ folder: await makeFolder(), env: { ...env, LOG_LEVEL: 'error' } })
  assert.equal(await stop(service), 0)
  assert.match(service.out, said)

  const unlocated = await examine(await makeFolder(), env)
  assert.deepEqual([unlocated.code, unlocated.found.Passkeys], [1, 'fail'])
  assert.match(unlocated.out, /do not work at http:\S+: 2\. They belong .*\. PUBLIC_URL is not set, /)
  assert.ok(!unlocated.out.includes('--force'), unlocated.out)
  const words = remedy.replaceAll('"', '').split(' ')
  const refused = run(words, { folder: await makeFolder(), env: { ...env, PORT: '3000' } })
  assert.equal(await refused.ended, 1)
  assert.match(refused.err, /^guildhall: Which passkeys work depends on .* Set PUBLIC_URL /)
  assert.equal((await query('select from factors')).length, 3)

  const located = { ...env, PUBLIC_URL: 'http://localhost:3000' }
  const { found, out, code } = await examine(await makeFolder(), located)
  assert.deepEqual([code, found.Passkeys], [1, 'fail'])
  assert.match(out, said)
  assert.ok(out.includes(`guildhall ${remedy}`), out)

  const child = run(words, { folder: await makeFolder(), env: located })
  assert.equal(await child.ended, 0, child.err)
  assert.match(child.err, /Deleted 2 passkeys of another domain/)
  assert.deepEqual(await query('select rp_id from factors'), [{ rp_id: 'localhost' }])
})

test('the doctor says that no service starts at a host that is the domain of a tenant', async (t) => {
  const { query, url, drop } = await createDatabase()
  t.after(drop)
  await query(`insert into tenants (id, slug, name) values (gen_random_uuid(), 'shop', 'Shop')`)
  await query(`insert into tenant_domains (tenant_id, domain) select id, 'localhost' from tenants`)
  const env = { DATABASE_URL: url, GUILDHALL_SECRET: 'a secret that is only used in tests' }
  assert.equal((await examine(await makeFolder(), env)).found.Domains, 'warn')

  const { code, found, out } = await examine(await makeFolder(), { ...env, PUBLIC_URL: 'http://localhost:3000' })

  assert.deepEqual([code, found.Domains], [1, 'fail'])
  assert.match(out, /Domains +The host of PUBLIC_URL, localhost, is a domain of the tenant "shop"\. Use another host, /)
})

test('the doctor warns of tokens whose issuer other machines cannot reach, or that no setting holds', async (t) => {
  const { query, url, drop } = await createDatabase()
  t.after(drop)
  const env = {
    DATABASE_URL: url,
    GUILDHALL_SECRET: 'a secret that is only used in tests',
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'Guildhall <no-reply@example.com>',
  }
  const tokensAt = async (address: Record<string, string>) => {
    const { found, out } = await examine(await makeFolder(), { ...env, ...address })
    return [found.Tokens, /Tokens +(.*)/.exec(out)?.[1]]
  }
  await query(
    `insert into tenants (id, slug, name) values (gen_random_uuid(), 'shop', 'Shop'), (gen_random_uuid(), 'bar', 'Bar')`,
  )
  assert.deepEqual(await tokensAt({}), ['ok', 'no tenant signs any.'])

  await query(`insert into signing_keys (tenant_id, id, public_key, private_key, sealed_under, signs_from)
    select id, 'key', '{}', 'sealed', 'lost', now() from tenants where slug = 'shop'`)

  const warning = (origin: string) => [
    'warn',
    `These tenants sign tokens that name an issuer at ${origin}: "shop". Set PUBLIC_URL to the URL under which`,
  ]
  assert.deepEqual(await tokensAt({}), warning('http://localhost:3000'))
  assert.deepEqual(await tokensAt({ PUBLIC_URL: 'https://localhost' }), warning('https://localhost'))
  assert.deepEqual(await tokensAt({ HOST: '192.0.2.1' }), warning('http://192.0.2.1:3000'))
  const PUBLIC_URL = 'https://accounts.example.com'
  assert.deepEqual(await tokensAt({ PUBLIC_URL }), ['ok', `name an issuer at ${PUBLIC_URL}.`])
})

test('if the settings or the database are missing, the doctor says so and exits with 1', async () => {
  const folder = await makeFolder()
  const faulty = await examine(folder, { PORT: 'many', HOST: 'nowhere.example' })
  assert.deepEqual([faulty.code, faulty.found], [1, { Guildhall: 'ok', Settings: 'fail' }])
  assert.match(faulty.out, /HOST must be .*\n +- PORT must be/)
  const DATABASE_URL = `postgresql://guildhall@127.0.0.1:${await freePort()}/guildhall`
  const unreachable = await examine(folder, { DATABASE_URL, GUILDHALL_SECRET: 'a secret that is only used in tests' })
  assert.deepEqual([unreachable.code, unreachable.found.Database], [1, 'fail'])
  assert.match(unreachable.out, /PostgreSQL cannot be reached at 127\.0\.0\.1/)
  assert.equal((await examine(folder)).found.Database, 'fail', 'no service has made its data here')
})

test('the doctor names applications without a secret, those that were not told of an end, and the tasks of late jobs', async (t) => {
  const { query, url, drop } = await createDatabase()
  t.after(drop)
  await query(`insert into tenants (id, slug, name) values (gen_random_uuid(), 'shop', 'Shop')`)
  await query(
    `insert into applications (tenant_id, id, name, kind, redirect_uris, scopes, logout_at, logout_outcome)
     select t.id, a.id, a.name, a.kind, '{https://app.example.com/}', '{openid}', now(), a.outcome
     from tenants t, (values ('app_1', 'Notes', 'server', null), ('app_2', 'Phone', 'native', 'delivered'), ('app_3', 'Page', 'browser', 'failed'))
       as a (id, name, kind, outcome)`,
  )
  await query(`select graphile_worker.add_job('send_logout', '{}', run_at => now() - interval '6 minutes')`)
  const { code, found, out } = await examine(await makeFolder(), {
    DATABASE_URL: url,
    GUILDHALL_SECRET: 'a secret that is only used in tests',
  })
  assert.deepEqual([code, found.Queue, found.Applications], [0, 'warn', 'warn'])
  assert.match(out, /Queue +1 job waited for more than five minutes: send_logout\. Check that a service runs;/)
  assert.match(
    out,
    /Applications +These have no secret, so nobody can sign in to them: "Notes" \(app_1\) of "shop"\.\n/,
  )
  assert.match(
    out,
    /Applications +These could not be told of an ended session for a day: "Page" \(app_3\) of "shop"\.\n/,
  )
})
