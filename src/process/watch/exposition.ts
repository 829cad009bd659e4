/**
 * Exposition: where Prometheus reads the metrics. One scrape has those of all processes: those that serve send theirs to their primary
 * (cluster.ts), which adds them up.
 *
 * Invariant: what was counted and told once does not become less while the primary lives, also when a serving process ends or hangs.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Config } from '../../platform/settings/config.ts'

type Figures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Between a primary and a serving process. */
interface Question {
  readonly wantsMetrics: number
}
interface Answer {
  readonly metrics: Figures
  readonly to: number
}

/** How long a serving process may take to answer, in milliseconds. */
const patience = 1_000
/**
 * Whoever reaches the port takes no more of the process's files and sockets than this: what comes beyond is closed at once, and what
 * sends no whole request soon enough, later.
 */
const connectionsAtMost = 100
const slowness = { requestTimeout: 5_000, connectionsCheckingInterval: 1_000 }

/**
 * Lets the metrics be read on a port of their own.
 *
 * @returns what ends it
 * @throws the error of node:net where it cannot listen
 */
export async function expose(
  registry: Registry,
  { host, port }: NonNullable<Config['metrics']>,
  log: FastifyBaseLogger,
): Promise<() => Promise<void>> {
  const whole = gatherAll(registry)
  const server = createServer(slowness, (request, response) => {
    // Nobody waits for this listener: what it throws would end the service.
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
    const text = await whole.read()
    response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text)
  }
  server.maxConnections = connectionsAtMost
  server.listen(port, host)
  await once(server, 'listening')
  return async () => {
    whole.close()
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
}

/** Reads this process’s metrics together with those of the processes that serve for it, if any do. */
function gatherAll(own: Registry) {
  const latest = new Map<Worker, Figures>()
  let ended: Promise<Figures> = Promise.resolve([])
  let question = 0

  const ask = async (worker: Worker): Promise<Figures> => {
    const known = totals(latest.get(worker) ?? [])
    if (!worker.isConnected()) return known
    const wantsMetrics = ++question
    const answer = Promise.withResolvers<Figures>()
    const take = ({ metrics, to }: Partial<Answer>) => {
      if (metrics && to === wantsMetrics) answer.resolve(metrics)
    }
    worker.on('message', take)
    try {
      worker.send({ wantsMetrics } satisfies Question, () => {}) // one that just ended answers nothing
      const told = await Promise.race([answer.promise, setTimeout(patience, undefined, { ref: false })])
      if (!told) return known
      latest.set(worker, told)
      return told
    } finally {
      worker.off('message', take)
    }
  }
  const bury = (worker: Worker) => {
    const left = totals(latest.get(worker) ?? [])
    latest.delete(worker)
    ended = ended.then((before) => AggregatorRegistry.aggregate([before, left]).getMetricsAsJSON())
  }
  const readAll = async (): Promise<string> => {
    const serving = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const theirs = await Promise.all([...serving.map(ask), ended])
    const isAlone = theirs.every((figures) => figures.length === 0)
    if (isAlone) return own.metrics()
    return AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), ...theirs]).metrics()
  }
  let reading: Promise<string> | undefined
  cluster.on('exit', bury)
  return {
    /** Once for all who ask meanwhile: however many ask, each process is asked one question at a time. */
    read: (): Promise<string> => {
      reading ??= readAll().finally(() => {
        reading = undefined
      })
      return reading
    },
    close: () => cluster.off('exit', bury),
  }
}

/** What only grows. The rest is not known of a process that does not answer. */
function totals(figures: Figures): Figures {
  return figures.filter(({ type }) => ['counter', 'histogram'].includes(`${type}`)) // in words, whatever the library's types say
}

/** Answers the primary of this serving process. @returns what ends it */
export function answerPrimary(registry: Registry): () => void {
  const answer = ({ wantsMetrics: to }: Partial<Question>) => {
    if (to === undefined) return
    // Where it fails, or the primary has gone meanwhile, the primary counts with what it was told last.
    registry.getMetricsAsJSON().then(
      (metrics) => process.send?.({ metrics, to } satisfies Answer, () => {}),
      () => {},
    )
  }
  process.on('message', answer)
  return () => process.off('message', answer)
}
