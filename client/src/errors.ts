/** Errors: a refusal by Guildhall (RFC 9457), or a failure to reach it. */
import type { components } from './openapi.d.ts'

/** A half-done sign-in: what the next step accepts. */
type Attempt = components['schemas']['Attempt']

/** A refusal in the service's own form. */
export type Problem = components['schemas']['Problem']

/** One fault of a request: its field as a JSON pointer into the body, or as `?name` for a query parameter. */
export type Fault = NonNullable<Problem['errors']>[number]

/**
 * The codes of the service, a closed list, and three of the client:
 *
 * - `unreachable`: nobody answered.
 * - `unanswered`: no answer came in time. A request that changes something may or may not have succeeded.
 * - `unexpected`: the answer does not come from Guildhall, or is incomplete.
 */
export type ErrorCode = Problem['code'] | 'unreachable' | 'unanswered' | 'unexpected'

/** Decide by its `code`; the message is for people. */
export class GuildhallError extends Error {
  override readonly name: string = 'GuildhallError'
  readonly code: ErrorCode
  /** The HTTP status; undefined if there was no answer. */
  readonly status: number | undefined
  /** All faults of the request, if the code is `invalid_request`; otherwise empty. */
  readonly errors: readonly Fault[]
  /** The operator finds the request in the logs by this id. */
  readonly requestId: string | undefined
  /** Seconds to wait before trying again, if the answer names them. */
  readonly retryAfter: number | undefined
  /** The whole refusal; some codes add `attempt`, `by`, `methods`, `maxAge`, `triesLeft`, `invitationId`, `policy`, `organizations`, `roles`, `permissions`, `missing`, `step`, `startUrl`, `until`, `scope` or `earliest` to it. */
  readonly problem: Problem | undefined

  constructor(code: ErrorCode, message: string, { problem, ...rest }: Partial<ErrorDetails> = {}) {
    super(message, rest.cause === undefined ? undefined : { cause: rest.cause })
    this.code = code
    this.status = rest.status
    this.errors = problem?.errors ?? []
    this.requestId = rest.requestId
    this.retryAfter = rest.retryAfter
    this.problem = problem
  }
}

/** Nobody is signed in yet: the next step is `auth.continue` with the attempt and one of its `methods`. */
export class SignInIncomplete extends GuildhallError {
  override readonly name = 'SignInIncomplete'
  declare readonly code: 'sign_in_incomplete'
  readonly attempt: Attempt

  constructor(attempt: Attempt, message: string, details: Partial<ErrorDetails>) {
    super('sign_in_incomplete', message, details)
    this.attempt = attempt
  }
}

/** What is known of a failure beside its code. */
interface ErrorDetails {
  readonly problem: Problem | undefined
  readonly status: number
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined
  readonly cause: unknown
}

/** Whether a caught value is an error of this client, and has one of the codes if any are given. */
export function isGuildhallError<Code extends ErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is GuildhallError & { readonly code: Code } {
  return error instanceof GuildhallError && (codes.length === 0 || codes.some((code) => code === error.code))
}

/** @param body the parsed body of an answer that is no success */
export function errorOf(body: unknown, response: Response): GuildhallError {
  const details = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: secondsToWait(response),
  }
  if (!isProblem(body))
    return new GuildhallError('unexpected', `The ${response.status} response does not come from Guildhall.`, details)
  const message = `${body.title} ${body.detail}`
  const rest = { ...details, requestId: body.requestId, problem: body }
  return body.code === 'sign_in_incomplete' && body.attempt
    ? new SignInIncomplete(body.attempt, message, rest)
    : new GuildhallError(body.code, message, rest)
}

/** @returns the seconds in `Retry-After`, given as a number or as a date (RFC 9110, 10.2.3) */
export function secondsToWait({ headers }: Response): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** Other servers send problems too, with fewer fields. */
function isProblem(body: unknown): body is Problem {
  const fields: Partial<Record<keyof Problem, unknown>> = Object(body)
  return [fields.code, fields.title, fields.detail, fields.requestId].every((field) => typeof field === 'string')
}
