/** Stop: when a process should end in order. */

/** @returns a promise that resolves when this process should stop: on a signal, on an unhandled rejection, or when its parent process is gone */
export function awaitStop(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => resolve()
    // Ctrl-C in a terminal arrives twice, from the terminal and from our parent process. The second one has no effect.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
    process.on('disconnect', stop)
    process.on('unhandledRejection', (error) => {
      console.error(error)
      process.exitCode = 1
      stop()
    })
  })
}

/** @returns a signal that is aborted with `reason` when the process should stop */
export function abortOn(stopRequested: Promise<void>, reason: Error): AbortSignal {
  const stopping = new AbortController()
  stopRequested.then(() => stopping.abort(reason))
  return stopping.signal
}
