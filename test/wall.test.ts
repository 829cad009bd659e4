/** The wall: row-level security between tenants, tested with the service's role and none of our code. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { getTenantBySlug } from '../src/features/tenants/tenants.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { checkWall, SchemaError } from '../src/platform/database/requirements.ts'
import { createDatabase } from './database.ts'
import { aPicture } from './pictures.ts'
import { addPasskey } from './sign-in.ts'
import { until } from './smtp.ts'
import { createWorld, type Json, password } from './world.ts'

const world = await createWorld()
const { query } = world.postgres
const home = await getTenantBySlug(world.database, 'default')
const abroad = await world.tenant()
const globalTables = ['migrations', 'tenants', 'tenant_domains', 'rates']
const walled = (
  await query<{ name: string }>(
    `select relname as name from pg_class
     where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and relname <> all($1) order by relname`,
    [globalTables],
  )
).map(({ name }) => name)

/** Both tenants get rows in every table. */
for (const { slug, id } of [home, abroad]) {
  const { ann, path } = await world.organization({ tenant: slug })
  await ann.post(`${path}/invites`, { email: 'somebody@example.com' }, { 'idempotency-key': '"1"' })
  await world.nobody.post('/api/auth/sign-in', { email: ann.email, password: 'wrong' }, { 'guildhall-tenant': slug })
  await query(`insert into set_up_links values ($1, '\\x00', now())`, [id])
  await query(`insert into former_addresses values ($1, $2, 'before@example.com')`, [id, ann.id])
  await query(`insert into external_users values ($1, 'one', $2)`, [id, ann.id])
  await query(
    `insert into external_organizations select tenant_id, 'one', id from organizations where tenant_id = $1`,
    [id],
  )
  await query(
    `insert into mails (tenant_id, id, kind, generation, recipient, subject, text, html)
     values ($1, 'mail_1', 'verify_email', 1, 'ann@example.com', 's', 't', 'h')`,
    [id],
  )
  await query(`insert into known_devices (tenant_id, user_id, token_hash) values ($1, $2, '\\x00')`, [id, ann.id])
  await query(`insert into recovery_codes (tenant_id, user_id, code_hash) values ($1, $2, '\\x00')`, [id, ann.id])
  await query(`insert into spent_challenges values ($1, '\\x00', now())`, [id])
  await query(
    `insert into providers (tenant_id, id, type, name, client_id) values ($1, 'idp_1', 'github', 'GitHub', 'x')`,
    [id],
  )
  await query(
    `insert into identities (tenant_id, id, user_id, provider_id, issuer, subject) values ($1, 'idn_1', $2, 'idp_1', 'x', 'x')`,
    [id, ann.id],
  )
  await query(
    `insert into attempts (tenant_id, id, token_hash, purpose, next, methods, user_id, expires_at, details)
     values ($1, 'att_1', '\\x00', 'sign_in', 'second_factor', '{totp}', $2, now(), 'x')`,
    [id, ann.id],
  )
  await query(
    `insert into signing_keys (tenant_id, id, public_key, private_key, sealed_under, signs_from) values ($1, 'key-1', '{}', 'x', 'x', now())`,
    [id],
  )
  await query(
    `insert into api_keys (tenant_id, id, owner_type, name, scopes) values ($1, 'key_1', 'tenant', 'x', '{users:read}')`,
    [id],
  )
  await query(`insert into api_key_secrets (tenant_id, token_hash, key_id, hint) values ($1, '\\x00', 'key_1', 'x')`, [
    id,
  ])
  await query(
    `insert into applications (tenant_id, id, name, kind, redirect_uris, scopes) values ($1, 'app_1', 'x', 'server', '{}', '{}')`,
    [id],
  )
  await query(
    `insert into application_secrets (tenant_id, secret_hash, application_id) values ($1, '\\x00', 'app_1')`,
    [id],
  )
  await query(
    `insert into grants (tenant_id, id, session_id, application_id, code_hash, scopes)
     select tenant_id, 'gra_1', id, 'app_1', '\\x00', '{openid}' from sessions where tenant_id = $1 limit 1`,
    [id],
  )
  await query(
    `insert into webhooks (tenant_id, id, name, url, place) values ($1, 'whk_1', 'x', 'https://x.example.com', 0)`,
    [id],
  )
  await query(
    `insert into webhook_secrets (tenant_id, webhook_id, id, secret, sealed_under) values ($1, 'whk_1', 'x', 'x', 'x')`,
    [id],
  )
  await query(
    `insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at, milliseconds)
     values ($1, 'whk_1', 1, 'aud_1', 'member.joined', 'delivered', 1, now(), 1)`,
    [id],
  )
  await ann.put('/api/users/me/avatar', aPicture)
  await addPasskey(ann)
  const { cleo, members } = await world.organization({ tenant: slug })
  await query(`insert into permissions values ($1, 'notes:write', 'Write', null, 'admin')`, [id])
  await query(`insert into roles values ($1, 'rol_1', 'writer', 'Writer', null, '{notes:write}')`, [id])
  await query(`insert into role_grants (tenant_id, membership_id, role_id) values ($1, $2, 'rol_1')`, [
    id,
    members.cleo.id,
  ])
  await query(
    `insert into links (tenant_id, id, organization_id, max_uses, expires_at)
     select tenant_id, 'lnk_1', id, 1, now() from organizations where tenant_id = $1 limit 1`,
    [id],
  )
  await query(
    `insert into exclusions (tenant_id, organization_id, user_id) select tenant_id, id, $2 from organizations where tenant_id = $1 limit 1`,
    [id, cleo.id],
  )
}

