/** Slugs in the console's addresses. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isReservedSlug } from '../../src/domain/organizations/reserved-slugs.ts'
import { fromSegment, toSegment } from './slug.ts'

test('no organization is hidden by a page: the word of every page and of every path of the API beside them is reserved', () => {
  const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'))
  const segments = [...Object.keys(paths), ...pathsOf()].flatMap(
    (path) => /(?:^|\/)organizations\/([^/]+)/.exec(path)?.[1] ?? [],
  )
  const words = new Set(segments.filter((segment) => !/^\$|^\{/.test(segment)))
  assert.ok(words.has('new'))
  for (const word of words) assert.ok(isReservedSlug(word), word)
})

test('no organization will be hidden by a page of tomorrow: the word of every page inside is reserved already', () => {
  const words = new Set(
    pathsOf().flatMap((path) => path.split('/').filter((segment) => /^[a-z][a-z-]{2,}$/.test(segment))),
  )
  for (const word of ['people', 'webhooks', 'links', 'applications']) assert.ok(isReservedSlug(word), word)
  assert.ok(words.has('webhooks'))
  for (const word of words) assert.ok(isReservedSlug(word), word)
})

/** The paths of all routes of signed-in people, each without that of its parent. */
function pathsOf(): string[] {
  const files = ['administration', 'inside', 'me', 'organizations']
  const texts = files.map((file) => readFileSync(join(import.meta.dirname, `../routes/${file}.ts`), 'utf8'))
  return texts.flatMap((text) => text.match(/(?<=path: ')[^']+/g) ?? [])
}

test('a slug comes back from an address as it went in', () => {
  for (const slug of ['acme', 'new', 'settings', 'org_0123']) assert.equal(fromSegment(toSegment(slug)), slug)
  assert.notEqual(toSegment('new'), 'new')
})
