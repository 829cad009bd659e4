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
  /** Milliseconds to wait for the answer to each attempt. */
  readonly timeout: number
}

export const idempotencyKey = 'Idempotency-Key'
/** In seconds. If an answer asks for a longer wait, it is returned instead. */
const longestWait = 10
/** In milliseconds. A timer that is set to more ends at once. */
const longestTimer = 2 ** 31 - 1

/**
 * The body of the returned answer is complete.
 *
 * @throws GuildhallError unreachable, unanswered, unexpected; or the reason of the signal that aborted the request
 */
export async function send(request: Request, transport: Transport): Promise<Response> {
  const attempts = mayRepeat(request) ? transport.retries : 0
  for (let attempt = 0; ; attempt++) {
    const outcome = await sendOnce(request, transport).catch((error: unknown) => error)
    request.signal.throwIfAborted()
    const seconds = attempt < attempts ? waitAfter(outcome, attempt) : undefined
    if (seconds !== undefined && seconds <= longestWait) await pause(seconds, request.signal)
    else if (outcome instanceof Response) return outcome
    else throw outcome
  }
}

/** A request that changes nothing, or one with a key, which takes effect once. */
function mayRepeat({ method, headers, url }: Request): boolean {
  const changesNothing = /\/api\/(check|tokens|credentials\/verify)$/
  return method === 'GET' || headers.has(idempotencyKey) || changesNothing.test(new URL(url).pathname)
}

async function sendOnce(request: Request, { fetch, timeout }: Transport): Promise<Response> {
  // Some runtimes have no AbortSignal.any.
  const stop = new AbortController()
  const end = () => stop.abort(request.signal.reason)
  const late = new GuildhallError(
    'unanswered',
    'Guildhall did not answer in time. The request may or may not have succeeded.',
  )
  const timer = setTimeout(() => stop.abort(late), Math.min(timeout, longestTimer))
  request.signal.addEventListener('abort', end, { once: true })
  if (request.signal.aborted) end()
  try {
    const response = await fetch(request.clone(), { signal: stop.signal })
    // The service never redirects, and no other server may get the credentials.
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400))
      throw new GuildhallError('unexpected', 'The response does not come from Guildhall: it is a redirect.')
    const text = await response.text()
    return new Response(text === '' ? null : text, { status: response.status, headers: response.headers })
  } catch (error) {
    if (error instanceof GuildhallError) throw error
    if (stop.signal.aborted) throw stop.signal.reason
    throw new GuildhallError('unreachable', 'Guildhall cannot be reached.', { cause: error })
  } finally {
    clearTimeout(timer)
    request.signal.removeEventListener('abort', end)
  }
}

/** @returns the seconds to wait before a retry that may succeed; undefined if none may */
function waitAfter(outcome: unknown, attempt: number): number | undefined {
  // Clients that failed together should not retry together.
  const seconds = 0.2 * 2 ** attempt * (0.5 + Math.random() / 2)
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
