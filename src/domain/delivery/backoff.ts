/**
 * Backoff: when a failed event is tried again.
 *
 * The times are scattered, so that the webhooks of a server that was away do not all call it at the same moments.
 */

/** In seconds: how long after each failed attempt the next one is. */
const delays = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
/** How much shorter or longer a delay may be. */
const scatter = 0.2
/** In seconds: how long an answer may have us wait. */
const longestWait = 86_400

/**
 * @param attempts   how many have failed
 * @param retryAfter the seconds that the last answer asked for
 * @returns in seconds; undefined: it is not tried again
 */
export function delayAfter(attempts: number, retryAfter = 0): number | undefined {
  const delay = delays[attempts - 1]
  return delay && Math.max(delay * (1 - scatter + 2 * scatter * Math.random()), retryAfter)
}

/** The same for a failing webhook, which is tried on and on. @param trials how many have failed */
export function delayOfTrial(trials: number, retryAfter = 0): number {
  return delayAfter(Math.min(trials + 1, delays.length), retryAfter) as number // the last delay goes on
}

/**
 * Reads a header `Retry-After`: seconds, or a date of HTTP.
 *
 * @returns in seconds, a day at most; 0: there is none, or no one can read it
 */
export function readRetryAfter(header: string | null, now: number): number {
  if (header === null) return 0
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1_000
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(seconds, 0), longestWait)
}
