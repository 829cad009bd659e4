/** Checks of the structure: who writes which table, how statements are sent together, and where requests are known. */
import { readTree } from './tree.ts'

/**
 * The files that write each table of a tenant. A function there maintains each invariant, and other code calls it. A new file in this list
 * needs a reason.
 */
export const writers: Readonly<Record<string, readonly string[]>> = {}

/** What may see a request below the routes: the doors, on which the routes stand, and the limits, which set headers. */
const readers = [/^src\/domain\/access\//]

/** @returns each statement that writes a table in an unlisted file, and each listed file that no longer writes its table */
export async function findForeignWriters(): Promise<string> {
  const writes = new RegExp(`\\b(?:insert into|update|delete from)\\s+(${Object.keys(writers).join('|')})\\b`, 'g')
  const found = new Set(
    sources().flatMap(({ path, text }) => [...text.matchAll(writes)].map(([, table]) => `${table} ${path}`)),
  )
  const listed = Object.entries(writers).flatMap(([table, paths]) => paths.map((path) => `${table} src/${path}`))
  return [
    ...[...found]
      .filter((pair) => !listed.includes(pair))
      .map((pair) => `${pair}: writes the table, but is not listed`),
    ...listed.filter((pair) => !found.has(pair)).map((pair) => `${pair}: is listed, but does not write the table`),
  ].join('\n')
}

/** Only pipeline() sends statements together, because Promise.all does not promise their order. */
export async function findLooseStatements(): Promise<string> {
  return sources()
    .filter(({ path }) => path !== 'src/platform/database/database.ts')
    .flatMap(({ path, text }) =>
      [...text.matchAll(/Promise\.all(?:Settled)?\(([\s\S]{0,200})/g)]
        .filter(([, rest = '']) => /\bsql\b/.test(rest))
        .map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}: sends statements by Promise.all`),
    )
    .join('\n')
}

/** Below the routes a function takes a RequestContext and its own arguments, so that jobs and commands can call it too. */
export async function findRequestsBelowRoutes(): Promise<string> {
  return sources()
    .filter(({ path }) => path.startsWith('src/domain/') && !readers.some((reader) => reader.test(path)))
    .filter(({ text }) => /\bFastify(Request|Reply)\b/.test(text))
    .map(({ path }) => `${path} knows a FastifyRequest or FastifyReply`)
    .join('\n')
}

function sources() {
  return readTree().filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts') && !path.endsWith('.test.ts'))
}
