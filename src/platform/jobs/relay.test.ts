/** The relay: what is written to the outbox gets into the queue, once and in order, and no change waits for it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { isOnCluster } from '../../../test/database.ts'
import { hold, holdRelay } from '../../../test/holding.ts'
import { outboxIsEmpty } from '../../../test/queue.ts'
import { until } from '../../../test/smtp.ts'
import { openPatient, timeout } from '../../../test/timeout.ts'
import { createWorld } from '../../../test/world.ts'
import { type Database, statement } from '../database/database.ts'
import { newId } from '../http/schemas.ts'
import { relayBatch } from './batch.ts'
import { addJob, addJobs } from './queue.ts'
import { Relay } from './relay.ts'

const world = await createWorld({ processes: 3, settings: { MAX_PENDING_INVITES: '10000' } })
const { query } = world.postgres
const { ann, path } = await world.organization()

const lockOutbox = 'select from outbox where tenant_id = $1 for update'

interface Queued {
  readonly key: string
  readonly payload: { readonly kind: string; readonly mailId: string; readonly generation?: number }
  readonly runAt: Date
}

/** The jobs in the queue whose keys begin with a text, in the order in which they got there. */
const queued = (beginning: string): Promise<Queued[]> =>
  query<Queued>(
    `select j.key, p.payload, j.run_at as "runAt"
    from graphile_worker.jobs j join graphile_worker._private_jobs p on p.id = j.id
    where starts_with(j.key, $1) order by j.id`,
    [beginning],
  )

/** How many rows with jobs wait in the outbox. Asked while the relay is locked out, when a statement on the queue would wait in vain. */
const waiting = async (): Promise<number> => (await query(`select from outbox where jobs <> '[]'`)).length

/** A key of this test alone. */
const newKey = () => `key-${randomBytes(6).toString('hex')}`

/** A mail that the test knows by its number. */
const mail = (tenantId: string, generation: number) =>
  ({ kind: 'sign_in_code', attemptId: 'att_none', generation, tenantId, mailId: newId('mail') }) as const

function queue(
  database: Database,
  key: string,
  generation: number,
  delay?: number,
  tenant = world.tenantId,
): Promise<unknown> {
  return database.inTenant(tenant, (sql) => addJob(sql, 'send_mail', mail(tenant, generation), key, delay))
}

/** Sweeps through all tenants, however slow this machine is: a sweep looks at no further tenant after two seconds. */
async function sweepAll(t: TestContext, relay: Relay): Promise<void> {
  const started = performance.now()
  const { mock } = t.mock.method(performance, 'now', () => started)
  await relay.sweep()
  mock.restore()
}

test('jobs of several processes get into the queue once each', async () => {
  const emails = Array.from({ length: 60 }, () => `guest-${randomBytes(6).toString('hex')}@example.com`)
  const answers = await Promise.all(emails.map((email) => ann.post(`${path}/invites`, { email })))
  const ids = answers.map(({ body }) => body.id)

  const jobs = (await queued('invitation:')).filter(({ key }) => ids.includes(key.slice('invitation:'.length)))
  assert.equal(jobs.length, 60)
  assert.equal(new Set(jobs.map(({ payload }) => payload.mailId)).size, 60)
})

test('while the relay is locked out, changes go on, and their jobs get into the queue afterwards, in their order', async (t) => {
  const release = await holdRelay(t, world)
  const key = newKey()
  for (let number = 0; number < 40; number++) await queue(world.database, `${key}:${number}`, number)
  assert.equal((await ann.post(`${path}/invites`, { email: 'somebody@example.com' })).status, 201)
  assert.equal(await waiting(), 41)
  await release()

  const jobs = await queued(`${key}:`)
  assert.deepEqual(
    jobs.map(({ payload }) => payload.generation),
    Array.from({ length: 40 }, (_, number) => number),
  )
})

test('a locked row is waited for: no later row of its tenant overtakes it, and other tenants do not wait', async (t) => {
  const killed = openPatient(world.postgres.url)
  t.after(() => killed.close())
  const { id: other } = await world.tenant()
  await outboxIsEmpty(world)
  const key = newKey()
  await queue(killed, `${key}:1`, 1)
  const release = await hold(t, world.postgres, lockOutbox, [world.tenantId])
  await queue(world.database, `${key}:2`, 2)
  await world.postgres.awaitLine(1)
  await queue(world.database, `${key}:3`, 3, 0, other)
  await until(
    async () => (await query('select from outbox where tenant_id = $1', [other])).length === 0,
    'the other tenant',
  )
  assert.equal(await waiting(), 2)
  await release()

  assert.deepEqual(
    (await queued(`${key}:`)).map(({ payload }) => payload.generation),
    [3, 1, 2],
  )
})

test('while the place of a webhook is chosen, jobs and events go on', async (t) => {
  await outboxIsEmpty(world)
  const release = await hold(t, world.postgres, `select from feeds where tenant_id = $1 for key share`, [
    world.tenantId,
  ])
  const key = newKey()
  await ann.patch(path, { name: 'Renamed' })
  await queue(world.database, key, 1)

  await until(async () => (await query('select from outbox')).length === 0, 'the outbox to be empty')
  await release()
  assert.equal((await queued(key)).length, 1)
})

