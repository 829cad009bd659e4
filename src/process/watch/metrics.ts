/**
 * Metrics: what is counted and measured in one process, named as OpenTelemetry names it in Prometheus where it has a name for it.
 *
 * Invariant: every label is of a closed list, and none says who. What came from outside and is in no list counts as one.
 */
import { performance } from 'node:perf_hooks'
import { Counter, Histogram, Registry } from 'prom-client'
import { type Answered, active, answered, jobs, type Mailed, mailed } from '../../platform/channels.ts'
import type { Database } from '../../platform/database/database.ts'
import { problems } from '../../platform/http/problems.ts'
import { measureHashing, measureLoop, measurePool, measureProcess } from './process-metrics.ts'

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
    help: 'Duration of requests, by route and status class. Unknown paths count as "none".',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_class'],
    buckets,
    registers: [registry],
  })
  const refused = new Counter({
    name: 'guildhall_problems_total',
    help: 'Requests that were refused or failed, by problem code.',
    labelNames: ['code'],
    registers: [registry],
  })
  for (const code of Object.keys(problems)) refused.inc({ code }, 0) // else the first of its kind would be no increase
  const attempts = new Counter({
    name: 'guildhall_sign_ins_total',
    help: 'Sign-ins by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of [...signIns, 'other']) attempts.inc({ outcome }, 0)
  const sessions = new Counter({
    name: 'guildhall_session_activity_total',
    help: 'Minutes of use, summed over sessions.',
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
    help: 'Mails by kind and outcome. "failed" is an attempt that will be repeated.',
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
    help: 'Duration of jobs, by task and outcome.',
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
