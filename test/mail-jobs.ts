/** Mails of sign-ups: the jobs of the queue that send them, and the links in them. Warnings that wait in the queue. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { MailJob } from '../src/domain/mail/queue.ts'
import { selectWaiting } from './queue.ts'
import { until } from './smtp.ts'
import { type Json, password, type World } from './world.ts'

interface Job {
  readonly payload: MailJob
  readonly attempts: number
  readonly lastError: string | null
  /** Seconds from the last failure to the next try. */
  readonly delay: number
  readonly text: string
}

/** A warning that a way to sign in has changed: to which address, what, and whether it names the device that changed it. */
export interface Warned {
  readonly to: string
  readonly change: string
  readonly namesDevice: boolean
}

/** The warnings of changed ways to sign in that wait for a person, the oldest first. For files without a worker. */
export async function warningsOf({ keyring, postgres }: World, userId: string): Promise<Warned[]> {
  const jobs = await postgres.query<{ tenant: string; sealed: string }>(
    `select payload->>'tenantId' as tenant, payload->>'sealed' as sealed from graphile_worker._private_jobs
     where payload->>'kind' = 'sign_in_changed' and payload->>'userId' = $1 order by id`,
    [userId],
  )
  return jobs.map(({ tenant, sealed }) => {
    const { email, exactly, seen } = JSON.parse(keyring.open('job', sealed, tenant) ?? '{}')
    return { to: email, change: exactly, namesDevice: seen !== undefined }
  })
}

export function newAddress(): string {
  return `guest-${randomBytes(6).toString('hex')}@example.com`
}

export function linkIn(text: string): string {
  const [link = '', second] = text.match(/https?:\/\/\S+/g) ?? []
  assert.equal(second, undefined, 'the text has one link')
  return link
}

export function tokenOf(link: string): string {
  return link.slice(link.indexOf('#token=') + '#token='.length)
}

/** @returns functions that do each of these in the world of a test file, whose worker runs */
export function onMailJobs(world: World) {
  function signUp(email: string, { tenant }: { tenant?: string } = {}): Promise<Json> {
    const headers: Record<string, string> = tenant === undefined ? {} : { 'guildhall-tenant': tenant }
    return world.nobody.post('/api/auth/sign-up', { email, password }, headers)
  }

  /** The job about a user or an invitation, once it has failed `attempts` times at least: the queue tries again by itself. */
  function failedJob(id: string, attempts: number): Promise<Job> {
    return until(async () => {
      const [job] = await world.postgres.query<Job>(
        `select payload, attempts, last_error as "lastError", extract(epoch from run_at - updated_at)::float8 as delay,
           jobs::text as text
         from graphile_worker._private_jobs jobs
         where payload::text like '%' || $1 || '%' and attempts >= $2 and last_error is not null and locked_at is null`,
        [id, attempts],
      )
      return job
    }, `try ${attempts} of the mail about ${id} to fail`)
  }

  /** Waits until nothing is queued about a user or an invitation. */
  async function queueIsDone(id: string): Promise<void> {
    await until(async () => {
      const jobs = await world.postgres.query(
        `select from (${selectWaiting}) waiting where text like '%' || $1 || '%'`,
        [id],
      )
      return jobs.length === 0
    }, `the queue to be done with ${id}`)
  }

  return { failedJob, queueIsDone, signUp }
}
