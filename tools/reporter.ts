/**
 * Reports the tests of one process: a line per file when its tests are done (per test with REPORT_TESTS), and at the end each failure in
 * full. Sends the number of tests to the parent process.
 */
import { relative } from 'node:path'
import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'

interface Counts {
  readonly file: string
  passed: number
  failed: number
  ms: number
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  if (process.env.REPORT_TESTS) return yield* Readable.from(count(events)).pipe(new spec())
  const failures: TestEvent[] = []
  let current: Counts | undefined
  for await (const event of count(events)) {
    const { type, data } = event
    if (type === 'test:stdout' || type === 'test:stderr') yield data.message
    // What went wrong outside of every test: it fails the process.
    if (
      type === 'test:diagnostic' &&
      !/^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(data.message)
    )
      yield `${data.message}\n`
    if (type === 'test:fail') failures.push(event)
    if (type === 'test:complete' && data.nesting === 0 && data.file) {
      if (current?.file !== data.file) {
        if (current) yield lineOf(current)
        current = { file: data.file, passed: 0, failed: 0, ms: 0 }
      }
      current[data.details.passed ? 'passed' : 'failed'] += 1
      current.ms += data.details.duration_ms
    }
    if ((type as string) === 'test:interrupted')
      yield `\nInterrupted${current ? `, in or after ${relative('', current.file)}` : ''}.\n`
  }
  if (current) yield lineOf(current)
  if (failures.length > 0) yield* Readable.from(failures).pipe(new spec())
}

async function* count(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  for await (const event of events) {
    // Node does not fail for what a file does after its tests.
    if (event.type === 'test:fail') process.exitCode = 1
    if (event.type === 'test:summary') process.send?.(event.data.counts.tests)
    yield event
  }
}

function lineOf({ file, passed, failed, ms }: Counts): string {
  const seconds = (ms / 1000).toFixed(1).padStart(5)
  const tests = `${failed > 0 ? `${failed} of ` : ''}${passed + failed}`
  return `${failed === 0 ? 'ok    ' : 'FAILED'} ${seconds} s  ${relative('', file)} (${tests})\n`
}
