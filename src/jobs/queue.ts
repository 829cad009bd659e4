/**
 * The queue: jobs are added in the transaction of the change that wants them, so that both happen or neither.
 *
 * Invariant: a payload carries ids, or text that is sealed; never an address, a name or a token.
 */
import type { Sql } from '../database/database.ts'

/** Every task, and what its jobs carry. */
export interface Tasks {
  send_mail: MailJob
  record_refused_sign_in: { readonly tenantId: string; readonly sealed: string }
}

/** Which mail, about which row. It is composed when it is sent; a generation that has passed by then is not sent at all. */
export type MailJob =
  | { readonly kind: 'verify_email'; readonly tenantId: string; readonly userId: string; readonly generation: number }
  | {
      readonly kind: 'invitation'
      readonly tenantId: string
      readonly invitationId: string
      readonly generation: number
    }

/**
 * @param key a waiting job with the same key is replaced
 */
export async function addJob<Task extends keyof Tasks>(
  sql: Sql,
  task: Task,
  payload: Tasks[Task],
  key: string,
): Promise<void> {
  await sql`
    select from graphile_worker.add_job(
      identifier => ${task}::text, payload => ${JSON.stringify(payload)}::json, job_key => ${key}::text,
      max_attempts => 25)`
}

/** Takes waiting jobs away; one that is being worked on ends by itself, and finds that its row is gone. */
export async function removeJob(sql: Sql, key: string): Promise<void> {
  await sql`select from graphile_worker.remove_job(job_key => ${key}::text)`
}
