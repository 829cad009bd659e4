/** Watch: starts metrics and traces if the settings enable them. Their modules are loaded only then. */
import cluster from 'node:cluster'
import type { FastifyBaseLogger } from 'fastify'
import type { Resources } from '../../platform/http/server.ts'

/**
 * @param exportTimeout of traces, in milliseconds; by default that of a service
 * @returns a function that stops them; it sends the remaining traces first
 * @throws the error of node:net when it cannot listen on the port of the metrics
 */
export async function watch(
  { config, database }: Pick<Resources, 'config' | 'database'>,
  log: FastifyBaseLogger,
  exportTimeout?: number,
): Promise<() => Promise<void>> {
  const closings: (() => unknown)[] = []
  const close = async () => {
    for (const each of closings.splice(0).reverse()) await each()
  }
  try {
    if (config.metrics) {
      const { openMetrics } = await import('./metrics.ts')
      const { expose, answerPrimary } = await import('./exposition.ts')
      // The primary of several processes serves no requests.
      const metrics = openMetrics(database, cluster.isWorker || config.workers === 1)
      closings.push(metrics.close)
      if (cluster.isWorker) closings.push(answerPrimary(metrics.registry))
      else {
        const { measureQueue, measureOutbox, countRows } = await import('./figures.ts')
        measureQueue(metrics.registry, database)
        closings.push(measureOutbox(metrics.registry))
        closings.push(countRows(metrics.registry, database))
        closings.push(await expose(metrics.registry, config.metrics, log))
      }
    }
    if (config.traces) {
      const { openTraces } = await import('./traces.ts')
      closings.push(await openTraces(config.traces, log, exportTimeout))
    }
  } catch (error) {
    await close()
    throw error
  }
  return close
}
