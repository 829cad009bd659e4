/** Checks of the structure: who writes which table, how statements are sent together, and where requests are known. */
import { dirname, join } from 'node:path'
import { readTree } from './tree.ts'
import { writers } from './writers.ts'

/** What may know a request below the routes: the doors, which the routes use, and hooks of every request. */
const readers: Readonly<Record<string, string>> = {
  'src/domain/access/': 'the doors',
  'src/domain/limits/request-rates.ts': 'a hook: counts every request',
  'src/domain/sessions/cookies.ts': 'sets the cookies of a new session',
  'src/domain/sessions/uses.ts': 'a hook: notes activity',
}

/**
 * @returns each table of the migrations that has no list of its writers, each statement that writes a table in an unlisted file, and each
 *   listed file that no longer writes its table
 */
export async function findForeignWriters(): Promise<string> {
  const tables = readTree()
    .filter(({ path }) => path.startsWith('migrations/'))
    .flatMap(({ path, text }) => [...text.matchAll(/\bcreate table (\w+)/g)].map(([, table = '']) => ({ table, path })))
  const names = [...new Set([...Object.keys(writers), ...tables.map(({ table }) => table)])]
  const writes = new RegExp(`\\b(?:insert into|merge into|update|delete from)\\s+(${names.join('|')})\\b`, 'g')
  const found = new Set(
    sources().flatMap(({ path, text }) => [...text.matchAll(writes)].map(([, table]) => `${table} ${path}`)),
  )
  const listed = Object.entries(writers).flatMap(([table, paths]) =>
    Object.keys(paths).map((path) => `${table} src/${path}`),
  )
  return [
    ...tables
      .filter(({ table }) => !Object.hasOwn(writers, table))
      .map(({ table, path }) => `${table} ${path}: makes the table, whose writers are not listed`),
    ...[...found]
      .filter((pair) => !listed.includes(pair))
      .map((pair) => `${pair}: writes the table, but is not listed`),
    ...listed.filter((pair) => !found.has(pair)).map((pair) => `${pair}: is listed, but does not write the table`),
  ].join('\n')
}

/** Only pipeline() sends statements together, because Promise.all does not promise their order. */
export async function findLooseStatements(): Promise<string> {
  return sources()
    .filter(({ path }) => path !== 'src/platform/database/batches.ts')
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
    .filter(
      ({ path }) => path.startsWith('src/domain/') && !Object.keys(readers).some((reader) => path.startsWith(reader)),
    )
    .filter(({ text }) => /\bFastify(Request|Reply)\b/.test(text))
    .map(({ path }) => `${path} knows a FastifyRequest or FastifyReply`)
    .join('\n')
}

/** The folders of domain/ and of platform/ form no circle, so that each can be read after those that it needs. */
export async function findFolderCircles(): Promise<string> {
  const needs = new Map<string, Set<string>>()
  for (const { path, text } of sources()) {
    const folder = dirname(path)
    if (!/^src\/(domain|platform)\//.test(path)) continue
    const imported = [...text.matchAll(/(?:from|declare module) '(\.[^']+)'/g)].map(([, to = '']) =>
      dirname(join(folder, to)),
    )
    needs.set(folder, new Set([...(needs.get(folder) ?? []), ...imported.filter((other) => other !== folder)]))
  }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(needs.get(from) ?? [])].some((next) => {
      if (next === to) return true
      if (seen.has(next)) return false
      seen.add(next)
      return reaches(next, to, seen)
    })
  return [...needs.keys()]
    .filter((folder) => reaches(folder, folder))
    .map((folder) => `${folder} needs itself by way of other folders`)
    .join('\n')
}

function sources() {
  return readTree().filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts') && !path.endsWith('.test.ts'))
}
