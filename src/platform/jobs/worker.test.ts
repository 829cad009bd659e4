import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import pino from 'pino'
import { hold } from '../../../test/holding.ts'
import { queueIsDone } from '../../../test/queue.ts'
import { startSink, until } from '../../../test/smtp.ts'
import { timeout } from '../../../test/timeout.ts'
import { createWorld, type Json } from '../../../test/world.ts'
import { logForm } from '../http/log.ts'
import { selectDue } from './lookout.ts'
import { LoggedError } from './queue.ts'
import { steady } from './steady-pool.ts'
import { startWorker, type Worker } from './worker.ts'

const sink = await startSink()
const world = await createWorld({
  settings: {
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    MAIL_FROM: 'Guildhall <no-reply@guildhall.example>',
    MAX_PENDING_INVITES: '10000',
  },
})
const workers: Worker[] = []
const { ann, path } = await world.organization()
await drop() // the mails of the world's own people

afterEach(async () => {
  sink.manner = 'take'
  await stopWorkers()
  await drop()
  sink.arrived.length = 0
})
after(() => sink.stop())

test('mails that somebody waits for go before hundreds of others that were queued before', async () => {
  const others = await invite(200)
  const [zoe, yan] = ['zoe@example.com', 'yan@example.com']
  for (const email of [zoe, yan]) await world.person('Zoe', { email, verified: false })
  await world.nobody.post('/api/auth/forgot-password', { email: zoe })
  const awaited = async () => {
    const jobs = await world.postgres.query<{ what: string }>(`
      select coalesce(payload ->> 'kind', identifier) as what
      from graphile_worker._private_jobs join graphile_worker._private_tasks t on t.id = task_id
      where priority < 0 order by what`)
    return jobs.map(({ what }) => what)
  }
  assert.deepEqual(await awaited(), ['request_reset', 'verify_email', 'verify_email'])
  await work()
  await queueIsDone(world.postgres)

  const to = sink.arrived.map(({ recipients }) => recipients.join())
  assert.equal(to.length, others.length + 3)
  assert.ok(to.indexOf(yan) < 100 && to.indexOf(zoe) < 100, `${to.indexOf(yan)}, ${to.indexOf(zoe)}`)
})

test('two workers on one queue send each mail once', async () => {
  await Promise.all([work(), work()])
  const emails = await invite(40)
  await queueIsDone(world.postgres)

  assert.deepEqual(sink.arrived.map(({ recipients }) => recipients.join()).sort(), emails.sort())
  assert.equal(new Set(sink.arrived.map(({ mail }) => mail.messageId)).size, 40)
})

test('what a busy worker has taken in advance is done by another one', async () => {
  sink.manner = 'wait'
  await work()
  const emails = await invite(8)
  await until(() => sink.waiting === 4, 'all places of the first worker to be busy')
  await work()
  await until(() => sink.waiting === 8, 'the second worker to have the others')
  sink.manner = 'take'
  await queueIsDone(world.postgres)
  assert.deepEqual(sink.arrived.map(({ recipients }) => recipients.join()).sort(), emails.sort())
})

test('the next worker does the jobs that were queued while none ran', async () => {
  const [email = ''] = await invite(1)
  await work()
  assert.equal((await sink.to(email)).length, 1)
})

test('a worker whose connections are cut goes on, loses no mail, and repeats one only with the same Message-ID', async () => {
  await work()
  const emails: string[] = []
  for (let round = 0; round < 5; round++) {
    if (round % 2 === 0) sink.manner = 'wait'
    emails.push(...(await invite(4)))
    await until(() => sink.waiting === 4 || sink.manner === 'take', 'the mails to be under way')
    await cutConnections()
    sink.manner = 'take'
    await until(async () => (await ann.get('/api/users/me')).status === 200, 'the service to answer again')
  }
  for (const email of emails) await sink.to(email)
  await queueIsDone(world.postgres)
  assert.equal(new Set(sink.arrived.map(({ mail }) => mail.messageId)).size, emails.length)
})

