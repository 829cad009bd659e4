/**
 * npm run fixture: writes the fixture of today's schema (test/fixtures.ts), always the same one, and takes away those that are too old.
 * Run it when you add a migration.
 */
import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { kinds } from '../src/domain/providers/kinds.ts'
import { actions } from '../src/domain/record/actions.ts'
import { migrationsFolder } from '../src/platform/database/migrate.ts'
import type { TestDatabase } from '../test/database.ts'
import { type Exchange, fixturesFolder, kept, listFixtures } from '../test/fixtures.ts'
import { startProviderDouble } from '../test/provider-double.ts'
import { selectWaiting } from '../test/queue.ts'
import { until } from '../test/smtp.ts'
import { Client, createWorld, mailboxKey, password, type World, wakeWorkers } from '../test/world.ts'
import { createClockedDatabase, replaceChance } from './certainty.ts'
import { done, newPassword, play, type Story } from './fixture-story.ts'
import { readFlag } from './flags.ts'

readFlag(undefined, 'npm run fixture')
const version = String(readdirSync(migrationsFolder).length).padStart(4, '0')

test('the fixture is written', async () => {
  const { postgres, clock } = await createClockedDatabase() // first: each database has a name of its own
  replaceChance('the fixtures of Guildhall')
  const { query } = postgres
  const double = await startProviderDouble()
  const gitHub = { ...kinds.github, tokenUrl: `${double.origin}/login/oauth/access_token`, apiUrl: double.origin }
  const world = await createWorld({
    postgres,
    worker: true,
    settings: { OUTBOUND_PRIVATE: '127.0.0.1', PUBLIC_URL: 'http://127.0.0.1:3000' },
    kinds: { ...kinds, github: gitHub },
  })
  const story = await play(world, double, async () => {
    await emptyQueue(postgres)
    await clock.advance(1)
  })
  const recorded = (await query<{ action: string }>('select distinct action from audit_entries')).map(
    ({ action }) => action,
  )
  assert.deepEqual(
    actions.filter((action) => !recorded.includes(action)),
    [],
    'nothing of the story makes these entries',
  )
  await world.worker?.stop()
  const ann = new Client(world, story.people.ann.headers)
  done(await ann.post(`${story.paths.acme}/invites`, { email: 'late@example.com', role: 'member' })) // its mail waits in the queue
  await until(async () => (await query('select from outbox')).length === 0, 'the mail to be in the queue')
  await placeAgain(postgres)
  await noteDeliveries(postgres, clock.now())

  await query(`update invitations set expires_at = $2::timestamptz - interval '1 hour' where id = $1`, [
    story.expired.id,
    clock.now(),
  ])
  await query(`delete from mails where recipient <> 'ida@example.com'`) // one is as good as fifty
  // As if everybody had been there this moment: reading then notes no activity.
  await query('update sessions set last_active_at = $1 where ended_at is null', [clock.now()])
  await query('update users set last_active_at = $1 where last_active_at is not null', [clock.now()])
  await query('update memberships set last_active_at = $1', [clock.now()])
  await query('update api_key_secrets set last_used_at = $1', [clock.now()])
  await query('update api_keys set last_used_at = case when ended_at is not null then $1::timestamptz end', [
    clock.now(),
  ])
  const exchanges = await noteExchanges(world, story)

  write('sql', await dump(postgres))
  const lines = exchanges.map((exchange) => JSON.stringify(exchange)).join(',\n')
  write('json', `{"madeAt":"${clock.now().toISOString()}","exchanges":[\n${lines}\n]}\n`)
  for (const old of listFixtures().slice(0, -kept))
    for (const ending of ['sql', 'json']) rmSync(join(fixturesFolder, `${old}.${ending}`))
})

/** Has the worker do all that is in the queue, also what was to be done later. */
async function emptyQueue({ query }: TestDatabase): Promise<void> {
  while ((await query(selectWaiting)).length > 0) {
    await query(`update graphile_worker._private_jobs set run_at = 'epoch' where attempts = 0`)
    await query(wakeWorkers)
    await setTimeout(10)
  }
}

