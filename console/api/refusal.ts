/** Refusals: why a request has failed. The service says so in a problem (RFC 9457), or did not respond at all. */
import type { Schemas } from './client.ts'

type Problem = Partial<Omit<Schemas['Problem'], 'code'>> & { readonly code: Code }
/** The codes of the service, and those of the console: for a missing or unknown response, and for a refusal in a special case. */
type Code = Schemas['Problem']['code'] | OwnCode
type OwnCode =
  | 'offline'
  | 'unreachable'
  | 'unanswered'
  | 'outdated'
  | 'interrupted'
  | 'unexpected'
  | 'own_factor_first'
  | 'links_full'
  | 'keys_full'
  | 'applications_full'
  | 'webhooks_full'
  | 'no_cookies'
  | 'no_storage'

interface Circumstances {
  /** Seconds to wait before trying again, if the response says so. */
  readonly retryAfter?: number | undefined
  /** Whether the request was a GET. */
  readonly isRead?: boolean
}

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly problem: Problem
  readonly retryAfter: number | undefined
  readonly isRead: boolean

  constructor(problem: Problem, { retryAfter, isRead = false }: Circumstances = {}) {
    super(problem.detail ?? problem.title ?? problem.code)
    this.problem = problem
    this.retryAfter = retryAfter
    this.isRead = isRead
  }

  /** The browser was offline, so the request was not sent. */
  static offline(isRead: boolean): Refusal {
    return new Refusal({ code: 'offline' }, { isRead })
  }

  static unreachable(isRead: boolean): Refusal {
    return new Refusal({ code: 'unreachable' }, { isRead })
  }

  /** The time is up. Whether the service has done it is not known. */
  static unanswered(isRead: boolean): Refusal {
    return new Refusal({ code: 'unanswered' }, { isRead })
  }

  /** A part of the console could not be loaded: another build has replaced this one. The router knows the error by its message. */
  static outdated({ message }: Error): Refusal {
    return new Refusal({ code: 'outdated', detail: message }, { isRead: true })
  }

  /** A file ended before it was whole. */
  static interrupted(): Refusal {
    return new Refusal({ code: 'interrupted' }, { isRead: true })
  }

  /** The browser keeps no cookies, so that nobody would be signed in: the request was not sent. */
  static withoutCookies(): Refusal {
    return new Refusal({ code: 'no_cookies' })
  }

  /** The browser keeps nothing for the tab. */
  static withoutStorage(): Refusal {
    return new Refusal({ code: 'no_storage' })
  }

  /** The user requires a second factor of others and has none. @returns other errors as they are */
  static ofRequiring(error: unknown): unknown {
    const isTheirs = isRefusal(error, 'second_factor_required') && (error.problem.methods ?? []).length === 0
    return isTheirs ? new Refusal({ code: 'own_factor_first' }) : error
  }

  /** @param body the parsed body of the response */
  static from(body: unknown, response: Response): Refusal {
    const isProblem = typeof body === 'object' && body !== null && 'code' in body
    const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10)
    const retryAfter = Number.isNaN(seconds) ? undefined : seconds
    if (isProblem) return new Refusal(body as Problem, { retryAfter }) // no other object of the API has a code
    return new Refusal({ code: 'unexpected', status: response.status }, { retryAfter })
  }

  is(...codes: readonly Code[]): boolean {
    return codes.includes(this.problem.code)
  }
}

/** Whether something that was caught is a refusal with one of these codes. */
export function isRefusal(error: unknown, ...codes: readonly Code[]): error is Refusal {
  return error instanceof Refusal && (codes.length === 0 || error.is(...codes))
}
