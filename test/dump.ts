/** Everything in a database, for tests that search for something that must not be there. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { TestDatabase } from './database.ts'

/** Every row of every table in every schema as text, one per line. @param query runs statements as the superuser */
export async function dump(query: TestDatabase['query']): Promise<string> {
  const tables = await query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'm') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_'`,
  )
  assert.ok(tables.some(({ name }) => name === 'graphile_worker._private_jobs'))
  const texts: string[] = []
  for (const { name } of tables) {
    const rows = await query<{ text: string }>(`select row_to_json(t)::text as text from ${name} t`)
    texts.push(...rows.map(({ text }) => `${name} ${text}`))
  }
  return texts.sort().join('\n') // a cluster reads its nodes in any order
}

/** A word as it could stand in a dump: in clear, encoded, and as a hash that needs no key. */
export function formsOf(word: string): string[] {
  const bytes = Buffer.from(word)
  const digests = ['sha256', 'sha1', 'md5', 'sha512'].map((name) => createHash(name).update(word).digest())
  return [
    word,
    ...[bytes, ...digests].flatMap((each) => [
      each.toString('hex'),
      each.toString('base64').replace(/=+$/, ''),
      each.toString('base64url'),
    ]),
  ]
}

/** @returns the lines of the dump that hold a form of one of the words */
export function traces(text: string, words: Readonly<Record<string, string>>): string[] {
  const lines = text.split('\n').map((line) => ({ line, lower: line.toLowerCase() }))
  return Object.entries(words).flatMap(([what, word]) =>
    formsOf(word).flatMap((form) => {
      const wanted = form.toLowerCase()
      return lines.filter(({ lower }) => lower.includes(wanted)).map(({ line }) => `${what}: ${line.slice(0, 300)}`)
    }),
  )
}
