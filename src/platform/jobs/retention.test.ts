import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../../test/smtp.ts'
import { createWorld, type Person } from '../../../test/world.ts'
import { runRetention, startTasks } from '../../tasks.ts'
import type { Purge } from '../database/database.ts'
import { purgeRates } from '../http/rates.ts'
import { newId } from '../http/schemas.ts'
import { applyRetention } from './retention.ts'

const world = await createWorld({ worker: true })
const { query } = world.postgres

const count = async (statement: string, values: unknown[] = []) =>
  Number((await query<{ count: string }>(`select count(*) from ${statement}`, values))[0]?.count)

/** @returns a function that lets milliseconds pass. No others pass, and the clock of the day goes back meanwhile. */
function passTime(t: TestContext): (milliseconds: number) => void {
  const [started, begun] = [performance.now(), Date.now()]
  let passed = 0
  t.mock.method(performance, 'now', () => started + passed)
  t.mock.timers.enable({ apis: ['Date'], now: begun })
  return (milliseconds) => {
    passed += milliseconds
    t.mock.timers.setTime(begun - passed)
  }
}

test("audit entries and their details are deleted after the tenant's retention time, and not before", async () => {
  const ann = await world.person()
  const { slug, id } = await world.tenant()
  const bob = await world.person('Bob', { tenant: slug })
  await query('update tenants set audit_retention_seconds = 3600 where id = $1', [id])
  await query(`update audit_entries set occurred_at = now() - interval '2 hours'`)

  await runRetention(world.database)

  assert.equal(await count('audit_entries where tenant_id = $1', [id]), 0)
  assert.equal(await count('audit_details where tenant_id = $1', [id]), 0)
  assert.deepEqual((await bob.get('/api/users/me/audit')).body.data, [])
  const { body } = await ann.get('/api/users/me/audit')
  assert.deepEqual(body.data.map(({ action }: { action: string }) => action).sort(), [
    'session.started',
    'user.signed_up',
  ])
})

test('sessions that ended or expired a month ago are deleted; others stay', async () => {
  const ann = await world.person()
  const idOf = async (person: Person) =>
    (await person.get('/api/users/me/devices')).body.data.find((device: { current: boolean }) => device.current).id
  const [ended, expired, justEnded, quiet] = await Promise.all(Array.from({ length: 4 }, () => world.signIn(ann)))
  assert.ok(ended && expired && justEnded && quiet)
  const ids = await Promise.all([ended, expired, justEnded, quiet, ann].map(idOf))
  const past = (id: string, times: string) => query(`update sessions set ${times} where id = $1`, [id])
  const long = `now() - interval '31 days'`
  await past(ids[0], `ended_at = ${long}, last_active_at = ${long}`)
  await past(ids[1], `created_at = ${long}, last_active_at = ${long}`)
  await past(ids[2], `ended_at = now(), last_active_at = now()`)
  await past(ids[3], `created_at = now() - interval '20 days', last_active_at = now() - interval '13 days'`)

  await runRetention(world.database)

  const left = await query<{ id: string }>('select id from sessions where user_id = $1', [ann.id])
  assert.deepEqual(left.map(({ id }) => id).sort(), ids.slice(2).sort())
  assert.equal((await quiet.get('/api/users/me')).status, 200)
})

test('the address of a link that is over is erased, and the old link stays dead when a new one is made', async () => {
  const ann = await world.person('Ann', { verified: false })
  const old = await world.mailedToken(ann.email, 'verify-email')
  await query(`update mailed_tokens set expires_at = now() - interval '8 days' where user_id = $1`, [ann.id])

  await runRetention(world.database)

  assert.equal(await count('mailed_tokens where user_id = $1 and email = $2', [ann.id, ann.email]), 0)
  await ann.post('/api/auth/verify-email/resend')
  assert.equal((await ann.post('/api/auth/verify-email', { token: old })).body.code, 'token_spent')
  await until(
    async () => (await world.mailedToken(ann.email, 'verify-email')) !== old,
    'the new link to be in the mailbox',
  )
  const token = await world.mailedToken(ann.email, 'verify-email')
  assert.equal((await ann.post('/api/auth/verify-email', { token })).status, 200)
})

