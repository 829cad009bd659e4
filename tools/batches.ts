/**
 * Batches of test files: each runs in a process of its own. Most files share one with a few others, because loading and warming up the
 * service takes longer than most of them. A file that changes its process, or starts other processes, runs alone.
 */
import { spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { holdCluster } from '../test/database.ts'
import { skipped } from '../test/ending.ts'

interface Outcome {
  readonly passed: boolean
  readonly tests: number
}

/** The most files in one process: their databases stay until the last of them has finished. */
const most = 12
/** The number of processes at a time: two cores have work, and requests do not time out because too many processes compete. */
const lanes = 4
const timeout = 300_000
/** How long a process may take for its files, in milliseconds. One that has leaked a timer or a connection never ends by itself. */
const limit = 600_000
/** As in tools/node.mjs. */
const quiet = '--disable-warning=ExperimentalWarning'

/**
 * @returns the files, grouped by process. Long batches start first, so that no lane waits at the end: first all files that need a browser,
 * in two processes with one browser each. Files that run alone mostly wait, so some of them run among the others.
 */
export function batchesOf(files: readonly string[]): string[][] {
  const { browser = [], shared = [], alone = [] } = Object.groupBy(files, kindOf)
  const batches = inBatches(shared, Math.ceil(shared.length / most))
  const waiting = alone.toSorted((one, other) => statSync(other).size - statSync(one).size).map((file) => [file])
  const mixed = batches.flatMap((batch) => [batch, ...waiting.splice(0, 3)])
  return [...inBatches(browser, Math.min(browser.length, 2)), ...mixed, ...waiting]
}

function kindOf(file: string): 'browser' | 'shared' | 'alone' {
  const source = readFileSync(file, 'utf8')
  // A change to the process or to each test would affect other files, and a file that starts processes uses the cores itself.
  if (/\b(process\.|mock\b|(before|after)Each\b)|test\/processes|\.\/faults\//.test(source)) return 'alone'
  return source.includes('createConsoleWorld(') ? 'browser' : 'shared'
}

function inBatches(files: readonly string[], count: number): string[][] {
  return Array.from({ length: count }, (_, batch) => files.filter((_, index) => index % count === batch))
}

/** Runs them side by side, on one database server that stays up until the last of them is done. @returns whether all passed */
export async function runBatches(batches: readonly (readonly string[])[], names: boolean): Promise<boolean> {
  const begin = performance.now()
  const waiting = [...batches]
  const release = await holdCluster()
  let tests = 0
  const failed: string[] = []
  const work = async () => {
    for (let files = waiting.shift(); files; files = waiting.shift()) {
      const outcome = await runBatch(files, names, batches.length > 1)
      tests += outcome.tests
      if (!outcome.passed) failed.push(...files)
    }
  }
  try {
    await Promise.all(Array.from({ length: lanes }, work))
  } finally {
    await release()
  }
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  console.log(`\n${failed.length === 0 ? 'ok    ' : 'FAILED'} ${seconds} s  ${tests} tests`)
  if (failed.length > 0) console.log(`Look for FAILED above, in or among ${failed.join(', ')}`)
  return failed.length === 0
}

/**
 * Runs the files in one process. If this process ends, that one ends too.
 *
 * @param names   whether to report each test, instead of each file
 * @param isHeld  whether to print a report of each test only at the end, so that files side by side do not mix
 */
function runBatch(files: readonly string[], names: boolean, isHeld: boolean): Promise<Outcome> {
  const reporter = join(import.meta.dirname, 'reporter.ts')
  const preloaded = [import.meta.resolve('../test/hash-cost.ts'), import.meta.resolve('../test/loading.ts')]
  const options = [
    quiet,
    ...preloaded.map((url) => `--import=${url}`),
    '--test',
    '--test-isolation=none',
    `--test-timeout=${timeout}`,
    `--test-reporter=${reporter}`,
  ]
  const output = names && isHeld ? 'pipe' : 'inherit'
  const child = spawn(process.execPath, [...options, ...files], {
    env: { ...process.env, ...(names && { REPORT_TESTS: 'true' }) },
    stdio: ['ignore', output, output, 'ipc'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (said += text))
  let tests = 0
  child.on('message', (counted) => (tests = Number(counted)))
  const stop = () => child.kill()
  process.once('SIGTERM', stop)
  const overdue = setTimeout(() => {
    console.log(
      `FAILED  ${files.join(', ')}: this process did not end within ${limit / 60_000} minutes, and was killed`,
    )
    child.kill('SIGKILL')
  }, limit)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      process.off('SIGTERM', stop)
      clearTimeout(overdue)
      const passed = code === skipped || (code === 0 && tests > 0)
      if (said !== '') console.log(`\n${passed ? 'ok    ' : 'FAILED'} ${files.join(', ')}\n${said.trimEnd()}`)
      resolve({ passed, tests })
    })
  })
}
