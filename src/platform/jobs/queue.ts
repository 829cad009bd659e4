/**
 * The queue: a job is added in the transaction of the change that needs it, so that both happen or neither. There it is a row of the
 * outbox; after the commit, the relay (relay.ts) brings it into the queue, once, or at least once on a cluster.
 *
 * Invariant: a payload contains ids or sealed text, never an address, a name or a token. While requests are traced, it also contains the
 * `traceparent` of the request that added it.
 */
import { typeid } from 'typeid-js'
import { tracing } from '../channels.ts'
import { chunksOf } from '../chunks.ts'
import {
  type Database,
  type Purge,
  pipeline,
  type Sent,
  type Sql,
  type Statement,
  statement,
} from '../database/database.ts'
import { LockedError } from '../database/errors.ts'

/**
 * The payload of each task. The file that adds a task's jobs declares it (`declare module`); `src/tasks.ts` lists the functions that run them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: other files extend it
export interface Tasks {}

/** Text of an anonymous caller, encrypted, because the queue must not contain it in clear. */
export interface SealedJob {
  readonly tenantId: string
  readonly sealed: string
}

/** A try of a job has failed, and its task has logged why: the worker does not log it again. */
export class LoggedError extends Error {}

/** A job in the outbox. */
export interface Job {
  readonly task: string
  readonly key: string
  readonly payload: object
  /** In seconds after the row was written. */
  readonly runAfter: number
  /** Jobs with the same one run one after another. */
  readonly queue?: string | undefined
  /** Whether somebody waits for it: it then runs before all others that are due. */
  readonly isAwaited?: boolean | undefined
  /** Whether it runs at its time, if a waiting job with the same key has another one. By default, a job for now does. */
  readonly isExact?: boolean | undefined
}

/** A job to be added. */
export interface NewJob<Task extends keyof Tasks> {
  readonly task: Task
  readonly payload: Tasks[Task]
  /** A waiting job with the same key is replaced. */
  readonly key: string
  /** Seconds until the job runs; replacing a delayed job does not delay it further. */
  readonly delay?: number
  /**
   * Jobs with the same queue run one after another, so that a slow one takes one place of the worker at most. If they fail, the worker may
   * leave them to a few places (failing-queues.ts).
   */
  readonly queue?: string
  /** Somebody waits for it: it runs before all others that are due. */
  readonly isAwaited?: boolean
  /**
   * Whether a waiting job with the same key gets the time of this one: by default, if this one is for now. A job that is replaced often keeps
   * its turn only if not.
   */
  readonly isExact?: boolean
}

/**
 * Adds a job.
 *
 * @param key   a waiting job with the same key is replaced
 * @param delay seconds until the job runs; replacing a delayed job does not delay it further
 */
export function addJob<Task extends keyof Tasks>(
  sql: Sql,
  task: Task,
  payload: Tasks[Task],
  key: string,
  delay = 0,
): Sent<unknown> {
  return addJobs(sql, [{ task, payload, key, delay }])
}

/** How many jobs a row of the outbox has at most: a batch of the relay takes a part of many jobs, so that its statements end in time. */
const mostInRow = 500

/** Adds several jobs, one at least. */
export function addJobs<Task extends keyof Tasks>(sql: Sql, added: readonly NewJob<Task>[]): Sent<unknown> {
  const traceparent = tracing.getStore()
  const jobs: Job[] = added.map(({ task, payload, key, delay = 0, queue, isAwaited, isExact }) => ({
    task,
    key,
    payload: traceparent === undefined ? payload : { ...payload, traceparent },
    runAfter: delay,
    queue,
    isAwaited,
    isExact,
  }))
  sql.wakeRelay('jobs')
  const parts = chunksOf(jobs, mostInRow)
  // Rows of one moment leave in the order of their ids.
  const ids = parts.map(() => typeid().toUUID()).sort()
  return pipeline(
    parts.map(
      (part, index) => sql`
        insert into outbox (tenant_id, written_at, id, jobs)
        values (${sql.tenant}, statement_timestamp(), ${ids[index]}, ${JSON.stringify(part)})`,
    ),
  )
}

/** How long a job that has failed waits for the next try, by the schedule of graphile-worker. @param attempts so far */
export function secondsToNextTry(attempts: number): number {
  return Math.exp(Math.min(10, attempts))
}

/** @returns the named queues with a job that has failed and will be tried again */
export async function findFailedQueues(database: Database): Promise<string[]> {
  const rows = await database.acrossTenants(
    (sql) => sql<{ name: string }>`
      select distinct queue_name as name from graphile_worker.jobs where queue_name is not null and last_error is not null`,
  )
  return rows.map(({ name }) => name)
}

/** Lets the due jobs of a named queue wait until they are `seconds` old. That counts as no attempt. */
export function postponeQueue(sql: Sql, queue: string, seconds: number): Sent<unknown> {
  return sql`
    update graphile_worker._private_jobs set run_at = created_at + make_interval(secs => ${seconds})
    where ${isIn(queue)} and run_at <= statement_timestamp() and created_at + make_interval(secs => ${seconds}) > statement_timestamp()`
}

/** Makes all jobs of a named queue due. */
export function resumeQueue(sql: Sql, queue: string): Sent<unknown> {
  return sql`
    update graphile_worker._private_jobs set run_at = statement_timestamp()
    where ${isIn(queue)} and run_at > statement_timestamp()`
}

/**
 * Makes jobs of a named queue due that `postponeQueue` lets wait until they are `seconds` old.
 *
 * @param limit how many at most, the oldest first; null: all
 */
