/**
 * Snapshots: readings that are shared for a second, for endpoints that anyone may request without a rate limit.
 */
import { UnavailableError } from './errors.ts'

/** In milliseconds: how long a reading may take, and how long its result is then valid. */
const [timeout, validity] = [2_000, 1_000]

/**
 * Shares one reading among all callers until a second after it has ended, whether it succeeded or failed.
 *
 * @param read reads the value
 * @returns a function that returns the current reading; it throws the reading's error, or UnavailableError after two seconds
 */
export function snapshotOf<T>(read: () => Promise<T>): () => Promise<T> {
  let latest: Promise<T> | undefined
  const expire = () => {
    setTimeout(() => {
      latest = undefined
    }, validity).unref()
  }
  return () => {
    if (!latest) {
      latest = Promise.race([read(), timeOut()]) // otherwise one hanging connection would block all later callers
      latest.then(expire, expire)
    }
    return latest
  }
}

function timeOut(): Promise<never> {
  const error = new UnavailableError(new Error(`The database did not answer within ${timeout} ms.`))
  return new Promise((_resolve, reject) => {
    setTimeout(reject, timeout, error).unref()
  })
}
