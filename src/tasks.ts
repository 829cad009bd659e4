/** Tasks: one line for each kind of job that the queue runs, and one for each kind of row that retention deletes. */
import type { FastifyBaseLogger } from 'fastify'
import type { TaskList } from 'graphile-worker'
import { type Messenger, sendLogoutJob } from './domain/applications/back-channel.ts'
import { purgeChallenges } from './domain/credentials/challenges.ts'
import { purgesOfTries } from './domain/credentials/guessing.ts'
import { purgeDevices } from './domain/credentials/known-devices.ts'
import { purgeLinks } from './domain/credentials/mailed-tokens.ts'
import { atOnce, runWebhook } from './domain/delivery/delivery.ts'
import type { Sender } from './domain/delivery/sending.ts'
import { testWebhook } from './domain/delivery/testing.ts'
import { mostWaiting, Waiting } from './domain/delivery/waiting.ts'
import { settleKeys } from './domain/keys/endings.ts'
import { purgeKeys } from './domain/keys/key-states.ts'
import { dropDeletionNotices } from './domain/mail/deletion-notice.ts'
import { type Post, purgeMails, sendMailJob } from './domain/mail/mail.ts'
import { purgeJoinLinks } from './domain/organizations/link-states.ts'
import { purgeGrants, settleTenant } from './domain/organizations/settling.ts'
import { purgePictures } from './domain/pictures/pictures.ts'
import { purgeEvents } from './domain/record/feed-erasure.ts'
import { eraseLogBatches, purgeLogs } from './domain/record/log-erasure.ts'
import { purgeEntries } from './domain/record/record.ts'
import { purgeTombstones } from './domain/record/tombstones.ts'
import { resealings } from './domain/sealing/resealing.ts'
import { fillWords } from './domain/search/writing.ts'
import { purgeAttempts } from './domain/sessions/attempts.ts'
import { expireSessions } from './domain/sessions/endings.ts'
import { dropErasedLogouts, purgeEndedGrants } from './domain/sessions/grants.ts'
import { purgeSessions } from './domain/sessions/sessions.ts'
import { rotateDueKey } from './domain/signing-keys/rotation.ts'
import { Signer } from './domain/signing-keys/signer.ts'
import { type KeyStore, purgeSigningKeys } from './domain/signing-keys/signing-keys.ts'
import { tellOfNotices } from './domain/webhooks/notices.ts'
import { purgeDeliveries, purgeLostDeliveries } from './domain/webhooks/retention.ts'
import { wakeDue } from './domain/webhooks/schedule.ts'
import { purgeWebhookSecrets } from './domain/webhooks/secrets.ts'
import { requestReset } from './features/sign-in/password-reset.ts'
import { recordRefusedSignIn } from './features/sign-in/refused-sign-ins.ts'
import { finishDeletions } from './features/tenants/deletion.ts'
import { purgeSetUpLinks } from './features/tenants/set-up.ts'
import { type Database, empty, type Statement, statement } from './platform/database/database.ts'
import { purgeAnswers } from './platform/http/idempotency.ts'
import { purgeRates } from './platform/http/rates.ts'
import { FailingQueues } from './platform/jobs/failing-queues.ts'
import { findFailedQueues, purgeGivenUp, purgeQueues, type Tasks } from './platform/jobs/queue.ts'
import { applyRetention } from './platform/jobs/retention.ts'
import { type StopTimeout, startWorker, type Worker } from './platform/jobs/worker.ts'
import { Outbound, type OutboundFetch } from './platform/outbound/outbound.ts'
import type { Config } from './platform/settings/config.ts'

/** The kinds of expired rows in a tenant, each with the function that deletes a batch of them; and what the release before left to fill in. */
const purges = {
  links: purgeLinks,
  sessions: purgeSessions,
  applicationGrants: purgeEndedGrants,
  devices: purgeDevices,
  halfDoneSignIns: purgeAttempts,
  challenges: purgeChallenges,
  mails: purgeMails,
  ...purgesOfTries,
  events: purgeEvents,
  tombstones: purgeTombstones,
  audit: purgeEntries,
  logs: purgeLogs,
  answers: purgeAnswers,
  setUpLinks: purgeSetUpLinks,
  grants: purgeGrants,
  joinLinks: purgeJoinLinks,
  signingKeys: purgeSigningKeys,
  keys: purgeKeys,
  deliveries: purgeDeliveries,
  lostDeliveries: purgeLostDeliveries,
  webhookSecrets: purgeWebhookSecrets,
  pictures: purgePictures,
}

/** The kinds of expired rows that belong to no tenant. */
const tenantlessPurges = { rates: purgeRates, givenUpJobs: purgeGivenUp }