export function resumePostponed(sql: Sql, queue: string, seconds: number, limit: number | null): Sent<unknown> {
  return sql`
    update graphile_worker._private_jobs set run_at = statement_timestamp()
    where id in (
      select id from graphile_worker._private_jobs
      where ${isIn(queue)} and run_at > statement_timestamp() and run_at >= created_at + make_interval(secs => ${seconds})
      order by created_at, id
      limit ${limit}::integer)`
}

/** A condition on jobs: that no worker has them, and they are of a named queue. */
function isIn(queue: string): Statement {
  return statement`
    is_available and job_queue_id = (select id from graphile_worker._private_job_queues where queue_name = ${queue})`
}

/**
 * @returns those of some keys whose jobs in the queue are due, under way, or to be tried again. One that has failed for good is not among them,
 *          nor one whose time is to come, as after the clock was set back.
 */
export async function findKeys(sql: Sql, keys: readonly string[]): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set()
  const rows = await sql<{ key: string }>`
    select key from graphile_worker.jobs
    where key = any(${keys}::text[]) and attempts < max_attempts and (attempts > 0 or run_at <= statement_timestamp())`
  return new Set(rows.map(({ key }) => key))
}

/** Removes waiting jobs. A job that already runs is not interrupted; it finds that its row is gone. */
export async function removeJobs(sql: Sql, keys: readonly string[]): Promise<void> {
  await pipeline([
    takeOut(sql, statement`job ->> 'key' = any(${keys})`),
    sql`select graphile_worker.remove_job(job_key => key) from unnest(${keys}::text[]) key`,
  ])
}

/** Removes waiting jobs whose keys begin with a text. */
export async function removeJobsFrom(sql: Sql, beginning: string): Promise<void> {
  await pipeline([
    takeOut(sql, statement`starts_with(job ->> 'key', ${beginning})`),
    sql`select graphile_worker.remove_job(key) from graphile_worker.jobs where starts_with(key, ${beginning})`,
  ])
}

/** Deletes jobs of an organization. A running job is not interrupted, and not retried. */
export async function removeJobsOfOrganization(sql: Sql, organizationId: string): Promise<void> {
  await pipeline([
    takeOut(sql, statement`job -> 'payload' ->> 'organizationId' = ${organizationId}`),
    deleteJobs(sql, statement`payload ->> 'organizationId' = ${organizationId}`, null),
  ])
}

/**
 * Deletes jobs of the tenant that are in the queue. A running job is not interrupted, and not retried.
 *
 * @param limit how many at most
 * @returns how many were deleted
 */
export async function removeQueuedJobs(sql: Sql, limit: number): Promise<number> {
  return (await deleteJobs(sql, statement`true`, limit)).length
}

/** Deletes jobs of all tenants whose keys begin with a text, 22 hours after they were added. A running job is not interrupted. */
export async function dropOldJobs(database: Database, beginning: string): Promise<void> {
  await database.acrossTenants(
    (sql) => sql`
      select graphile_worker.complete_jobs(array(
        select id from graphile_worker.jobs
        where starts_with(key, ${beginning}) and created_at < now() - interval '22 hours'))`,
  )
}

/**
 * Deletes jobs that have failed for the last time, 30 days later, and those that were being done for the last time when their process was
 * killed. After a failure `run_at` is when the next try would be: the queue notes no other time of it.
 */
export const purgeGivenUp: Purge = (sql, batch) => sql`
  with over as (
    select id from graphile_worker._private_jobs
    where attempts >= max_attempts and locked_at is null and run_at < now() - interval '30 days'
    order by run_at
    limit ${batch}
    for update skip locked)
  delete from graphile_worker._private_jobs j
  using over
  where j.id = over.id
  returning j.id`

/**
 * Deletes named queues that have no jobs: graphile-worker makes one for each name that it meets, and keeps it.
 *
 * A relay that is about to commit a job may have looked its queue up already. Without its queue the job would never run, as it may after
 * graphile-worker's own `cleanup`. So a lock waits for those who have looked. Others wait behind it, so it gives up soon, and the next run
 * tries again.
 */
export async function purgeQueues(database: Database): Promise<void> {
  try {
    await database.acrossTenants((sql) =>
      pipeline([
        sql`set local lock_timeout = '100ms'`,
        sql`lock table graphile_worker._private_job_queues in access exclusive mode`,
        sql`
          delete from graphile_worker._private_job_queues q
          where q.locked_at is null
            and not exists (select from graphile_worker._private_jobs j where j.job_queue_id = q.id)`,
      ]),
    )
  } catch (error) {
    if (!(error instanceof LockedError)) throw error
  }
}

/** It uses the queue's table, because graphile-worker's functions find jobs only by key. */
function deleteJobs(sql: Sql, condition: Statement, limit: number | null): Promise<unknown[]> {
  return sql`
    delete from graphile_worker._private_jobs
    where id in (
      select id from graphile_worker._private_jobs
      where payload ->> 'tenantId' = ${sql.tenant} and ${condition}
      limit ${limit}::integer)
    returning id`
}

/**
 * Takes jobs out of the tenant's outbox. This waits for a batch of the relay that has them, and a later statement finds them in the queue.
 * So the outbox comes first. A batch that waits for this finds smaller rows than it has counted, and may leave others: another one follows.
 *
 * @param condition on a `job`
 */
async function takeOut(sql: Sql, condition: Statement): Promise<void> {
  sql.wakeRelay('jobs')
  await sql`
    update outbox o
    set jobs = (
      select coalesce(jsonb_agg(job order by place), '[]')
      from jsonb_array_elements(o.jobs) with ordinality as waiting (job, place)
      where (${condition}) is not true)
    where o.tenant_id = ${sql.tenant} and exists (select from jsonb_array_elements(o.jobs) job where ${condition})`
}
