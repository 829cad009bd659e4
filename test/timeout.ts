/** How long tests wait. */
import type { TestContext } from 'node:test'
import { Database } from '../src/platform/database/database.ts'
import type { Timeouts } from '../src/platform/database/pool.ts'
import { Outbound } from '../src/platform/outbound/outbound.ts'

/**
 * How long they wait for what must happen, in milliseconds. It is long, because only a failing test waits for its end: before it, the
 * machine is slow; after it, something is broken.
 */
export const timeout = 120_000

/** Lengthens timers with these delays, in milliseconds, for the rest of a test: they are no matter of it. */
export function lengthenTimers(t: TestContext, ...delays: readonly number[]): void {
  const { setTimeout } = globalThis
  t.mock.method(globalThis, 'setTimeout', (act: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) =>
    setTimeout(act, delays.includes(delay) ? timeout : delay, ...args),
  )
}

/** Limits for tests that are not about them: a minute where a service would answer 503. */
export const patient: Timeouts = {
  wait: 60_000,
  connect: 60_000,
  statement: 60_000,
  idle: 60_000,
  query: 61_000,
  pipeline: 121_000,
}

/**
 * A pool with these limits: tests send more requests at once than it has connections. Those that are about a limit open a `Database` with
 * one that they name.
 */
export function openPatient(url: string, options: { readonly size?: number } = {}): Database {
  return new Database(url, { ...options, timeouts: patient })
}

/** Calls to other servers with a minute for each of their steps. A test that is about a bound names it. */
export function openPatientOutbound(...[named, bounds]: ConstructorParameters<typeof Outbound>): Outbound {
  return new Outbound(named, { wait: 60_000, connect: 60_000, headers: 60_000, all: 60_000, ...bounds })
}
