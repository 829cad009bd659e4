/** Storage: pages work without it. sign-in/sign-in.test.ts shows it in a browser whose storage is full or denied. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const folder = join(import.meta.dirname, '..')

/** What names storage of its own, and how it takes the same care. */
const allowed: Readonly<Record<string, string>> = {
  'parts/storage.ts': 'the one place',
  'theme/opening.ts': 'runs before all others, cannot import, and catches',
}

test('no page shows the browser’s own exception where storage is denied: all uses go through the one place that cannot throw', () => {
  const users = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(tsx?|html)$/.test(path) && !/\.test\.ts$|^(?:node_modules|dist)\b/.test(path))
    .filter((path) => {
      const code = readFileSync(join(folder, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '')
      return /\b(?:localStorage|sessionStorage|indexedDB|cookieStore|caches)\b|document\.cookie|\buse(?:Local|Session)Storage/.test(
        code,
      )
    })
  assert.deepEqual(users.sort(), Object.keys(allowed).sort())
})
