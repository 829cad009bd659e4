/**
 * Figures: metrics of the whole service that are read from the database. Only the process with the queue's worker reads them. They are
 * absent while the database is unavailable.
 */
import { Gauge, type Registry } from 'prom-client'
import { isSessionLive } from '../../domain/sessions/lifetime.ts'
import { isSending } from '../../domain/webhooks/schedule.ts'
import { webhookStatuses } from '../../domain/webhooks/webhooks.ts'
import { listen, swept } from '../../platform/channels.ts'
import {
  type Database,
  type NamedStatements,
  type Sql,
  type Statement,
  statement,
} from '../../platform/database/database.ts'
import { snapshotOf } from '../../platform/database/snapshots.ts'

/** The tasks of src/tasks.ts. `other` is a task of an older or a newer release. */
const tasks = [
  'send_mail',
  'send_logout',
  'send_webhook',
  'send_failing_webhook',
  'request_reset',
  'record_refused_sign_in',
  'erase_log',
  'expire_sessions',
  'fill_words',
  'keep_retention',
  'reseal',
  'rotate_keys',
  'settle',
  'settle_keys',
  'tell_of_webhooks',
  'test_webhook',
  'wake_all_webhooks',
  'wake_webhooks',
  'other',
]
const states = ['ready', 'running', 'later', 'given_up'] as const

interface QueueRow {
  readonly task: string
  readonly state: (typeof states)[number]
  readonly jobs: number
  /** Seconds since the oldest of them was added. */
  readonly age: number
  /** Seconds since the first of them was due. */
  readonly lag: number
}

/** Adds the metrics of the queue, read at each scrape and at most once a second. */
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
  figure(
    'guildhall_queue_oldest_job_age_seconds',
    'Age of the oldest job in the queue, apart from jobs that were given up.',
    {
      show: (gauge, task, rows) => {
        const ages = rows.filter(({ state }) => state !== 'given_up').map(({ age }) => age)
        gauge.set({ task }, Math.max(0, ...ages))
      },
    },
  )
  figure('guildhall_queue_lag_seconds', 'Time since the earliest due job became due.', {
    show: (gauge, task, rows) =>
      gauge.set({ task }, Math.max(0, rows.find(({ state }) => state === 'ready')?.lag ?? 0)),
  })

  function figure(
    name: string,
    help: string,
    { labels = [], show }: { labels?: string[]; show(gauge: Gauge, task: string, rows: readonly QueueRow[]): void },
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

function readQueue(sql: Sql): Promise<QueueRow[]> {
  return sql<QueueRow>`
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

/**
 * Adds the age of the oldest row in the outbox, as the last sweep of this process has found it: a look at each tenant at each scrape would
 * cost too much.
 *
 * @returns a function that stops it
 */
export function measureOutbox(registry: Registry): () => void {
  const oldest = new Gauge({
    name: 'guildhall_outbox_oldest_row_age_seconds',
    help: 'Age of the oldest row in the outbox at the last sweep, which runs each minute; 0 if there was none.',
    registers: [registry],
  })
  return listen(swept, (sweep) => oldest.set(sweep.oldest))
}

/** Between two counts of rows, in milliseconds. */
const interval = 900_000

interface RowCount {
  readonly name: string
  readonly help: string
  /** Values of the column `status`, by which the rows are counted. */
  readonly statuses?: readonly string[]
  /** Selects `found`, of each status. */
  select(tenant: string): Statement
}

/** What is counted over all tenants. */
const rowCounts: readonly RowCount[] = [
  {
    name: 'guildhall_sessions_live',
    help: 'Live sessions, counted every 15 minutes, or less often if counting is slow.',
    select: (tenant) => statement`
      select count(*) as found
      from sessions s
      join tenants t on t.id = s.tenant_id
      where s.tenant_id = ${tenant} and ${isSessionLive}`,
  },
  {
    name: 'guildhall_memberships_unsettled',
    help: 'Memberships that ended two hours ago or earlier and still wait for the hourly task, counted together with the sessions.',
    select: (tenant) => statement`
      select count(*) as found from memberships
      where tenant_id = ${tenant} and expires_at <= statement_timestamp() - interval '2 hours'`,
  },
  {
    name: 'guildhall_webhooks',
    help: 'Webhooks by status, counted together with the sessions. "paused": of an organization whose tenant does not offer webhooks.',
    statuses: [...webhookStatuses, 'paused'],
    select: (tenant) => statement`
      select case when w.status = 'disabled' or ${isSending} then w.status else 'paused' end as status, count(*) as found
      from webhooks w
      join tenants t on t.id = w.tenant_id
      where w.tenant_id = ${tenant}
      group by 1`,
  },
]

function keyOf(name: string, status: unknown): string {
  return `${name} ${status ?? ''}`
}

/**
 * Adds the counts of live sessions, unsettled memberships and webhooks. A count reads all of them, tenant by tenant because of the wall. So it
 * runs in the background and uses at most a hundredth of one connection's time.
 *
 * @returns a function that stops it
 */
export function countRows(registry: Registry, database: Database): () => Promise<void> {
  const series = rowCounts.flatMap(({ name, help, statuses }) => {
    const gauge = new Gauge({ name, help, labelNames: statuses ? ['status'] : [], registers: [registry] })
    return (statuses ?? [undefined]).map((status) => ({
      gauge,
      labels: status === undefined ? {} : { status },
      key: keyOf(name, status),
    }))
  })
  const forget = () => {
    for (const { gauge, labels } of series) gauge.remove(labels) // absent while there is no count
  }
  forget()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const count = async () => {
    const began = performance.now()
    try {
      const tenants = await database.acrossTenants(
        (sql) => sql<{ id: string }>`select id from tenants where deleted_at is null order by id`,
      )
      const sums = new Map<string, number>()
      for (const { id } of tenants) {
        if (isStopped) return
        const statements: NamedStatements = Object.fromEntries(rowCounts.map(({ name, select }) => [name, select(id)]))
        for (const [name, rows] of Object.entries(await database.read(id, statements)))
          for (const { status, found } of rows) {
            const key = keyOf(name, status)
            sums.set(key, (sums.get(key) ?? 0) + Number(found))
          }
      }
      for (const { gauge, labels, key } of series) gauge.set(labels, sums.get(key) ?? 0)
    } catch {
      forget()
    }
    if (!isStopped) timer = setTimeout(again, Math.max(interval, 100 * (performance.now() - began))).unref()
  }
  let counting = Promise.resolve()
  const again = () => {
    counting = count()
  }
  again()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await counting
  }
}
