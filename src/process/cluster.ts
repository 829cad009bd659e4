/**
 * Cluster: when WORKERS is above one, several processes serve on one port (node:cluster). The primary, which the operator started,
 * replaces those that end.
 *
 * The primary alone migrates, makes set-up links and works on the queue. It serves no requests: they cannot slow its jobs down, and a
 * request that crashes a serving process does not interrupt a mail.
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
import { type Front, openApp, openWatch, ServeError } from './serving.ts'
import { awaitStop } from './stop.ts'

/** The message with which the primary starts a serving process. All of them get the same, even if `.env` has changed since. */
interface StartMessage {
  readonly config: Config
  readonly options: AppOptions
  /** Whether it does not log its start, because the first process has logged the same. */
  readonly isQuiet: boolean
}

/** The message of a serving process that cannot listen. */
interface Failure {
  readonly failure: string
}

/** In milliseconds. A process that lived for less than `shortLife` is replaced after a delay, which grows up to `longestDelay`. */
const shortLife = 10_000
const longestDelay = 30_000
/** In milliseconds: twice as long as a stopping process waits for clients that never end their requests (serving.ts). */
const stopTimeout = 30_000

/**
 * Serves with as many processes as the settings say.
 *
 * @param stopRequested resolves when the service should stop: processes that end after that are not replaced
 */
export function openCluster(
  config: Config,
  options: AppOptions,
  log: FastifyBaseLogger,
  stopRequested: Promise<void>,
): Front {
  // The processes share the listening socket and accept connections themselves, which may be uneven. With round-robin the primary would
  // pass connections on, and one passed to a process that is just dying would stay open without an answer.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({ args: ['serve'] })
  const stopping = new AbortController()
  stopRequested.then(() => stopping.abort())
  const running = new Set<ServingProcess>()

  const start = (isQuiet: boolean): ServingProcess => {
    const started = startServing({ config, options, isQuiet })
    running.add(started)
    started.ended.then(() => running.delete(started))
    return started
  }

  /** Replaces a serving process each time it ends, until the service stops. */
  const supervise = async (first: ServingProcess): Promise<void> => {
    let pause = 0
    for (let current = first; ; ) {
      const began = performance.now()
      const ending = await current.ended
      if (stopping.signal.aborted) return
      log.error(ending, 'a serving process ended')
      pause = performance.now() - began < shortLife ? Math.min(longestDelay, 2 * pause + 100) : 0
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => {}) // rejects when it is aborted
      if (stopping.signal.aborted) return
      current = start(true)
      current.listening.then(
        () => log.warn({ pid: current.pid }, 'another serving process took its place'),
        () => {}, // the next turn logs why it ended
      )
    }
  }

  return {
    log,
    async listen() {
      const first = Array.from({ length: config.workers }, (_, index) => start(index > 0))
      await Promise.all(first.map(({ listening }) => listening))
      for (const each of first) supervise(each)
    },
    async close() {
      stopping.abort()
      for (const { kill } of running) kill('SIGTERM')
      const timer = setTimeout(
        () => {
          for (const { kill } of running) kill('SIGKILL')
        },
        config.shutdownDelay * 1_000 + stopTimeout,
      )
      await Promise.all([...running].map(({ ended }) => ended))
      clearTimeout(timer)
    },
  }
}

/** A serving process, as its primary sees it. */
interface ServingProcess {
  readonly pid: number | undefined
  /** Rejects with a ServeError if the process ends first. */
  readonly listening: Promise<void>
  /** How it ended, for the log. */
  readonly ended: Promise<object>
  kill(signal: NodeJS.Signals): void
}

function startServing(message: StartMessage): ServingProcess {
  // The message holds the settings. The values that `.env` has put into our environment, secrets among them, stay out of theirs.
  const worker = cluster.fork(Object.fromEntries(settings.map((name) => [name, ''])))
  const { process } = worker
  const { pid } = process
  worker.send(message)
  let failure: string | undefined
  worker.on('message', (answer: Partial<Failure>) => {
    failure ??= answer.failure // its metrics come as messages too (process/watch/exposition.ts)
  })
  const listening = new Promise<void>((resolve, reject) => {
    worker.once('listening', () => resolve())
    // This event comes after all messages of the process.
    worker.once('disconnect', () => reject(new ServeError(failure ?? 'A serving process ended before it could serve.')))
  })
  const ended = new Promise<object>((resolve) => {
    worker.once('exit', (code, signal) => resolve({ pid, code, signal, failure }))
    worker.on('error', (error) => resolve({ pid, err: error })) // starting it or sending to it failed
  })
  return { pid, listening, ended, kill: (signal) => process.kill(signal) }
}

/** Serves in a process of the cluster, until it should stop or its primary is gone. */
export async function serveForPrimary(): Promise<void> {
  const stopRequested = awaitStop()
  // Otherwise node:cluster would exit at once when the primary is gone, in the middle of requests.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true
  const received = await Promise.race([once(process, 'message'), stopRequested])
  if (!received) return
  const [{ config, options, isQuiet }] = received as [StartMessage]
  const { log } = options

  let front: Front | undefined
  let unwatch: (() => Promise<void>) | undefined
  const onError = (error: Error, message: string) => front?.log.warn({ err: error }, message)
  const resources = await openResources(config, 'check', { onError })
  try {
    front = await openApp(resources, { ...options, log: log && isQuiet ? { level: 'silent' } : log })
    unwatch = await openWatch(resources, front.log)
    void resources.relay.sweep() // what this process takes the place of may have left something
    await Promise.race([front.listen(), stopRequested]) // listening goes through the primary, which may be gone
    if (log) front.log.level = log.level
    await stopRequested
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
