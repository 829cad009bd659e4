/**
 * Figures: metrics that only the database knows, about the whole service. They are read where the queue's worker is, and are absent
 * while they cannot be read.
 */
import { Gauge, type Registry } from 'prom-client'
import { isLive } from '../../domain/sessions/lifetime.ts'
import { type Database, type Sql, statement } from '../../platform/database/database.ts'
import { snapshotOf } from '../../platform/database/snapshots.ts'

/** What the worker can do (platform/jobs/worker.ts). A name that an older or a newer release has put into the queue is `other`. */
const tasks = ['send_mail', 'request_reset', 'record_refused_sign_in', 'erase_log', 'keep_retention', 'other']
const states = ['ready', 'running', 'later', 'given_up'] as const

interface Waiting {
  readonly task: string
  readonly state: (typeof states)[number]
  readonly jobs: number
  readonly age: number
  readonly lag: number
}

/** Adds the figures of the queue, read when they are asked for and at most once a second. */
export function measureQueue(registry: Registry, database: Database): void {
  const read = snapshotOf(() => database.acrossTenants(readQueue))
  figure(
    'guildhall_queue_jobs',
    'Jobs in the queue, by task and state. "later": scheduled, or failed and waiting for its next attempt.',
    {
      labels: ['state'],
      show: (gauge, task, rows) => {
        for (const state of states) {
          gauge.set({ task, state }, rows.find((row) => row.state === state)?.jobs ?? 0)
        }
      },
    },
  )
  figure('guildhall_queue_oldest_job_age_seconds', 'Since when the oldest job is in the queue that was not given up.', {
    show: (gauge, task, rows) => {
      const ages = rows.filter(({ state }) => state !== 'given_up').map(({ age }) => age)
      gauge.set({ task }, Math.max(0, ...ages))
    },
  })
  figure('guildhall_queue_lag_seconds', 'How long the job has waited that is due for longest.', {
    show: (gauge, task, rows) =>
      gauge.set({ task }, Math.max(0, rows.find(({ state }) => state === 'ready')?.lag ?? 0)),
  })

  function figure(
    name: string,
    help: string,
    { labels = [], show }: { labels?: string[]; show(gauge: Gauge, task: string, rows: readonly Waiting[]): void },
  ): void {
    new Gauge({
      name,
      help,
      labelNames: ['task', ...labels],
      registers: [registry],
      async collect() {
        const rows = await read().catch(() => undefined)
        this.reset()
        for (const task of rows ? tasks : []) {
          show(this, task, rows?.filter((row) => row.task === task) ?? [])
        }
      },
    })
  }
}

function readQueue(sql: Sql): Promise<Waiting[]> {
  return sql<Waiting>`
    select
      case when task_identifier = any(${tasks}::text[]) then task_identifier else 'other' end as task,
      case
        when locked_at is not null then 'running'
        when attempts >= max_attempts then 'given_up'
        when run_at > now() then 'later'
        else 'ready'
      end as state,
      count(*)::integer as jobs,
      extract(epoch from now() - min(created_at))::float8 as age,
      extract(epoch from now() - min(run_at))::float8 as lag
    from graphile_worker.jobs
    group by 1, 2`
}

/** In milliseconds. */
const pause = 900_000

/**
 * Adds the count of sessions that live. To count them reads all of them, tenant by tenant as the wall wants it: so it is done in the
 * background, and takes no more than a hundredth of one connection's time.
 *
 * @returns what ends it
 */
export function countSessions(registry: Registry, database: Database): () => Promise<void> {
  const sessions = new Gauge({
    name: 'guildhall_sessions_live',
    help: 'Live sessions, counted every 15 minutes, or less often if counting is slow.',
    registers: [registry],
  })
  sessions.remove() // nothing is known so far
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const count = async () => {
    const began = performance.now()
    try {
      const tenants = await database.acrossTenants((sql) => sql<{ id: string }>`select id from tenants order by id`)
      let live = 0
      for (const { id } of tenants) {
        if (isOver) return
        const [[counted] = []] = await database.flight(id, [
          statement`
            select count(*) as live
            from sessions s
            join tenants t on t.id = s.tenant_id
            where s.tenant_id = ${id} and ${isLive}`,
        ])
        live += Number(counted?.live)
      }
      sessions.set(live)
    } catch {
      sessions.remove()
    }
    if (!isOver) timer = setTimeout(again, Math.max(pause, 100 * (performance.now() - began))).unref()
  }
  let counting = Promise.resolve()
  const again = () => {
    counting = count()
  }
  again()
  return async () => {
    isOver = true
    clearTimeout(timer)
    await counting
  }
}