test('mails, devices and counters of attempts are deleted when they are old, and not before', async () => {
  const ann = await world.person()
  const { id } = await world.tenant()
  const [user] = await query<{ tenant: string }>('select tenant_id as tenant from users where id = $1', [ann.id])
  const values = [user?.tenant]
  await query(
    `insert into mails (tenant_id, id, kind, recipient, subject, text, html, sent_at)
     select $1, 'mail_' || days, 'invitation', 'x@example.com', 's', 't', 'h', now() - make_interval(days => days)
     from unnest(array[29, 31]) days`,
    values,
  )
  await query(
    `insert into known_devices (tenant_id, user_id, token_hash, last_used_at)
     select $1, $2, int4send(days), now() - make_interval(days => days) from unnest(array[399, 401]) days`,
    [...values, ann.id],
  )
  await query(
    `insert into password_attempts (tenant_id, account, source, failures, updated_at)
     values ($1, 'a', 'recent', 3, now() - interval '23 hours'), ($1, 'a', 'old', 3, now() - interval '25 hours'),
       ($1, 'a', 'blocked', 50, now() - interval '25 hours'),
       ($1, 'b', '', 5, now() - interval '47 hours'), ($1, 'c', '', 5, now() - interval '49 hours'),
       ($1, 'd', '', 6, now() - interval '29 days'), ($1, 'e', '', 6, now() - interval '31 days'),
       ($1, 'f', '', 99, now() - interval '29 days'), ($1, 'g', '', 99, now() - interval '31 days'),
       ($1, 'h', '', 100, now() - interval '300 days')`,
    [id],
  )

  await runRetention(world.database)

  assert.equal(await count(`mails where id in ('mail_29', 'mail_31')`), 1)
  assert.equal(await count('known_devices where user_id = $1', [ann.id]), 2, 'one of them that of the sign-up')
  const left = await query<{ counted: string }>(
    `select convert_from(account, 'UTF8') || ' ' || convert_from(source, 'UTF8') as counted
     from password_attempts where tenant_id = $1`,
    [id],
  )
  assert.deepEqual(left.map(({ counted }) => counted).sort(), ['a recent', 'b ', 'd ', 'f ', 'h '])
})

test('the count of a rate is deleted after its window, and not before', async () => {
  await query(`
    insert into rates (key, points, expire)
    select name, 3, (extract(epoch from now()) * 1000)::bigint + distance
    from (values ('inviter:over', -1000), ('inviter:runs', 3600000)) counted (name, distance)`)

  await runRetention(world.database)

  assert.deepEqual(await query(`select key from rates where key like 'inviter:%'`), [{ key: 'inviter:runs' }])
})

test('counts of rates are deleted in batches', async () => {
  await query(`insert into rates (key, points, expire) select 'many:' || n, 1, 0 from generate_series(1, 2500) n`)

  const counts = await runRetention(world.database)

  assert.ok((counts.rates ?? 0) >= 2500)
  assert.equal(await count(`rates where key like 'many:%'`), 0)
  await query(`insert into rates (key, points, expire) select 'many:' || n, 1, 0 from generate_series(1, 1100) n`)
  const deleted = await world.database.acrossTenants((sql) => purgeRates(sql, 1000))
  assert.equal(deleted.length, 1000)
})

test('a purge that fails stops neither the others, nor other tenants, nor what comes after it', async (t) => {
  const [one, other, gone] = [await world.tenant(), await world.tenant(), await world.tenant()]
  await query(
    `insert into password_attempts (tenant_id, account, source, failures, updated_at)
     select tenant, 'a', 'old', 3, now() - interval '2 days' from unnest($1::uuid[]) tenant`,
    [[one.id, other.id]],
  )
  await query(`insert into rates (key, points, expire) values ('inviter:late', 1, 0)`)
  await query('update tenants set deleted_at = now() where id = $1', [gone.id])
  await query('alter table set_up_links rename to links_elsewhere')
  t.after(() => query('alter table links_elsewhere rename to set_up_links'))

  await assert.rejects(runRetention(world.database), (error: AggregateError) => {
    assert.match(error.message, /^\d+ purges failed: setUpLinks\.$/)
    assert.equal(error.errors.length, 1, 'one for each purge')
    return true
  })

  assert.equal(await count('password_attempts where tenant_id = any($1)', [[one.id, other.id]]), 0)
  assert.equal(await count(`rates where key = 'inviter:late'`), 0)
  assert.equal(await count('tenants where id = $1', [gone.id]), 0)
})

