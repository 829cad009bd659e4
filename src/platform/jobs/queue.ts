/**
 * The queue: a job is added in the transaction of the change that needs it, so that both happen or neither.
 *
 * Invariant: a payload contains ids or sealed text, never an address, a name or a token. While requests are traced, it also contains the
 * `traceparent` of the request that added it.
 */
import { tracing } from '../channels.ts'
import type { Sql } from '../database/database.ts'

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

/**
 * Adds a job.
 *
 * @param key   a waiting job with the same key is replaced
 * @param delay seconds until the job runs; replacing a delayed job does not delay it further
 */
export async function addJob<Task extends keyof Tasks>(
  sql: Sql,
  task: Task,
  payload: Tasks[Task],
  key: string,
  delay = 0,
): Promise<void> {
  const traceparent = tracing.getStore()
  const traced = traceparent === undefined ? payload : { ...payload, traceparent }
  await sql`
    select from graphile_worker.add_job(
      identifier => ${task}::text, payload => ${JSON.stringify(traced)}::json, job_key => ${key}::text,
      run_at => now() + make_interval(secs => ${delay}), max_attempts => 25,
      job_key_mode => ${delay > 0 ? 'preserve_run_at' : 'replace'}::text)`
}

/** Removes waiting jobs. A job that already runs is not interrupted; it finds that its row is gone. */
export async function removeJobs(sql: Sql, keys: readonly string[]): Promise<void> {
  await sql`select graphile_worker.remove_job(job_key => key) from unnest(${keys}::text[]) key`
}

/**
 * Deletes jobs of the tenant, or of one of its organizations. A running job is not interrupted, and not retried. It uses the queue's
 * table, because graphile-worker's functions find jobs only by key.
 *
 * @param limit how many at most; null for all
 * @returns how many were deleted
 */
export async function removeJobsOf(
  sql: Sql,
  { organizationId = null, limit = null }: { organizationId?: string | null; limit?: number | null },
): Promise<number> {
  const removed = await sql`
    delete from graphile_worker._private_jobs
    where id in (
      select id from graphile_worker._private_jobs
      where payload ->> 'tenantId' = ${sql.tenant}
        and (${organizationId}::text is null or payload ->> 'organizationId' = ${organizationId})
      limit ${limit}::integer)
    returning id`
  return removed.length
}
