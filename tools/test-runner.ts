/**
 * Runs test files in processes: one for each core, of which each takes the next file as soon as it has finished one.
 *
 * A process is ended only if it hangs: when none of its tests has ended for five minutes. Everything that it has started ends with it. The
 * files that are left go on in a new process.
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { holdServer, type Server } from '../test/database.ts'
import { atEnd, skipped } from '../test/ending.ts'
import { type Failed, type Failure, summarize } from './failures.ts'
import type { Message, Order, Result } from './test-process.ts'

/** A process without a test that ends, or a file that ends, for this long hangs. In milliseconds. */
const longestSilence = 300_000
/** How long a process that hangs may take to clean up, and what a process leaves may hold its output open, in milliseconds. */
const gracePeriod = 10_000
/** The most files of one process. What a file leaves in memory goes with the process. */
const most = 25
/** As in tools/node.mjs. */
const quiet = '--disable-warning=ExperimentalWarning'

interface Options {
  /** Whether to report each test, instead of each file. */
  readonly names?: boolean
  /** Whether each file has a process of its own. */
  readonly apart?: boolean
  /** Less than five minutes, for the runner's own test. */
  readonly silence?: number
}

/** @returns the files, those that take longest first, so that no core waits at the end: those with a browser, then by size */
function inOrder(files: readonly string[]): string[] {
  const weigh = (file: string) =>
    statSync(file).size * (readFileSync(file, 'utf8').includes('createConsoleWorld(') ? 1_000 : 1)
  const weights = new Map(files.map((file) => [file, weigh(file)]))
  return files.toSorted((one, other) => (weights.get(other) ?? 0) - (weights.get(one) ?? 0))
}

/**
 * Runs the files on one database server, which stays up until the last of them is done. Prints each failure when it happens and again at
 * the end, where the last lines are the tests that failed, with their files and the first lines of their errors.
 *
 * @returns whether all passed
 */
