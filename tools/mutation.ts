/**
 * npm run mutation: changes the code in small ways, one at a time, and sees whether the tests notice (Stryker).
 *
 *   npm run mutation                      every part, for some hours
 *   npm run mutation -- tokens            one part of those below
 *   npm run mutation -- tokens passwords
 *
 * It works on a copy in .stryker-tmp. What survived is printed, and told in full in reports/mutation/<part>.json.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { holdCluster } from '../test/database.ts'
import { atEnd } from '../test/ending.ts'
import { ensureInstalled } from './on-demand.ts'

interface Part {
  readonly mutate: readonly string[]
  /** The files of tests that have to notice. */
  readonly tests: readonly string[]
}

const parts: Readonly<Record<string, Part>> = {
  tokens: {
    mutate: ['src/domain/access/tokens.ts'],
    tests: [
      'src/domain/access/authentication.test.ts',
      'src/features/invitations/invitations.test.ts',
      'test/tenancy.test.ts',
    ],
  },
  roles: {
    mutate: ['src/domain/permissions/roles.ts'],
    tests: [
      'src/features/members/members.test.ts',
      'src/features/invitations/invitations.test.ts',
      'test/models/organizations.test.ts',
    ],
  },
  access: {
    mutate: ['src/domain/access/{authorization,authentication,tenancy}.ts', 'src/domain/sessions/lifetime.ts'],
    tests: [
      'src/domain/access/authentication.test.ts',
      'src/domain/access/authorization.test.ts',
      'src/domain/sessions/sessions.test.ts',
      'test/tenancy.test.ts',
      'test/access.test.ts',
    ],
  },
  passwords: {
    mutate: ['src/domain/credentials/passwords.ts'],
    tests: ['src/domain/credentials/passwords.test.ts', 'src/domain/credentials/guessing.test.ts'],
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
      'src/features/invitations/acceptance.test.ts',
      'test/models/organizations.test.ts',
    ],
  },
}

const root = join(import.meta.dirname, '..')
const stryker = join(root, 'tools/on-demand/node_modules/@stryker-mutator/core/bin/stryker.js')

let running: ChildProcess | undefined
const folders = [join(root, '.stryker-tmp')]
atEnd(() => {
  running?.kill()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !Object.hasOwn(parts, name))
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. The parts are ${Object.keys(parts).join(', ')}.`)
  process.exitCode = 2
} else {
  ensureInstalled(join(root, 'tools/on-demand'), '@stryker-mutator/core')
  const release = await holdCluster()
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
    // A file of tests has a database of its own, and two cores are enough for one of them and PostgreSQL.
    concurrency: 1,
    timeoutMS: 60_000,
    // Descriptions and titles in schemas are texts for people, whom a test need not hold to the letter.
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
      'tools/on-demand/node_modules',
    ],
    disableTypeChecks: false,
    // It is there to be rewritten for a compiler; Node strips the types, and needs none.
    tsconfigFile: 'none',
  }
  writeFileSync(settings, JSON.stringify(options))
  console.log(`\n== ${name}`)
  await run(process.execPath, [stryker, 'run', settings])
}

/** Runs a program, with the Node that runs us for whatever it starts. */
async function run(program: string, args: readonly string[]): Promise<void> {
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
  running = spawn(program, args, { cwd: root, stdio: 'inherit', env: { ...process.env, PATH: path } })
  const [status] = await once(running, 'exit')
  if (status !== 0) throw new Error(`${program} ended with ${status}`)
}
