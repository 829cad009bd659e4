/** Reports tests to people: a line for each file as it ends, then each failure in full and the runner's own counts. */
import { relative, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'

interface Counts {
  passed: number
  failed: number
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const running = new Map<string, Counts>()
  const kept: TestEvent[] = []

  for await (const event of events) {
    const { type, data } = event
    if (type === 'test:stdout' || type === 'test:stderr') yield data.message
    if (type === 'test:fail' || type === 'test:diagnostic' || (type === 'test:summary' && !data.file)) kept.push(event)
    // A run of no tests is no success.
    if (type === 'test:summary' && !data.file && data.counts.tests === 0) process.exitCode = 1

    // The file itself is told as if it were a test of its own name.
    if (type === 'test:dequeue' && data.file && isFile(data)) running.set(data.file, { passed: 0, failed: 0 })
    if (type === 'test:complete' && data.file) {
      const counts = running.get(data.file) ?? { passed: 0, failed: 0 }
      if (isFile(data)) {
        running.delete(data.file)
        yield lineOf(data.file, counts, data.details)
      } else if (data.details.type !== 'suite') counts[data.details.passed ? 'passed' : 'failed'] += 1
    }
    if ((type as string) === 'test:interrupted') {
      const names = [...running.keys()].map((file) => relative('', file))
      yield* Readable.from(kept.splice(0)).pipe(new spec())
      yield `\nInterrupted. These had not ended: ${names.join(', ') || 'none'}\n`
    }
  }
  yield* Readable.from(kept).pipe(new spec())
}

function isFile({ name, file }: { name: string; file?: string | undefined }): boolean {
  return file !== undefined && resolve(name) === file
}

function lineOf(
  file: string,
  counts: Counts,
  { passed, duration_ms }: { passed?: boolean; duration_ms: number },
): string {
  const seconds = (duration_ms / 1000).toFixed(1).padStart(5)
  const tests = `${counts.failed > 0 ? `${counts.failed} of ` : ''}${counts.passed + counts.failed}`
  return `${passed ? 'ok    ' : 'FAILED'} ${seconds} s  ${relative('', file)} (${tests})\n`
}
