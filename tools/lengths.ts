/** Lengths: how many lines a file may have, so that it is one noun that is read in one go. */
import { readTree } from './tree.ts'

const most = 250
const mostOfTests = 400

export async function findLongFiles(): Promise<string> {
  return readTree()
    .filter(({ path }) => isCounted(path))
    .map(({ path, text }) => ({
      path,
      lines: text.split('\n').length - 1,
      limit: path.endsWith('.test.ts') ? mostOfTests : most,
    }))
    .filter(({ lines, limit }) => lines > limit)
    .map(({ path, lines, limit }) => `${path} has ${lines} lines, and may have ${limit}: split it by noun`)
    .join('\n')
}

function isCounted(path: string): boolean {
  const isGenerated = path === 'client/src/openapi.d.ts'
  return /^(src|console|client|examples|tools|bench|faults|test)\/.*\.(m?[jt]s|tsx)$/.test(path) && !isGenerated
}
