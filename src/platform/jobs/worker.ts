/** The worker: does what the queue holds. Any number of processes may work on the same queue. */
import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { type Job, Logger, type Runner, run, runMigrations, type Task, type TaskList } from 'graphile-worker'
import { jobs } from '../channels.ts'
import type { Database } from '../database/database.ts'
import { Lookout } from './lookout.ts'
import { LoggedError } from './queue.ts'
import { type Pool, steady, within } from './steady-pool.ts'

/**
 * In milliseconds: how long a stop waits before it aborts the jobs under way, until they have ended, for them and what follows them, and for
 * a renewal of leases.
 */
const usual = { abort: 5_000, jobs: 6_000, all: 16_000, renewal: 2_000 }
export type StopTimeout = Readonly<typeof usual>

/**
 * How long a job is its worker's, in seconds, unless the worker renews that; how often it does, in milliseconds. The jobs of a process
 * that was killed are so soon free, and those that take long are not done twice. One that was cut off from the database for a minute
 * may lose its jobs to another, which sends a mail again under its old Message-ID.
 */
const lease = { seconds: 60, renewal: 15_000 }

/** In milliseconds: how often the machine's clock is looked at, and the step from which on tasks by the clock go on from the new time. */
const clock = { look: 1_000, step: 60_000 }

/** In milliseconds: how often each place looks for a job by itself. The lookout wakes it sooner. */
const pollInterval = 3_600_000

/** In milliseconds: after this, a job that a runner has taken in advance goes back, since another process may be free. */
const ahead = 1_000

/** What a worker does, and where it finds it. */
export interface Work {
  readonly database: Database
  /** They work side by side, each in places of its own. A task may be that of several. */
  readonly runners: readonly RunnerWork[]
  /** Waits for what goes on when jobs have ended. A stop does so after the running jobs, and longer. */
  readonly afterJobs?: () => Promise<void>
  /** How long a stop waits; by default for seconds. */
  readonly stopTimeout?: StopTimeout | undefined
}

interface RunnerWork {
  /** How many jobs run at once. */
  readonly places: number
  /** What is done for each task. */
  readonly tasks: TaskList
  /** Tasks that begin by the clock, as graphile-worker reads them; each runs in one of the processes. */
  readonly crontab?: string
  /** Named queues whose jobs it leaves to others, asked before each job. */
  readonly leaves?: () => string[]
  /**
   * Whether one statement takes jobs for all its places. Only for tasks without named queues: of such a queue one statement takes one job.
   */
  readonly takesAhead?: boolean
}

export interface Worker {
  /** Finishes the running jobs, then stops. If a mail server delays a job for too long, another worker repeats the job later. */
  stop(): Promise<void>
}

/**
 * Brings the queue's own tables up to date.
 *
 * @param signal ends that when it is aborted
 * @throws the reason of the signal
 */
export async function migrateQueue(database: Database, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const pgPool = database.libraryPool(1, { isPatient: true })
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal?.reason)
  signal?.addEventListener('abort', abort)
  try {
    await Promise.race([runMigrations({ pgPool, logger: silent }), aborted.promise])
  } finally {
    signal?.removeEventListener('abort', abort)
    await pgPool.end() // drops the connection of a statement that still waits for a lock
  }
}

/**
 * Starts to work, and goes on through failures of the database: a runner that gives up is replaced. Jobs are rows, so none is lost
 * with it.
 */
