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
/** Those that make an installation of their own. */
const hasWorld = (file: string) => readFileSync(join(root, file), 'utf8').includes('createWorld(')
const all = [
  'src/platform/database/distribute.deep.test.ts',
  ...globSync('{src/features/*,test}/*.test.ts', { cwd: root, exclude: ['**/*.deep.test.ts'] }).filter(hasWorld),
]
const chosen = process.argv.slice(2)

if (!process.env.CITUS_URL) {
  console.log('SKIPPED: no test ran on a Citus cluster, because CITUS_URL names none.')
} else if (!(await runTests(chosen.length > 0 ? chosen : all, { names: chosen.length > 0, apart: true }))) {
  process.exitCode = 1
}
