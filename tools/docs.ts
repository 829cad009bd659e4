/**
 * npm run docs: writes what is made from the code, so that a review shows what changes in it.
 *
 *   npm run docs                 writes what has changed
 *   npm run docs -- --check      writes nothing, names what is not as the code is today, and fails where there is any
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
  console.log(`${path} is not what the code says. Run: npm run docs`)
  process.exitCode = 1
}

function readKept(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return undefined // not made yet
  }
}
