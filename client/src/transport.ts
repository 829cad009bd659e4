/**
 * Transport: how a request travels. It is sent again where that does no harm, waits for no longer than it may, and is over when its
 * sender says so.
 *
 * Invariant: what could be done twice is sent once.
 */
import { GuildhallError, secondsToWait } from './errors.ts'

export type Fetch = (request: Request, init?: RequestInit) => Promise<Response>

export interface Transport {
  readonly fetch: Fetch
  /** How often a request is sent again at most. */
  readonly retries: number
  /** For how many milliseconds each sending waits for its answer. */
  readonly timeout: number
}

export const idempotencyKey = 'Idempotency-Key'
/** In seconds. An answer that asks for a longer wait is handed on instead. */
const longestWait = 10

/**
 * The answer has been read whole.
 *
 * @throws GuildhallError unreachable, unanswered, unexpected; or the reason of the signal by which the sender ended it
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

/** What only reads, and what the service does once however often it comes. */
function mayRepeat({ method, headers }: Request): boolean {
  return method === 'GET' || headers.has(idempotencyKey)
}

async function sendOnce(request: Request, { fetch, timeout }: Transport): Promise<Response> {
  // Not every runtime has AbortSignal.any.
  const stop = new AbortController()
  const end = () => stop.abort(request.signal.reason)
  const late = new GuildhallError('unanswered', 'Guildhall does not answer. Whether it was done is not known.')
  const timer = setTimeout(() => stop.abort(late), timeout)
  request.signal.addEventListener('abort', end, { once: true })
  if (request.signal.aborted) end()
  try {
    const response = await fetch(request.clone(), { signal: stop.signal })
    // The service leads nowhere else, and what somebody sends there is for it alone.
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400))
      throw new GuildhallError('unexpected', 'What answered is not Guildhall: it leads elsewhere.')
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

/** @returns after how many seconds another sending may fare better; undefined where none would */
function waitAfter(outcome: unknown, attempt: number): number | undefined {
  // Together they would come back together.
  const seconds = 0.2 * 2 ** attempt * (0.5 + Math.random() / 2)
  if (!(outcome instanceof Response))
    return outcome instanceof GuildhallError && outcome.code !== 'unexpected' ? seconds : undefined
  if ([502, 503, 504].includes(outcome.status)) return secondsToWait(outcome) ?? seconds
  // Refused for now, and another request with this key that is still under way: both say for how long.
  return outcome.status === 429 || outcome.status === 409 ? secondsToWait(outcome) : undefined
}

/** @throws what the signal gives as its reason */
function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, seconds * 1000)
    signal.addEventListener('abort', stop, { once: true })
  })
}
