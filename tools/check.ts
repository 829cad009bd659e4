/** npm run check: all static checks, two at a time. It continues after a failure, and lists the failed checks at the end. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { findWhatCitusRefuses } from './citus.ts'
import {
  findBreakingMigrations,
  findCodeFromText,
  findForeignPaths,
  findHeavyFirstLoad,
  findMisnumberedMigrations,
  findPartialTests,
  findStaleDocuments,
  findUnlistedConnections,
  findUnlistedCrossings,
  findUnlistedCryptography,
  findUnshownRequirements,
} from './findings.ts'
import { readFlag } from './flags.ts'
import { findFolderCircles, findForeignWriters, findLooseStatements, findRequestsBelowRoutes } from './house.ts'
import { findLongFiles } from './lengths.ts'
import { findGoneParts } from './mutation-parts.ts'
import { findSleeps } from './sleeps.ts'
import { findForeignEndings, findWideStatements } from './statements.ts'
import { findForeignLicences, findLooseLocks, findSecrets } from './supply.ts'

interface Check {
  readonly name: string
  /** @returns the findings, for people; an empty text if there are none */
  run(): Promise<string>
}

const root = join(import.meta.dirname, '..')

/** All checks are cheap and independent, except those that need the console; so two run at a time. The longest are first. */
const checks: readonly Check[] = [
  { name: 'console builds', run: buildConsole },
  { name: 'types of the console (tsc)', run: () => afterBuild(() => checkTypes('console')) },
  { name: 'types (tsc)', run: () => checkTypes('.') },
  { name: 'types of the example’s page (tsc)', run: () => checkTypes('examples/notes/page') },
  { name: 'unused files, exports, dependencies (knip)', run: () => afterBuild(findUnused) },
  { name: 'OpenAPI lint (spectral)', run: () => say('@stoplight/spectral-cli/dist/index.js', ...spectral) },
  { name: 'documents made from the code are fresh', run: findStaleDocuments },
  { name: 'format and lint (biome)', run: () => say('@biomejs/biome/bin/biome', 'check', '--error-on-warnings') },
  {
    name: 'imports (dependency-cruiser)',
    run: () => say('dependency-cruiser/bin/dependency-cruiser.mjs', 'src', 'examples'),
  },
  { name: 'migrations (squawk)', run: () => say('squawk-cli/js/bin/squawk', '--reporter=gcc', 'migrations/*.sql') },
  { name: 'migrations are numbered', run: findMisnumberedMigrations },
  { name: 'migrations say what older code they end', run: findBreakingMigrations },
  { name: 'callers of acrossTenants', run: findUnlistedCrossings },
  { name: 'writers of tables', run: findForeignWriters },
  { name: 'one function ends sessions', run: findForeignEndings },
  { name: 'statements are sent together by pipeline()', run: findLooseStatements },
  { name: 'no line of SQL is too wide', run: findWideStatements },
  { name: 'Citus takes all statements', run: findWhatCitusRefuses },
  { name: 'no request below the routes', run: findRequestsBelowRoutes },
  { name: 'no test waits for a time', run: findSleeps },
  { name: 'no circle of folders', run: findFolderCircles },
  { name: 'cryptography in its place', run: findUnlistedCryptography },
  { name: 'no code from text', run: findCodeFromText },
  { name: 'connections to what the settings name', run: findUnlistedConnections },
  { name: 'requirements name tests that are there', run: findUnshownRequirements },
  { name: 'no test is left out', run: findPartialTests },
  { name: 'parts of npm run mutation are there', run: findGoneParts },
  { name: 'files are not too long', run: findLongFiles },
  { name: 'no path of a machine', run: findForeignPaths },
  { name: 'no secret in a file (secretlint)', run: findSecrets },
  { name: 'licences of what we ship', run: findForeignLicences },
  { name: 'locks name the registry (lockfile-lint)', run: () => say('lockfile-lint/bin/lockfile-lint.js', ...locks) },
  { name: 'locks pin everything', run: findLooseLocks },
  { name: 'first load of the console', run: () => afterBuild(findHeavyFirstLoad) },
]

const spectral = ['lint', 'openapi.json', '--ruleset', '.spectral.yaml', '--fail-severity', 'hint', '--quiet']
const locks = [
  '--path={,bench/,tools/helm/,tools/on-demand/}package-lock.json',
  '--type=npm',
  '--allowed-hosts=npm',
  '--validate-package-names',
]
/** A check that takes longer is ended and fails. */
const timeout = 5 * 60_000

let built: Promise<string> | undefined

if (import.meta.main) {
  readFlag(undefined, 'npm run check')
  const failed = await runChecks()
  console.log(failed.length === 0 ? `\nAll ${checks.length} checks passed.` : `\nFailed: ${failed.join('; ')}.`)
  if (failed.length > 0) process.exitCode = 1
}

/** @returns the names of the failed checks */
export async function runChecks(): Promise<string[]> {
  const waiting = [...checks]
  const failed: string[] = []
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const begin = performance.now()
      const wrong = await check.run().catch((error) => String(error.stack ?? error))
      const seconds = ((performance.now() - begin) / 1000).toFixed(1).padStart(5)
      console.log(`${wrong ? 'FAILED' : 'ok    '} ${seconds} s  ${check.name}`)
      if (!wrong) continue
      console.log(wrong.trimEnd().replaceAll(/^/gm, '         '))
      failed.push(check.name)
    }
  }
  await Promise.all([work(), work()])
  return failed
}

/** Builds the console once for all checks that need it. @returns the error, if any */
function buildConsole(): Promise<string> {
  built ??= run([join(root, 'console/build.ts')]).then(({ code, output }) => (code === 0 ? '' : output.trim()))
  return built
}

/** Knip follows the console's imports, which include the types of the API. */
function findUnused(): Promise<string> {
  return say('knip/bin/knip.js', '--no-progress')
}

async function afterBuild(check: () => Promise<string>): Promise<string> {
  return (await buildConsole()) ? 'The console does not build.' : check()
}

/** One checker, because each checker works out the types again that it shares with the others: four of them need 1.6 times the CPU. */
function checkTypes(folder: string): Promise<string> {
  return say('typescript/bin/tsc', '-p', folder, '--checkers', '1')
}

/** Runs a program of node_modules. @returns its output if it failed */
async function say(program: string, ...args: string[]): Promise<string> {
  const { code, output } = await run([join(root, 'node_modules', program), ...args])
  return code === 0 ? '' : `${output.trim()}\n(ended with ${code})`
}

/** Runs a script with this process's Node. It ends with this process, and after its time limit. */
function run(args: string[]): Promise<{ code: number | string; output: string }> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const stop = () => child.kill()
  const timer = setTimeout(stop, timeout)
  process.once('SIGTERM', stop)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      process.off('SIGTERM', stop)
      resolve({ code: code ?? signal ?? 'nothing', output: said })
    })
  })
}