test('a worker that loses its connection while it marks a mail as sent marks it again, and sends nothing twice', async (t) => {
  await work()
  sink.manner = 'wait'
  const [email = ''] = await invite(1)
  await until(() => sink.waiting === 1, 'the mail to be under way')
  const release = await hold(t, world.postgres, 'select from graphile_worker._private_jobs for update')
  sink.manner = 'take'
  await until(async () => {
    await world.postgres.query('select pg_stat_clear_snapshot()') // the transaction would otherwise see what it saw at first
    const [blocked] = await world.postgres.query(`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%_private_jobs%'`)
    return blocked
  }, 'the worker to write what became of the mail')
  await cutConnections()
  await release()

  await queueIsDone(world.postgres)
  assert.equal((await sink.to(email)).length, 1)
})

test('a worker stops while the database cannot be reached', async () => {
  await work()
  await world.postgres.query(`alter database ${await databaseName()} connection limit 0`)
  try {
    await cutConnections()
    await stopWorkers()
  } finally {
    await world.postgres.query(`alter database ${await databaseName()} connection limit -1`)
  }
  const [email = ''] = await invite(1)
  await work()
  assert.equal((await sink.to(email)).length, 1)
})

test('a statement that fails once the queue is closed ends, so that no runner waits for it', async () => {
  const { pool, close } = steady(world.database.libraryPool(1), world.app.log, noLookout)
  const client = await pool.connect()
  await close()
  assert.deepEqual(await client.query('select 1'), { rows: [] })
})

test('a job of a process that was killed at work is done by another process', async () => {
  const [email = ''] = await invite(1)
  await world.postgres.query(`
    update graphile_worker._private_jobs
    set locked_by = 'killed', locked_at = now() - interval '61 seconds', attempts = 1`)
  await work()
  assert.equal((await sink.to(email)).length, 1)
  await queueIsDone(world.postgres)
})

test('a worker leaves a job to the process that works on it', async () => {
  const [held = ''] = await invite(1)
  await world.postgres.query(`
    update graphile_worker._private_jobs
    set locked_by = 'working', locked_at = now() - interval '1 second', attempts = 1`)
  await work()
  const [free = ''] = await invite(1)
  await sink.to(free)
  assert.ok(!sink.arrived.some(({ recipients }) => recipients.includes(held)))
  await drop()
})

test('of a runner that was cut off, a job whose time is over is free, with its queue, and the others stay with it', async () => {
  await inQueues(['over', 'renewed'])
  await lock('_private_job_queues', 'true', 61)
  await lock('_private_jobs', `flags ? 'over'`, 61)
  await lock('_private_jobs', `flags ? 'renewed'`, 30)

  await freeAbandoned()

  assert.deepEqual(await world.postgres.query('select queue_name, locked_by from graphile_worker.jobs order by 1'), [
    { queue_name: 'over', locked_by: null },
    { queue_name: 'renewed', locked_by: 'runner' },
  ])
  assert.deepEqual(await holders(), { over: null, renewed: 'runner' })
})

test('a queue whose running job was deleted is free a minute after the job began', async () => {
  await inQueues(['over', 'recent'])
  await lock('_private_job_queues', `queue_name = 'over'`, 61)
  await lock('_private_job_queues', `queue_name = 'recent'`, 30)
  await drop()

  await freeAbandoned()

  assert.deepEqual(await holders(), { over: null, recent: 'runner' })
})

test('a long job stays with its worker', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  await work()
  sink.manner = 'wait'
  const [email = ''] = await invite(1)
  await until(() => sink.waiting === 1, 'the mail to be under way')
  await world.postgres.query(`update graphile_worker._private_jobs set locked_at = now() - interval '59 seconds'`)
  t.mock.timers.tick(15_000)
  await until(async () => {
    const held = await world.postgres.query(
      `select from graphile_worker.jobs where locked_at > now() - interval '30 seconds' and attempts = 1`,
    )
    return held.length === 1
  }, 'the worker to renew its hold')

  sink.manner = 'take'
  assert.equal((await sink.to(email)).length, 1)
  await queueIsDone(world.postgres)
})

test('a worker that stops first finishes the mail that it is sending', async () => {
  workers.push(await world.startWorker({ smtpUrl: world.app.config.smtpUrl, stopTimeout: patient }))
  sink.manner = 'wait'
  const [email = ''] = await invite(1)
  await until(() => sink.waiting === 1, 'the mail to be under way')
  const stopped = stopWorkers()
  sink.manner = 'take'
  await stopped

  assert.equal((await sink.to(email)).length, 1)
  await queueIsDone(world.postgres)
})