test('a purge that never ends leaves the others their time', async (t) => {
  const { id } = await world.tenant()
  const pass = passTime(t)
  let turns = 0
  const counts = await applyRetention(world.database, {
    endless: async (sql, batch) => {
      if (sql.tenant !== id) return []
      pass(10_000)
      return Array.from({ length: batch })
    },
    short: async (sql, batch) => (sql.tenant === id ? Array.from({ length: ++turns < 5 ? batch : 1 }) : []),
  })

  assert.deepEqual(counts, { endless: 12_000, short: 4_001 })
})

test('a tenant whose rows take all the time of a run does not take that of every run', async (t) => {
  const { id } = await world.tenant()
  const pass = passTime(t)
  const served = new Set<string>()
  const slow: Purge = async ({ tenant }) => {
    served.add(tenant)
    pass(120_000)
    return []
  }

  for (let run = 0; run < 1_000 && !(served.has(id) && served.size > 1); run++)
    await applyRetention(world.database, { slow })

  assert.ok(served.has(id) && served.size > 1)
})

test('two processes that clean up at once delete each row once, in any number', async () => {
  const { id } = await world.tenant()
  await query(
    `insert into mails (tenant_id, id, kind, recipient, subject, text, html, sent_at)
     select $1, 'mail_' || n, 'invitation', 'x@example.com', 's', 't', 'h', now() - interval '31 days'
     from generate_series(1, 5000) n`,
    [id],
  )
  const counts = await Promise.all([runRetention(world.database), runRetention(world.database)])
  await runRetention(world.database) // what one passed over while the other held it
  assert.equal(await count('mails where tenant_id = $1', [id]), 0)
  assert.ok((counts[0].mails ?? 0) + (counts[1].mails ?? 0) <= 5000)
})

test('a deletion notice that waited for a day is dropped', async () => {
  await query(
    `select graphile_worker.add_job('send_mail', '{}'::json, job_key => 'account_deleted:' || key, run_at => now() + interval '1 day')
     from unnest(array[$1, $2]) key`,
    ['old', newId('mail')],
  )
  await query(
    `update graphile_worker._private_jobs set created_at = now() - interval '23 hours' where key = 'account_deleted:old'`,
  )

  await runRetention(world.database)

  const left = await query<{ key: string }>(`select key from graphile_worker.jobs where key like 'account_deleted:%'`)
  assert.equal(left.length, 1)
  assert.notEqual(left[0]?.key, 'account_deleted:old')
  await query(`select graphile_worker.remove_job($1)`, [left[0]?.key])
})

test('a job that was given up is deleted a month later, and no other job', async () => {
  await query(`
    select graphile_worker.add_job('unknown_task', '{}', job_key => 'month:' || key, run_at => now() - interval '31 days')
    from unnest(array['old', 'recent', 'waiting', 'running']) key`)
  const change = (key: string, values: string) =>
    query(`update graphile_worker._private_jobs set ${values} where key = 'month:' || $1`, [key])
  await change('old', 'attempts = max_attempts')
  await change('recent', `attempts = max_attempts, run_at = now() - interval '29 days'`)
  await change('running', `attempts = max_attempts, locked_by = 'worker', locked_at = now()`)

  await runRetention(world.database)

  const left = await query<{ key: string }>(
    `select key from graphile_worker.jobs where key like 'month:%' order by key`,
  )
  assert.deepEqual(
    left.map(({ key }) => key),
    ['month:recent', 'month:running', 'month:waiting'],
  )
  await query(`delete from graphile_worker._private_jobs where key like 'month:%'`)
})

test('the worker runs the clean-up on a schedule, which the worlds of tests leave out', async () => {
  const isKnown = async () =>
    (await count(`graphile_worker._private_known_crontabs where identifier = 'keep_retention'`)) === 1
  assert.equal(await isKnown(), false)

  const { config, database, keyring, log } = world.app
  const worker = await startTasks({ config, database, keyring, transport: undefined }, log)

  try {
    await until(isKnown, 'the schedule to be known')
  } finally {
    await worker.stop()
  }
})
