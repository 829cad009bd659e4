/**
 * Grants: what applications hold of a session, and how they end. applications/granting.ts makes and uses them.
 *
 * Invariant: a grant is a child of its session. When the session ends, so do its grants, in the same transaction; and one whose session
 * has expired is refused at its next use.
 *
 * An application with an address for it is told of the end: a job of this file, which applications/back-channel.ts runs.
 */
import { type Keyring, randomBytes } from '../../platform/cryptography.ts'
import {
  type Database,
  type Purge,
  pipeline,
  type Sent,
  type Sql,
  type Statement,
  statement,
} from '../../platform/database/database.ts'
import { addJobs, dropOldJobs, type NewJob, removeJobsFrom } from '../../platform/jobs/queue.ts'
import { caps } from '../limits/caps.ts'

declare module '../../platform/jobs/queue.ts' {
  interface Tasks {
    send_logout: LogoutJob
  }
}

/** Tells an application that a session has ended, or that its person’s account was deleted: then both are sealed. */
export type LogoutJob = { readonly tenantId: string; readonly endedAt: string } & (
  | { readonly applicationId: string; readonly sessionId: string }
  | { readonly sealed: string }
)

/** What the job about a deleted account carries, sealed. */
export interface ErasedLogout {
  readonly applicationId: string
  readonly userId: string
}

