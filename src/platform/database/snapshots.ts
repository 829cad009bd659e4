/**
 * Snapshots: what was read a moment ago, for what strangers may ask as often as they like and before any rate counts them.
 */
import { UnavailableError } from './errors.ts'

/** How long a reading may take, and how long it then holds, in milliseconds. */
const [patience, validity] = [2_000, 1_000]

/**
 * Reads once for all who ask meanwhile, and not again until a second after that reading has ended, well or badly.
 *
 * @returns gives the latest reading, or throws what it threw; UnavailableError when it took longer than two seconds
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
      latest = Promise.race([read(), giveUp()]) // else a connection that hangs would hold up everybody after it
      latest.then(expire, expire)
    }
    return latest
  }
}

function giveUp(): Promise<never> {
  const error = new UnavailableError(new Error(`The database was silent for ${patience} ms.`))
  return new Promise((_resolve, reject) => {
    setTimeout(reject, patience, error).unref()
  })
}