test('a sending that stalls is given up and tried again', async () => {
  sink.manner = 'stall'
  const [email = ''] = await invite(1)
  await work(100)
  await until(async () => {
    const [job] = await world.postgres.query<{ error: string }>(
      'select last_error as error from graphile_worker._private_jobs where last_error is not null',
    )
    return job && /ETIMEDOUT/.test(job.error)
  }, 'the sending to be given up')
  await stopWorkers()

  sink.manner = 'take'
  await world.postgres.query('update graphile_worker._private_jobs set run_at = now()')
  await work()
  assert.equal((await sink.to(email)).length, 1)
})

test('a worker that stops hangs up on a mail server that stalls, and the mail is tried again later', async () => {
  await work(600_000)
  sink.manner = 'stall'
  const [email = ''] = await invite(1)
  await until(() => sink.waiting === 1, 'the mail to be under way')
  await stopWorkers()
  await until(() => sink.waiting === 0, 'the connection to end')

  sink.manner = 'take'
  await world.postgres.query('update graphile_worker._private_jobs set run_at = now()')
  await work()
  assert.equal((await sink.to(email)).length, 1)
})

test('a job wakes only the runners that have its task', async (t) => {
  const looks = recordLooks(t)
  const done = await run({ one: 3, other: 3 })
  await until(() => looks().length === 6, 'each place to have looked once')
  const tasks = await world.postgres.query<{ id: string; name: string }>(
    `select id::text, identifier as name from graphile_worker._private_tasks where identifier in ('one', 'other')`,
  )
  const [ofOne = '', ofOther = ''] = ['one', 'other'].map((name) => tasks.find((task) => task.name === name)?.id)
  assert.deepEqual(new Set(looks()), new Set([ofOne, ofOther]))

  await world.postgres.query(`select graphile_worker.add_job('other')`)
  await until(() => done.length === 1, 'the job to be done')
  await queueIsDone(world.postgres)

  const later = looks().slice(6)
  assert.deepEqual([done, later.includes(ofOther), later.includes(ofOne)], [['other'], true, false])
})

test('a place that waits for jobs does not look by itself', async (t) => {
  const { mock } = t.mock.method(pg.Client.prototype, 'query')
  const asked = () => mock.calls.map(({ arguments: [query] }) => query as unknown)
  const done = await run({ one: 3, other: 3 })
  await until(() => asked().flatMap(taskIdsOf).length === 6, 'each place to have looked once')
  mock.resetCalls()
  await world.postgres.query(`select graphile_worker.add_job('one', run_at => now() + interval '1 hour')`)
  await until(() => asked().filter((query) => query === selectDue).length >= 3, 'the lookout to look three times')
  assert.deepEqual(asked().flatMap(taskIdsOf), [])

  await world.postgres.query('update graphile_worker._private_jobs set run_at = now()')
  await until(() => done.length === 1, 'the job to be done when its time has come')
  await queueIsDone(world.postgres)
})

test('beside more due jobs than a look tells apart, each runner gets its own', async (t) => {
  const [gate, done] = [Promise.withResolvers<void>(), new Set<string>()]
  const runners = ['busy', 'other'].map((task) => ({
    places: 3,
    tasks: { [task]: async () => (task === 'busy' ? gate.promise : void done.add(task)) },
  }))
  t.after(() => gate.resolve())
  workers.push(await startWorker({ database: world.database, runners }, world.app.log))

  await world.postgres.query('truncate graphile_worker._private_jobs') // what is added last is then seen last
  await world.postgres.query(`select graphile_worker.add_job('busy') from generate_series(1, 150)`)
  await world.postgres.query(`select graphile_worker.add_job('other', priority => 1)`)
  await until(() => done.has('other'), 'the job of another runner to be done')
  gate.resolve()
  await queueIsDone(world.postgres)
})

test('a job begins when it is heard of, and the next one of its queue when that is free', async (t) => {
  withoutTimer(t)
  const before = await listeners()
  const done = await run({ one: 3 })
  await until(async () => (await listeners()).some((pid) => !before.includes(pid)), 'the worker to listen')
  await world.postgres.query(`select graphile_worker.add_job('one')`)
  await until(() => done.length === 1, 'the job to be done')
  await world.postgres.query(`select graphile_worker.add_job('one', queue_name => 'q') from generate_series(1, 10)`)
  await until(() => done.length === 11, 'all jobs of the queue to be done')
  await queueIsDone(world.postgres)
})

