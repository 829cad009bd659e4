/** Serving: builds the app of one process, listens, and closes. */
import type { FastifyBaseLogger } from 'fastify'
import { type AppOptions, buildApp } from '../app.ts'
import { shareCores } from '../domain/credentials/hash-queue.ts'
import type { App, Resources } from '../platform/http/server.ts'
import type { Config } from '../platform/settings/config.ts'
import { watch } from './watch/watch.ts'

/** The service cannot start. The message says why, and what the operator can do. */
export class ServeError extends Error {
  override readonly name = 'ServeError'
}

/** Answers requests: with the app of this process, or with several processes (cluster.ts). */
export interface Front {
  readonly log: FastifyBaseLogger
  /** @throws ServeError */
  listen(): Promise<void>
  /** Refuses new requests, and resolves when the running ones are answered. */
  close(): Promise<void>
}

/**
 * Starts metrics and traces if the settings enable them.
 *
 * @returns a function that stops them
 * @throws ServeError when the port of the metrics is not available
 */
export async function openWatch(resources: Resources, log: FastifyBaseLogger): Promise<() => Promise<void>> {
  const { metrics = { host: '', port: 0 } } = resources.config
  return watch(resources, log).catch((error: unknown) => {
    throw asServeError(error, { ...metrics, names: ['METRICS_HOST', 'METRICS_PORT'] })
  })
}

/** Builds the app. It answers in this process. */
export async function openApp(resources: Resources, options: AppOptions): Promise<Front> {
  shareCores(resources.config.workers)
  const app = await buildApp(resources, options)
  return {
    log: app.log,
    listen: () => listen(app, resources.config),
    close: async () => {
      // A client that never ends its request must not keep the process from stopping.
      const timeout = (resources.config.shutdownDelay + 15) * 1_000 // milliseconds
      const timer = setTimeout(() => app.server.closeAllConnections(), timeout).unref()
      await app.close()
      clearTimeout(timer)
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

/** @returns a ServeError that names the setting to change; any error other than of listening as it is */
function asServeError(
  error: unknown,
  { host, port, names: [HOST, PORT] }: { host: string; port: number; names: readonly [string, string] },
): unknown {
  const { code } = error as NodeJS.ErrnoException // of node:net
  if (code === 'EADDRINUSE')
    return new ServeError(`Port ${port} on ${host} is in use. Stop the program that uses it, or set ${PORT}.`)
  if (code === 'EACCES')
    return new ServeError(`This user may not listen on port ${port}. Set ${PORT} to a port above 1023.`)
  if (code === 'EADDRNOTAVAIL') return new ServeError(`This machine has no address ${host}. Set ${HOST}.`)
  return error
}