test('of jobs with one key the last one counts, at the time of the first one if it was delayed', async (t) => {
  const release = await holdRelay(t, world)
  const [replaced, delayed] = [newKey(), newKey()]
  const began = Date.now()
  for (const number of [1, 2, 3]) {
    await queue(world.database, replaced, number)
    await queue(world.database, delayed, number, number * 1_000)
  }
  await release()

  for (const key of [replaced, delayed])
    assert.deepEqual(
      (await queued(key)).map(({ payload }) => payload.generation),
      [3],
    )
  await queue(world.database, delayed, 4, 5_000)
  const [job] = await queued(delayed)
  assert.equal(job?.payload.generation, 4)
  const delay = ((job?.runAt.getTime() ?? 0) - began) / 1_000
  assert.ok(delay >= 999 && delay < 2_000, `it is to run after ${delay} seconds, and not after 1,000`)
})

test('a job that is being done is not replaced: the later one is done too', async () => {
  const key = newKey()
  await queue(world.database, key, 1)
  const [begun] = await queued(key)
  await query(
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker', attempts = 1 where key = $1`,
    [key],
  )
  await queue(world.database, key, 2)

  const jobs = await query<{ generation: number }>(
    `select (payload ->> 'generation')::integer as generation from graphile_worker._private_jobs
    where payload ->> 'mailId' = $1 or key = $2 order by id`,
    [begun?.payload.mailId, key],
  )
  assert.deepEqual(
    jobs.map(({ generation }) => generation),
    [1, 2],
  )
})

test('more rows than a batch has get into the queue', async (t) => {
  const release = await holdRelay(t, world)
  const key = newKey()
  await Promise.all(Array.from({ length: 1_100 }, (_, number) => queue(world.database, `${key}:${number}`, number)))
  await release()

  assert.equal((await queued(`${key}:`)).length, 1_100)
})

test('of thousands of jobs that are added at once, a batch takes a part, and all get into the queue in their order', async (t) => {
  const database = openPatient(world.postgres.url)
  t.after(() => database.close())
  const { id: tenant } = await world.tenant()
  await outboxIsEmpty(world)
  const key = newKey()
  const jobs = Array.from({ length: 20_000 }, (_, number) => ({
    ...({ task: 'send_mail', payload: mail(tenant, number), key: `${key}:${number}` } as const),
  }))
  await database.inTenant(tenant, (sql) => addJobs(sql, jobs))
  const rows = await query<{ count: number }>(
    'select jsonb_array_length(jobs) as count from outbox where tenant_id = $1',
    [tenant],
  )
  assert.deepEqual(
    rows.map(({ count }) => count),
    Array(40).fill(500),
  )

  let batches = 1
  while ((await relayBatch(database, tenant, assert.fail)).state === 'more') batches++

  assert.ok(batches > 2, `${batches} batches`)
  assert.deepEqual(
    (await queued(`${key}:`)).map(({ payload }) => payload.generation),
    jobs.map(({ payload }) => payload.generation),
  )
})

test('what a killed process has committed is found by a sweep, in every tenant', async (t) => {
  // A process that does not come to relay.
  const killed = openPatient(world.postgres.url)
  t.after(() => killed.close())
  const tenants = [world.tenantId, (await world.tenant()).id, (await world.tenant()).id]
  await outboxIsEmpty(world) // else the world relays a tenant's jobs with its events
  const key = newKey()
  for (const tenant of tenants) await queue(killed, `${key}:${tenant}`, 1, 0, tenant)
  assert.equal(await waiting(), 3)

  const started = openPatient(world.postgres.url)
  const relay = new Relay(started, assert.fail, assert.fail)
  await sweepAll(t, relay)
  await until(async () => (await waiting()) === 0, 'all tenants to be relayed')
  await relay.stop()
  await started.close()
  assert.deepEqual((await queued(`${key}:`)).map(({ key }) => key.split(':')[1]).sort(), [...tenants].sort())
})

// On a cluster, the nodes that have the rows do not have the policy.
const skip = isOnCluster
test('a tenant whose outbox cannot be read keeps a sweep from no other tenant', { skip }, async (t) => {
  const killed = openPatient(world.postgres.url)
  t.after(() => killed.close())
  const made = [await world.tenant(), await world.tenant(), await world.tenant()]
  const [first = '', second = '', third = ''] = made.map(({ id }) => id).sort()
  await outboxIsEmpty(world)
  const key = newKey()
  for (const tenant of [first, second, third]) await queue(killed, `${key}:${tenant}`, 1, 0, tenant)
  await query(`
    create function refuse_second() returns boolean language plpgsql as $$
    begin
      if current_setting('guildhall.tenant', true) = '${second}' then raise exception 'refused'; end if;
      return true;
    end $$`)
  t.after(() => query('drop function if exists refuse_second cascade'))
  await query('create policy refusing on outbox as restrictive using (refuse_second())')

  const started = openPatient(world.postgres.url)
  t.after(() => started.close())
  const failures: unknown[] = []
  const relay = new Relay(started, (error) => failures.push(error.cause), assert.fail)
  await sweepAll(t, relay)
  await until(async () => (await waiting()) === 1, 'the other tenants to be relayed')
  assert.match(String(failures), /^[^,]*refused$/, 'one failure')

  await query('drop function refuse_second cascade')
  await sweepAll(t, relay)
  await until(async () => (await waiting()) === 0, 'the last tenant to be relayed')
  await relay.stop()
  const keys = (await queued(`${key}:`)).map((job) => job.key.split(':')[1])
  assert.deepEqual(keys.sort(), [first, second, third])
})

