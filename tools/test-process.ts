/**
 * A process of tests: runs the files that its parent names (test-runner.ts), one after the other, and sends what becomes of each test.
 *
 * Each file has a tree of tests of its own. The tree ends when nothing that the file opened keeps the process alive, so the next file
 * starts with an empty process, but with the service loaded and warm.
 */
// Before everything else: see there.
import '../test/hash-cost.ts'
import { subscribe } from 'node:diagnostics_channel'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { run } from 'node:test'
import { spec, type TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import { borrowServer, NotOnCluster, type Server } from '../test/database.ts'
import { type Failure, firstLine } from './failures.ts'

/** What a process sends to its parent. */
export type Message =
  | { readonly type: 'begun'; readonly test: string }
  | { readonly type: 'ended' }
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'finished'; readonly result: Result }

/** What became of a file. */
export interface Result {
  readonly passed: number
  readonly failed: number
  /** Tests that cannot run here; 1 for a file that has ended its process because it cannot. Each says why. */
  readonly skipped: number
  /** How long its tests took, in milliseconds. */
  readonly ms: number
}

/** What the parent sends: a file to run, or nothing if there are no more. */
export interface Order {
  readonly file: string | undefined
  /** Whether to print each test, instead of only sending it. */
  readonly names: boolean
  /** The database server, which the parent keeps running. */
  readonly server: Server
}

/** Errors of files that cannot be loaded. The test runner drops them if the file has registered a test before. */
const unloaded: unknown[] = []
subscribe('tracing:module.import:error', (message) => {
  const { url, error } = message as { readonly url: string | URL; readonly error: unknown } // as Node.js documents
  if (String(url).endsWith('.test.ts')) unloaded.push(error)
})

const send = (message: Message) => process.send?.(message)

process.on('message', async ({ file, names, server }: Order) => {
  // While a file runs, only what the file opens keeps the process alive.
  process.channel?.unref()
  if (file === undefined) return
  borrowServer(server)
  const before = stateOfProcess()
  const result = await runFile(file, names)
  const after = stateOfProcess()
  // Only their names: an environment has secrets.
  const changed = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name])
  if (changed.length > 0) fail('the process is left as it was found', `it changed ${changed.join(', ')}`)
  process.channel?.ref()
  send({ type: 'finished', result: { ...result, failed: result.failed + Number(changed.length > 0) } })
})

async function runFile(file: string, names: boolean): Promise<Result> {
  let [passed, failed, skipped, leftOut, ms] = [0, 0, 0, 0, 0]
  const around: string[] = []
  const events: TestEvent[] = []
  const told = new Set<unknown>()
  const notes: string[] = []
  for await (const event of run({ files: [file], isolation: 'none' }) as AsyncIterable<TestEvent>) {
    if (names) events.push(event)
    const { type, data } = event
    if (type === 'test:dequeue') send({ type: 'begun', test: data.name })
    if (type === 'test:start') around.splice(data.nesting, Infinity, data.name)
    if (type === 'test:complete') {
      send({ type: 'ended' })
      if (data.nesting === 0) ms += data.details.duration_ms
    }
    if (type === 'test:pass' && data.skip === undefined) passed++
    if (type === 'test:pass' && data.skip !== undefined) skipped++
    if (type === 'test:fail') {
      const { error } = data.details
      const cause = error.cause instanceof Error ? error.cause : error
      const refused = causesOf(error).find((each) => each instanceof NotOnCluster)
      if (refused) {
        told.add(cause)
        leftOut++
        console.log(`LEFT OUT  ${file}: ${data.name}: no cluster takes its statement: ${refused.message}`)
        continue
      }
      failed++
      // The failures of its subtests are told by themselves.
      if ((error as { failureType?: string }).failureType === 'subtestsFailed') continue
      told.add(cause)
      fail(
        around.slice(0, data.nesting + 1).join(' › '),
        `at line ${data.line}: ${inspect(cause)}`,
        cause.message || cause.name,
      )
    }
    if (type === 'test:diagnostic' && !isCount(data.message)) notes.push(data.message)
  }
  for (const error of unloaded.splice(0)) {
    if (told.has(error)) continue
    failed++
    fail('the file is loaded', inspect(error), String(error))
  }
  // Node sets it for each failure, and for an error that comes after its test, of which only a diagnostic tells.
  if (process.exitCode && failed + leftOut === 0) {
    failed++
    fail('outside of its tests', notes.join('\n'))
  }
  process.exitCode = undefined
  if (names) process.stdout.write(await text(Readable.from(events).compose(new spec())))
  return { passed, failed, skipped: skipped + leftOut, ms }
}

/** The error, its cause, the cause of that, and all further ones: a model test wraps what a step throws. */
function causesOf(error: unknown): unknown[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : []
}

function isCount(message: string): boolean {
  return /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(message)
}

function fail(test: string, text: string, message = text): void {
  send({ type: 'failed', failure: { test, line: firstLine(message), text } })
}

/** What a test may change for a time, and must give back. */
function stateOfProcess(): NodeJS.ProcessEnv {
  const { NODE_TEST_WORKER_ID: _ofNode, VIPSHOME: _ofSharp, ...env } = process.env // they set it when they are loaded
  return { ...env, 'the folder': process.cwd() }
}
