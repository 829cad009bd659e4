/**
 * npm run cluster: runs all tests of an installation on a Citus cluster (test/cluster-database.ts), each file in a distributed database of
 * its own. What a test itself asks the database may be nothing that a cluster takes: such a test is left out, and named. Without a cluster
 * it runs nothing, and says so.
 *
 *   CITUS_URL=postgresql://postgres@10.0.0.20/postgres npm run cluster
 *   CITUS_URL=… npm run cluster -- <file>…
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runTests } from './test-runner.ts'

const root = join(import.meta.dirname, '..')
/** Files that prove something of one PostgreSQL, each with the reason. */
const foreign: Readonly<Record<string, string>> = {
  'test/forgotten-tenant.test.ts': 'its statements forget their tenant, and a cluster refuses to plan them',
  'test/refused-reads.test.ts': 'it reads plans, and those of a cluster do not say what its nodes read',
}
/** Files that make an installation of their own. */
const hasWorld = (file: string) => readFileSync(join(root, file), 'utf8').includes('createWorld(')
const all = [
  'src/platform/database/distribute.deep.test.ts',
  ...globSync('{src,test}/**/*.test.ts', { cwd: root, exclude: ['**/*.deep.test.ts'] })
    .filter(hasWorld)
    .filter((file) => !(file in foreign)),
]
const chosen = process.argv.slice(2)

if (!process.env.CITUS_URL) {
  console.log('SKIPPED: no test ran on a Citus cluster, because CITUS_URL names none.')
} else {
  if (chosen.length === 0)
    for (const [file, reason] of Object.entries(foreign)) console.log(`LEFT OUT  ${file}: ${reason}`)
  const isPassed = await runTests(chosen.length > 0 ? chosen : all, { names: chosen.length > 0, apart: true })
  if (!isPassed) process.exitCode = 1
}
