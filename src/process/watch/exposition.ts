/**
 * Exposition: serves the metrics to Prometheus. One scrape covers all processes: the serving processes send theirs to the primary
 * (cluster.ts), which adds them up.
 *
 * Invariant: a counter that was scraped never decreases while the primary lives, even when a serving process ends or hangs.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Config } from '../../platform/settings/config.ts'

type Figures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The messages between the primary and a serving process. `to` repeats the number of the question. */
interface Question {
  readonly wantsMetrics: number
}
interface Answer {
  readonly metrics: Figures
  readonly to: number
}

/** The timeout of a serving process's answer, in milliseconds. */
const answerTimeout = 1_000
/**
 * Clients of this port must not exhaust the sockets of the process. Connections beyond the maximum are closed at once, those that do not
 * send a whole request in time a little later.
 */
const maxConnections = 100
const timeouts = { requestTimeout: 5_000, connectionsCheckingInterval: 1_000 }

/**
 * Serves the metrics at `/metrics` on their own port, in the text format of Prometheus.
 *
 * @returns a function that stops it
 * @throws the error of node:net when it cannot listen
 */
export async function expose(
  registry: Registry,
  { host, port }: NonNullable<Config['metrics']>,
  log: FastifyBaseLogger,
): Promise<() => Promise<void>> {
  const all = gatherAll(registry)
  const server = createServer(timeouts, (request, response) => {
    // Nothing awaits this listener: a rejection would end the service.
    answer(request, response).catch((error: unknown) => {
      log.warn({ err: error }, 'the metrics could not be read')
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  async function answer({ url = '', method = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const isKnown = URL.parse(url, 'http://metrics')?.pathname === '/metrics'
    if (!isKnown || !['GET', 'HEAD'].includes(method)) {
      response.writeHead(isKnown ? 405 : 404, { ...(isKnown && { allow: 'GET, HEAD' }) }).end()
      return
    }
    const text = await all.read()
    response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text)
  }
  server.maxConnections = maxConnections
  server.listen(port, host)
  await once(server, 'listening')
  return async () => {
    all.close()
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
}

/** @returns a reader of this process’s metrics, added up with those of its serving processes */
function gatherAll(own: Registry) {
  const latest = new Map<Worker, Figures>()
  let ended: Promise<Figures> = Promise.resolve([])
  let question = 0

  const figuresOf = async (worker: Worker): Promise<Figures> => {
    const known = totals(latest.get(worker) ?? [])
    if (!worker.isConnected()) return known
    const wantsMetrics = ++question
    const answer = Promise.withResolvers<Figures>()
    const take = ({ metrics, to }: Partial<Answer>) => {
      if (metrics && to === wantsMetrics) answer.resolve(metrics)
    }
    worker.on('message', take)
    try {
      worker.send({ wantsMetrics } satisfies Question, () => {}) // fails if it has just ended
      const received = await Promise.race([answer.promise, setTimeout(answerTimeout, undefined, { ref: false })])
      if (!received) return known
      latest.set(worker, received)
      return received
    } finally {
      worker.off('message', take)
    }
  }
  const storeTotals = (worker: Worker) => {
    const left = totals(latest.get(worker) ?? [])
    latest.delete(worker)
    ended = ended.then((before) => AggregatorRegistry.aggregate([before, left]).getMetricsAsJSON())
  }
  const readAll = async (): Promise<string> => {
    const serving = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const theirs = await Promise.all([...serving.map(figuresOf), ended])
    const isAlone = theirs.every((figures) => figures.length === 0)
    if (isAlone) return own.metrics()
    return AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), ...theirs]).metrics()
  }
  let reading: Promise<string> | undefined
  cluster.on('exit', storeTotals)
  return {
    /** Concurrent scrapes share one reading, so each process has at most one open question. */
    read: (): Promise<string> => {
      reading ??= readAll().finally(() => {
        reading = undefined
      })
      return reading
    },
    close: () => cluster.off('exit', storeTotals),
  }
}

/** The metrics that only grow. The gauges of a process that does not answer are unknown. */
function totals(figures: Figures): Figures {
  return figures.filter(({ type }) => ['counter', 'histogram'].includes(`${type}`)) // strings, although the library's types say otherwise
}

/** Answers the questions of the primary with the metrics of this process. @returns a function that stops it */
export function answerPrimary(registry: Registry): () => void {
  const answer = ({ wantsMetrics: to }: Partial<Question>) => {
    if (to === undefined) return
    // Both failures are ignored: without an answer, the primary uses the last totals.
    registry.getMetricsAsJSON().then(
      (metrics) => process.send?.({ metrics, to } satisfies Answer, () => {}),
      () => {},
    )
  }
  process.on('message', answer)
  return () => process.off('message', answer)
}
