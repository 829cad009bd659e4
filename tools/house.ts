/** Checks of how the house is built: who writes which table, how statements are sent together, and where a request is known. */
import { readTree } from './tree.ts'

/**
 * The files that write each table of a tenant. One function there keeps each invariant; whatever else needs it calls that function. A new
 * name on this list needs a reason.
 */
export const writers: Readonly<Record<string, readonly string[]>> = {}

/** What may see a request below the routes: the doors, which are the routes' ground, and the limits, which answer with headers. */
const readers = [/^src\/domain\/access\//]

/** @returns each statement that writes a table in a file which is not listed for it, and each listed file that writes it no more */
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

/** Statements are sent together by pipeline() alone: Promise.all does not say that they run in order. */
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

/** Below the routes a function takes a RequestContext and what it needs, so that a job or a command can call it too. */
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
