/** Lengths: how many lines a file may have, so that it is one noun that is read in one go. */
import { readTree } from './tree.ts'

const most = 250
const mostOfTests = 400

/** Those that are longer today, with their length: it may shrink and not grow, and who comes below the limit goes from the list. */
const longer: Readonly<Record<string, number>> = {
  'bench/operations/memberships.ts': 261,
  'src/domain/access/authentication.test.ts': 434,
  'src/domain/credentials/guessing.test.ts': 475,
  'src/domain/erasure/erasure.test.ts': 624,
  'src/features/administration/audit.test.ts': 438,
  'src/features/sign-in/email-change.test.ts': 538,
}

export async function findLongFiles(list = longer): Promise<string> {
  const lengths = readTree()
    .filter(({ path }) => isCounted(path))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
  const gone = Object.keys(list).filter((path) => !lengths.some((each) => each.path === path))
  return [
    ...lengths.flatMap(({ path, lines }) => {
      const limit = path.endsWith('.test.ts') ? mostOfTests : most
      const listed = list[path]
      if (lines <= limit)
        return listed === undefined ? [] : [`${path} has ${lines} lines now: take it from the list in tools/lengths.ts`]
      return lines <= (listed ?? limit)
        ? []
        : [`${path} has ${lines} lines, and may have ${listed ?? limit}: split it by noun`]
    }),
    ...gone.map((path) => `${path} is gone: take it from the list in tools/lengths.ts`),
  ].join('\n')
}

function isCounted(path: string): boolean {
  const isGenerated = path === 'client/src/openapi.d.ts'
  return /^(src|console|client|examples|tools|bench|faults|test)\/.*\.(m?[jt]s|tsx)$/.test(path) && !isGenerated
}