// Rows of the outbox that nobody relays: what was before them is in the queue, and nothing wakes the relay any more.
await until(async () => (await query('select from outbox')).length === 0, 'the outbox to be empty')
for (const { id } of [home, abroad])
  await query(`insert into outbox (tenant_id, written_at, id, jobs) values ($1, now(), gen_random_uuid(), '[]')`, [id])

/** Works with the service's role, and undoes its changes. */
async function asServer(tenant: string | undefined, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: world.postgres.url })
  await client.connect()
  try {
    await client.query('begin')
    if (tenant !== undefined) await client.query(`set local guildhall.tenant = '${tenant}'`)
    await work(client)
  } finally {
    await client.query('rollback')
    await client.end()
  }
}

test('all tables behind the wall have rows of both tenants', async () => {
  assert.ok(walled.length >= 11)
  for (const table of walled) {
    const [found] = await query<{ count: string }>(`select count(distinct tenant_id) from ${table}`)
    assert.ok(Number(found?.count) >= 2, `${table} has rows of ${found?.count} tenants`)
  }
})

for (const [name, tenant] of [
  ['no tenant', undefined],
  ['an empty tenant', ''],
  ['a tenant that does not exist', '019ab000-0000-7000-8000-000000000000'],
] as const) {
  test(`with ${name} set, no row can be read, changed, deleted or inserted`, async () => {
    for (const table of walled) {
      await asServer(tenant, async (client) => {
        assert.equal((await client.query(`select * from ${table}`)).rowCount, 0, `${table} can be read`)
        assert.equal((await client.query(`update ${table} set tenant_id = tenant_id`)).rowCount, 0, `update ${table}`)
        assert.equal((await client.query(`delete from ${table}`)).rowCount, 0, `delete from ${table}`)
        await refusesRow(client, table, home.id)
      })
    }
  })
}

test("with another tenant set, only that tenant's rows can be read, changed, deleted or inserted", async () => {
  for (const table of walled) {
    await asServer(abroad.id, async (client) => {
      const { rows } = await client.query<{ tenant_id: string }>(`select tenant_id from ${table}`)
      assert.ok(rows.length > 0)
      assert.ok(
        rows.every((row) => row.tenant_id === abroad.id),
        `${table} shows rows of another tenant`,
      )
      const changed = await client.query(`update ${table} set tenant_id = tenant_id where tenant_id = $1`, [home.id])
      assert.equal(changed.rowCount, 0)
      assert.equal((await client.query(`delete from ${table} where tenant_id = $1`, [home.id])).rowCount, 0)
      await refusesRow(client, table, home.id)
      await client.query('savepoint moved')
      // A cluster refuses it, because no row can move to another shard.
      await assert.rejects(client.query(`update ${table} set tenant_id = $1`, [home.id]), { code: /^(42501|0A000)$/ })
      await client.query('rollback to moved')
    })
  }
})

