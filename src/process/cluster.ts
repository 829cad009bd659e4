/**
 * Cluster: with WORKERS above one, processes that serve on one port (node:cluster), and the one that was started, the primary, which
 * replaces those that end.
 *
 * What is done once is done by the primary: the schema, set-up links, and the work on the queue. It has the database open anyway, no
 * request keeps it busy, and a mail that it sends does not die with a process that a request has brought down.
 *
 * Invariant: when its primary is gone, a serving process finishes its requests and ends.
 */
import cluster from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { AppOptions } from '../app.ts'
import { type Config, settings } from '../platform/settings/config.ts'
import { openResources } from './resources.ts'
import { awaitStop, type Front, openApp, openWatch, ServeError } from './serving.ts'

/** What the primary has read or made, and all have alike: those too that start when `.env` has changed. */
interface Handed {
  readonly config: Config
  readonly options: AppOptions
  /** Whether it says nothing of its start, because the first one has. */
  readonly isQuiet: boolean
}

/** Said by a serving process that cannot listen. */
interface Failure {
  readonly failure: string
}

/** In milliseconds: what has served for less is replaced after a wait, which grows from one time to the next up to the longest. */
const shortLife = 10_000
const longestWait = 30_000
/** Twice as long as a serving process waits for clients who never end their requests, once it takes no more. */
const patience = 30_000

/**
 * Has as many processes answer as the settings say.
 *
 * @param asked comes when all is to stop: what ends from then on is not replaced
 */
export function openCluster(config: Config, options: AppOptions, log: FastifyBaseLogger, asked: Promise<void>): Front {
  // They share the port, and whoever is quickest takes a connection: of many at the same moment one may take most. Were the primary to
  // hand them on in turn, the one that it was just handing to a process that dies would stay open and never be answered.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({ args: ['serve'] })
  const stopping = new AbortController()
  asked.then(() => stopping.abort())
  const running = new Set<ServingProcess>()

  const start = (isQuiet: boolean): ServingProcess => {
    const started = startServing({ config, options, isQuiet })
    running.add(started)
    started.ended.then(() => running.delete(started))
    return started
  }

  /** Replaces a serving process, and what replaces it, until all is to stop. */
  const keep = async (first: ServingProcess): Promise<void> => {
    let wait = 0
    for (let current = first; ; ) {
      const began = performance.now()
      const ending = await current.ended
      if (stopping.signal.aborted) return
      log.error(ending, 'a serving process ended')
      wait = performance.now() - began < shortLife ? Math.min(longestWait, 2 * wait + 100) : 0
      await delay(wait, undefined, { signal: stopping.signal }).catch(() => {}) // the abort
      if (stopping.signal.aborted) return
      current = start(true)
      current.listening.then(
        () => log.warn({ pid: current.pid }, 'another serving process took its place'),
        () => {}, // its end says why
      )
    }
  }

  return {
    log,
    async listen() {
      const first = Array.from({ length: config.workers }, (_, index) => start(index > 0))
      await Promise.all(first.map(({ listening }) => listening))
      for (const each of first) keep(each)
    },
    async close() {
      stopping.abort()
      for (const { kill } of running) kill('SIGTERM')
      const timer = setTimeout(
        () => {
          for (const { kill } of running) kill('SIGKILL')
        },
        config.shutdownDelay * 1_000 + patience,
      )
      await Promise.all([...running].map(({ ended }) => ended))
      clearTimeout(timer)
    },
  }
}

/** A process that serves, as its primary sees it. */
interface ServingProcess {
  readonly pid: number | undefined
  /** @throws ServeError where it ends before */
  readonly listening: Promise<void>
  /** How it ended, for the log. */
  readonly ended: Promise<object>
  kill(signal: NodeJS.Signals): void
}

function startServing(handed: Handed): ServingProcess {
  // What `.env` has set is handed over, and in nobody's environment but ours.
  const worker = cluster.fork(Object.fromEntries(settings.map((name) => [name, ''])))
  const { process } = worker
  const { pid } = process
  worker.send(handed)
  let failure: string | undefined
  worker.on('message', (said: Partial<Failure>) => {
    failure ??= said.failure // it may have answered for its metrics too (process/watch/exposition.ts)
  })
  const listening = new Promise<void>((resolve, reject) => {
    worker.once('listening', () => resolve())
    // This comes after everything that it had to say.
    worker.once('disconnect', () => reject(new ServeError(failure ?? 'A serving process ended before it could serve.')))
  })
  const ended = new Promise<object>((resolve) => {
    worker.once('exit', (code, signal) => resolve({ pid, code, signal, failure }))
    worker.on('error', (error) => resolve({ pid, err: error })) // it could not be started, or sent anything
  })
  return { pid, listening, ended, kill: (signal) => process.kill(signal) }
}

/** What a serving process does, until it is asked to stop or its primary is gone. */
export async function serveForPrimary(): Promise<void> {
  const asked = awaitStop()
  // By itself, node:cluster would end this process in the middle of its requests when the primary is gone.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true
  const said = await Promise.race([once(process, 'message'), asked])
  if (!said) return
  const [{ config, options, isQuiet }] = said as [Handed]
  const { log } = options

  let front: Front | undefined
  let unwatch: (() => Promise<void>) | undefined
  const resources = await openResources(config, 'check', (error) =>
    front?.log.warn({ err: error }, 'lost a connection to the database'),
  )
  try {
    front = await openApp(resources, { ...options, log: log && isQuiet ? { level: 'silent' } : log })
    unwatch = await openWatch(resources, front.log)
    await Promise.race([front.listen(), asked]) // a primary that is gone would never answer
    if (log) front.log.level = log.level
    await asked
  } catch (error) {
    if (!(error instanceof ServeError)) throw error
    process.send?.({ failure: error.message } satisfies Failure)
    process.exitCode = 1
  } finally {
    await front?.close()
    await unwatch?.()
    await resources.close()
  }
}
