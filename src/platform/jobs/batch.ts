/**
 * A batch of the relay: it brings the oldest rows of a tenant's outbox to where they belong, jobs into the queue and events into the feed.
 *
 * 1. The first trip locks the tenant's row of `feeds`, and then reads and locks rows.
 * 2. If the tenant has webhooks, another one reads which of them are to send the events.
 * 3. The next one adds the jobs, gives the events their places in the feed, and deletes the rows.
 * 4. The last one commits.
 *
 * On a cluster, outbox and feed are on a worker, and the queue is on the coordinator: a transaction on both is committed first on one and
 * then on the other. So the jobs are committed before, in a transaction of their own, while this one has the rows locked. A batch that
 * then fails is repeated, and by their keys its jobs replace those that wait. The runs that events need may begin only after the commit of
 * the events, and are jobs of the next batch.
 *
 * Invariants: in a tenant one batch runs at a time, and batches follow the order of (written_at, id): a locked row is waited for, never
 * skipped. So of two changes under one lock the second one's event has the greater sequence: its row was written after the commit of the
 * first one. A sequence is given after the commit of the change, and under the lock that is held until the event can be seen: who sees an
 * event sees all that are before it. A sequence is greater than all before it and not less than the microseconds of the clock, so that a
 * database from an older backup gives none again.
 */
import { relayed } from '../channels.ts'
import { type Database, pipeline, type Sent, type Sql, type Statement, statement } from '../database/database.ts'
import { hasCitus } from '../database/distribution.ts'
import { ConstraintError, LockedError } from '../database/errors.ts'
import { shutUnless } from '../database/wall.ts'
import { addJobs, type Job, type NewJob, type Tasks } from './queue.ts'

/** How many rows a batch has at most. */
const most = 500
/** A batch takes no further row once its jobs have this many bytes, as PostgreSQL stores them: some thousand jobs. */
const mostBytes = 200_000
/** A batch waits for a lock so long: the connections belong to the requests. Not set_config(), which does not reach a cluster's workers. */
const lockTimeout = statement`set local lock_timeout = '100ms'`

/** Selects the jobs that new events of a tenant need: `task`, `payload`, `key` and `queue`. @param organizations that have new events */
export type Followers = (tenant: string, organizations: readonly string[]) => Statement

interface Row {
  readonly id: string
  /** In microseconds, which a time in JavaScript has not. */
  readonly writtenAt: string
  readonly isEvent: boolean
  readonly organizationId: string | null
  readonly jobs: readonly Job[]
  /** How many bytes the jobs have as they are stored. */
  readonly size: number
}

/** What a batch knows of its tenant. */
interface Place {
  /** Sequences begin after it. */
  readonly base: number
  readonly hasWebhooks: boolean
  readonly isOnCluster: boolean
}

/** What has become of a batch. */
export interface Outcome {
  /** `more`: there may be more rows. `locked`: another process relays, or something has locked a row or a job. */
  readonly state: 'done' | 'more' | 'locked'
  /** Whether the tenant has webhooks, if the batch has come to know it. */
  readonly hasWebhooks?: boolean
}

/** The least sequence that an event of a moment may have: the microseconds of the clock. */
export function sequenceAt(moment: Statement): Statement {
  return statement`(extract(epoch from ${moment}) * 1000000)::bigint`
}

/**
 * Relays the oldest rows of a tenant's outbox.
 *
 * @param followers who follow the events: a tenant has some if it has webhooks
 */
