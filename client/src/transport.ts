/**
 * Transport: sends a request, with retries, a timeout and the sender's signal.
 *
 * Invariant: a request that could take effect twice is sent once.
 */
import { GuildhallError, secondsToWait } from './errors.ts'

export type Fetch = (request: Request, init?: RequestInit) => Promise<Response>

export interface Transport {
  readonly fetch: Fetch
  /** The maximum number of retries. */
  readonly retries: number
  /** Milliseconds to wait for the answer, with all retries. By default it depends on the request. */
  readonly timeout: number | undefined
}

export const idempotencyKey = 'Idempotency-Key'
/** In seconds, before a retry. An answer that asks for a longer wait is returned. */
const longestWait = 10
/** In milliseconds. A timer that is set to more ends at once. */
const longestTimer = 2 ** 31 - 1

/** What a server asks while somebody waits. The group is no GET, and changes nothing. */
const urgent = /\/api\/(?:(check|tokens|credentials\/verify)|caller|users\/me|organizations\/[^/]+)$/
/** These are POSTs, and change nothing. A slug may read like one: no other method counts. */
const harmless = /\/(preview|passkey-options)$/

/**
 * The body of the returned answer is complete.
 *
 * @param prepare completes the headers, once
 * @throws GuildhallError unreachable, unanswered, unexpected; or the reason of the signal that aborted the request, or what `prepare` throws
 */
export async function send(request: Request, transport: Transport, prepare: () => Promise<void>): Promise<Response> {
  const { pathname } = new URL(request.url)
  const asked = urgent.exec(pathname)
  const isHarmless = request.method === 'POST' && harmless.test(pathname)
  const isRead = request.method === 'GET' || asked?.[1] !== undefined || isHarmless
  const { fetch, retries, timeout = isRead && asked ? 5_000 : 35_000 } = transport
  const attempts = isRead || request.headers.has(idempotencyKey) ? retries : 0
  const doubt = isRead ? '' : ' The request may or may not have succeeded.'
  const late = new GuildhallError('unanswered', `Guildhall did not answer in time.${doubt}`)
  const end = performance.now() + timeout
  // Some runtimes have no AbortSignal.any.
  const stop = new AbortController()
  // A source of tokens, or somebody's own `fetch`, may not heed a signal.
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason))
  })
  stopped.catch(() => undefined)
  const abort = () => stop.abort(request.signal.reason)
  const timer = setTimeout(() => stop.abort(late), Math.min(timeout, longestTimer))
  request.signal.addEventListener('abort', abort, { once: true })
  if (request.signal.aborted) abort()
  try {
    await Promise.race([stopped, prepare()])
    for (let attempt = 0; ; attempt++) {
      const sent = sendOnce(request, fetch, stop.signal).catch((error: unknown) => error)
      const outcome = await Promise.race([stopped, sent])
      stop.signal.throwIfAborted()
      const seconds = attempt < attempts ? waitAfter(outcome, attempt) : undefined
      const most = Math.min(longestWait, (end - performance.now()) / 1000)
      if (seconds !== undefined && seconds <= most) await pause(seconds, stop.signal)
      else if (outcome instanceof Response) return outcome
      else throw outcome
    }
  } finally {
    clearTimeout(timer)
    request.signal.removeEventListener('abort', abort)
  }
}

async function sendOnce(request: Request, fetch: Fetch, signal: AbortSignal): Promise<Response> {
  try {
    const response = await fetch(request.clone(), { signal })
    // The service never redirects, and no other server may get the credentials.
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400))
      throw new GuildhallError('unexpected', 'The response does not come from Guildhall: it is a redirect.')
    const text = await response.text()
    return new Response(text === '' ? null : text, { status: response.status, headers: response.headers })
  } catch (error) {
    if (error instanceof GuildhallError) throw error
    throw new GuildhallError('unreachable', 'Guildhall cannot be reached.', { cause: error })
  }
}

/** @returns the seconds to wait before a retry that may succeed; undefined if none may */
function waitAfter(outcome: unknown, attempt: number): number | undefined {
  // Clients that failed together should not retry together.
  const seconds = Math.min(0.2 * 2 ** attempt, longestWait) * (0.5 + Math.random() / 2)
  if (!(outcome instanceof Response))
    return outcome instanceof GuildhallError && outcome.code !== 'unexpected' ? seconds : undefined
  if ([502, 503, 504].includes(outcome.status)) return secondsToWait(outcome) ?? seconds
  // Rate limits, and running requests with the same key, name the wait.
  return outcome.status === 429 || outcome.status === 409 ? secondsToWait(outcome) : undefined
}

/** @throws the signal's reason */
export function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const end = () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(end, Math.min(seconds * 1000, longestTimer))
    signal?.addEventListener('abort', stop, { once: true })
  })
}
