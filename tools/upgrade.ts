/**
 * npm run upgrade: the code from before the newest migration serves under load while the migration is applied, and starts again after it.
 * Run it when you add a migration, before or after the commit. It needs git with the commit before.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrate, migrationsFolder } from '../src/platform/database/migrate.ts'
import { createDatabase } from '../test/database.ts'
import { makeFolder, root, start, stop } from '../test/processes.ts'
import { underLoad } from '../test/under-load.ts'
import { readFlag } from './flags.ts'

readFlag(undefined, 'npm run upgrade')

/** The first version whose code starts on a newer schema. */
const firstToStart = 15

test('the code from before the newest migration keeps serving, and starts again', async (t) => {
  const newest = readdirSync(migrationsFolder).sort().at(-1) ?? ''
  const added = git('log', '-1', '--format=%H', '--diff-filter=A', '--', `migrations/${newest}`)
  const before = git('rev-parse', '--verify', added ? `${added}^` : 'HEAD')
  const older = join(await makeFolder(), 'older')
  mkdirSync(older)
  execFileSync('sh', ['-c', 'git archive "$0" | tar -x -C "$1"', before, older], { cwd: root })
  symlinkSync(join(root, 'node_modules'), join(older, 'node_modules'))
  const { length: known } = readdirSync(join(older, 'migrations'))
  t.diagnostic(`the code of ${before.slice(0, 12)} knows ${known} migrations; the newest is ${newest}`)

  const { url, query, drop } = await createDatabase()
  t.after(drop)
  await query('drop schema public cascade')
  await query('create schema public authorization guildhall')
  const env = { DATABASE_URL: url, GUILDHALL_SECRET: 'a secret that is only used in tests', LIMITS: 'off' }
  const serveWhile = async (work: () => Promise<void>) => {
    const service = await start({ folder: older, env, main: join(older, 'src', 'main.ts') })
    await underLoad(service.url, query, work).finally(() => stop(service))
  }
  await serveWhile(async () => assert.equal((await migrate(url)).at(-1), newest))
  if (known >= firstToStart) await serveWhile(async () => {})
  else
    t.diagnostic(
      `skipped: starting again. Code that knows fewer than ${firstToStart} migrations cannot start on a newer schema; this code knows ${known}`,
    )
})

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}
