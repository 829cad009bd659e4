/** Sleeps: where tests wait for a time. */
import { readTree } from './tree.ts'

/** Where a test may sleep for a number of milliseconds, with the reason. None of them asserts how long something takes. */
const sleepers: Readonly<Record<string, string>> = {
  'client/src/guildhall.test.ts': 'the signal comes while the client waits',
  'src/platform/database/embedded.deep.test.ts': 'polls, and kills a start at some moment',
  'src/platform/jobs/worker.test.ts': 'something goes on for longer than a stop waits for jobs',
  'src/process/transfers.deep.test.ts': 'the second signal comes after the first',
  'test/access.ts': 'polls',
  'test/backup.deep.test.ts': 'the rhythm of writes during a backup',
  'test/database.ts': 'polls',
  'test/faults.deep.test.ts': 'load before and after a fault',
  'test/haproxy.deep.test.ts': 'a node answers slowly',
  'test/queue.ts': 'polls',
  'test/smtp.ts': 'polls',
  'test/sockets.test.ts': 'the rhythm of a slow client',
  'test/under-load.ts': 'the rhythm of load',
  'test/upgrade.deep.test.ts': 'a reader holds a table for longer than a request may wait',
}

/** A timer with a number, or with an expression that ends with one, alone or after a callback. In between are parentheses in parentheses at most. */
const sleep =
  /\b(?:setTimeout|delay|sleep|waitForTimeout)\((?:(?:[^()]|\((?:[^()]|\([^()]*\))*\))*,\s*)?(?:[^(),]*[%*/+-]\s*)?\d[\w.*\s]*[,)]/

/** A test waits for a condition, never for a time: one machine takes many times as long as another. */
export async function findSleeps(): Promise<string> {
  const found = readTree()
    .filter(({ path }) => /\.test\.ts$|^test\/.*\.ts$/.test(path))
    .filter(({ text }) => sleep.test(text))
    .map(({ path }) => path)
  return [
    ...found.filter((path) => !(path in sleepers)).map((path) => `${path} sleeps for a time: wait for a condition`),
    ...Object.keys(sleepers)
      .filter((path) => !found.includes(path))
      .map((path) => `${path} is listed as one that sleeps, and does not`),
  ].join('\n')
}
