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
import { ensureInstalled } from './on-demand.ts'

interface Part {
  readonly mutate: readonly string[]
  /** The test files that have to notice. */
  readonly tests: readonly string[]
}

const parts: Readonly<Record<string, Part>> = {
  tokens: {
    mutate: ['src/domain/access/tokens.ts'],
    tests: [
      'src/domain/access/authentication.test.ts',
      'src/features/invitations/invitations.test.ts',
      'src/features/invitations/resending.test.ts',
      'src/features/invitations/links.test.ts',
      'test/tenancy.test.ts',
    ],
  },
  roles: {
    mutate: ['src/domain/permissions/roles.ts'],
    tests: [
      'src/features/members/members.test.ts',
      'src/features/invitations/invitations.test.ts',
      'src/features/invitations/resending.test.ts',
      'src/features/invitations/inviters.test.ts',
      'test/models/organizations.deep.test.ts',
    ],
  },
  access: {
    mutate: ['src/domain/access/{authorization,authentication,tenancy}.ts', 'src/domain/sessions/{lifetime,uses}.ts'],
    tests: [
      'src/domain/access/authentication.test.ts',
      'src/domain/access/authorization.test.ts',
      'src/domain/sessions/cookies.test.ts',
      'src/domain/sessions/sessions.test.ts',
      'test/tenancy.test.ts',
      'test/access.test.ts',
      'test/access-accounts.test.ts',
    ],
  },
  passwords: {
    mutate: ['src/domain/credentials/passwords.ts'],
    tests: [
      'src/domain/credentials/passwords.test.ts',
      'src/domain/credentials/guessing.test.ts',
      'src/domain/credentials/lockout.test.ts',
    ],
  },
  pagination: {
    mutate: ['src/platform/http/pagination.ts', 'src/platform/database/keyset.ts'],
    tests: ['src/platform/http/pagination.test.ts', 'src/features/administration/users.test.ts'],
  },
  invitations: {
    mutate: [
      'src/features/invitations/{invitations,sending,acceptance,invitees}.ts',
      'src/domain/organizations/invitation-states.ts',
    ],
    tests: [
      'src/features/invitations/invitations.test.ts',
      'src/features/invitations/resending.test.ts',
      'src/features/invitations/inviters.test.ts',
      'src/features/invitations/lists.test.ts',
      'src/features/invitations/acceptance.test.ts',
      'src/features/invitations/links.test.ts',
      'test/models/organizations.deep.test.ts',
    ],
  },
}

const root = join(import.meta.dirname, '..')
const stryker = join(root, 'tools/on-demand/node_modules/@stryker-mutator/core/bin/stryker.js')

let running: ChildProcess | undefined
const folders = [join(root, '.stryker-tmp')]
atEnd(() => {
  running?.kill()
  for (const folder of folders) rmSync(folder, patiently)
})

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !Object.hasOwn(parts, name))
if (unknown.length > 0) {
  console.error(`Unknown part: ${unknown.join(', ')}. The parts are ${Object.keys(parts).join(', ')}.`)
  process.exitCode = 2
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