/**
 * How many jobs run at once: mails and what they need; the tasks by the clock, and what else may take long; what is posted to products, except
 * to those that did not answer the last time; what is posted to any of them. So none of them delays another: neither a mail server that does
 * not answer the end of a membership, nor a long task a mail, nor products a mail. Webhooks have other places (`WEBHOOK_CONCURRENCY`), and as
 * many for those that are failing or slow. Those that do not answer soon give their places back. Tests of webhooks have places of their own,
 * because a person waits for them.
 */
const places = { mails: 4, long: 2, products: 12, failing: 4, tests: 8 }

/** In milliseconds: how long an application has to take a logout token. */
const logoutTimeout = 5_000

/** A task that the clock queues, and that does something in each tenant. */
interface TaskEverywhere {
  /** @returns how much it was */
  work(store: KeyStore, tenant: string): Promise<number>
  /** What the log says of how much it was. */
  readonly done: string
  /** Of the tenants; by default it works in all. */
  readonly condition?: Statement
}

/** What tasks by the clock do in each tenant, and what the log says of how much it was. */
const everywhere = {
  /** Takes away memberships whose time has ended, and mails of those that end soon. */
  settle: { work: ({ database }, id) => settleTenant(database, id), done: 'memberships have ended' },
  /** Ends keys whose time or whose holder’s right has ended, and mails of those that end soon. */
  settle_keys: { work: ({ database }, id) => settleKeys(database, id), done: 'keys have ended' },
  /** Ends sessions that have expired and have live grants, and tells their applications. */
  expire_sessions: {
    work: ({ database }, id) => expireSessions(database, id),
    done: 'sessions with grants have expired',
  },
  /** Fills in the words of what the release before has written. */
  fill_words: {
    work: ({ database }, id) => fillWords(database, id),
    done: 'rows of the release before were filled in',
  },
  /** Makes the next signing key if it is time. */
  rotate_keys: {
    work: async (store, id) => Number(await rotateDueKey(store, id)),
    done: 'the next signing keys were made',
  },
  /** Mails the people of webhooks that fail, miss events, or send to somebody’s URL who has lost the right. */
  tell_of_webhooks: { work: tellOfNotices, done: 'notices of webhooks were queued' },
  /** Queues runs of webhooks that have something to send and no run. */
  wake_all_webhooks: {
    work: ({ database }, id) => wakeDue(database, id),
    done: 'webhooks were woken',
    condition: statement`and has_webhooks`,
  },
} satisfies Readonly<Record<string, TaskEverywhere>>

type Everywhere = keyof typeof everywhere

/** The function that runs each task. The casts hold because `addJob` is typed by `Tasks`. */
function mailTasks(post: Post, log: FastifyBaseLogger): TaskList {
  return {
    send_mail: (payload, run) => sendMailJob(post, payload as Tasks['send_mail'], run, log),
    request_reset: (payload) => requestReset(post, payload as Tasks['request_reset']),
    record_refused_sign_in: (payload) => recordRefusedSignIn(post, payload as Tasks['record_refused_sign_in']),
    wake_webhooks: async (payload) => {
      await wakeDue(post.database, (payload as Tasks['wake_webhooks']).tenantId)
    },
  }
}

function longTasks(post: Post, log: FastifyBaseLogger): TaskList {
  return {
    erase_log: (payload) => eraseLogBatches(post.database, payload as Tasks['erase_log']),
    keep_retention: async () => {
      const counts = await runRetention(post.database)
      if (Object.keys(counts).length > 0) log.info({ counts }, 'retention')
    },
    ...tasksEverywhere(post, log),
    reseal: async () => {
      const counts = await reseal(post)
      if (Object.keys(counts).length > 0) log.info({ counts }, 'sealed again under the newest secret')
    },
  }
}

function tasksEverywhere(store: KeyStore, log: FastifyBaseLogger): TaskList {
  const names = Object.keys(everywhere) as Everywhere[] // of a constant
  const run = async (name: Everywhere) => {
    const count = await runEverywhere(store, name)
    if (count > 0) log.info({ count }, everywhere[name].done)
  }
  return Object.fromEntries(names.map((name) => [name, () => run(name)]))
}

/** The tasks that wait for servers of products. */
function productTasks(messenger: Messenger, log: FastifyBaseLogger): TaskList {
  return {
    send_logout: (payload, { job }) => sendLogoutJob(messenger, payload as Tasks['send_logout'], job, log),
  }
}

/** The tasks of webhooks: of those that answer soon, of the others, and tests. */
function webhookTasks(sender: Sender): readonly [TaskList, TaskList, TaskList] {
  return [
    { send_webhook: (payload) => runWebhook(sender, payload as Tasks['send_webhook'], false) },
    { send_failing_webhook: (payload) => runWebhook(sender, payload as Tasks['send_failing_webhook'], true) },
    { test_webhook: (payload) => testWebhook(sender, payload as Tasks['test_webhook']) },
  ]
}