export async function startWorker(
  { database, runners, afterJobs, stopTimeout = usual }: Work,
  log: FastifyBaseLogger,
): Promise<Worker> {
  // One listens; the runners share five for looking for jobs and writing what became of them. A job that runs holds none.
  const pgPool = database.libraryPool(6, {
    onError: (error) => log.warn({ err: error }, 'the queue lost a connection'),
  })
  const underWay = new Set<string>()
  await freeAbandoned(pgPool)
  const lookout = new Lookout(pgPool, log)
  const { pool: steadyPool, close } = steady(pgPool, log, lookout)
  let renewed: Promise<void> | undefined
  const renewing = setInterval(() => {
    renewed = renew(pgPool, underWay)
      .then(() => freeAbandoned(pgPool))
      .catch((error: unknown) => log.warn({ err: error }, 'jobs could not be renewed, nor abandoned ones freed'))
  }, lease.renewal)
  const running: KeptRunner[] = []
  // The library counts the minutes from its start. After a step back it would wait for the old time, and after one forward catch up with all.
  const unwatch = watchClock((step) => {
    log.warn({ ms: Math.round(step) }, 'the clock was set; tasks by the clock go on from there')
    for (const { byClock, replace } of running) if (byClock) replace()
  })
  const stop = async (): Promise<void> => {
    clearInterval(renewing)
    unwatch()
    lookout.stop()
    const begun = performance.now()
    await within(stopTimeout.jobs, Promise.all(running.map((each) => each.stop())))
    await within(stopTimeout.all - (performance.now() - begun), afterJobs?.())
    await within(stopTimeout.renewal, renewed) // it has statements to send
    await close()
  }
  const start = async ({ places, tasks, crontab, leaves, takesAhead }: RunnerWork) => {
    if (crontab !== undefined) await forgetFuture(pgPool)
    return run({
      pgPool: steadyPool,
      concurrency: places,
      events: lookout.eventsOf(Object.keys(tasks), places),
      pollInterval,
      noHandleSignals: true,
      noPreparedStatements: database.isPooled,
      logger: loggerFor(log),
      taskList: published(tasks, underWay),
      ...(crontab === undefined ? { parsedCronItems: [] } : { crontab }),
      preset: {
        worker: {
          completeJobBatchDelay: 0,
          gracefulShutdownAbortTimeout: stopTimeout.abort,
          ...(takesAhead && { localQueue: { size: places, ttl: ahead } }),
        },
      },
      ...(leaves && { forbiddenFlags: leaves }), // a job's flag is the name of its queue (batch.ts)
    })
  }
  try {
    for (const runner of runners) {
      const kept = await keepRunning(() => start(runner), log)
      running.push({ ...kept, byClock: runner.crontab !== undefined })
    }
  } catch (error) {
    await stop()
    throw error
  }

  let stopped: Promise<void> | undefined
  return {
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

/** A runner that is kept running. */
interface KeptRunner {
  /** Whether it has tasks by the clock. */
  readonly byClock: boolean
  /** Replaces it after the jobs that it runs. */
  replace(): void
  /** Stops it after the jobs that it runs. */
  stop(): Promise<unknown>
}

/** Starts a runner, and replaces it if it gives up. */
async function keepRunning(
  start: () => Promise<Runner>,
  log: FastifyBaseLogger,
): Promise<Pick<KeptRunner, 'replace' | 'stop'>> {
  let stopping = false
  let runner: Runner | undefined = await start()
  const keep = async (): Promise<void> => {
    while (!stopping) {
      await runner?.promise.catch((error: unknown) => log.error({ err: error }, 'the queue’s runner gave up'))
      if (stopping) return
      await setTimeout(1_000)
      if (stopping) return
      runner = await start().catch(() => undefined)
      if (stopping) await runner?.stop().catch(() => {}) // asked while it started
    }
  }
  const running = keep()
  const end = () => runner?.stop().catch(() => {}) // it may have stopped by itself
  return {
    replace: () => void end(),
    stop: () => {
      stopping = true
      return Promise.all([end(), running])
    },
  }
}

/** Looks at the clock of this machine. @param onStep called with by how much it was set @returns a function that ends that */
function watchClock(onStep: (step: number) => void): () => void {
  const lead = () => Date.now() - performance.now()
  let before = lead()
  const looking = setInterval(() => {
    const now = lead()
    if (Math.abs(now - before) > clock.step) onStep(now - before)
    before = now
  }, clock.look)
  return () => clearInterval(looking)
}

/** A task by the clock is never begun for a minute before that of the last time, even if that was in the future by mistake. */
async function forgetFuture(pgPool: Pool): Promise<void> {
  await pgPool.query(
    'update graphile_worker._private_known_crontabs set last_execution = null where last_execution > $1::timestamptz',
    [new Date(Date.now() + clock.step).toISOString()],
  )
}

/** Renews the lease of jobs. The library has no function for it. */
async function renew(pgPool: Pool, jobIds: ReadonlySet<string>): Promise<void> {
  if (jobIds.size === 0) return
  await pgPool.query(
    'update graphile_worker._private_jobs set locked_at = now() where id = any($1::bigint[]) and locked_at is not null',
    [[...jobIds]],
  )
}

/**
 * Frees the jobs of processes that were killed at work, which the queue itself would hold back for four hours. Each by itself, and not all
 * of a runner, as `force_unlock_workers` does: of a runner that was cut off from the database, the others may be under way.
 */
async function freeAbandoned(pgPool: Pool): Promise<void> {
  const isOver = `locked_at < now() - interval '${lease.seconds} seconds'`
  await pgPool.query(`update graphile_worker._private_jobs set locked_at = null, locked_by = null where ${isOver}`)
  // A named queue is locked with one of its jobs, and its lock is not renewed.
  await pgPool.query(`
    update graphile_worker._private_job_queues q set locked_at = null, locked_by = null
    where ${isOver}
      and not exists (select from graphile_worker._private_jobs j where j.job_queue_id = q.id and j.locked_at is not null)`)
  // What was removed or replaced while a process worked on it, and was left behind when that process was killed.
  await pgPool.query(`
    select graphile_worker.complete_jobs(array(
      select id from graphile_worker.jobs where key is null and locked_at is null and attempts >= max_attempts))`)
}

/** Publishes each job, and the request that added it. @param underWay has the ids of the running jobs */
function published(list: TaskList, underWay: Set<string>): TaskList {
  const entries = Object.entries(list).map(([task, work]): [string, Task] => [
    task,
    async (payload, helpers) => {
      const { traceparent } = Object(payload) as { traceparent?: string } // as addJob wrote it
      underWay.add(helpers.job.id)
      try {
        return await jobs.tracePromise(async () => work?.(payload, helpers), { task, traceparent })
      } finally {
        underWay.delete(helpers.job.id)
      }
    },
  ])
  return Object.fromEntries(entries)
}

const silent = new Logger(() => () => {})

/** The queue's own messages, in our log. Its text may quote an error of ours, which has nothing personal in it. */
function loggerFor(log: FastifyBaseLogger): Logger {
  return new Logger(() => (level, message, { failure, error, job } = {}) => {
    if (failure === true && !(error instanceof LoggedError)) {
      const { id, task_identifier: task, attempts: attempt } = job as Job // as graphile-worker logs a failure
      // The queue keeps the message alone, which does not say what failed in a tenant.
      log.warn({ err: error, job: id, task, attempt }, 'a job failed')
    }
    // A job that runs holds no connection, so there are fewer of these than places.
    else if (failure === true || message.startsWith('WARNING: having maxPoolSize'))
      log.debug({ queue: message }, 'queue')
    else if (level === 'error') log.error({ queue: message }, 'queue')
    else if (level === 'warning') log.warn({ queue: message }, 'queue')
    else log.debug({ queue: message }, 'queue')
  })
}
