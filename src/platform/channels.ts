/**
 * Channels: what the house tells whoever watches it (watch/), through node:diagnostics_channel. While nobody watches, telling costs a look
 * at whether somebody does.
 *
 * Invariant: what is told is of closed lists, counts and times, or stays in the process (the request itself, rows of a result).
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Channel, channel, tracingChannel } from 'node:diagnostics_channel'

/** A request whose work begins. */
export interface Asked {
  /** The same object for the same request. */
  readonly request: object
  readonly id: string
  readonly method: string
  /** As it came, checked by nobody. */
  readonly traceparent: string | undefined
}

/** A request that was answered, or whose client has hung up. */
export interface Answered {
  readonly request: object
  readonly method: string
  /** The path as the route has it; undefined where there is no route. */
  readonly route: string | undefined
  readonly status: number
  readonly ms: number
  /** The code of the problem that it was answered with. */
  readonly problem: string | undefined
}

/** A mail that was done with, or a try that failed. */
export interface Mailed {
  readonly kind: string
  readonly outcome: string
}

export const asked = channel('guildhall.asked') as Channel<string, Asked>
export const answered = channel('guildhall.answered') as Channel<never, Answered>
export const mailed = channel('guildhall.mailed') as Channel<never, Mailed>
/** A session was used, for the first time in a minute. */
export const active = channel('guildhall.active') as Channel<never, undefined>

/** A way through a door (domain/access/authorization.ts). */
export const doors = tracingChannel<string, { readonly door: string }>('guildhall.door')
/** Statements that travel together (platform/database/flight.ts). */
export const flights = tracingChannel<string, { readonly statements: readonly (string | { readonly text: string })[] }>(
  'guildhall.flight',
)
/** A job at work (platform/jobs/worker.ts). */
export const jobs = tracingChannel<string, { readonly task: string; readonly traceparent: string | undefined }>(
  'guildhall.job',
)

/** What is being done, as W3C's `traceparent` names it; empty while nothing is traced. */
export const tracing = new AsyncLocalStorage<string>()
