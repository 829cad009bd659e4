/**
 * The queue: jobs are added in the transaction of the change that wants them, so that both happen or neither.
 *
 * Invariant: a payload carries ids, or text that is sealed; never an address, a name or a token. While requests are traced, it also
 * carries the `traceparent` of the request that added it.
 */
import { tracing } from '../channels.ts'
import type { Sql } from '../database/database.ts'

/**
 * The payload of each task. Whoever adds jobs of a task declares it here (`declare module`); `src/tasks.ts` lists what is done with them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: others add to it
export interface Tasks {}

/** Something said by a stranger, which must not stand in the queue in clear. */
export interface SealedJob {
  readonly tenantId: string
  readonly sealed: string
}

/**
 * @param key   a waiting job with the same key is replaced
 * @param delay for so many seconds at least nothing is done; a job that is replaced meanwhile waits no longer by that
 */
export async function addJob<Task extends keyof Tasks>(
  sql: Sql,
  task: Task,
  payload: Tasks[Task],
  key: string,
  delay = 0,
): Promise<void> {
  const traceparent = tracing.getStore()
  const carried = traceparent === undefined ? payload : { ...payload, traceparent }
  await sql`
    select from graphile_worker.add_job(
      identifier => ${task}::text, payload => ${JSON.stringify(carried)}::json, job_key => ${key}::text,
      run_at => now() + make_interval(secs => ${delay}), max_attempts => 25,
      job_key_mode => ${delay > 0 ? 'preserve_run_at' : 'replace'}::text)`
}

/** Takes waiting jobs away; one that is being worked on ends by itself, and finds that its row is gone. */
export async function removeJobs(sql: Sql, keys: readonly string[]): Promise<void> {
  await sql`select graphile_worker.remove_job(job_key => key) from unnest(${keys}::text[]) key`
}

/**
 * Deletes every job of the tenant, or of one of its organizations. A job that is being worked on goes too: it ends by itself, and is
 * not tried again. The queue's own functions find a job by its key alone.
 */
export async function removeJobsOf(sql: Sql, organizationId: string | null = null): Promise<void> {
  await sql`
    delete from graphile_worker._private_jobs
    where payload ->> 'tenantId' = ${sql.tenant}
      and (${organizationId}::text is null or payload ->> 'organizationId' = ${organizationId})`
}
