/** Lengths: how many lines a file may have, so that it is one noun that is read in one go. */
import { readTree } from './tree.ts'

/** Past the first number the check warns, past the second it fails. A split follows a noun, never a limit. */
const limits = { code: [250, 350], tests: [400, 550] } as const

export async function findLongFiles(): Promise<string> {
  const files = readTree()
    .filter(({ path }) => isCounted(path))
    .map(({ path, text }) => {
      const [warning, most] = path.endsWith('.test.ts') ? limits.tests : limits.code
      return { path, lines: text.split('\n').length - 1, warning, most }
    })
  for (const { path, lines, warning, most } of files)
    if (lines > warning && lines <= most)
      console.log(`                ${path} has ${lines} lines; the most is ${most}.`)
  return files
    .filter(({ lines, most }) => lines > most)
    .map(({ path, lines, most }) => `${path} has ${lines} lines, and may have ${most}: split it by noun`)
    .join('\n')
}

function isCounted(path: string): boolean {
  const isGenerated = path === 'client/src/openapi.d.ts'
  return /^(src|console|client|examples|tools|bench|faults|test)\/.*\.(m?[jt]s|tsx)$/.test(path) && !isGenerated
}
