/** Clocks in tests: an earlier time in a column, and a process whose clock is stopped in the middle of an hour. */
import type { TestContext } from 'node:test'

/**
 * An expression of SQL: the time in a column, so much earlier. A cluster takes no column minus an interval in an update, because the length
 * of a day depends on the time zone of the connection.
 *
 * @param interval an expression of SQL, too
 */
export function earlier(column: string, interval: string): string {
  return `(${column} at time zone 'UTC' - ${interval}) at time zone 'UTC'`
}

/** Stops the clock of the process in the middle of its hour, for what happens once an hour. */
export function stopInHour(t: TestContext): void {
  const hour = 3_600_000
  t.mock.timers.enable({ apis: ['Date'], now: (Math.floor(Date.now() / hour) + 0.5) * hour })
}