test('jobs are heard of again after the connection for it was lost', async () => {
  const done = await run({ one: 1 })
  await cutConnections()
  for (let round = 1; round <= 3; round++) {
    await until(async () => (await ann.get('/api/users/me')).status === 200, 'the service to answer again')
    await world.postgres.query(`select graphile_worker.add_job('one')`)
    await until(() => done.length === round, 'the job to be done')
  }
  await until(async () => (await listeners()).length === 1, 'one connection that listens')
})

test('a stop waits longer for what goes on after jobs than for jobs', async () => {
  let isOver = false
  const afterJobs = async () => {
    await setTimeout(7_000)
    isOver = true
  }
  const worker = await startWorker({ database: world.database, runners: [], afterJobs }, world.app.log)

  await worker.stop()

  assert.ok(isOver)
})

test('a stop waits for a renewal under way, of which nothing is then logged', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const warn = t.mock.method(world.app.log, 'warn')
  workers.push(await startWorker({ database: world.database, runners: [], stopTimeout: patient }, world.app.log))
  const release = await hold(t, world.postgres, 'lock table graphile_worker._private_jobs in share mode')
  t.mock.timers.tick(15_000)
  await world.postgres.awaitLine(1)
  const stopping = stopWorkers()
  await release()
  await stopping
  assert.deepEqual(
    warn.mock.calls.map((call) => call.arguments[1]),
    [],
  )
})

test('tasks by the clock go on when the clock of the machine is set back or forward', async (t) => {
  const worker = async (now: Date) => {
    t.mock.timers.enable({ apis: ['Date'], now })
    const task = { places: 1, tasks: { by_clock: async () => {} }, crontab: '* * * * * by_clock' }
    workers.push(await startWorker({ database: world.database, runners: [task] }, world.app.log))
  }
  const minute = 60_000
  const present = Math.floor(Date.now() / minute) * minute
  const lastMinute = async () => {
    const [known] = await world.postgres.query<{ at: Date | null }>(
      `select last_execution as at from graphile_worker._private_known_crontabs where identifier = 'by_clock'`,
    )
    return known?.at?.getTime()
  }
  const ahead = present + 40 * 24 * 60 * minute
  await worker(new Date(ahead))
  for (const now of [ahead, present, ahead - minute, present + 300 * minute]) {
    t.mock.timers.setTime(now)
    await until(async () => (await lastMinute()) === now, `the task of ${new Date(now).toISOString()}`)
  }
})

test('a task by the clock that still waits at its next time is one job', async (t) => {
  const hour = 3_600_000
  const next = Math.ceil(Date.now() / hour) * hour + 7 * 60_000
  t.mock.timers.enable({ apis: ['Date'], now: next })
  workers.push(await world.startWorker({ byClock: true }))
  const waiting = async (time: number) => {
    const jobs = await world.postgres.query<{ at: Date }>(
      `select run_at as at from graphile_worker.jobs where task_identifier = 'keep_retention'`,
    )
    return jobs.length > 0 && jobs.every(({ at }) => at.getTime() === time)
  }
  for (const time of [next, next + hour]) {
    t.mock.timers.setTime(time)
    await until(() => waiting(time), `one job, of ${new Date(time).toISOString()}`)
  }
})

test('a job that failed is a warning that says what failed, unless its task has logged it', async () => {
  const lines: Json[] = []
  const log = pino({ ...logForm, level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) })
  const tasks = {
    broken: () => Promise.reject(new AggregateError([new Error('the cause')], 'A task failed in 1 tenants.')),
    logged: () => Promise.reject(new LoggedError('The task has logged this.')),
  }
  workers.push(await startWorker({ database: world.database, runners: [{ places: 1, tasks }] }, log))
  await world.postgres.query(
    `select graphile_worker.add_job(task, max_attempts => 1) from unnest(array['logged', 'broken']) task`,
  )
  await until(async () => {
    const failed = await world.postgres.query('select from graphile_worker.jobs where last_error is not null')
    return failed.length === 2
  }, 'both jobs to fail')

  assert.deepEqual(
    lines.map(({ level, msg, task, attempt, err }) => [level, msg, task, attempt, err?.errors[0].message]),
    [[pino.levels.values.warn, 'a job failed', 'broken', 1, 'the cause']],
  )
})

test('a worker that is stopped twice stops once', async () => {
  await work()
  await Promise.all([workers[0]?.stop(), workers[0]?.stop()])
  await workers[0]?.stop()
})

