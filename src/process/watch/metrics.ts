/**
 * Metrics: counters and histograms of one process. They have the names of OpenTelemetry's semantic conventions where there are any.
 *
 * Invariant: every value of a label is from a closed list and identifies nobody. All unknown values from outside share one label value.
 */
import { performance } from 'node:perf_hooks'
import { Counter, Histogram, Registry } from 'prom-client'
import type { CredentialKind } from '../../domain/access/credential-kinds.ts'
import { logoutTries } from '../../domain/applications/back-channel.ts'
import { steps } from '../../domain/applications/decision.ts'
import { authorizationErrors } from '../../domain/applications/requests.ts'
import { type Way, ways } from '../../domain/organizations/admission.ts'
import { problems } from '../../domain/problems.ts'
import { type Method, methods as signInMethods } from '../../domain/sessions/attempts.ts'
import { grantTypes } from '../../features/applications/token.ts'
import { reasons } from '../../features/roles/check.ts'
import { verificationReasons } from '../../features/tokens/verification.ts'
import {
  type Answered,
  active,
  answered,
  checked,
  jobs,
  listen,
  mailed,
  minted,
  relayed,
  tokensAnswered,
  toldOfLogout,
  verified,
} from '../../platform/channels.ts'
import type { Database } from '../../platform/database/database.ts'
import { oauthErrors } from '../../platform/http/oauth-errors.ts'
import { measureHashing, measureLoop, measurePool, measureProcess } from './process-metrics.ts'
import { countWebhookAttempts } from './webhook-metrics.ts'

/** Buckets in seconds, as OpenTelemetry recommends for requests. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE'])
const credentials = ['session', 'key', 'application', 'none'] as const satisfies readonly (
  | CredentialKind['name']
  | 'none'
)[]
/** The outcomes of a step of a sign-in: `signed_in`, or the code of a problem. All other codes count as `other`. */
const signIns = [
  'signed_in',
  'sign_in_incomplete',
  'invalid_credentials',
  'wrong_proof',
  'attempt_spent',
  'unknown_passkey',
  'provider_refused',
  'provider_unavailable',
  'user_suspended',
  'too_many_attempts',
  'rate_limited',
  'overloaded',
  'unavailable',
  'internal',
]

/** The routes of one method. A request that continues a sign-in says its method itself. */
const signInRoutes: Readonly<Record<string, Method>> = {
  '/api/auth/sign-in': 'password',
  '/api/auth/sign-in/passkey': 'passkey',
}

/** The metrics of this process. */
export interface Metrics {
  readonly registry: Registry
  close(): void
}

/**
 * Starts the metrics of this process.
 *
 * @param serves whether it serves requests. The primary of several processes does not: its pool and its hashing are not measured, because
 *   the sums would contain capacity that no request can use.
 */
