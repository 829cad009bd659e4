/** Slugs in the console's addresses. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isReservedSlug } from '../../src/domain/organizations/reserved-slugs.ts'
import { fromSegment, toSegment } from './slug.ts'

test('the word of every page beside those of organizations is reserved', () => {
  const routes = readFileSync(join(import.meta.dirname, '../routes/organizations.ts'), 'utf8')
  const words = [...routes.matchAll(/path: '\/organizations\/([a-z0-9-]+)/g)].map(([, word]) => word as string)
  assert.ok(words.includes('new'))
  for (const word of words) assert.ok(isReservedSlug(word), word)
})

test('a slug comes back from an address as it went in', () => {
  for (const slug of ['acme', 'new', 'settings', 'org_0123']) assert.equal(fromSegment(toSegment(slug)), slug)
  assert.notEqual(toSegment('new'), 'new')
})
