/**
 * The relay: brings jobs from the outbox into the queue.
 *
 * A job is not added to the queue by the change that needs it: graphile-worker sends a NOTIFY, and all commits of a database server that
 * send one wait for the same lock. So a change writes a row of `outbox`, and commits.
 *
 * 1. The process that has committed relays at once, without a message. The jobs of later commits of the tenant wait for the next batch, so
 *    batches grow with the load.
 * 2. A batch is one transaction of three trips: it locks the tenant's row of `feeds` and reads the oldest rows of the outbox; adds their
 *    jobs and deletes the rows; commits.
 * 3. What a killed process leaves is found by a sweep through all tenants (sweep.ts): each process does one when it starts, and those that
 *    work on the queue do one a minute.
 *
 * Invariants: nothing but the relay adds jobs to the queue. In a tenant one batch runs at a time, and batches follow the order of
 * (written_at, id): a locked row is waited for, never skipped. The connections belong to the requests, so a batch that meets a lock soon
 * ends, and begins again after a pause.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { relayed } from '../channels.ts'
import { type Database, pipeline, type Sql, statement } from '../database/database.ts'
import { ConstraintError, LockedError } from '../database/errors.ts'
import { shutUnless } from '../database/wall.ts'
import type { Job } from './queue.ts'
import { within } from './steady-pool.ts'
import { beforeAll, sweepAfter } from './sweep.ts'

/** How many rows a batch has at most. */
const most = 500
/** How many batches of one process run at once. */
const atOnce = 2
/** In milliseconds: how long a batch waits for a lock, how long after it the next one begins, and how long after another failure. */
const [lockTimeout, lockedPause, failedPause] = [100, 20, 1_000]
/** In milliseconds. */
const sweepInterval = 60_000
/** In milliseconds: how long a stop waits for what is not in the queue yet. */
const stopTimeout = 2_000

export class Relay {
  readonly #database: Database
  readonly #onError: (error: Error) => void
  /** The tenants whose next batch has not begun, in their order; those whose batch runs; and those whose next batch comes after a pause. */
  readonly #waiting = new Set<string>()
  readonly #running = new Set<string>()
  readonly #pausing = new Set<NodeJS.Timeout>()
  #sweeping: NodeJS.Timeout | undefined
  /** The tenant after which the next sweep begins. */
  #swept = beforeAll
  #stopping: PromiseWithResolvers<void> | undefined
  #isStopped = false