/**
 * Deletes expired rows in all tenants. If a part fails, the others still run.
 *
 * @returns the number of deleted rows by kind, such as `{ sessions: 12 }`
 * @throws what has failed, at the end
 */
export async function runRetention(database: Database): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  const errors: unknown[] = []
  const parts = [
    async () => Object.assign(counts, await applyRetention(database, purges, tenantlessPurges)),
    () => dropDeletionNotices(database),
    () => dropErasedLogouts(database),
    () => finishDeletions(database),
    () => purgeQueues(database),
  ]
  for (const part of parts) await part().catch((error: unknown) => errors.push(error))
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, 'Several parts of retention failed.')
  return counts
}

/**
 * Runs a task in all tenants. If it fails in one, it runs in the others.
 *
 * @returns how much it was in all of them
 * @throws AggregateError of what failed, at the end
 */
export async function runEverywhere(store: KeyStore, task: Everywhere): Promise<number> {
  const { work, condition = empty }: TaskEverywhere = everywhere[task]
  const tenants = await store.database.acrossTenants(
    (sql) => sql<{ id: string }>`select id from tenants where deleted_at is null ${condition}`,
  )
  const errors: unknown[] = []
  let count = 0
  for (const { id } of tenants)
    count += await work(store, id).catch((error: unknown) => {
      errors.push(error)
      return 0
    })
  if (errors.length > 0) throw new AggregateError(errors, `A task failed in ${errors.length} tenants.`)
  return count
}

/** Seals again, in all tenants, what is sealed under an older secret. @returns how much by kind */
export function reseal({ database, keyring }: KeyStore): Promise<Readonly<Record<string, number>>> {
  return applyRetention(database, resealings(keyring))
}

/** When a task begins by the clock. Of one that still waits then, no second job is queued: its job gets the new time. */
const times = {
  keep_retention: '7 * * * *',
  expire_sessions: '12 * * * *',
  settle: '22 * * * *',
  settle_keys: '27 * * * *',
  reseal: '37 * * * *',
  tell_of_webhooks: '42 * * * *',
  rotate_keys: '52 * * * *',
  wake_all_webhooks: '*/10 * * * *',
  fill_words: '*/10 * * * *',
}

/** The tasks that begin by the clock. */
export const tasksByClock: readonly string[] = Object.keys(times)

const crontab = Object.entries(times)
  .map(([task, times]) => `${times} ${task} ?jobKey=${task}`)
  .join('\n')

/** The ways out to products. The worker’s places are their only bound: many products may be at one host. */
interface WaysOut {
  readonly send: OutboundFetch
  readonly post: Outbound['post']
}

function waysOut({ outboundPrivate, webhookConcurrency }: Config): WaysOut {
  const logouts = places.products + places.failing
  const webhooks = 2 * webhookConcurrency * atOnce + mostWaiting(webhookConcurrency) + places.tests
  const bounds = (all: number) => ({ places: all, placesForHost: all })
  return {
    send: new Outbound(outboundPrivate, { ...bounds(logouts), all: logoutTimeout }).fetch,
    post: new Outbound(outboundPrivate, bounds(webhooks)).post,
  }
}

export interface TaskOptions {
  /** How it calls products, in place of the usual ways. */
  readonly send?: WaysOut['send'] | undefined
  readonly post?: WaysOut['post'] | undefined
  /** Whether tasks begin by the clock; by default they do. */
  readonly byClock?: boolean
  /** How long a stop waits; by default for seconds. */
  readonly stopTimeout?: StopTimeout
}

/** Starts the worker of the queue. */
export async function startTasks(
  post: Post,
  log: FastifyBaseLogger,
  { byClock = true, ...ways }: TaskOptions = {},
): Promise<Worker> {
  const { database, config } = post
  const usual = waysOut(config)
  const failing = new FailingQueues(await findFailedQueues(database))
  const messenger = { ...post, signer: new Signer(post), send: ways.send ?? usual.send, failing }
  const tasks = productTasks(messenger, log)
  const waiting = new Waiting(config.webhookConcurrency, log)
  // After an upgrade nobody waits for the clock to be found.
  await database.acrossTenants((sql) => sql`select from graphile_worker.add_job('fill_words', job_key => 'fill_words')`)
  const [webhooks, lateWebhooks, tests] = webhookTasks({ ...post, post: ways.post ?? usual.post, waiting, log })
  const runners = [
    { places: places.mails, tasks: mailTasks(post, log), takesAhead: true },
    { places: places.long, tasks: longTasks(post, log), ...(byClock && { crontab }) },
    { places: places.products, tasks, leaves: () => failing.names },
    { places: places.failing, tasks },
    { places: config.webhookConcurrency, tasks: webhooks },
    { places: config.webhookConcurrency, tasks: lateWebhooks },
    { places: places.tests, tasks: tests },
  ]
  return startWorker({ database, runners, afterJobs: () => waiting.end(), stopTimeout: ways.stopTimeout }, log)
}
