/** Deletion of tenants: what is left of one, and what callers see of one while it is being deleted. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { dump } from '../../../test/dump.ts'
import { holdRow } from '../../../test/holding.ts'
import { run } from '../../../test/processes.ts'
import { until } from '../../../test/smtp.ts'
import { onStoredWebhooks } from '../../../test/stored-webhooks.ts'
import { createWorld, type Person, password } from '../../../test/world.ts'
import { makeMailedToken } from '../../domain/access/tokens.ts'
import { queueRun } from '../../domain/webhooks/schedule.ts'
import { addJobs, type NewJob, purgeQueues } from '../../platform/jobs/queue.ts'
import { runRetention } from '../../tasks.ts'
import { deleteTenant, tables } from './deletion.ts'
import { createTenant, findTenantBySlug, listTenants, TenantError, type TenantRecord, updateTenant } from './tenants.ts'

const world = await createWorld()
const { query, awaitLine } = world.postgres
const stored = onStoredWebhooks(world)

test('a deleted tenant leaves nothing behind, and its sessions end', async () => {
  const { slug, id } = await world.tenant({ domains: [`${randomBytes(5).toString('hex')}.customer.example`] })
  const { ann, ben, path } = await world.organization({ tenant: slug })
  await ann.post(`${path}/invites`, { email: `new-${randomBytes(5).toString('hex')}@example.com` })
  await world.nobody.post('/api/auth/sign-in', { email: ann.email, password: 'wrong' }, { 'guildhall-tenant': slug })
  const organizationId = path.split('/').at(-1)
  for (const owner of [null, organizationId]) {
    const webhook = await stored.add({ tenant_id: id, organization_id: owner, url_set_by: ann.id })
    await query(
      `insert into webhook_secrets (tenant_id, webhook_id, id, secret, sealed_under) values ($1, $2, 'x', 'x', 'x')`,
      [id, webhook],
    )
    await query(
      `insert into webhook_deliveries (tenant_id, webhook_id, sequence, entry_id, action, status, attempts, attempted_at, milliseconds)
       select $1, $2, n, 'aud_' || n, 'member.joined', 'delivered', 1, now(), 1 from generate_series(1, 6000) n`,
      [id, webhook],
    )
    await world.database.inTenant(id, (sql) => queueRun(sql, webhook, false, 3_600))
  }
  const jobs = () =>
    query<{ id: string; tenant: string }>(
      `select id, payload ->> 'tenantId' as tenant from graphile_worker._private_jobs order by id`,
    )
  const others = (await jobs()).filter(({ tenant }) => tenant !== id)
  assert.ok((await jobs()).length > others.length + 2, 'mails and more of the tenant wait in the queue')
  // A mail that a worker is trying.
  await query(`
    update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker'
    where id = (select max(id) from graphile_worker._private_jobs)`)

  await deleteTenant(world.database, slug)

  assert.deepEqual(await jobs(), others, 'its jobs are gone, and nobody else’s')

  for (const person of [ann, ben]) {
    assert.equal((await person.get('/api/users/me')).status, 401)
    assert.equal((await person.patch('/api/users/me', { name: 'Ghost' })).status, 401)
    assert.equal((await person.get(path)).status, 401)
  }
  const answer = await world.nobody.post(
    '/api/auth/sign-in',
    { email: ann.email, password },
    { 'guildhall-tenant': slug },
  )
  assert.deepEqual([answer.status, answer.body.code], [400, 'tenant_mismatch'])
  const tables = await query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id'`,
  )
  assert.ok(tables.length >= 10)
  for (const { name } of tables) {
    assert.equal((await query(`select from ${name} where tenant_id = $1`, [id])).length, 0, name)
  }
  await purgeQueues(world.database) // as retention does: the names of empty queues have the id of the tenant
  assert.ok(!(await dump(query)).includes(id))
})

test('a change that is under way when its tenant is deleted is done, and leaves no entry and no job', async (t) => {
  const { slug, id } = await world.tenant()
  const { ann, path, members } = await world.organization({ tenant: slug })
  // The change has written its entry, and waits for the row of its person.
  const release = await holdRow(t, world.postgres, 'users', ann.id)
  const changed = ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' })
  await awaitLine(1)
  const deleted = deleteTenant(world.database, slug)
  await awaitLine(2)
  await release()

  assert.equal((await changed).status, 200)
  await deleted
  assert.ok(!(await dump(query)).includes(id))
})

/** Kills the command in the middle: it waits for the row of a user when details and organizations are gone. */
async function killDeletion(t: TestContext, { slug }: TenantRecord, user: Person): Promise<void> {
  const release = await holdRow(t, world.postgres, 'users', user.id)
  const command = runDeletion(slug)
  await awaitLine(1)
  command.child.kill('SIGKILL')
  assert.equal(await command.ended, 'SIGKILL')
  await release()
}

