/**
 * Metrics: what is counted and measured in one process, named as OpenTelemetry names it in Prometheus where it has a name for it.
 *
 * Invariant: every label is of a closed list, and none says who. What came from outside and is in no list counts as one.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { hashing } from '../../domain/credentials/passwords.ts'
import { type Answered, active, answered, jobs, type Mailed, mailed } from '../../platform/channels.ts'
import type { Database } from '../../platform/database/database.ts'
import { problems } from '../../platform/http/problems.ts'
import { version } from '../../platform/version.ts'

/** In seconds, as OpenTelemetry advises for requests. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE'])
/** What may come of a sign-in; whatever else it is answered with counts as `other`. */
const signIns = [
  'signed_in',
  'invalid_credentials',
  'user_suspended',
  'too_many_attempts',
  'rate_limited',
  'overloaded',
  'unavailable',
  'internal',
]
/** How often the event loop is looked at, in milliseconds. */
const resolution = 20

/** The metrics of this process. */
export interface Metrics {
  readonly registry: Registry
  close(): void
}

/**
 * @param serves whether it answers requests. What only they use is not told of a process that answers none: in the sums it would stand
 *   for room that nobody has.
 */
export function openMetrics(database: Database, serves: boolean): Metrics {
  const registry = new Registry()
  const closings = [countRequests(registry), countMails(registry), countJobs(registry), measureLoop(registry)]
  if (serves) {
    measurePool(registry, database)
    measureHashing(registry)
  }
  measureProcess(registry)
  return {
    registry,
    close: () => {
      for (const close of closings) close()
    },
  }
}

