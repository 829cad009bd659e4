/** Words that no text of the console has. Pages in Chromium are searched for them by `check()` (test/browser.ts). */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { problems } from '../../src/domain/problems.ts'
import { refusals } from './en/refusals.ts'

const folder = join(import.meta.dirname, 'en')

/** Every text of a module, with the keys that lead to it. */
function textsIn(value: unknown, path: string): [string, string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => textsIn(each, `${path}.${key}`))
}

const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))
const modules = await Promise.all(files.map(async (name) => textsIn(await import(join(folder, name)), name)))
const texts = modules.flat()

test('no text speaks of a tenant: people know the name of their product, and settings', () => {
  const found = texts.filter(([, text]) => /tenant/i.test(text.replace(/\{\{[^}]*\}\}/g, '')))

  assert.ok(texts.length > 1000)
  assert.deepEqual(found, [])
})

test('one word for one thing: changes are saved by “Save”, links and keys are active, and nobody reads “cannot”', () => {
  const found = texts.filter(([, text]) => /\bcannot\b|\blive (links|keys)\b|^(Live|Save changes)$/i.test(text))

  assert.deepEqual(found, [])
})

test('the words for an overload do not speak of signing in: exports and pictures may be too many, too', () => {
  assert.doesNotMatch(Object.values(refusals.overloaded).join(' '), /sign/i)
})

test('a number of things has its separators: no text writes one as it is', () => {
  assert.deepEqual(
    texts.filter(([, text]) => text.includes('{{count}}')),
    [],
  )
})

/** Those that no request of the console has, and those to which it answers with another request or page. */
const unread = [
  'malformed_json',
  'invalid_id',
  'invalid_cursor',
  'ambiguous_credentials',
  'method_not_allowed',
  'unsupported_media_type',
  'insufficient_scope',
  'sign_in_incomplete',
  'authorization_incomplete',
  'tenant_mismatch',
]

test('a problem whose words for developers name code has words for people', () => {
  const forDevelopers = Object.entries(problems).filter(([, { title, detail }]) => `${title} ${detail}`.includes('`'))
  const worded = new Set([...Object.keys(refusals), ...unread])

  assert.deepEqual(
    forDevelopers.map(([code]) => code).filter((code) => !worded.has(code)),
    [],
  )
})