export async function relayBatch(database: Database, tenant: string, followers: Followers): Promise<Outcome> {
  const first = {
    lockTimeout,
    // If it is not there or another process has it, the wall shuts: the next statements then find no rows to read and to lock. Somebody who
    // reads a place under a key share lock, which keeps retention out, may hold that for long. So this lock does not exclude it.
    feed: statement`
      with own as (select from feeds where tenant_id = ${tenant} for no key update skip locked)
      select ${shutUnless(statement`exists (select from own)`)} as is_ours`,
    // After the lock, so that it does not see what the batch before has deleted.
    rows: statement`
      select id, written_at::text, entry_id is not null as is_event, organization_id, jobs, pg_column_size(jobs) as size
      from outbox
      where tenant_id = ${tenant} and (outbox.written_at, id) <= (
        select written_at, id
        from (
          select written_at, id, sum(size) over (order by written_at, id) - size as earlier
          from (
            select written_at, id, pg_column_size(jobs) as size
            from outbox
            where tenant_id = ${tenant}
            order by written_at, id
            limit ${most}) oldest) sized
        where earlier < ${mostBytes}
        order by written_at desc, id desc
        limit 1)
      order by outbox.written_at, id
      limit ${most}
      for update`,
    // The clock is read after the rows, so that no event has a sequence from before it was written.
    place: statement`
      select greatest(f.head, ${sequenceAt(statement`clock_timestamp()`)}) as base, t.has_webhooks,
        ${hasCitus} as is_on_cluster
      from feeds f
      join tenants t on t.id = f.tenant_id
      where f.tenant_id = ${tenant}`,
  }
  try {
    const found = await database.inTenant(
      tenant,
      async (sql, { feed, rows, place }) => {
        const [known] = (place ?? []) as unknown as Place[]
        if (!feed?.[0]?.isOurs || !known) return undefined
        const oldest = rows as unknown as Row[]
        const wakes = known.hasWebhooks ? await findWakes(sql, oldest, followers) : []
        if (known.isOnCluster) await addBefore(database, oldest)
        await relayRows(sql, oldest, wakes, known)
        return { rows: oldest, hasWebhooks: known.hasWebhooks }
      },
      { first },
    )
    if (!found) return { state: (await database.inTenant(tenant, makeFeed)) ? 'more' : 'locked' }
    const { rows, hasWebhooks } = found
    if (rows.length > 0) relayed.publish({ rows: rows.length })
    const isFull = rows.length === most || rows.reduce((sum, { size }) => sum + size, 0) >= mostBytes
    return { state: isFull ? 'more' : 'done', hasWebhooks }
  } catch (error) {
    if (error instanceof LockedError) return { state: 'locked' }
    if (!(error instanceof ConstraintError) || error.kind !== 'foreign_key') throw error
    await database.inTenant(tenant, dropIfGone)
    return { state: 'done' }
  }
}

/** Makes the row of a tenant's feed before its first batch. @returns whether it was not there */
async function makeFeed(sql: Sql): Promise<boolean> {
  const made =
    await sql`insert into feeds (tenant_id) values (${sql.tenant}) on conflict do nothing returning tenant_id`
  return made.length > 0
}

/** Deletes what requests have added after the deletion of their tenant: nothing refers to the tenant, so that its deletion leaves them. */
function dropIfGone(sql: Sql): Sent<unknown> {
  return sql`
    delete from outbox
    where tenant_id = ${sql.tenant} and not exists (select from tenants t where t.id = ${sql.tenant})`
}

type Wake = NewJob<keyof Tasks>

/** A trip of its own: on Citus, a statement that reads a tenant's table cannot add jobs, too. */
async function findWakes(sql: Sql, rows: readonly Row[], followers: Followers): Promise<Wake[]> {
  const events = rows.filter(({ isEvent }) => isEvent)
  if (events.length === 0) return []
  const organizations = new Set(events.flatMap(({ organizationId }) => organizationId ?? []))
  const wakes = await sql<Wake>`${followers(sql.tenant, [...organizations])}`
  // Else the follower of the most events would be woken again and again, and be the last of those that wait each time.
  return wakes.map((wake) => ({ ...wake, isExact: false }))
}