function runDeletion(slug: string) {
  const env = { DATABASE_URL: world.postgres.url, GUILDHALL_SECRET: 's'.repeat(32), MAILBOX_KEY: 'k'.repeat(16) }
  return run(['tenant', 'delete', slug, '--yes'], { env })
}

/** What a session, the slug, a link and a page of the tenant get. */
async function checkInvisible({ slug, id }: TenantRecord, user: Person): Promise<void> {
  const headers = { 'guildhall-tenant': slug }
  const row = { tenant: id, id: user.id, generation: 1 }
  const token = makeMailedToken(world.keyring, 'reset_password', row)
  const answers = [
    await user.get('/api/users/me'),
    await user.patch('/api/users/me', { name: 'Ghost' }),
    await user.get('/api/admin/tenant'),
    await user.patch('/api/admin/tenant', { name: 'Ghost' }),
    await world.nobody.get('/api/tenant', headers),
    await world.nobody.post('/api/auth/sign-in', { email: user.email, password }, headers),
    await world.nobody.post('/api/auth/sign-up', { email: `new-${user.email}`, password }, headers),
    await world.nobody.post('/api/auth/reset-password', { token, newPassword: password }),
  ]
  assert.deepEqual(
    answers.map(({ status, body }) => `${status} ${body.code}`),
    [...Array(4).fill('401 unauthenticated'), ...Array(3).fill('400 tenant_mismatch'), '410 token_spent'],
  )
  assert.equal(await findTenantBySlug(world.database, slug), undefined)
  assert.ok(!(await listTenants(world.database)).some((tenant) => tenant.id === id))
  assert.deepEqual(await query('select from tenant_domains where tenant_id = $1', [id]), [])
  await assert.rejects(updateTenant(world.database, slug, { name: 'Ghost' }), TenantError)
}

/** A tenant with people, whose deletion was killed. */
async function killedTenant(t: TestContext) {
  const tenant = await world.tenant({ domains: [`${randomBytes(5).toString('hex')}.customer.example`] })
  await updateTenant(world.database, tenant.slug, { allowedOrigins: ['https://app.customer.example'] })
  const { ann } = await world.organization({ tenant: tenant.slug })
  await query(`update users set role = 'admin' where id = $1`, [ann.id])
  await killDeletion(t, tenant, ann)
  assert.equal((await query('select from users where id = $1', [ann.id])).length, 1, 'the deletion is not over')
  return { tenant, ann }
}

const ways = {
  'the command, run again,': async ({ slug }: TenantRecord) => assert.equal(await runDeletion(slug).ended, 0),
  retention: () => runRetention(world.database),
}
for (const [name, finish] of Object.entries(ways)) {
  test(`if the deletion of a tenant is killed, callers see nothing of the tenant, and ${name} finishes`, async (t) => {
    const { tenant, ann } = await killedTenant(t)
    await checkInvisible(tenant, ann)
    const { slug } = tenant
    await assert.rejects(createTenant(world.database, { slug, name: 'Ghost' }), (error: TenantError) => {
      assert.match(
        error.message,
        new RegExp(`^A tenant has this slug already\\. .+: guildhall tenant delete ${slug} --yes$`),
      )
      return error instanceof TenantError
    })
    await finish(tenant)
    await checkInvisible(tenant, ann)
    assert.ok(!(await dump(query)).includes(tenant.id))
  })
}

