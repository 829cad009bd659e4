/**
 * Channels: publish events of requests, jobs and mails to metrics and traces (process/watch/) through node:diagnostics_channel. Without a
 * subscriber, publishing costs one check.
 *
 * Invariant: metrics and traces get only values of closed lists, counts and times. Everything else in a message stays in the process, such
 * as the request object, which only identifies a request.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Channel, channel, tracingChannel } from 'node:diagnostics_channel'

/** A request that arrives. */
export interface Asked {
  /** The same object for the same request. */
  readonly request: object
  readonly id: string
  readonly method: string
  /** The header as received, not validated. */
  readonly traceparent: string | undefined
}

/** A request that was answered, or whose client closed the connection. */
export interface Answered {
  readonly request: object
  readonly method: string
  /** The path pattern of the route; undefined if no route matches. */
  readonly route: string | undefined
  readonly status: number
  readonly ms: number
  /** What the request was about, of a closed list, if its route alone does not say it. */
  readonly about: string | undefined
  /** The kind of credential that came with it, of a closed list, whether it lives or not; undefined if none did. */
  readonly credential: string | undefined
  /** The code of the problem in the answer. */
  readonly problem: string | undefined
}

/** A mail that was sent or dropped, or an attempt that failed. */
export interface Mailed {
  readonly kind: string
  readonly outcome: string
}

/** A batch of the outbox that was brought into the queue and the feed (platform/jobs/relay.ts). */
export interface Relayed {
  readonly rows: number
}

/** A sweep through the outboxes of all tenants. */
export interface Swept {
  /** The age of the oldest row that it found, in seconds; 0 if it found none. */
  readonly oldest: number
}

/** A line of a check of permissions. */
export interface Checked {
  /** `allowed`, or the reason why not. */
  readonly answer: string
}

/** A credential that a product's server had verified. */
export interface Verified {
  /** `valid`, or the reason why not. */
  readonly outcome: string
}

/** A try to tell an application that a session has ended. */
export interface ToldOfLogout {
  readonly outcome: string
  /** From the end to the delivery. */
  readonly seconds: number | undefined
}

/** An attempt to send an event by a webhook. */
export interface WebhookAttempt {
  /** `delivered`, or why not. */
  readonly outcome: string
  /** From the event to the start of its first attempt; undefined if it is another one, or if the event waited because nothing was sent. */
  readonly seconds?: number | undefined
}

/** An answer of a token endpoint for applications. */
export interface TokensAnswered {
  readonly grantType: string
  /** `issued`, `retried` (the same refresh token was given again), `reused` (its grant has ended), or the code of the error. */
  readonly outcome: string
}

export const asked = channel('guildhall.asked') as Channel<string, Asked>
export const answered = channel('guildhall.answered') as Channel<never, Answered>
export const mailed = channel('guildhall.mailed') as Channel<never, Mailed>
export const relayed = channel('guildhall.relayed') as Channel<never, Relayed>
export const swept = channel('guildhall.swept') as Channel<never, Swept>
export const checked = channel('guildhall.checked') as Channel<never, Checked>
export const tokensAnswered = channel('guildhall.tokens_answered') as Channel<never, TokensAnswered>
export const verified = channel('guildhall.verified') as Channel<never, Verified>
export const toldOfLogout = channel('guildhall.told_of_logout') as Channel<never, ToldOfLogout>
export const webhookAttempt = channel('guildhall.webhook_attempt') as Channel<never, WebhookAttempt>
/** A token was signed. */
export const minted = channel('guildhall.minted') as Channel<never, undefined>
/** A session was used for the first time in a minute. */
export const active = channel('guildhall.active') as Channel<never, undefined>

/** Calls a function with each message of a channel. @returns a function that ends this */
export function listen<Message>(to: Channel<never, Message>, hear: (message: Message) => void): () => void {
  const receive = (message: unknown) => hear(message as Message) // the type of the channel is that of its messages
  to.subscribe(receive)
  return () => to.unsubscribe(receive)
}

/** The work behind a door (domain/access/authorization.ts). */
export const doors = tracingChannel<string, { readonly door: string }>('guildhall.door')
/** Statements that are sent in one pipeline (platform/database/pipeline.ts). */
export const pipelines = tracingChannel<
  string,
  {
    readonly statements: readonly (string | { readonly text: string })[]
    /** The `traceparent` of each request that the pipeline served, if several could share it. */
    readonly served?: readonly string[]
  }
>('guildhall.pipeline')
/** A running job (platform/jobs/worker.ts). */
export const jobs = tracingChannel<string, { readonly task: string; readonly traceparent: string | undefined }>(
  'guildhall.job',
)

/** The `traceparent` (W3C Trace Context) of the current span; undefined while nothing is traced. */
export const tracing = new AsyncLocalStorage<string>()
