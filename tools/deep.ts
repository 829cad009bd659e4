/**
 * npm run test:deep: runs the deep tests (`*.deep.test.ts`: models, large tables, commands, several processes, the code in the documents),
 * repeats the random tests of `npm test` many times with other seeds, then runs the faults, and the previous release on the present schema.
 * It takes most of an hour. `npm run mutation` checks one part of the code at a time.
 *
 *   npm run test:deep                 DEPTH=10, SEED by the clock
 *   DEPTH=3 SEED=7 npm run test:deep
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFlag } from './flags.ts'
import { runTests } from './test-runner.ts'

readFlag(undefined, 'npm run test:deep')
const root = join(import.meta.dirname, '..')
process.env.DEPTH ||= '10'
process.env.SEED ||= String(Date.now() % 1_000_000)
console.log(`DEPTH=${process.env.DEPTH} SEED=${process.env.SEED}`)

const deep = globSync('{src,test,examples}/**/*.test.ts', { cwd: root }).filter(
  (file) =>
    file.endsWith('.deep.test.ts') || /from '[^']*\/(depth|steps)\.ts'/.test(readFileSync(join(root, file), 'utf8')),
)
const failed: string[] = []
if (!(await runTests(deep, { names: true, apart: true }))) failed.push('tests')
for (const script of ['faults/run.ts', 'tools/upgrade.ts']) {
  const child = spawn(process.execPath, [join(root, script)], { cwd: root, stdio: 'inherit' })
  const stop = () => child.kill()
  process.once('SIGTERM', stop)
  const [code] = await once(child, 'exit')
  process.off('SIGTERM', stop)
  if (code !== 0) failed.push(script)
}
console.log(failed.length === 0 ? '\nAll passed.' : `\nFailed: ${failed.join('; ')}.`)
if (failed.length > 0) process.exitCode = 1