test('a process that stops first relays what it has committed', async () => {
  const stopping = openPatient(world.postgres.url)
  const relay = new Relay(stopping, assert.fail, assert.fail, timeout)
  const key = newKey()
  await Promise.all(Array.from({ length: 20 }, (_, number) => queue(stopping, `${key}:${number}`, number)))
  await relay.stop()
  await stopping.close()

  assert.equal(await waiting(), 0)
  assert.equal((await queued(`${key}:`)).length, 20)
})

test('a batch that fails is repeated: its jobs and events, and the jobs that these need, come once each', async (t) => {
  const database = openPatient(world.postgres.url)
  t.after(() => database.close())
  const { id: tenant } = await world.tenant()
  await outboxIsEmpty(world)
  await query('update tenants set has_webhooks = true where id = $1', [tenant])
  const [key, wake, entry] = [newKey(), newKey(), newId('aud')]
  const relay = () =>
    relayBatch(database, tenant, () => statement`select 'send_mail' as task, '{}'::json as payload, ${wake} as key`)
  // Asked through the database itself: the world's query waits until the outbox is empty.
  const count = async (of: string) =>
    (await database.acrossTenants((sql) => sql`select from graphile_worker.jobs where key = ${of}`)).length
  const found = async () => ({
    jobs: await count(key),
    events: (await query('select from feed where tenant_id = $1 and entry_id = $2', [tenant, entry])).length,
    wakes: await count(wake),
    waiting: (await query('select from outbox where tenant_id = $1', [tenant])).length,
  })
  await queue(database, key, 1, 0, tenant)
  await query(
    `insert into outbox (tenant_id, written_at, id, entry_id, action) values ($1, now(), gen_random_uuid(), $2, 'user.updated')`,
    [tenant, entry],
  )
  await query(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`)
  await query('create trigger refuse before delete on outbox for each row execute function refuse()')
  await assert.rejects(relay(), /refused/)
  await query('drop function refuse cascade')

  // A cluster commits the jobs before.
  assert.deepEqual(await found(), { jobs: isOnCluster ? 1 : 0, events: 0, wakes: 0, waiting: 2 })
  await relay()
  // There, jobs that begin at once would not see the event yet.
  const rest = isOnCluster ? { wakes: 0, waiting: 1 } : { wakes: 1, waiting: 0 }
  assert.deepEqual(await found(), { jobs: 1, events: 1, ...rest })
  await relay()
  assert.deepEqual(await found(), { jobs: 1, events: 1, wakes: 1, waiting: 0 })
})

test('a batch does not wait for a lock that stays', async (t) => {
  const database = openPatient(world.postgres.url)
  t.after(() => database.close())
  const { id: tenant } = await world.tenant()
  await outboxIsEmpty(world)
  await queue(database, newKey(), 1, 0, tenant)
  const release = await hold(t, world.postgres, lockOutbox, [tenant])

  assert.equal((await relayBatch(database, tenant, assert.fail)).state, 'locked')
  await release()
  assert.equal((await relayBatch(database, tenant, assert.fail)).state, 'done')
})

test('a process with two connections relays the jobs of several tenants at a time', async (t) => {
  const killed = openPatient(world.postgres.url)
  t.after(() => killed.close())
  const tenants = await Promise.all(Array.from({ length: 3 }, async () => (await world.tenant()).id))
  await outboxIsEmpty(world)
  const key = newKey()
  for (const tenant of tenants) await queue(killed, `${key}:${tenant}`, 1, 0, tenant)

  const small = openPatient(world.postgres.url, { size: 2 })
  const relay = new Relay(small, assert.fail, assert.fail)
  for (const tenant of tenants) small.relay.onCommit(tenant, 'jobs')
  await until(async () => (await waiting()) === 0, 'the jobs to be relayed')
  assert.equal((await queued(key)).length, 3)
  await relay.stop()
  await small.close()
})

test('a change that is rolled back leaves no job', async () => {
  const key = newKey()
  const refused = world.database.inTenant(world.tenantId, async (sql) => {
    await addJob(sql, 'send_mail', mail(sql.tenant, 1), key)
    throw new Error('It is not to be.')
  })
  await assert.rejects(refused, /It is not to be/)
  assert.deepEqual(await queued(key), [])
})
