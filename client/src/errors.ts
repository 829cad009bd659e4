/** Errors: what Guildhall said instead of doing what was asked (RFC 9457), and that it could not be heard. */
import type { components } from './openapi.d.ts'

/** A refusal, as the service tells it. */
export type Problem = components['schemas']['Problem']

/** What is wrong with one field: a JSON pointer into the body, or `?name` for a query parameter. */
export type Fault = NonNullable<Problem['errors']>[number]

/**
 * The codes of the service, a closed list, and three of ours: `unreachable`, nobody answered; `unanswered`, not in time, so that nobody
 * knows whether it was done; `unexpected`, what answered was not Guildhall, or not whole.
 */
export type ErrorCode = Problem['code'] | 'unreachable' | 'unanswered' | 'unexpected'

/** Go by its `code`; the message is for people. */
export class GuildhallError extends Error {
  override readonly name = 'GuildhallError'
  readonly code: ErrorCode
  /** Of the answer; undefined where there was none. */
  readonly status: number | undefined
  /** Everything that is wrong with the request, with `invalid_request`; else empty. */
  readonly errors: readonly Fault[]
  /** What the operator finds the request by. */
  readonly requestId: string | undefined
  /** After how many seconds to try again, where the answer says so. */
  readonly retryAfter: number | undefined
  /** The whole refusal, with `invitationId`, `policy` or `organizations` where its code has them. */
  readonly problem: Problem | undefined

  constructor(code: ErrorCode, message: string, { problem, ...rest }: Partial<Told> = {}) {
    super(message, rest.cause === undefined ? undefined : { cause: rest.cause })
    this.code = code
    this.status = rest.status
    this.errors = problem?.errors ?? []
    this.requestId = rest.requestId
    this.retryAfter = rest.retryAfter
    this.problem = problem
  }
}

/** What is known of a failure beside its code. */
interface Told {
  readonly problem: Problem | undefined
  readonly status: number
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined
  readonly cause: unknown
}

/** Whether something that was caught is an error of this client, with one of these codes where any are named. */
export function isGuildhallError<Code extends ErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is GuildhallError & { readonly code: Code } {
  return error instanceof GuildhallError && (codes.length === 0 || codes.some((code) => code === error.code))
}

/** @param body of an answer that is no success, as it was parsed */
export function errorOf(body: unknown, response: Response): GuildhallError {
  const told = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: secondsToWait(response),
  }
  if (!isProblem(body))
    return new GuildhallError('unexpected', `What answered ${response.status} is not Guildhall.`, told)
  return new GuildhallError(body.code, `${body.title} ${body.detail}`, {
    ...told,
    requestId: body.requestId,
    problem: body,
  })
}

/** @returns after how many seconds to try again, where an answer says so: in seconds, or as a date (RFC 9110, 10.2.3) */
export function secondsToWait({ headers }: Response): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** Others answer problems, too, with less in them. */
function isProblem(body: unknown): body is Problem {
  const fields: Partial<Record<keyof Problem, unknown>> = Object(body)
  return [fields.code, fields.title, fields.detail, fields.requestId].every((field) => typeof field === 'string')
}
