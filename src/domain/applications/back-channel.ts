/**
 * Back-channel logout: tells applications that a session of theirs has ended (OpenID Connect Back-Channel Logout 1.0).
 *
 * The end of a grant adds a job (sessions/grants.ts), which posts a signed token to the application’s address. If the application does not
 * take it, the job is tried again after growing times, for a day.
 *
 * Applications that did not answer their last token share a few places of the worker, so that they delay no others. The other jobs of such an
 * application that are due wait until it answers again, which makes them due, 20 hours at most. One that refuses a token (4xx) answers: its
 * other jobs do not wait.
 *
 * Invariant: each try makes a token of its own, which lives for two minutes: none is stored. A job reads its person from the session; for
 * somebody whose account is deleted it names the person itself, sealed.
 */
import type { FastifyBaseLogger } from 'fastify'
import { toldOfLogout } from '../../platform/channels.ts'
import { randomBytes } from '../../platform/cryptography.ts'
import { pipeline, type Sql, statement } from '../../platform/database/database.ts'
import { uuidToTenantId } from '../../platform/http/schemas.ts'
import type { FailingQueues } from '../../platform/jobs/failing-queues.ts'
import {
  LoggedError,
  postponeQueue,
  resumePostponed,
  resumeQueue,
  secondsToNextTry,
} from '../../platform/jobs/queue.ts'
import { OutboundError, type OutboundFetch } from '../../platform/outbound/outbound.ts'
import type { Config } from '../../platform/settings/config.ts'
import { type ErasedLogout, type LogoutJob, queueOfLogouts } from '../sessions/grants.ts'
import { issuerOf } from '../signing-keys/issuer.ts'
import type { Signer } from '../signing-keys/signer.ts'
import { type KeyStore, selectCurrentKey } from '../signing-keys/signing-keys.ts'
import { noteLogout } from './application-states.ts'
import { secondOf } from './id-tokens.ts'

const event = 'http://schemas.openid.net/event/backchannel-logout'
/** How long a logout token lives, in seconds. */
const tokenLifetime = 120
/** How long an application is tried, in seconds. */
const longestRetry = 86_400
/** How long a logout waits at most until an application answers again, in seconds: it is still tried after that. */
const postponement = 72_000

/** `failed`: a try that will be repeated. `overtaken`: the application, its address or the session is gone. */
export const logoutTries = ['delivered', 'failed', 'given_up', 'overtaken'] as const

/** What telling an application needs. */
export interface Messenger extends KeyStore {
  readonly config: Config
  readonly signer: Signer
  readonly send: OutboundFetch
  /** The queues of applications that did not answer their last token. */
  readonly failing: FailingQueues
}

/** Whom an application is told of; without a session: all sessions of somebody whose account is deleted. */
interface About {
  readonly applicationId: string
  readonly sessionId: string | null
  readonly userId: string | null
}

/** The task: tells an application once, and says in the log what became of it. @throws Error if it is to be tried again */
export async function sendLogoutJob(
  messenger: Messenger,
  logout: LogoutJob,
  job: { readonly id: string; readonly attempts: number },
  log: FastifyBaseLogger,
): Promise<void> {
  const { outcome, reason, application, seconds } = await tell(messenger, logout, job.attempts)
  toldOfLogout.publish({ outcome, seconds })
  const line = { job: job.id, application, outcome, attempt: job.attempts, reason }
  if (reason === undefined) log.info(line, 'logout')
  else log.warn(line, 'logout not delivered')
  if (outcome === 'failed') throw new LoggedError(`The application did not take the logout token: ${reason}.`)
}

interface Told {
  readonly outcome: (typeof logoutTries)[number]
  /** Why it was not delivered, without anything personal in it. */
  readonly reason?: string
  readonly application?: string
  /** From the end to the delivery. */
  readonly seconds?: number
}

