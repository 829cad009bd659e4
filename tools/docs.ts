/**
 * npm run docs: generates documents from the code, so that a review shows changes in them.
 *
 *   npm run docs                 writes the changed files
 *   npm run docs -- --check      writes nothing, lists the outdated files, and fails if there are any
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeTypes } from '../client/types.ts'
import { buildUnused } from '../src/process/serve.ts'
import { describeAuthorization } from './authorization-document.ts'
import { describeCryptography } from './cryptography-document.ts'
import { readFlag } from './flags.ts'
import { printJson } from './json.ts'

const root = join(import.meta.dirname, '..')
const isCheck = readFlag('--check', 'npm run docs [-- --check]')
const app = await buildUnused()
const openapi = app.swagger()
const documents = {
  'openapi.json': `${printJson(openapi)}\n`,
  'client/src/openapi.d.ts': await describeTypes(openapi),
  'docs/security/authorization.md': describeAuthorization(app.routes, app.config),
  'docs/security/cryptography.md': describeCryptography(),
}

for (const [path, made] of Object.entries(documents)) {
  if (made === readKept(path)) continue
  if (!isCheck) {
    writeFileSync(join(root, path), made)
    continue
  }
  console.log(`${path} is outdated. Run: npm run docs`)
  process.exitCode = 1
}

function readKept(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return undefined // not generated yet
  }
}
