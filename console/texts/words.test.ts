/** Words that no text of the console has. Pages in Chromium are searched for them by `check()` (test/browser.ts). */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

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
