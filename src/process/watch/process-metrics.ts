/** Metrics of the process itself: its event loop, its connections, its password hashes, its memory. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from 'prom-client'
import { hashing } from '../../domain/credentials/hash-queue.ts'
import type { Database } from '../../platform/database/database.ts'
import { version } from '../../platform/version.ts'

/** The sampling interval of the event loop's delay, in milliseconds. */
const resolution = 20

/**
 * Adds the delay and the utilization of the event loop since the last scrape. With several processes, the largest counts.
 *
 * @returns a function that stops the measurement
 */
export function measureLoop(registry: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  const beyond = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolution / 1e3)
  const figures = {
    p50: () => delay.percentile(50),
    p99: () => delay.percentile(99),
    max: () => delay.max,
  }
  for (const [name, figure] of Object.entries(figures)) {
    new Gauge({
      name: `nodejs_eventloop_delay_${name}_seconds`,
      help: `Event loop delay since the last scrape (${name}). With several processes, the largest.`,
      aggregator: 'max',
      registers: [registry],
      collect() {
        this.set(delay.count > 0 ? beyond(figure()) : 0)
        if (name === 'max') delay.reset() // the last of the three gauges
      },
    })
  }
  let before = performance.eventLoopUtilization()
  new Gauge({
    name: 'nodejs_eventloop_utilization_ratio',
    help: 'Share of the time since the last scrape in which the event loop was busy. With several processes, the largest.',
    aggregator: 'max',
    registers: [registry],
    collect() {
      const now = performance.eventLoopUtilization()
      this.set(performance.eventLoopUtilization(now, before).utilization)
      before = now
    },
  })
  return () => delay.disable()
}

export function measurePool(registry: Registry, database: Database): void {
  new Gauge({
    name: 'db_client_connection_count',
    help: 'Connections to the database for requests and jobs, by state.',
    labelNames: ['db_client_connection_state'],
    registers: [registry],
    collect() {
      const { used, idle } = database.connections
      this.set({ db_client_connection_state: 'used' }, used)
      this.set({ db_client_connection_state: 'idle' }, idle)
    },
  })
  gauge(registry, 'db_client_connection_max', 'Connections to the database at most.', () => database.connections.most)
  gauge(
    registry,
    'db_client_connection_pending_requests',
    'Requests that wait for a connection to the database.',
    () => database.connections.waiting,
  )
  gauge(
    registry,
    'guildhall_turns_waiting',
    'Transactions that wait, without a connection, for others that change the same organization, account or tenant.',
    () => database.waitingForTurns,
  )
}

export function measureHashing(registry: Registry): void {
  gauge(registry, 'guildhall_password_hashes_busy', 'Password hashes that are being computed.', () => hashing().busy)
  gauge(
    registry,
    'guildhall_password_hashes_waiting',
    'Password hashes that wait, in units of our own hash.',
    () => hashing().waiting,
  )
  gauge(
    registry,
    'guildhall_password_hashes_waiting_max',
    'Maximum number of waiting password hashes. Beyond it, requests get `overloaded`.',
    () => hashing().line,
  )
}

export function measureProcess(registry: Registry): void {
  gauge(registry, 'process_resident_memory_bytes', 'Memory of all processes.', () => process.memoryUsage.rss())
  gauge(registry, 'nodejs_heap_size_used_bytes', 'Of it, what JavaScript uses.', () => process.memoryUsage().heapUsed)
  gauge(registry, 'guildhall_processes', 'Processes that have answered this scrape.', () => 1)
  let counted = 0
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of all processes, user and system.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage()
      const seconds = (user + system) / 1e6
      this.inc(seconds - counted)
      counted = seconds
    },
  })
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the first process, in Unix seconds.',
    aggregator: 'min',
    registers: [registry],
  }).set(performance.timeOrigin / 1000)
  new Gauge({
    name: 'guildhall_build_info',
    help: 'Always 1. The labels name the version and its Node.js.',
    labelNames: ['version', 'node'],
    aggregator: 'max',
    registers: [registry],
  }).set({ version, node: process.versions.node }, 1)
}

/** Adds a gauge that is computed at each scrape. With several processes, their sum counts. */
function gauge(registry: Registry, name: string, help: string, figure: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(figure())
    },
  })
}