test('every table of a tenant is emptied in batches, and none by the foreign keys of another', async () => {
  const rest = ['feeds', 'set_up_links', 'tenant_domains'] // of one row, or of some
  const keyed = await query<{ name: string; key: string }>(`
    select c.conrelid::regclass::text as name, string_agg(a.attname, ', ' order by array_position(c.conkey, a.attnum)) as key
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
    where c.contype = 'p' and c.connamespace = 'public'::regnamespace
    group by c.conrelid having 'tenant_id' = any(array_agg(a.attname))`)
  assert.deepEqual(
    tables.map(([name, key]) => `${name.sql}: tenant_id, ${key.sql}`).sort(),
    keyed
      .filter(({ name }) => !rest.includes(name))
      .map(({ name, key }) => `${name}: ${key}`)
      .sort(),
  )
  const places = new Map(tables.map(([name], place) => [name.sql, place]))
  const references = await query<{ from: string; to: string }>(
    `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint
     where contype = 'f' and connamespace = 'public'::regnamespace and conrelid::regclass::text !~ '_\\d+$'`, // a shard of a cluster
  )
  for (const { from, to } of references.filter(({ to }) => to !== 'tenants')) {
    assert.ok((places.get(from) ?? 99) < (places.get(to) ?? -1), `${from} before ${to}`)
  }
})

test('if the deletion of one tenant fails, retention finishes the others, and fails', async () => {
  const [stuck, free] = [await world.tenant(), await world.tenant()]
  await world.person('Ann', { tenant: stuck.slug })
  await world.organization({ tenant: free.slug })
  await query('update tenants set deleted_at = now() where id = any($1)', [[stuck.id, free.id]])
  await query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`)
  await query(
    `create trigger refuse before delete on users for each row when (old.tenant_id = '${stuck.id}') execute function refuse()`,
  )

  await assert.rejects(runRetention(world.database), (error: Error) => {
    assert.equal(error.message, '1 deletions of tenants failed.')
    return true
  })
  assert.ok(!(await dump(query)).includes(free.id))

  await query('drop function refuse cascade')
  await runRetention(world.database)
  assert.ok(!(await dump(query)).includes(stuck.id))
})

type LateTask = 'record_refused_sign_in' | 'request_reset'

test('a job that a request adds after the deletion of its tenant does nothing, and ends', async () => {
  const { slug, id } = await world.tenant()
  const headers = { 'guildhall-tenant': slug }
  const email = `${randomBytes(5).toString('hex')}@example.com`
  await world.nobody.post('/api/auth/sign-in', { email, password: 'wrong' }, headers)
  await world.nobody.post('/api/auth/forgot-password', { email }, headers)
  const selectJobs = `from graphile_worker._private_jobs where payload ->> 'tenantId' = $1`
  const late = await query<NewJob<LateTask>>(
    `select t.identifier as task, j.payload, j.key
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where payload ->> 'tenantId' = $1`,
    [id],
  )
  assert.deepEqual(late.map(({ task }) => task).sort(), ['record_refused_sign_in', 'request_reset'])
  await deleteTenant(world.database, slug)
  await world.database.inTenant(id, (sql) => addJobs(sql, late))
  const isRelayed = async () => (await query('select from outbox where tenant_id = $1', [id])).length === 0
  await until(isRelayed, 'the outbox to be empty')
  assert.ok(!(await dump(query)).includes(id))
  // As if the relay had come before the deletion.
  for (const { task, payload } of late)
    await query('select from graphile_worker.add_job($1, $2::json)', [task, JSON.stringify(payload)])

  const worker = await world.startWorker()
  await until(async () => (await query(`select ${selectJobs}`, [id])).length === 0 || undefined, 'the jobs to end')
  await worker.stop()
  assert.ok(!(await dump(query)).includes(id))
})
