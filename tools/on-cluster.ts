/**
 * npm run cluster: runs the tests of the HTTP API on a Citus cluster (test/cluster-database.ts), each file in a distributed database of its
 * own. Without a cluster it runs nothing, and says so.
 *
 *   CITUS_URL=postgresql://postgres@10.0.0.20/postgres npm run cluster
 *   CITUS_URL=… npm run cluster -- <file>…
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runTests } from './test-runner.ts'

const root = join(import.meta.dirname, '..')
/** The resources of the API; of these, files with statements of their own that no cluster takes, such as triggers, are left out. */
const rooms = '{organizations,members,invitations,joining,me,sign-in,administration,keys}'
const foreign = /\b(create|drop) (constraint )?trigger\b|\bcounted\b|lock table/i

const isForeign = (file: string) => foreign.test(readFileSync(join(root, file), 'utf8'))
const all = [
  'src/platform/database/distribute.deep.test.ts',
  'test/tenancy.test.ts',
  ...globSync(`src/features/${rooms}/*.test.ts`, { cwd: root, exclude: ['**/*.deep.test.ts'] }).filter(
    (file) => !isForeign(file),
  ),
]
const chosen = process.argv.slice(2)

if (!process.env.CITUS_URL) {
  console.log('SKIPPED: no test ran on a Citus cluster, because CITUS_URL names none.')
} else if (!(await runTests(chosen.length > 0 ? chosen : all, { names: chosen.length > 0, apart: true }))) {
  process.exitCode = 1
}