export function openMetrics(database: Database, serves: boolean): Metrics {
  const registry = new Registry()
  const closings = [
    countRequests(registry),
    countChecks(registry),
    countVerifications(registry),
    countTokens(registry),
    countTokenAnswers(registry),
    countMails(registry),
    countLogouts(registry),
    countWebhookAttempts(registry),
    countRelayed(registry),
    countJobs(registry),
    measureLoop(registry),
  ]
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

/** @returns a function that stops the counting, like the functions below */
function countRequests(registry: Registry): () => void {
  const requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of requests, by route and status class. Unknown paths count as "none".',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_class'],
    buckets,
    registers: [registry],
  })
  const byCredential = new Counter({
    name: 'guildhall_requests_total',
    help: 'Requests by the kind of credential that came with them, valid or not.',
    labelNames: ['credential'],
    registers: [registry],
  })
  for (const credential of credentials) byCredential.inc({ credential }, 0)
  const refused = new Counter({
    name: 'guildhall_problems_total',
    help: 'Requests that were refused or failed, by problem code.',
    labelNames: ['code'],
    registers: [registry],
  })
  for (const code of Object.keys(problems)) refused.inc({ code }, 0) // without an initial 0, Prometheus would not see the first one as an increase
  const attempts = new Counter({
    name: 'guildhall_sign_ins_total',
    help: 'Steps of sign-ins by method and outcome. "signed_in" is the last step.',
    labelNames: ['method', 'outcome'],
    registers: [registry],
  })
  for (const method of signInMethods) for (const outcome of [...signIns, 'other']) attempts.inc({ method, outcome }, 0)
  const joins = new Counter({
    name: 'guildhall_joins_total',
    help: 'New memberships, by the way in which the person joined.',
    labelNames: ['way'],
    registers: [registry],
  })
  for (const way of ways) joins.inc({ way }, 0)
  const authorizations = new Counter({
    name: 'guildhall_authorizations_total',
    help: 'Answers to browsers that applications have sent, by outcome: "code", the step that is missing, or the error.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of authorizationOutcomes) authorizations.inc({ outcome }, 0)
  const sessions = new Counter({
    name: 'guildhall_session_activity_total',
    help: 'Minutes of use, summed over sessions.',
    registers: [registry],
  })

  const count = ({ method, route, status, ms, about, credential, problem }: Answered) => {
    requests.observe(
      {
        http_request_method: methods.has(method) ? method : '_OTHER',
        http_route: route ?? 'none',
        http_response_status_class: classes[Math.trunc(status / 100)] ?? 'none',
      },
      ms / 1000,
    )
    byCredential.inc({ credential: credential ?? 'none' })
    if (problem !== undefined) refused.inc({ code: problem })
    if (ways.includes(about as Way) && problem === undefined) joins.inc({ way: about as Way })
    if (route === authorizePath && about !== undefined) authorizations.inc({ outcome: about })
    const signInMethod = route === '/api/auth/sign-in/continue' ? about : signInRoutes[route ?? '']
    if (signInMethod && method === 'POST') {
      const outcome = problem ?? 'signed_in'
      attempts.inc({ method: signInMethod, outcome: signIns.includes(outcome) ? outcome : 'other' })
    }
  }
  const endings = [listen(answered, count), listen(active, () => sessions.inc())]
  return () => {
    for (const end of endings) end()
  }
}

const authorizePath = '/api/tenants/:tenantId/authorize'
const authorizationOutcomes = ['code', ...steps, ...authorizationErrors]
const classes = ['none', '1xx', '2xx', '3xx', '4xx', '5xx']

function countChecks(registry: Registry): () => void {
  const checks = new Counter({
    name: 'guildhall_checks_total',
    help: 'Checked permissions by answer. "allowed" is a yes, any other the reason for a no.',
    labelNames: ['answer'],
    registers: [registry],
  })
  for (const answer of ['allowed', ...reasons]) checks.inc({ answer }, 0)
  return listen(checked, ({ answer }) => checks.inc({ answer }))
}

function countVerifications(registry: Registry): () => void {
  const verifications = new Counter({
    name: 'guildhall_verifications_total',
    help: 'Credentials that back ends asked about, by outcome: "valid", or the reason why not.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of ['valid', ...verificationReasons]) verifications.inc({ outcome }, 0)
  return listen(verified, ({ outcome }) => verifications.inc({ outcome }))
}

function countTokens(registry: Registry): () => void {
  const tokens = new Counter({
    name: 'guildhall_tokens_minted_total',
    help: 'Signed tokens that were made.',
    registers: [registry],
  })
  return listen(minted, () => tokens.inc())
}

function countTokenAnswers(registry: Registry): () => void {
  const answers = new Counter({
    name: 'guildhall_application_tokens_total',
    help: 'Answers to applications that asked for tokens, by outcome: "issued", "retried" (a lost answer was given again), "reused" (a code or an older refresh token came again, and its grant has ended), or the error.',
    labelNames: ['grant_type', 'outcome'],
    registers: [registry],
  })
  const outcomes = ['issued', 'retried', 'reused', ...Object.keys(oauthErrors)]
  for (const grant_type of [...grantTypes, 'none'])
    for (const outcome of outcomes) answers.inc({ grant_type, outcome }, 0)
  return listen(tokensAnswered, ({ grantType, outcome }) => answers.inc({ grant_type: grantType, outcome }))
}

function countMails(registry: Registry): () => void {
  const mails = new Counter({
    name: 'guildhall_mails_total',
    help: 'Mails by kind and outcome. "failed" is an attempt that will be repeated.',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  return listen(mailed, ({ kind, outcome }) => mails.inc({ kind, outcome }))
}

function countLogouts(registry: Registry): () => void {
  const tries = new Counter({
    name: 'guildhall_logouts_total',
    help: 'Tries to tell an application that a session has ended, by outcome. "failed" is a try that will be repeated.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of logoutTries) tries.inc({ outcome }, 0)
  const delays = new Histogram({
    name: 'guildhall_logout_delay_seconds',
    help: 'Time from the end of a session until an application was told.',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600, 86_400],
    registers: [registry],
  })
  return listen(toldOfLogout, ({ outcome, seconds }) => {
    tries.inc({ outcome })
    if (outcome === 'delivered' && seconds !== undefined) delays.observe(seconds)
  })
}

function countRelayed(registry: Registry): () => void {
  const rows = new Counter({
    name: 'guildhall_outbox_relayed_rows_total',
    help: 'Rows of the outbox whose jobs and events were brought into the queue and the feed.',
    registers: [registry],
  })
  const batches = new Counter({
    name: 'guildhall_outbox_relayed_batches_total',
    help: 'Transactions that brought rows of the outbox into the queue and the feed.',
    registers: [registry],
  })
  return listen(relayed, (batch) => {
    rows.inc(batch.rows)
    batches.inc()
  })
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
    const { task, error } = job as { task: string; error?: unknown } // published by platform/jobs/worker.ts
    const start = began.get(job as object)
    if (start === undefined) return // it began before metrics were started
    durations.observe({ task, outcome: error === undefined ? 'done' : 'failed' }, (performance.now() - start) / 1000)
  }
  jobs.start.subscribe(begin)
  jobs.asyncEnd.subscribe(end)
  return () => {
    jobs.start.unsubscribe(begin)
    jobs.asyncEnd.unsubscribe(end)
  }
}
