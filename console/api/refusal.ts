/** Refusals: what the API said instead of doing what was asked (RFC 9457). */
import type { Schemas } from './client.ts'

type Problem = Partial<Omit<Schemas['Problem'], 'code'>> & { readonly code: Code }
/** The server's codes, and ours for a server that does not answer or answers something else. */
type Code = Schemas['Problem']['code'] | 'unreachable' | 'unanswered' | 'unexpected'

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly problem: Problem
  /** After how many seconds to try again, where the answer says so. */
  readonly retryAfter: number | undefined

  constructor(problem: Problem, retryAfter?: number) {
    super(problem.detail ?? problem.title ?? problem.code)
    this.problem = problem
    this.retryAfter = retryAfter
  }

  static unreachable(): Refusal {
    return new Refusal({
      code: 'unreachable',
      title: 'The service cannot be reached.',
      detail: 'Try again in a moment.',
    })
  }

  /** Whether it was done is not known. */
  static unanswered(): Refusal {
    return new Refusal({
      code: 'unanswered',
      title: 'The service does not answer.',
      detail: 'Try again in a moment.',
    })
  }

  /** @param body of the answer, as it was parsed */
  static from(body: unknown, response: Response): Refusal {
    const isProblem = typeof body === 'object' && body !== null && 'code' in body
    const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10)
    const retryAfter = Number.isNaN(seconds) ? undefined : seconds
    if (isProblem) return new Refusal(body as Problem, retryAfter) // the service says no other objects with a code
    return new Refusal({
      code: 'unexpected',
      title: `The service answered ${response.status}.`,
      detail: 'Try again in a moment.',
    })
  }

  is(...codes: readonly Code[]): boolean {
    return codes.includes(this.problem.code)
  }
}

/** Whether something that was caught is a refusal with one of these codes. */
export function isRefusal(error: unknown, ...codes: readonly Code[]): error is Refusal {
  return error instanceof Refusal && (codes.length === 0 || error.is(...codes))
}
