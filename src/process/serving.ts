/** Serving: the app of one process, from its building to the last answer. */
import type { FastifyBaseLogger } from 'fastify'
import { type AppOptions, buildApp } from '../app.ts'
import { shareCores } from '../domain/credentials/hash-queue.ts'
import type { App, Resources } from '../platform/http/server.ts'
import type { Config } from '../platform/settings/config.ts'
import { watch } from './watch/watch.ts'

/** The service cannot start; the message says why. */
export class ServeError extends Error {
  override readonly name = 'ServeError'
}

/** What answers requests: the app of this process, or several processes (cluster.ts). */
export interface Front {
  readonly log: FastifyBaseLogger
  /** @throws ServeError */
  listen(): Promise<void>
  /** Takes no more requests, and finishes those under way. */
  close(): Promise<void>
}

/**
 * Counts and traces what the settings want.
 *
 * @returns what ends it
 * @throws ServeError
 */
export async function openWatch(resources: Resources, log: FastifyBaseLogger): Promise<() => Promise<void>> {
  const { metrics = { host: '', port: 0 } } = resources.config
  return watch(resources, log).catch((error: unknown) => {
    throw asServeError(error, { ...metrics, names: ['METRICS_HOST', 'METRICS_PORT'] })
  })
}

/** Builds the app, which answers in this process. */
export async function openApp(resources: Resources, options: AppOptions): Promise<Front> {
  shareCores(resources.config.workers)
  const app = await buildApp(resources, options)
  return {
    log: app.log,
    listen: () => listen(app, resources.config),
    close: async () => {
      // A client that never ends its request must not keep the process from stopping.
      const longest = (resources.config.shutdownDelay + 15) * 1_000
      const patience = setTimeout(() => app.server.closeAllConnections(), longest).unref()
      await app.close()
      clearTimeout(patience)
    },
  }
}

/** @throws ServeError */
async function listen(app: App, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port, listenTextResolver: (address) => `listening at ${address}` })
  } catch (error) {
    throw asServeError(error, { host, port, names: ['HOST', 'PORT'] })
  }
}

/** @returns why it cannot be listened there, and which settings say where; any other error as it is */
function asServeError(
  error: unknown,
  { host, port, names: [HOST, PORT] }: { host: string; port: number; names: readonly [string, string] },
): unknown {
  const { code } = error as NodeJS.ErrnoException // of node:net
  if (code === 'EADDRINUSE')
    return new ServeError(`Port ${port} on ${host} is taken. Stop what uses it, or set ${PORT}.`)
  if (code === 'EACCES')
    return new ServeError(`Port ${port} may not be used by this user. Set ${PORT} to one above 1023.`)
  if (code === 'EADDRNOTAVAIL') return new ServeError(`This machine has no address ${host}. Set ${HOST}.`)
  return error
}

/** @returns what comes when this process is asked to stop: by a signal, by an error that nobody caught, or because whoever started it is gone */
export function awaitStop(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => resolve()
    // A terminal's Ctrl-C comes twice, from the terminal and from whoever started us; the second one asks for nothing new.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
    process.on('disconnect', stop)
    process.on('unhandledRejection', (error) => {
      console.error(error)
      process.exitCode = 1
      stop()
    })
  })
}