/** @returns what ends it, like each of these */
function countRequests(registry: Registry): () => void {
  const requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'How long requests took, by route and class of status; "none" is for paths that there are not.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_class'],
    buckets,
    registers: [registry],
  })
  const refused = new Counter({
    name: 'guildhall_problems_total',
    help: 'Requests that were refused or failed, by the code of the problem that they were answered with.',
    labelNames: ['code'],
    registers: [registry],
  })
  for (const code of Object.keys(problems)) refused.inc({ code }, 0) // else the first of its kind would be no increase
  const attempts = new Counter({
    name: 'guildhall_sign_ins_total',
    help: 'Sign-ins, by what came of them.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of [...signIns, 'other']) attempts.inc({ outcome }, 0)
  const sessions = new Counter({
    name: 'guildhall_session_activity_total',
    help: 'Minutes in which a session was used, counted for each session.',
    registers: [registry],
  })

  const count = (told: unknown) => {
    const { method, route, status, ms, problem } = told as Answered // as platform/http/server.ts tells it
    requests.observe(
      {
        http_request_method: methods.has(method) ? method : '_OTHER',
        http_route: route ?? 'none',
        http_response_status_class: classes[Math.trunc(status / 100)] ?? 'none',
      },
      ms / 1000,
    )
    if (problem !== undefined) refused.inc({ code: problem })
    if (route === '/api/auth/sign-in' && method === 'POST') {
      const outcome = problem ?? 'signed_in'
      attempts.inc({ outcome: signIns.includes(outcome) ? outcome : 'other' })
    }
  }
  const countActivity = () => sessions.inc()
  answered.subscribe(count)
  active.subscribe(countActivity)
  return () => {
    answered.unsubscribe(count)
    active.unsubscribe(countActivity)
  }
}

const classes = ['none', '1xx', '2xx', '3xx', '4xx', '5xx']

function countMails(registry: Registry): () => void {
  const mails = new Counter({
    name: 'guildhall_mails_total',
    help: 'Mails, by their kind and what came of them; "failed" is a try that is made again.',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  const count = (told: unknown) => {
    const { kind, outcome } = told as Mailed // as platform/jobs/worker.ts tells it
    mails.inc({ kind, outcome })
  }
  mailed.subscribe(count)
  return () => mailed.unsubscribe(count)
}

function countJobs(registry: Registry): () => void {
  const durations = new Histogram({
    name: 'guildhall_job_duration_seconds',
    help: 'How long the jobs of the queue took, by task and by whether they were done.',
    labelNames: ['task', 'outcome'],
    buckets: [...buckets, 30, 60, 120],
    registers: [registry],
  })
  const began = new WeakMap<object, number>()
  const begin = (job: unknown) => {
    began.set(job as object, performance.now())
  }
  const end = (job: unknown) => {
    const { task, error } = job as { task: string; error?: unknown } // as platform/jobs/worker.ts tells it
    const start = began.get(job as object)
    if (start === undefined) return // it began before anybody watched
    durations.observe({ task, outcome: error === undefined ? 'done' : 'failed' }, (performance.now() - start) / 1000)
  }
  jobs.start.subscribe(begin)
  jobs.asyncEnd.subscribe(end)
  return () => {
    jobs.start.unsubscribe(begin)
    jobs.asyncEnd.unsubscribe(end)
  }
}

/** How long the one thread of the process kept others waiting, since it was last asked. Of several processes the worst counts. */
function measureLoop(registry: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  const beyond = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolution / 1e3)
  const figures = {
    p50: () => delay.percentile(50),
    p99: () => delay.percentile(99),
    max: () => delay.max,
  }
  for (const [name, figure] of Object.entries(figures)) {
    new Gauge({
      name: `nodejs_eventloop_delay_${name}_seconds`,
      help: `How late the event loop was since the last scrape (${name}); of several processes the latest.`,
      aggregator: 'max',
      registers: [registry],
      collect() {
        this.set(delay.count > 0 ? beyond(figure()) : 0)
        if (name === 'max') delay.reset() // the last of them
      },
    })
  }
  let before = performance.eventLoopUtilization()
  new Gauge({
    name: 'nodejs_eventloop_utilization_ratio',
    help: 'The part of the time since the last scrape in which the event loop was busy; of several processes the busiest.',
    aggregator: 'max',
    registers: [registry],
    collect() {
      const now = performance.eventLoopUtilization()
      this.set(performance.eventLoopUtilization(now, before).utilization)
      before = now
    },
  })
  return () => delay.disable()
}

function measurePool(registry: Registry, database: Database): void {
  new Gauge({
    name: 'db_client_connection_count',
    help: 'Connections to the database for requests and jobs, by whether one is used.',
    labelNames: ['db_client_connection_state'],
    registers: [registry],
    collect() {
      const { used, idle } = database.connections
      this.set({ db_client_connection_state: 'used' }, used)
      this.set({ db_client_connection_state: 'idle' }, idle)
    },
  })
  gauge(registry, 'db_client_connection_max', 'Connections to the database at most.', () => database.connections.most)
  gauge(
    registry,
    'db_client_connection_pending_requests',
    'How many wait for a connection to the database.',
    () => database.connections.waiting,
  )
}

function measureHashing(registry: Registry): void {
  gauge(registry, 'guildhall_password_hashes_busy', 'Password hashes that are being computed.', () => hashing().busy)
  gauge(
    registry,
    'guildhall_password_hashes_waiting',
    'Password hashes that wait, in hashes of ours that take as long.',
    () => hashing().waiting,
  )
  gauge(
    registry,
    'guildhall_password_hashes_waiting_max',
    'How many may wait; who comes then is answered overloaded.',
    () => hashing().line,
  )
}

function measureProcess(registry: Registry): void {
  gauge(registry, 'process_resident_memory_bytes', 'Memory of all processes.', () => process.memoryUsage.rss())
  gauge(registry, 'nodejs_heap_size_used_bytes', 'Of it, what JavaScript uses.', () => process.memoryUsage().heapUsed)
  gauge(registry, 'guildhall_processes', 'Processes that have answered this scrape.', () => 1)
  let counted = 0
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Time that all processes have computed, theirs and the system’s for them.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage()
      const seconds = (user + system) / 1e6
      this.inc(seconds - counted)
      counted = seconds
    },
  })
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process began that was started, in seconds of Unix time.',
    aggregator: 'min',
    registers: [registry],
  }).set(performance.timeOrigin / 1000)
  new Gauge({
    name: 'guildhall_build_info',
    help: 'Always 1: which version this is, and on which Node.js.',
    labelNames: ['version', 'node'],
    aggregator: 'max',
    registers: [registry],
  }).set({ version, node: process.versions.node }, 1)
}

/** A figure that is looked up when it is asked for. Of several processes the sum. */
function gauge(registry: Registry, name: string, help: string, figure: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(figure())
    },
  })
}