/** Chance decides which events share a batch of the relay, and so their places. Here they follow the time and the ids of the entries. */
async function placeAgain({ query }: TestDatabase): Promise<void> {
  await query('update feed set sequence = -sequence')
  await query(`
    update feed f set sequence = placed.sequence
    from (
      select tenant_id, id, extract(epoch from occurred_at) * 1000000
        + row_number() over (partition by tenant_id order by occurred_at, id) as sequence
      from audit_entries) placed
    where f.tenant_id = placed.tenant_id and f.entry_id = placed.id`)
  await query('update feeds s set head = (select max(sequence) from feed f where f.tenant_id = s.tenant_id)')
  await query('update webhooks w set place = (select head from feeds s where s.tenant_id = w.tenant_id)')
}

/** What a webhook of the tenant would have sent: how long that takes is never the same. */
async function noteDeliveries({ query }: TestDatabase, now: Date): Promise<void> {
  await query(
    `insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at, response_status,
       error, milliseconds)
     select f.tenant_id, w.id, f.sequence, f.entry_id, f.action, 'delivered', 1, $1::timestamptz, 200, null, 85
     from feed f join webhooks w on w.tenant_id = f.tenant_id and w.name = 'Bills'
     where f.action = 'tenant.keys_rotated'
     union all
     select f.tenant_id, w.id, f.sequence, f.entry_id, f.action, 'failed', 10, $1::timestamptz, null, 'timeout', 15000
     from feed f join webhooks w on w.tenant_id = f.tenant_id and w.name = 'Bills'
     where f.action = 'webhook.rotated'`,
    [now],
  )
}

