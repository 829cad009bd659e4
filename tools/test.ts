/**
 * npm test: every check, then all tests but the deep ones (`*.deep.test.ts`: tools/deep.ts). Goes on after a failure, and says at the end
 * what failed.
 *
 *   npm test                     every check, and all tests but the deep ones
 *   npm test -- <file>…          these test files alone, side by side, deep ones too; names each test
 */
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from './check.ts'
import { runTests } from './test-runner.ts'

const root = join(import.meta.dirname, '..')
const testFiles = '{src,test,client,console,examples}/**/*.test.ts'

const chosen = process.argv.slice(2)
const others = chosen.filter((file) => !file.endsWith('.test.ts') || !existsSync(join(root, file)))
if (others.length > 0) {
  console.error(`No test files: ${others.join(', ')}. Name files that end in .test.ts, and no folders.`)
  process.exit(1)
}
const isChosen = chosen.length > 0
const failed = isChosen ? [] : await runChecks()
const files = isChosen ? chosen : globSync(testFiles, { cwd: root, exclude: ['**/*.deep.test.ts'] })
if (!(await runTests(files, { names: isChosen, apart: isChosen }))) failed.push('tests')

if (failed.length > 0) {
  if (!isChosen) console.log(`\nFailed: ${failed.join('; ')}.`)
  process.exitCode = 1
} else if (!isChosen) console.log('\nAll checks and tests passed.')