/** Starts a worker with a runner for each task. @param places of each runner, by the name of its task @returns the tasks that were done */
async function run(places: Record<string, number>): Promise<string[]> {
  const done: string[] = []
  const runners = Object.entries(places).map(([task, places]) => ({
    places,
    tasks: { [task]: async () => void done.push(task) },
  }))
  workers.push(await startWorker({ database: world.database, runners }, world.app.log))
  return done
}

/** @returns what tells for which tasks places have looked since then, by the ids of these tasks */
function recordLooks(t: TestContext): () => string[] {
  const { mock } = t.mock.method(pg.Client.prototype, 'query')
  return () => mock.calls.flatMap(({ arguments: [query] }) => taskIdsOf(query))
}

/** @returns of a statement by which a place looks for a job, the ids of its tasks */
function taskIdsOf(query: unknown): string[] {
  const { text = '', values } = Object(query) as { text?: string; values?: unknown[] } // a query of graphile-worker's
  return text.includes('for update') && text.includes('returning *') ? [String(values?.[1])] : []
}

/** The lookout does not look by the clock. */
function withoutTimer(t: TestContext): void {
  const { setTimeout } = globalThis
  t.mock.method(globalThis, 'setTimeout', (work: () => void, delay?: number) =>
    delay === 1_000 ? setTimeout(work, 2 ** 31 - 1).unref() : setTimeout(work, delay),
  )
}

/** @returns the connections that hear of new jobs, by their pids. One of a worker that was stopped may still end. */
async function listeners(): Promise<number[]> {
  const listening = await world.postgres.query<{ pid: number }>(`
    select pid from pg_stat_activity
    where datname = current_database() and state = 'idle' and query like 'listen "jobs:insert"%'`)
  return listening.map(({ pid }) => pid)
}

/** How long a stop waits in tests of what it waits for. */
const patient = { abort: timeout, jobs: timeout, all: timeout, renewal: timeout }

const noLookout = { openEar: () => assert.fail('no runner listens'), look: () => {} }

/** Starts a worker, which the end of the test stops. @param stall how long a mail server may say nothing, in milliseconds; by default as long as usual */
async function work(stall?: number): Promise<void> {
  const { smtpUrl } = world.app.config
  workers.push(
    await world.startWorker({ smtpUrl: stall === undefined ? smtpUrl : `${smtpUrl}?socketTimeout=${stall}` }),
  )
}

/** Does what each worker does first. */
async function freeAbandoned(): Promise<void> {
  workers.push(await startWorker({ database: world.database, runners: [] }, world.app.log))
}

/** Adds a job to each of some new named queues, with the queue's name as its flag. */
async function inQueues(names: string[]): Promise<void> {
  await world.postgres.query('delete from graphile_worker._private_job_queues')
  await world.postgres.query(
    `select graphile_worker.add_job('unknown', queue_name => name, flags => array[name]) from unnest($1::text[]) name`,
    [names],
  )
}

/** Locks jobs or queues, as a runner does. */
async function lock(table: string, condition: string, seconds: number): Promise<void> {
  await world.postgres.query(`
    update graphile_worker.${table} set locked_by = 'runner', locked_at = now() - interval '${seconds} seconds' where ${condition}`)
}

/** @returns by queue, who has locked it */
async function holders(): Promise<Record<string, string | null>> {
  const rows = await world.postgres.query<{ queue: string; holder: string | null }>(
    'select queue_name as queue, locked_by as holder from graphile_worker._private_job_queues',
  )
  return Object.fromEntries(rows.map(({ queue, holder }) => [queue, holder]))
}

async function stopWorkers(): Promise<void> {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
}

/** Invites `count` strangers. */
async function invite(count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, () => `guest-${randomBytes(6).toString('hex')}@example.com`)
  const answers = await Promise.all(emails.map((email) => ann.post(`${path}/invites`, { email })))
  for (const { status, body } of answers) assert.equal(status, 201, JSON.stringify(body))
  return emails
}

async function cutConnections(): Promise<void> {
  await world.postgres.query(`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'guildhall'`)
}

async function databaseName(): Promise<string> {
  const [row] = await world.postgres.query<{ name: string }>('select current_database() as name')
  return row?.name ?? ''
}

async function drop(): Promise<void> {
  await world.postgres.query('delete from graphile_worker._private_jobs')
}
