/** Problems: why something was not done, in the form and with the codes that Guildhall has (RFC 9457), so that the page shows both alike. */
import { isGuildhallError } from '@guildhall/client'

/** What is wrong with one field. `pointer` leads to it in the body (RFC 6901). */
export interface Fault {
  readonly pointer: string
  readonly detail: string
}

export class Problem extends Error {
  readonly status: number
  readonly body: object
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, title: string, { errors = [], headers = {} }: Partial<Told> = {}) {
    super(title)
    this.status = status
    this.body = { status, code, title, errors }
    this.headers = headers
  }
}

interface Told {
  readonly errors: readonly Fault[]
  readonly headers: Readonly<Record<string, string>>
}

/** What Guildhall refuses to the caller is refused here; what else goes wrong is nothing of theirs. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isGuildhallError(error, 'unauthenticated', 'not_found', 'invalid_id', 'rate_limited')) {
    const { status = 500, code, message, problem, retryAfter } = error
    const headers = {
      ...(code === 'unauthenticated' && { 'www-authenticate': 'Bearer' }),
      ...(retryAfter !== undefined && { 'retry-after': `${retryAfter}` }),
    }
    return new Problem(status, code, problem?.title ?? message, { headers })
  }
  console.error(error)
  if (isGuildhallError(error))
    return new Problem(503, 'unavailable', 'Who asks cannot be found out now. Try again soon.')
  return new Problem(500, 'internal', 'Something went wrong on our side.')
}
