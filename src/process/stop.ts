/** Stop: when a process should end in order. */
import { logUncaught } from '../platform/http/log.ts'

/** In milliseconds: longer than any stop in order takes. */
const longestStop = 120_000

/** @returns a promise that resolves when this process should stop: on a signal, on an uncaught error, or when its parent process is gone */
export function awaitStop(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => resolve()
    // Ctrl-C in a terminal arrives twice, from the terminal and from our parent process. The second one has no effect.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
    process.on('disconnect', stop)
    const fail = (error: unknown) => {
      logUncaught(error)
      process.exitCode = 1
      setTimeout(() => process.exit(), longestStop).unref() // the stop may wait for what the error has ended
      stop()
    }
    for (const event of ['unhandledRejection', 'uncaughtException'] as const) process.on(event, fail)
  })
}

/** @returns a signal that is aborted with `reason` when the process should stop */
export function abortOn(stopRequested: Promise<void>, reason: Error): AbortSignal {
  const stopping = new AbortController()
  stopRequested.then(() => stopping.abort(reason))
  return stopping.signal
}