/** Commits the jobs of rows, before these are deleted. */
async function addBefore(database: Database, rows: readonly Row[]): Promise<void> {
  const jobs = lastOfEachKey(rows)
  if (jobs.length > 0) await database.acrossTenants((sql) => pipeline([sql`${lockTimeout}`, addToQueue(sql, jobs)]))
}

async function relayRows(
  sql: Sql,
  rows: readonly Row[],
  wakes: readonly Wake[],
  { base, isOnCluster }: Place,
): Promise<void> {
  const last = rows.at(-1)
  if (!last) return
  const woken = wakes.map((wake) => ({ ...wake, runAfter: 0 }))
  const events = rows.filter(({ isEvent }) => isEvent).length
  // The time bounds the search: the rest of a long outbox is not read.
  const these = statement`
    tenant_id = ${sql.tenant} and written_at <= ${last.writtenAt} and id = any(${rows.map(({ id }) => id)})`
  await pipeline([
    !isOnCluster && addToQueue(sql, lastOfEachKey([...rows, { writtenAt: last.writtenAt, jobs: woken }])),
    isOnCluster && wakes.length > 0 && addJobs(sql, wakes),
    events > 0 &&
      sql`
        insert into feed (tenant_id, sequence, entry_id, action, organization_id, tombstone)
        select tenant_id, ${base}::bigint + row_number() over (order by written_at, id), entry_id, action, organization_id, tombstone
        from outbox
        where ${these} and entry_id is not null`,
    events > 0 && sql`update feeds set head = ${base + events} where tenant_id = ${sql.tenant}`,
    sql`delete from outbox where ${these}`,
  ])
}

/** A job that runs `runAfter` seconds after `from`. As of graphile-worker, the mode says which time counts if its key is in the queue. */
interface Timed extends Job {
  readonly from: string
  readonly mode: 'replace' | 'preserve_run_at'
}

/** The queue takes each key once: of several jobs the last one, at the time that it would have if they had been added one by one. */
function lastOfEachKey(rows: readonly Pick<Row, 'writtenAt' | 'jobs'>[]): Timed[] {
  const jobs = new Map<string, Timed>()
  for (const { writtenAt, jobs: added } of rows) {
    for (const job of added) {
      const before = jobs.get(job.key)
      const own = {
        from: writtenAt,
        runAfter: job.runAfter,
        mode: (job.isExact ?? job.runAfter <= 0) ? 'replace' : 'preserve_run_at',
      } as const
      const { from, runAfter, mode } = before && own.mode === 'preserve_run_at' ? before : own
      jobs.set(job.key, { ...job, from, runAfter, mode })
    }
  }
  return [...jobs.values()]
}

/** @throws LockedError if a worker has just begun a job with one of the keys: graphile-worker then adds none */
function addToQueue(sql: Sql, jobs: readonly Timed[]): Promise<unknown> {
  return pipeline([addInMode(sql, jobs, 'replace'), addInMode(sql, jobs, 'preserve_run_at')])
}

/** A job that names a queue gets its name as a flag, by which a worker can leave it (failing-queues.ts). @throws LockedError as above */
async function addInMode(sql: Sql, all: readonly Timed[], mode: Timed['mode']): Promise<void> {
  const jobs = all.filter((job) => job.mode === mode)
  if (jobs.length === 0) return
  const added = await sql`
    select from graphile_worker.add_jobs(
      specs => array(
        select (task, payload, queue, "from" + make_interval(secs => "runAfter"), 25, key,
          case when "isAwaited" then -1 end,
          array_remove(array[queue], null))::graphile_worker.job_spec
        from json_to_recordset(${JSON.stringify(jobs)}::json)
          as job (task text, payload json, "from" timestamptz, "runAfter" float8, key text, queue text, "isAwaited" boolean)),
      job_key_preserve_run_at => ${mode === 'preserve_run_at'})`
  if (added.length < jobs.length)
    throw new LockedError(new Error('A job was begun while another one was to replace it.'))
}
