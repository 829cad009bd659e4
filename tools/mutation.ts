/**
 * npm run mutation: makes small changes to the code, one at a time, and checks that the tests notice (Stryker).
 *
 *   npm run mutation                      all parts; takes hours
 *   npm run mutation -- tokens            one part
 *   npm run mutation -- tokens passwords
 *
 * It works on a copy in .stryker-tmp. It prints the changes that no test noticed; reports/mutation/<part>.json has the whole report.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { patiently } from '../src/platform/database/embedded-cluster.ts'
import { holdServer } from '../test/database.ts'
import { atEnd } from '../test/ending.ts'
import { findGoneParts, type Part, parts } from './mutation-parts.ts'
import { ensureInstalled } from './on-demand.ts'
import { root } from './tree.ts'

const stryker = join(root, 'tools/on-demand/node_modules/@stryker-mutator/core/bin/stryker.js')

let running: ChildProcess | undefined
const folders = [join(root, '.stryker-tmp')]
atEnd(() => {
  running?.kill()
  for (const folder of folders) rmSync(folder, patiently)
})

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !Object.hasOwn(parts, name))
const gone = await findGoneParts()
if (unknown.length > 0) {
  console.error(`Unknown part: ${unknown.join(', ')}. The parts are ${Object.keys(parts).join(', ')}.`)
  process.exitCode = 2
} else if (gone !== '') {
  console.error(gone)
  process.exitCode = 1
} else {
  ensureInstalled(join(root, 'tools/on-demand'))
  const { release } = await holdServer()
  try {
    for (const [name, part] of Object.entries(parts))
      if (chosen.length === 0 || chosen.includes(name)) await mutate(name, part)
  } finally {
    await release()
  }
}

async function mutate(name: string, { mutate, tests }: Part): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-mutation-'))
  folders.push(folder)
  const settings = join(folder, 'stryker.json')
  const options = {
    mutate,
    testRunner: 'tap',
    tap: { testFiles: tests, nodeArgs: ['--test-reporter=tap'] },
    coverageAnalysis: 'perTest',
    // A test file has its own database, and two cores are enough for one file and PostgreSQL.
    concurrency: 1,
    timeoutMS: 60_000,
    // Tests need not check the exact texts of descriptions and titles in schemas.
    mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral', 'ArrayDeclaration'] },
    checkers: [],
    reporters: ['progress-append-only', 'clear-text', 'json'],
    clearTextReporter: { allowColor: false, logTests: false },
    jsonReporter: { fileName: `reports/mutation/${name}.json` },
    allowEmpty: false,
    ignorePatterns: [
      '.guildhall',
      'bench',
      'console/dist',
      'docs',
      'examples',
      'reports',
      'tools/helm/node_modules',
      'tools/on-demand/node_modules',
    ],
    disableTypeChecks: false,
    // Stryker would rewrite tsconfig.json for a compiler, but Node strips the types without one.
    tsconfigFile: 'none',
  }
  writeFileSync(settings, JSON.stringify(options))
  console.log(`\n== ${name}`)
  await run(process.execPath, [stryker, 'run', settings])
}

/** Runs a program, which starts other programs with this process's Node. */
async function run(program: string, args: readonly string[]): Promise<void> {
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
  running = spawn(program, args, { cwd: root, stdio: 'inherit', env: { ...process.env, PATH: path } })
  const [status] = await once(running, 'exit')
  if (status !== 0) throw new Error(`${program} ended with ${status}`)
}