/** @returns what is answered now, to be answered again by every later version; first what changes nothing */
async function noteExchanges(
  world: World,
  { people, paths, creation, preview, signingIn, keys, danResets }: Story,
): Promise<Exchange[]> {
  const { ann, annElsewhere, ben, cleo, dan, ida, ivy, sam, tess, tom } = people
  const exchanges: Exchange[] = []
  const note = async (headers: Record<string, string>, ...paths: string[]) => {
    for (const path of paths) {
      const { status, body } = await new Client(world, headers).get(path)
      assert.equal(status, 200, path)
      // Each cursor is encrypted by chance.
      const answer = body.nextCursor ? { ...body, nextCursor: undefined } : body
      exchanges.push({ method: 'GET', path, headers, status, answer })
    }
  }
  const own = ['', '/devices', '/audit?limit=100', '/invites', '/deletion-impact'].map((rest) => `/api/users/me${rest}`)
  const ofPath = (each: string) => ['', '/members', '/invites', '/audit?limit=100'].map((rest) => each + rest)
  await note(ann.headers, ...own, '/api/organizations', ...ofPath(paths.acme), paths.annInAcme, paths.pending)
  await note(annElsewhere.headers, ...own.slice(0, 2))
  await note(ben.headers, ...own, '/api/organizations', ...ofPath(paths.hall))
  for (const person of [cleo, dan]) await note(person.headers, ...own)
  await note(sam.headers, ...own, ...ofPath(paths.shop))
  for (const admin of [tess, tom]) {
    const lists = ['users', 'organizations', 'audit?limit=100', 'tenant'].map((rest) => `/api/admin/${rest}`)
    await note(admin.headers, ...own, ...lists)
  }
  await note(tess.headers, `/api/admin/users/${ida.id}`, `/api/admin/users/${ann.id}/devices`)
  const { ada, adaNow, pia } = signingIn
  for (const person of [adaNow, pia])
    await note(person.headers, ...own, '/api/users/me/factors', '/api/users/me/identities', '/api/organizations')
  for (const { id } of [ada, pia])
    await note(tess.headers, `/api/admin/users/${id}/factors`, `/api/admin/users/${id}/identities`)
  const byKey = (secret: string) => ({ authorization: `Bearer ${secret}` })
  await note(byKey(keys.own), '/api/users/me', '/api/organizations')
  await note(byKey(keys.ofAtelier), keys.path)
  await note(byKey(keys.ofTenant), '/api/admin/users')
  await note(
    ann.headers,
    `${paths.hooked}/webhooks`,
    '/api/users/me/keys',
    `${keys.path}/keys`,
    `${keys.path}/audit?limit=100`,
  )
  await note(tess.headers, '/api/admin/keys', '/api/admin/providers', '/api/admin/applications', '/api/admin/webhooks')
  await note({ 'guildhall-mailbox-key': mailboxKey }, '/api/mailbox?to=ida@example.com')
  for (const slug of ['default', 'shop']) await note({ 'guildhall-tenant': slug }, '/api/tenant')
  await note({ host: 'shop.example' }, '/api/tenant')
  const { nextCursor } = done(await new Client(world, ann.headers).get('/api/organizations?limit=1')) // by name
  await note(ann.headers, `/api/organizations?limit=1&cursor=${nextCursor}`)

  const previewPath = `/api/invites/${preview.id}/preview`
  const post = (path: string, headers: Record<string, string>, body: object, status: number, answer: object) =>
    exchanges.push({ method: 'POST', path, headers, body, status, answer })
  const { token, ...previewed } = done(await world.nobody.post(previewPath, preview.body))
  post(previewPath, {}, preview.body, 200, previewed)
  post(creation.path, creation.headers, creation.body, 201, creation.answer)
  post('/api/auth/sign-in', {}, { email: ann.email, password }, 200, { user: { id: ann.id } })
  post('/api/auth/sign-in', {}, { email: ben.email, password }, 401, { code: 'invalid_credentials' })
  post('/api/auth/sign-in', {}, { email: ben.email, password: newPassword }, 200, { user: { id: ben.id } })
  const inShop = { 'guildhall-tenant': 'shop' }
  post('/api/auth/sign-in', inShop, { email: sam.email, password }, 200, {
    user: { id: sam.id },
  })
  post('/api/auth/sign-in', inShop, { email: ivy.email, password: 'a long enough passphrase' }, 200, {
    user: { email: ivy.email },
  })
  post('/api/auth/sign-in', {}, { email: ida.email, password }, 401, { code: 'invalid_credentials' })
  post('/api/auth/reset-password', {}, danResets, 200, {})
  post('/api/auth/sign-in', {}, { email: dan.email, password: newPassword }, 200, { user: { id: dan.id } })

  const next = '/api/auth/sign-in/continue'
  const [attempt, another] = signingIn.attempts
  post(next, {}, { attempt, recoveryCode: signingIn.recoveryCode }, 200, { user: { id: ada.id } })
  const byApp = { method: 'POST', path: next, headers: {}, body: { attempt: another }, totp: signingIn.secret }
  exchanges.push({ ...byApp, status: 200, answer: { user: { id: ada.id } } })
  return exchanges
}

function write(ending: string, text: string): void {
  const path = join(fixturesFolder, `${version}.${ending}`)
  writeFileSync(path, text)
  console.log(`Wrote ${relative('', path)}`)
}

/** Every row, in the order in which the tables were made: so that none refers to one that is not there yet. */
async function dump({ query }: TestDatabase): Promise<string> {
  const tables = await query<{ name: string; columns: string[] }>(`
    select c.relname as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'migrations'
    group by c.oid
    order by c.oid`)
  const statements: string[] = []
  for (const { name, columns } of tables) {
    const values = columns.map((column) => `quote_nullable(${column}::text)`).join(', ')
    const rows = await query<{ row: string }>(`select concat_ws(', ', ${values}) as row from ${name} order by 1`)
    if (rows.length === 0) continue
    const lines = rows.map(({ row }) => `  (${row})`).join(',\n')
    statements.push(`insert into ${name} (${columns.join(', ')}) values\n${lines};\n`)
  }
  const jobs = await query<{ job: string }>(`
    select format('select graphile_worker.add_job(%L, %L::json, job_key => %L, max_attempts => %s);',
      t.identifier, j.payload, j.key, j.max_attempts) as job
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    order by j.id`)
  return [...statements, ...jobs.map(({ job }) => `${job}\n`)].join('\n')
}