async function tell(messenger: Messenger, { tenantId: tenant, ...logout }: LogoutJob, attempts: number): Promise<Told> {
  const { database, config, signer, send, failing } = messenger
  const about = aboutOf(messenger, tenant, logout)
  if (!about) return { outcome: 'overtaken' }
  const application = about.applicationId
  const queue = queueOfLogouts(application)
  /** Has logouts tried that wait for this application to answer. @param limit how many; null: all */
  const resume = (sql: Sql, limit: number | null) => resumePostponed(sql, queue, postponement, limit)
  /** Others may have waited for this one. */
  const overtaken = async (): Promise<Told> => {
    await database.inTenant(tenant, (sql) => resume(sql, 1))
    return { outcome: 'overtaken' }
  }
  const due = await findDue(messenger, tenant, about, logout.endedAt)
  if (!due) return overtaken()
  const begun = performance.now()
  const iat = secondOf(due.now)
  const token = await signer.sign(tenant, due.keyId ?? undefined, 'logout+jwt', {
    iss: issuerOf(config, uuidToTenantId(tenant)),
    aud: application,
    iat,
    exp: iat + tokenLifetime,
    jti: randomBytes(16).toString('base64url'),
    events: { [event]: {} },
    sub: due.userId,
    ...(about.sessionId !== null && { sid: about.sessionId }),
  })
  const reason = await post(send, due.uri, token)
  const seconds = due.age + (performance.now() - begun) / 1_000
  if (reason === undefined) {
    // If another process had its failures, this one may know only of that of this job.
    const hadFailed = failing.remove(queue) || attempts > 1
    await database.inTenant(tenant, (sql) =>
      pipeline([noteLogout(sql, application, 'delivered'), hadFailed ? resumeQueue(sql, queue) : resume(sql, null)]),
    )
    return { outcome: 'delivered', application, seconds }
  }
  // It answers, if not to this token: the others need not wait.
  const isRefused = /^status 4(?!08|29)/.test(reason)
  if (isRefused) failing.remove(queue)
  else failing.add(queue)
  // Overtaken while it was tried: a failed job would keep the session of a person who is gone.
  if (!(await findDue(messenger, tenant, about, logout.endedAt))) return overtaken()
  if (seconds + secondsToNextTry(attempts) < longestRetry) {
    await database.inTenant(tenant, (sql) => (isRefused ? resume(sql, null) : postponeQueue(sql, queue, postponement)))
    return { outcome: 'failed', reason, application }
  }
  await database.inTenant(tenant, (sql) => pipeline([noteLogout(sql, application, 'failed'), resume(sql, 1)]))
  return { outcome: 'given_up', reason, application }
}

/** @returns undefined if it was sealed under a secret that was taken away */
function aboutOf(
  { keyring }: KeyStore,
  tenant: string,
  logout: Omit<LogoutJob, 'tenantId'> & Partial<About & { sealed: string }>,
): About | undefined {
  const { sealed, applicationId, sessionId } = logout
  if (sealed === undefined) return applicationId && sessionId ? { applicationId, sessionId, userId: null } : undefined
  const opened = keyring.open('job', sealed, tenant)
  return opened === undefined ? undefined : { ...(JSON.parse(opened) as ErasedLogout), sessionId: null } // sealed by us
}

interface Due {
  readonly uri: string
  readonly userId: string
  /** The key that signs now; null: none was made yet. */
  readonly keyId: string | null
  readonly now: string
  /** Seconds since the end. */
  readonly age: number
}

/** @returns undefined if there is nothing to tell any more, or nobody to be told */
async function findDue(
  { database }: KeyStore,
  tenant: string,
  { applicationId, sessionId, userId }: About,
  endedAt: string,
): Promise<Due | undefined> {
  const { found } = await database.read(
    tenant,
    {
      found: statement`
        select a.back_channel_logout_uri as uri, coalesce(s.user_id, ${userId}) as user_id, (${selectCurrentKey(tenant)}) as key_id,
          statement_timestamp() as now, extract(epoch from statement_timestamp() - ${endedAt}::timestamptz)::float8 as age
        from applications a
        left join sessions s on s.tenant_id = ${tenant} and s.id = ${sessionId ?? ''}
        where a.tenant_id = ${tenant} and a.id = ${applicationId} and a.back_channel_logout_uri is not null
          and coalesce(s.user_id, ${userId}) is not null`,
    },
    { byKey: true },
  )
  return found[0] as Due | undefined // as the statement selects it
}

/** @returns why the application did not take the token; undefined if it did */
async function post(send: OutboundFetch, uri: string, token: string): Promise<string | undefined> {
  try {
    const { status } = await send(uri, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }),
    })
    return status === 200 || status === 204 ? undefined : `status ${status}`
  } catch (error) {
    if (error instanceof OutboundError) return error.reason
    throw error
  }
}
