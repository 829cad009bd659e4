/**
 * Looks for due jobs, for all places of a process together, and wakes the runners that have their tasks.
 *
 * By itself, each place of graphile-worker looks once a second, each runner has a connection on which it hears of added jobs, and as many
 * places of each runner look as jobs were added, whatever their tasks. Here one statement looks once a second, when jobs were added, and when
 * a named queue was freed.
 */
import { EventEmitter } from 'node:events'
import type { FastifyBaseLogger } from 'fastify'
import type { WorkerEvents, WorkerPool } from 'graphile-worker'
import type { Client, Pool } from './steady-pool.ts'

/** In milliseconds: when it looks again, and when it listens again after its connection was lost. */
const pause = 1_000

/** How many due jobs one look tells apart by their tasks. If there are more, each runner may have some, and one place of it looks. */
const most = 100

/** Of graphile-worker's own tables: it has no function for it. */
export const selectDue = `
  select t.identifier as task, due.count
  from (
    select task_id, count(*)::int
    from (
      select j.task_id
      from graphile_worker._private_jobs j
      where j.is_available and j.run_at <= now() and (
        j.job_queue_id is null
        or j.job_queue_id in (select q.id from graphile_worker._private_job_queues q where q.is_available))
      limit ${most}) j
    group by task_id) due
  join graphile_worker._private_tasks t on t.id = due.task_id`

interface Due {
  readonly task: string
  readonly count: number
}

export class Lookout {
  readonly #pool: Pool
  readonly #log: FastifyBaseLogger
  /** What wakes each runner. */
  readonly #runners = new Map<WorkerPool, (due: readonly Due[]) => void>()
  /** What the runners have in place of connections of their own. */
  readonly #ears = new Set<EventEmitter>()
  #looking: Promise<void> | undefined
  #isAskedAgain = false
  #timer: NodeJS.Timeout | undefined
  #hangUp: () => void = () => {}
  #isStopped = false

  /** @param pool in which it keeps one connection */
  constructor(pool: Pool, log: FastifyBaseLogger) {
    this.#pool = pool
    this.#log = log
    this.#listen()
    this.look()
  }

  /**
   * @param tasks  the names of the tasks of a new runner
   * @param places how many jobs it runs at once
   * @returns the option of that runner by which it is known here
   */
  eventsOf(tasks: readonly string[], places: number): WorkerEvents {
    const events: WorkerEvents = new EventEmitter()
    const wake = (pool: WorkerPool) => (due: readonly Due[]) => {
      const all = due.reduce((sum, { count }) => sum + count, 0)
      const own = due.reduce((sum, { task, count }) => sum + (tasks.includes(task) ? count : 0), 0)
      const jobs = Math.min(all === most ? Math.max(own, 1) : own, places)
      if (jobs > 0) pool.nudge(jobs)
    }
    events.on('pool:create', ({ workerPool }) => this.#runners.set(workerPool, wake(workerPool)))
    events.on('pool:gracefulShutdown', ({ workerPool }) => this.#runners.delete(workerPool))
    return events
  }

  /** Opens what a runner takes for its connection for notifications. It hears there only that the queue was migrated. */
  openEar(): { client: Client; release: () => void } {
    const ear = Object.assign(new EventEmitter(), { query: async () => {} })
    this.#ears.add(ear)
    // The cast is safe: graphile-worker uses only these methods.
    return { client: ear as unknown as Client, release: () => this.#ears.delete(ear) }
  }

  /** Wakes nobody any more, and gives its connection back. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#hangUp()
  }

  #listen(): void {
    this.#pool.connect((error, client, release) => {
      if (error || !client) return this.#listenAgain(error)
      let isOver = false
      const hangUp = () => {
        isOver = true
        client.removeAllListeners('notification')
        release(true) // others would hear what it listens to
      }
      const lost = (error: Error) => {
        if (isOver) return
        hangUp()
        this.#listenAgain(error)
      }
      if (this.#isStopped) return hangUp()
      this.#hangUp = () => isOver || hangUp()
      client.on('error', lost)
      client.on('notification', (message) => {
        if (message.channel === 'jobs:insert') this.look()
        else for (const ear of this.#ears) ear.emit('notification', message)
      })
      client.query('listen "jobs:insert"; listen "worker:migrate"').catch(lost)
    })
  }

  #listenAgain(error: Error | undefined): void {
    if (this.#isStopped) return
    this.#log.warn({ err: error }, 'the queue hears of no new jobs, and looks for them each second')
    setTimeout(() => this.#isStopped || this.#listen(), pause).unref()
  }

  /** Looks now, or once more after the look under way, which may not have seen the newest jobs. */
  look(): void {
    if (this.#isStopped) return
    if (this.#looking) {
      this.#isAskedAgain = true
      return
    }
    clearTimeout(this.#timer)
    this.#looking = this.#wakeDue().finally(() => {
      this.#looking = undefined
      if (this.#isAskedAgain) this.look()
      else if (!this.#isStopped) this.#timer = setTimeout(() => this.look(), pause)
    })
  }

  async #wakeDue(): Promise<void> {
    this.#isAskedAgain = false
    try {
      const { rows } = await this.#pool.query<Due>(selectDue)
      if (!this.#isStopped) for (const wake of this.#runners.values()) wake(rows)
    } catch (error) {
      if (!this.#isStopped) this.#log.warn({ err: error }, 'the queue could not be looked at')
    }
  }
}