export async function runTests(
  files: readonly string[],
  { names = false, apart = false, silence = longestSilence }: Options = {},
): Promise<boolean> {
  const begin = performance.now()
  const waiting = inOrder(files)
  const { server, release } = await holdServer()
  const failures: Failed[] = []
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const work = async () => {
    while (waiting.length > 0) {
      const share = { take: () => waiting.shift(), limit: apart ? 1 : most, names, server, silence }
      await runProcess(share, (file, result, more) => {
        counts.passed += result.passed
        counts.failed += result.failed
        counts.skipped += result.skipped
        failures.push(...more.map((failure) => ({ file, ...failure })))
      })
    }
  }
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, work))
  } finally {
    await release()
  }
  const isPassed = counts.failed === 0 && counts.passed + counts.skipped > 0
  for (const { file, test, text } of failures) console.log(`\n${file}: ${test}\n${text.trimEnd()}`)
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  console.log(`\n${isPassed ? 'ok    ' : 'FAILED'} ${seconds} s  ${files.length} files`)
  console.log(
    `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
  )
  if (failures.length > 0) console.log(summarize(failures))
  return isPassed
}

interface Share {
  /** @returns the next file, if there is one */
  take(): string | undefined
  /** The most files. */
  readonly limit: number
  readonly names: boolean
  readonly server: Server
  readonly silence: number
}

/**
 * Runs files in a process of their own, until there are no more, it has run its share, or it ended. If this process ends, that one ends too.
 *
 * @param report called for each file
 */
async function runProcess(
  { take, limit, names, server, silence }: Share,
  report: (file: string, result: Result, failures: readonly Failure[]) => void,
): Promise<void> {
  const child = fork(join(import.meta.dirname, 'test-process.ts'), {
    execArgv: [quiet],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Leads a group of its own, which ends as a whole.
    detached: true,
  })
  const isOver = atEnd(() => signal(child, 'SIGTERM'))
  let said = ''
  const print = (text: string) => {
    if (names) said += text
    else process.stdout.write(text)
  }
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', print)

  let taken = 0
  let file: string | undefined
  let [test, running] = ['', 0]
  let failures: Failure[] = []
  let isHanging = false
  const finish = (result: Result) => {
    if (file === undefined) return
    const line = lineOf(file, result)
    console.log(names ? `\n${line}\n${said.trimEnd()}` : line)
    report(file, result, failures)
    said = ''
    failures = []
    file = undefined
  }
  const next = () => {
    file = taken < limit ? take() : undefined
    taken++
    test = ''
    running = 0
    // A child that could not start, or has ended, cannot be written to. Its own event says why.
    child.send({ file, names, server } satisfies Order, () => {})
  }
  const fail = (failure: Failure) => {
    failures.push(failure)
    // With the names of all tests, the whole error follows when the file has ended.
    console.log(
      names
        ? summarize([{ file: `${file}`, ...failure }])
        : `FAILED  ${file}: ${failure.test}\n${failure.text.trimEnd()}`,
    )
  }
  const hang = async () => {
    isHanging = true
    // What the child has started may lead a group of its own, and is nobody's child afterwards.
    const others = descendantsOf(child.pid)
    signal(child, 'SIGTERM')
    await setTimeout(gracePeriod)
    signal(child, 'SIGKILL')
    for (const pid of others) kill(pid, 'SIGKILL')
  }
  let timer = globalThis.setTimeout(hang, silence)
  child.on('message', (message: Message) => {
    if (message.type === 'begun') [test, running] = [message.test, running + 1]
    if (message.type === 'ended') running--
    if (message.type === 'failed') fail(message.failure)
    if (message.type === 'ended' || message.type === 'finished') {
      clearTimeout(timer)
      timer = globalThis.setTimeout(hang, silence)
    }
    if (message.type === 'finished') {
      finish(message.result)
      next()
    }
  })
  let leaving: NodeJS.Timeout | undefined
  child.once('exit', () => {
    signal(child, 'SIGKILL')
    // What leads a group of its own may hold the output open.
    const leave = () => {
      for (const stream of [child.stdout, child.stderr]) stream?.destroy()
    }
    leaving = globalThis.setTimeout(leave, gracePeriod)
  })
  next()
  const [code, sent] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (...ending) => resolve(ending))
  })
  clearTimeout(timer)
  clearTimeout(leaving)
  isOver()
  if (file !== undefined && code === skipped) return finish({ passed: 0, failed: 0, skipped: 1, ms: 0 })
  if (file === undefined && code === 0) return
  const idle = test === '' ? 'none of its tests began' : 'something that it opened kept its process alive'
  const cause = running > 0 ? 'none of its tests ended' : idle
  const reason = isHanging ? `${cause} for ${silence / 60_000} minutes` : `its process ended with ${sent ?? code}`
  file ??= 'a process that had run its files'
  fail({ test: test || 'before its first test', line: reason, text: reason })
  finish({ passed: 0, failed: failures.length, skipped: 0, ms: 0 })
}

function lineOf(file: string, { passed, failed, skipped, ms }: Result): string {
  if (passed + failed === 0 && skipped > 0) return `SKIPPED         ${file}`
  const seconds = (ms / 1000).toFixed(1).padStart(5)
  const tests = `${failed > 0 ? `${failed} of ` : ''}${passed + failed}`
  return `${failed === 0 ? 'ok    ' : 'FAILED'} ${seconds} s  ${file} (${tests})`
}

/** Signals the whole group of a child. */
function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid !== undefined) kill(process.platform === 'win32' ? pid : -pid, name)
}

function kill(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}

function descendantsOf(pid: number | undefined): number[] {
  const { stdout, error } = spawnSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  if (error) return [] // there is no ps: what leads a group of its own is left
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/).map(Number))
  const found = [pid]
  for (const parent of found)
    for (const [child, its] of pairs) if (its === parent && its !== undefined) found.push(child)
  return found.slice(1).filter((each) => each !== undefined)
}