async function refusesRow(client: pg.Client, table: string, tenant: string): Promise<void> {
  const columns = await query<{ name: string }>(
    `select quote_ident(attname) as name
     from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  )
  const names = columns.map(({ name }) => name)
  const texts = names.map((name) => `${name}::text`)
  const [row = {}] = await query<Json>(`select ${texts} from ${table} where tenant_id = $1 limit 1`, [tenant])
  const places = names.map((_, index) => `$${index + 1}`)
  await client.query('savepoint planted')
  const planted = client.query(`insert into ${table} (${names}) values (${places})`, Object.values(row))
  await assert.rejects(planted, { code: '42501' }, `${table} takes a row of another tenant`)
  await client.query('rollback to planted')
}

test('a statement that does not name its tenant sees and changes only its own tenant', async () => {
  const seen = await world.database.inTenant(abroad.id, async (sql) => {
    await sql`update users set locale = 'eo'`
    return sql<{ tenantId: string }>`select tenant_id from users`
  })

  assert.ok(seen.length > 0)
  assert.ok(seen.every(({ tenantId }) => tenantId === abroad.id))
  const touched = await query<{ tenant_id: string }>(`select distinct tenant_id from users where locale = 'eo'`)
  assert.deepEqual(touched, [{ tenant_id: abroad.id }])
  const across = await world.database.acrossTenants((sql) => sql`select from users`)
  assert.equal(across.length, 0)
})

test('a tenant that is set for one transaction is not set for the next on the same connection', async () => {
  await asServer(home.id, async (client) => {
    await client.query('commit')
    assert.equal((await client.query('select from users')).rowCount, 0)
    await client.query('begin')
  })
})

test("the service's role can neither bypass the wall nor remove it", async () => {
  const [role] = await query('select rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = $1', [
    'guildhall',
  ])
  assert.deepEqual(role, { rolsuper: false, rolbypassrls: false, rolcreaterole: false })
  await asServer(home.id, async (client) => {
    await client.query('set local row_security = off')
    await assert.rejects(client.query('select from users'), { code: '42501' })
  })
})

test('every table except the few global ones forces row security with the same policy', async () => {
  const tables = await query<{ name: string; security: boolean; force: boolean; policies: unknown }>(
    `select c.relname as name, c.relrowsecurity as security, c.relforcerowsecurity as force,
       (select json_agg(json_build_array(p.polname, p.polcmd, p.polpermissive, p.polroles::text,
         pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)))
        from pg_policy p where p.polrelid = c.oid) as policies
     from pg_class c where c.relname = any($1) and c.relnamespace = 'public'::regnamespace order by c.relname`,
    [walled],
  )
  const wall = "(tenant_id = (NULLIF(current_setting('guildhall.tenant'::text, true), ''::text))::uuid)"
  for (const table of tables) {
    assert.deepEqual(table, {
      name: table.name,
      security: true,
      force: true,
      policies: [['tenant', '*', true, '{0}', wall, null]],
    })
  }
})

test('keys and foreign keys contain the tenant, so that no row can refer to another tenant', async () => {
  const keys = await query<{ table: string; index: string; primary: boolean; columns: string[] }>(
    `select c.relname as table, x.relname as index, i.indisprimary as primary,
       array(select a.attname::text from unnest(i.indkey) with ordinality k (attnum, place)
         join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum order by place) as columns
     from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
     where i.indisunique and c.relname = any($1)`,
    [walled],
  )
  for (const { table, index, primary, columns } of keys) {
    assert.ok(columns.includes('tenant_id'), `${index} of ${table} is unique over all tenants`)
    if (primary) assert.equal(columns[0], 'tenant_id', `${index} of ${table} does not begin with the tenant`)
  }
  assert.deepEqual(
    keys
      .filter(({ primary }) => primary)
      .map(({ table }) => table)
      .sort(),
    walled,
  )

  const references = await query<{ name: string; table: string; to: string; from: string[]; into: string[] }>(
    `select k.conname as name, c.relname as table, t.relname as to,
       array(select a.attname::text from unnest(k.conkey) n join pg_attribute a on a.attrelid = c.oid and a.attnum = n) as from,
       array(select a.attname::text from unnest(k.confkey) n join pg_attribute a on a.attrelid = t.oid and a.attnum = n) as into
     from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class t on t.oid = k.confrelid
     where k.contype = 'f' and k.connamespace = 'public'::regnamespace`,
  )
  assert.ok(references.length > 10)
  for (const { name, table, to, from, into } of references) {
    if (globalTables.includes(to)) continue
    assert.ok(from.includes('tenant_id') && into.includes('tenant_id'), `${name} of ${table} can point elsewhere`)
  }
  // A table without other references must refer to its tenant. Entries, the outbox and stored answers, which are of people or of keys, would
  // make each change lock the tenant's row; the deletion of a tenant deletes them (src/features/tenants/deletion.test.ts).
  for (const table of walled.filter((name) => !['audit_entries', 'outbox', 'idempotency_keys'].includes(name))) {
    assert.ok(
      references.some((each) => each.table === table && each.from.includes('tenant_id')),
      `${table} may name a tenant that does not exist`,
    )
  }
})

test('every column is classified as public, personal or secret', async () => {
  const columns = await query<{ column: string; comment: string | null }>(
    `select c.relname || '.' || a.attname as column, col_description(c.oid, a.attnum) as comment
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and c.relname <> 'migrations'`,
  )
  assert.ok(columns.length > 80)
  const unclassified = columns.filter(({ comment }) => !/^(public|personal|secret)(: .+)?$/.test(comment ?? ''))
  assert.deepEqual(unclassified, [])
})

test('the schema has nothing that the wall makes slow or that cannot be changed later', async () => {
  const lowered = await query(`select indexdef from pg_indexes where schemaname = 'public' and indexdef ~* 'lower\\('`)
  assert.deepEqual(lowered, [])
  const types = await query(`select typname from pg_type where typtype = 'e' and typnamespace = 'public'::regnamespace`)
  assert.deepEqual(types, [])
  const views = await query(
    `select relname from pg_class
     where relkind in ('v', 'm', 'f', 'S') and relnamespace = 'public'::regnamespace and not starts_with(relname, 'citus_')`,
  )
  assert.deepEqual(views, [])
  const functions = await query(`select proname from pg_proc where pronamespace = 'public'::regnamespace`)
  assert.deepEqual(functions, [])
})

test('the service does not start if the wall of one table is not as required', async (t) => {
  const database = await createDatabase()
  t.after(() => database.drop())
  const breaches: [string, string, string][] = walled.flatMap((table): [string, string, string][] => [
    [table, `alter table ${table} disable row level security`, `alter table ${table} enable row level security`],
    [table, `alter table ${table} no force row level security`, `alter table ${table} force row level security`],
  ])
  const policy = "(tenant_id = nullif(current_setting('guildhall.tenant', true), '')::uuid)"
  const restore = `drop policy if exists tenant on users; drop policy if exists more on users;
    create policy tenant on users using ${policy}`
  breaches.push(
    ['users', 'alter policy tenant on users using (true)', restore],
    ['users', 'alter policy tenant on users with check (true)', restore],
    ['users', `alter policy tenant on users using (${policy} or role = 'admin')`, restore],
    ['users', 'drop policy tenant on users', restore],
    ['users', 'create policy more on users using (true)', restore],
    ['users', 'create policy more on users for insert with check (true)', restore],
    ['users', `drop policy tenant on users; create policy tenant on users for select using ${policy}`, restore],
    ['users', `drop policy tenant on users; create policy tenant on users as restrictive using ${policy}`, restore],
    ['planted', 'create table planted (tenant_id uuid)', 'drop table planted'],
  )

  /** A cluster takes one statement at a time. */
  const change = async (text: string) => {
    for (const each of text.split(';')) await database.query(each)
  }
  await migrate(database.url)
  for (const [table, breach, repair] of breaches) {
    await change(breach)
    await assert.rejects(
      migrate(database.url),
      (error) => error instanceof SchemaError && error.message.includes(table),
      `the start goes on after: ${breach}`,
    )
    await change(repair)
  }
  await migrate(database.url)
})

test('the service does not start with a role that could bypass the wall', async (t) => {
  const database = await createDatabase()
  const role = `breaker_${randomBytes(4).toString('hex')}`
  await database.query(`create role ${role} login password '${password}'`)
  t.after(async () => {
    await database.query(`drop owned by ${role}`)
    await database.query(`drop role ${role}`)
    await database.drop()
  })
  const url = new URL(database.url)
  url.username = role
  url.password = password

  for (const [attribute, words] of [
    ['superuser', /is a superuser/],
    ['nosuperuser bypassrls', /bypasses row security/],
  ] as const) {
    await database.query(`alter role ${role} ${attribute}`)
    await assert.rejects(migrate(url.href), (error) => error instanceof SchemaError && words.test(error.message))
  }

  const superuser = new pg.Client({ connectionString: url.href })
  await database.query(`alter role ${role} superuser`)
  await superuser.connect()
  await assert.rejects(checkWall(superuser), SchemaError)
  await superuser.end()
})

test('older code starts on a newer schema if that schema allows it, and if its wall is complete', async (t) => {
  const database = await createDatabase()
  t.after(() => database.drop())
  const { query, url } = database
  const refused = (words: RegExp) =>
    assert.rejects(migrate(url), (error) => error instanceof SchemaError && words.test(error.message))
  await query(`insert into migrations (version, name) values (9998, '9998_later.sql')`)
  await query('create table plans (id integer)') // a global one, as far as this code can know
  assert.deepEqual(await migrate(url), [])

  await query('create table invoices (tenant_id uuid not null)')
  await refused(/The wall between tenants is missing on: invoices\./)
  await query('drop table invoices')
  await query(`insert into migrations (version, name, needs) values (9999, '9999_latest.sql', 9998)`)
  await refused(/The schema is at version 9999, newer than this code \(\d+\), and needs code of version 9998 or later/)
})