  /**
   * Relays from now on what this process commits through the database.
   *
   * @param onError is called for a batch or a sweep that failed; it is tried again
   */
  constructor(database: Database, onError: (error: Error) => void) {
    this.#database = database
    this.#onError = onError
    // A batch belongs to no request, and to no trace of one.
    database.onOutbox = AsyncLocalStorage.bind((tenant: string) => this.#wake(tenant))
  }

  /** Relays what killed processes have left. If many tenants take too long, the next sweep goes on. */
  async sweep(): Promise<void> {
    try {
      this.#swept = await sweepAfter(this.#swept, this.#database, (tenant) => this.#wake(tenant))
    } catch (error) {
      this.#onError(error as Error) // of the driver, or ours
    }
  }

  /** Sweeps now and each minute. */
  keepSweeping(): void {
    void this.sweep()
    this.#sweeping = setInterval(() => this.sweep(), sweepInterval)
  }

  /** Relays what this process has committed, then ends. What it cannot relay in time is left to a sweep. */
  async stop(): Promise<void> {
    clearInterval(this.#sweeping)
    this.#stopping = Promise.withResolvers()
    this.#begin()
    await within(stopTimeout, this.#stopping.promise)
    this.#isStopped = true
    for (const timer of this.#pausing) clearTimeout(timer)
  }

  #wake(tenant: string): void {
    this.#waiting.add(tenant)
    this.#begin()
  }

  #begin(): void {
    for (const tenant of this.#waiting) {
      if (this.#running.size === atOnce || this.#isStopped) break
      if (this.#running.has(tenant)) continue
      this.#waiting.delete(tenant)
      this.#running.add(tenant)
      void this.#relay(tenant)
    }
    if (this.#waiting.size + this.#running.size + this.#pausing.size === 0) this.#stopping?.resolve()
  }

  async #relay(tenant: string): Promise<void> {
    try {
      const outcome = await relayBatch(this.#database, tenant)
      if (outcome === 'more') this.#waiting.add(tenant)
      if (outcome === 'locked') this.#wakeAfter(lockedPause, tenant)
    } catch (error) {
      this.#onError(error as Error) // of the driver, or ours
      this.#wakeAfter(failedPause, tenant)
    }
    this.#running.delete(tenant)
    this.#begin()
  }

  #wakeAfter(milliseconds: number, tenant: string): void {
    const timer = setTimeout(() => {
      this.#pausing.delete(timer)
      this.#wake(tenant)
    }, milliseconds)
    this.#pausing.add(timer)
  }
}

interface Row {
  readonly id: string
  /** In microseconds, which a time in JavaScript has not. */
  readonly writtenAt: string
  readonly jobs: readonly Job[]
}

/** @returns `more`: there may be more rows. `locked`: another process relays, or something has locked a row or a job */
async function relayBatch(database: Database, tenant: string): Promise<'done' | 'more' | 'locked'> {
  const first = {
    timeout: statement`select set_config('lock_timeout', ${`${lockTimeout}ms`}, true)`,
    // If it is not there or another process has it, the wall shuts: the next statement then finds no rows to read and to lock.
    feed: statement`
      with feed as (select from feeds where tenant_id = ${tenant} for update skip locked)
      select ${shutUnless(statement`exists (select from feed)`)} as is_ours`,
    // After the lock, so that it does not see what the batch before has deleted.
    rows: statement`
      select id, written_at::text, jobs
      from outbox
      where tenant_id = ${tenant}
      order by outbox.written_at, id
      limit ${most}
      for update`,
  }
  try {
    const count = await database.inTenant(
      tenant,
      async (sql, { feed, rows }) => (feed?.[0]?.isOurs ? relayRows(sql, rows as unknown as Row[]) : undefined),
      { first },
    )
    if (count === undefined) return (await database.inTenant(tenant, makeFeed)) ? 'more' : 'locked'
    if (count > 0) relayed.publish({ rows: count })
    return count === most ? 'more' : 'done'
  } catch (error) {
    if (error instanceof LockedError) return 'locked'
    if (error instanceof ConstraintError && error.kind === 'foreign_key') return 'done' // the tenant is gone, with its rows
    throw error
  }
}

/** Makes the row of a tenant's feed before its first batch. @returns whether it was not there */
async function makeFeed(sql: Sql): Promise<boolean> {
  const made =
    await sql`insert into feeds (tenant_id) values (${sql.tenant}) on conflict do nothing returning tenant_id`
  return made.length > 0
}

/** @returns how many rows there were */
async function relayRows(sql: Sql, rows: readonly Row[]): Promise<number> {
  const last = rows.at(-1)
  if (!last) return 0
  const jobs = lastOfEachKey(rows)
  await pipeline([
    addToQueue(sql, jobs, 'replace'),
    addToQueue(sql, jobs, 'preserve_run_at'),
    // The time bounds the search: the rest of a long outbox is not read.
    sql`
      delete from outbox
      where tenant_id = ${sql.tenant} and written_at <= ${last.writtenAt} and id = any(${rows.map(({ id }) => id)})`,
  ])
  return rows.length
}

/** A job that runs `runAfter` seconds after `from`. As of graphile-worker, the mode says which time counts if its key is in the queue. */
interface Timed extends Job {
  readonly from: string
  readonly mode: 'replace' | 'preserve_run_at'
}

/** The queue takes each key once: of several jobs the last one, at the time that it would have if they had been added one by one. */
function lastOfEachKey(rows: readonly Row[]): Timed[] {
  const jobs = new Map<string, Timed>()
  for (const { writtenAt, jobs: added } of rows) {
    for (const job of added) {
      const before = jobs.get(job.key)
      const own = {
        from: writtenAt,
        runAfter: job.runAfter,
        mode: job.runAfter > 0 ? 'preserve_run_at' : 'replace',
      } as const
      const { from, runAfter, mode } = before && own.mode === 'preserve_run_at' ? before : own
      jobs.set(job.key, { ...job, from, runAfter, mode })
    }
  }
  return [...jobs.values()]
}

/**
 * A job that names a queue gets its name as a flag, by which a worker can leave it (failing-queues.ts).
 *
 * @throws LockedError if a worker has just begun a job with one of the keys: graphile-worker then adds none
 */
async function addToQueue(sql: Sql, all: readonly Timed[], mode: Timed['mode']): Promise<void> {
  const jobs = all.filter((job) => job.mode === mode)
  if (jobs.length === 0) return
  const added = await sql`
    select from graphile_worker.add_jobs(
      specs => array(
        select (task, payload, queue, "from" + make_interval(secs => "runAfter"), 25, key, null,
          array_remove(array[queue], null))::graphile_worker.job_spec
        from json_to_recordset(${JSON.stringify(jobs)}::json)
          as job (task text, payload json, "from" timestamptz, "runAfter" float8, key text, queue text)),
      job_key_preserve_run_at => ${mode === 'preserve_run_at'})`
  if (added.length < jobs.length)
    throw new LockedError(new Error('A job was begun while another one was to replace it.'))
}
