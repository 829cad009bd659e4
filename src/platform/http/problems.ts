/** Problems: errors that are answered as `application/problem+json` (RFC 9457) by platform/http/errors.ts. */
import type { FastifyRequest } from 'fastify'
import { ConstraintError, UnavailableError } from '../database/errors.ts'
import { type Fault, faultOf } from './faults.ts'
import { type ProblemEntry, requestProblems } from './request-problems.ts'

export class Problem extends Error {
  readonly code: string
  readonly status: number
  readonly title: string
  readonly detail: string
  /** Extension members (RFC 9457, 3.2) such as `errors`, or a more specific `detail`. */
  readonly extra: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: string,
    { status, title, detail }: ProblemEntry,
    extra: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(title)
    this.name = 'Problem'
    this.code = code
    this.status = status
    this.title = title
    this.detail = detail
    this.extra = extra
    this.headers = headers
  }
}

/** A problem that any API could have. */
export class RequestProblem extends Problem {
  constructor(
    code: keyof typeof requestProblems,
    extra?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ) {
    super(code, requestProblems[code], extra, headers)
  }
}

/** A 400 with the faults of all fields, at most 100, so that the answer does not become much larger than the request. */
export function invalidRequest(faults: readonly Fault[]): Problem {
  const errors = faults.slice(0, 100).map(({ pointer, ...fault }) => ({ pointer: pointer.slice(0, 1000), ...fault }))
  return new RequestProblem('invalid_request', { errors })
}

/**
 * The faults that the schema has found in a body, for a route with `attachValidation`, which looks for others, too.
 *
 * @throws Problem of another part of the request, or if the body is no object
 */
export function faultsOfBody({ validationError }: Pick<FastifyRequest, 'validationError'>): readonly Fault[] {
  if (!validationError) return []
  const { errors = [] } = (validationError as unknown as Problem).extra as { errors?: readonly Fault[] } // as validation.ts has made it
  if (validationError.validationContext !== 'body' || errors.some(({ pointer }) => pointer === ''))
    throw validationError
  return errors
}

/**
 * A 400 for a header. Its fault has an empty pointer, because pointers lead into body and query.
 *
 * @param detail  says what the header must be
 * @param headers of the answer
 */
export function invalidHeader(detail: string, headers?: Readonly<Record<string, string>>): Problem {
  return new RequestProblem('invalid_request', { detail, errors: [faultOf('', 'invalid_format', detail)] }, headers)
}

/**
 * @param problemOfConstraint names the problem that the violation of a constraint causes
 * @returns the problem for an error; `internal` for an unexpected one
 */
export function toProblem(error: unknown, problemOfConstraint: (constraint: string) => Problem | undefined): Problem {
  if (error instanceof Problem) return error
  if (error instanceof UnavailableError) return new RequestProblem('unavailable', {}, { 'retry-after': '1' })
  if (!(error instanceof ConstraintError)) return new RequestProblem('internal')
  // A referenced row was deleted concurrently, again and again in all attempts. The next request finds it deleted.
  if (error.kind === 'foreign_key') return new RequestProblem('unavailable', {}, { 'retry-after': '1' })
  return problemOfConstraint(error.constraint) ?? new RequestProblem('internal')
}
