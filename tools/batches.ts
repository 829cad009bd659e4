/**
 * Batches of test files: each runs in a process of its own. What makes a world (test/world.ts) shares a process with a few others of its
 * kind, as to load the service and make it quick takes longer than most such files do; whatever else a file does, it does alone.
 */
import { spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { skipped } from '../test/ending.ts'

export interface Outcome {
  readonly passed: boolean
  readonly tests: number
}

/** At most so many files share a process: their databases stay until the last of them is done. */
const most = { browser: 5, world: 8 }
const timeout = 300_000

/**
 * @returns the files by the process they run in. What takes longest begins early, so that at the end no lane waits for another; no two
 *   browsers begin together, which want all cores; and among all that works is some of what mostly waits, which runs alone.
 */
export function batchesOf(files: readonly string[]): string[][] {
  const kinds = Map.groupBy(files, kindOf)
  const browsers = inBatches(kinds.get('browser') ?? [], most.browser)
  const worlds = inBatches(kinds.get('world') ?? [], most.world)
  const rounds = Math.max(browsers.length, Math.ceil(worlds.length / 2))
  const alone = (kinds.get('alone') ?? [])
    .toSorted((one, other) => statSync(other).size - statSync(one).size)
    .map((file) => [file])
  const mixed = Array.from({ length: rounds }, (_, round) => [
    ...browsers.slice(round, round + 1),
    ...worlds.slice(2 * round, 2 * round + 2),
    ...alone.splice(0, 5),
  ])
  return [...mixed.flat(), ...alone]
}

function kindOf(file: string): 'browser' | 'world' | 'alone' {
  const source = readFileSync(file, 'utf8')
  // What they change of the process, and of each test, others would see; files that start processes are busy enough.
  if (/\b(process\.|mock\b|(before|after)Each\b)|test\/processes/.test(source)) return 'alone'
  if (source.includes('createConsoleWorld(')) return 'browser'
  return source.includes('createWorld(') ? 'world' : 'alone'
}

function inBatches(files: readonly string[], most: number): string[][] {
  const count = Math.ceil(files.length / most)
  return Array.from({ length: count }, (_, batch) => files.filter((_, index) => index % count === batch))
}

/**
 * Runs the files in one process. What ends us ends it too.
 *
 * @param names whether each test is named, and not each file
 */
export function runBatch(files: readonly string[], names: boolean): Promise<Outcome> {
  const reporter = join(import.meta.dirname, 'reporter.ts')
  const options = ['--test', '--test-isolation=none', `--test-timeout=${timeout}`, `--test-reporter=${reporter}`]
  const child = spawn(process.execPath, [...options, ...files], {
    env: { ...process.env, ...(names && { REPORT_TESTS: 'true' }) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let tests = 0
  child.on('message', (counted) => (tests = Number(counted)))
  const stop = () => child.kill()
  process.once('SIGTERM', stop)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      process.off('SIGTERM', stop)
      resolve({ passed: code === skipped || (code === 0 && tests > 0), tests })
    })
  })
}