/** A time as the API writes it; inside of JSON, PostgreSQL has a form of its own. */
const inJson = (time: Statement) => statement`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Whether an access token opens its grant, of `grants g` and `applications a`; whether the session lives is another question. @param end its end, in seconds since 1970 */
export function isOpenedUntil(end: number): Statement {
  return statement`(g.ended_at is null and a.is_enabled and to_timestamp(${end}) > statement_timestamp())`
}

/** The applications that have live grants of one of `sessions s`, as a JSON array. */
export const grantedApplications = (tenant: string) => statement`
  select coalesce(json_agg(used order by used.since, used.id), '[]')
  from (
    select a.id, a.name, ${inJson(statement`min(g.created_at)`)} as since, ${inJson(statement`max(g.last_used_at)`)} as "lastUsedAt"
    from grants g
    join applications a on a.tenant_id = ${tenant} and a.id = g.application_id
    where g.tenant_id = ${tenant} and g.session_id = s.id and g.ended_at is null
    group by a.id, a.name) used`

/**
 * Ends live grants of `grants g`, and tells their applications once for each session.
 *
 * @param isTold whether they are told
 * @returns how many
 */
export async function endGrants(
  sql: Sql,
  which: Statement,
  { isTold = true }: { readonly isTold?: boolean } = {},
): Promise<number> {
  const ended = await sql<Ended>`
    with ended as (
      update grants g set ended_at = statement_timestamp()
      where g.tenant_id = ${sql.tenant} and g.ended_at is null and ${which}
      returning g.session_id, g.application_id, g.ended_at)
    select s.user_id, e.session_id, e.application_id, max(e.ended_at) as ended_at, count(*)::integer as count,
      a.back_channel_logout_uri is not null as has_address
    from ended e
    join sessions s on s.tenant_id = ${sql.tenant} and s.id = e.session_id
    join applications a on a.tenant_id = ${sql.tenant} and a.id = e.application_id
    group by s.user_id, e.session_id, e.application_id, has_address`
  const jobs = ended.filter(({ hasAddress }) => isTold && hasAddress).map((each) => logoutJob(sql.tenant, each))
  if (jobs.length > 0) await addJobs(sql, jobs)
  return ended.reduce((sum, { count }) => sum + count, 0)
}

/** The grants of an application in a session that ended. */
interface Ended {
  readonly userId: string
  readonly sessionId: string
  readonly applicationId: string
  readonly endedAt: string
  readonly count: number
  readonly hasAddress: boolean
}

function logoutJob(tenantId: string, { userId, sessionId, applicationId, endedAt }: Ended): NewJob<'send_logout'> {
  return {
    task: 'send_logout',
    payload: { tenantId, applicationId, sessionId, endedAt },
    // One with the time: the relay of all jobs would wait for a running one with the same key.
    key: `${keyOfLogouts(userId)}${sessionId}:${applicationId}:${endedAt}`,
    queue: queueOfLogouts(applicationId),
  }
}

/**
 * Each application has a queue of its own, so that it takes one place of the worker at most, however slowly it answers. If it did not answer
 * its last token, its jobs are left to the few places for all that do not (applications/back-channel.ts).
 */
export function queueOfLogouts(applicationId: string): string {
  return `logout:${applicationId}`
}

/** How the keys of the jobs about somebody’s sessions begin. */
function keyOfLogouts(userId: string): string {
  return `logout:${userId}:`
}

/** Ends the least used grants of a session for an application, of which it has too many. The session must be locked. Nobody is told. */
export async function endSurplusGrants(sql: Sql, sessionId: string, applicationId: string): Promise<void> {
  const surplus = statement`g.id in (
    select id from grants
    where tenant_id = ${sql.tenant} and session_id = ${sessionId} and application_id = ${applicationId} and ended_at is null
    order by last_used_at desc, id desc
    offset ${caps.applicationGrants.most})`
  await endGrants(sql, surplus, { isTold: false })
}

const erasedKey = 'logout_of_erased:'

/**
 * Tells the applications into which somebody has signed in that their account is deleted, with which their grants go. The jobs about their
 * sessions must go too (`removeLogoutsOf`).
 */
export async function tellOfErasure(sql: Sql, keyring: Keyring, userId: string): Promise<void> {
  const [, applications] = await pipeline([
    // As in endSessions: a grant that is made meanwhile is seen, or its session is found gone. Ended sessions get none, and may be many.
    sql`select from sessions where tenant_id = ${sql.tenant} and user_id = ${userId} and ended_at is null for update`,
    // Grants that have ended, too, as long as they are kept: the jobs about them may not be done, or were given up.
    sql<{ id: string; now: string }>`
      select distinct a.id, statement_timestamp() as now
      from sessions s
      join grants g on g.tenant_id = ${sql.tenant} and g.session_id = s.id
      join applications a on a.tenant_id = ${sql.tenant} and a.id = g.application_id
      where s.tenant_id = ${sql.tenant} and s.user_id = ${userId} and a.back_channel_logout_uri is not null`,
  ])
  const jobs = applications.map(({ id: applicationId, now }): NewJob<'send_logout'> => {
    const about: ErasedLogout = { applicationId, userId }
    const sealed = keyring.seal('job', JSON.stringify(about), sql.tenant)
    return {
      task: 'send_logout',
      payload: { tenantId: sql.tenant, endedAt: now, sealed },
      key: erasedKey + randomBytes(16).toString('base64url'),
      queue: queueOfLogouts(applicationId),
    }
  })
  if (jobs.length > 0) await addJobs(sql, jobs)
}

/** Takes the waiting jobs about somebody's sessions away: these name the person. */
export function removeLogoutsOf(sql: Sql, userId: string): Promise<void> {
  return removeJobsFrom(sql, keyOfLogouts(userId))
}

/** A job about a deleted account that could not be done for a day goes: it is among the last traces of somebody who is gone. */
export function dropErasedLogouts(database: Database): Promise<void> {
  return dropOldJobs(database, erasedKey)
}

/** Whether an application has more grants than `most`, ended ones too. */
export async function hasMoreGrants(sql: Sql, applicationId: string, most: number): Promise<boolean> {
  const [next] = await sql`
    select from grants where tenant_id = ${sql.tenant} and application_id = ${applicationId} offset ${most} limit 1`
  return next !== undefined
}

/**
 * Deletes a batch of an application’s grants, but none that somebody has locked. Nobody is told. An array is looked up by the key: for a
 * join PostgreSQL would read all grants, for each batch.
 *
 * @returns a row for each
 */
export function deleteGrantsOf(sql: Sql, applicationId: string, batch: number): Sent<unknown[]> {
  return sql`
    delete from grants
    where tenant_id = ${sql.tenant} and id = any(array(
      select id from grants
      where tenant_id = ${sql.tenant} and application_id = ${applicationId}
      limit ${batch}
      for update skip locked))
    returning id`
}

/** Deletes grants a day after their end. */
export const purgeEndedGrants: Purge = (sql, batch) => sql`
  with over as (
    select id from grants
    where tenant_id = ${sql.tenant} and ended_at < now() - interval '1 day'
    limit ${batch}
    for update skip locked)
  delete from grants g
  using over
  where g.tenant_id = ${sql.tenant} and g.id = over.id
  returning g.id`
