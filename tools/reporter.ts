/** Reports tests to people: a line for each file as it ends, then each failure in full and the runner's own counts. */
import { relative } from 'node:path'
import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const kept: TestEvent[] = []
  for await (const event of events) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr') yield event.data.message
    if (event.type === 'test:fail' || event.type === 'test:diagnostic') kept.push(event)
    if (event.type !== 'test:summary') continue

    const { counts, duration_ms, file } = event.data
    if (!file) kept.push(event)
    else yield `${describe(counts)} ${(duration_ms / 1000).toFixed(1).padStart(5)} s  ${relative('', file)}\n`
    // A run of no tests is no success.
    if (!file && counts.tests === 0) process.exitCode = 1
  }
  yield* Readable.from(kept).pipe(new spec())
}

function describe({ tests, passed }: { tests: number; passed: number }): string {
  return tests === passed ? `ok     ${String(tests).padStart(3)}` : `FAILED ${passed}/${tests}`
}
