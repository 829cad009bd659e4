import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { statement } from '../../platform/database/database.ts'
import { matchingAddress } from './addresses.ts'
import { conditionsOf, countByWords, matching, measureTerms, searchedUsers, type Way } from './search.ts'
import { lookupsIn, readQuery } from './words.ts'

const word = fc.stringMatching(/^[a-z]{1,3}([.'-][a-z]{1,3})?$/)
const typed = fc.oneof(
  word,
  word.map((text) => `@${text}`),
  fc.tuple(word, word).map(([local, domain]) => `${local}@${domain}`),
)

/** The texts of the statements of a query, whatever the way is. */
function textsOf(query: string): string[] {
  const terms = readQuery(query)
  const [term] = lookupsIn(terms)
  const ways: Way[] = [{ kind: 'many' }, { kind: 'all' }, ...(term ? [{ kind: 'few', term } as const] : [])]
  const counts = ways.map((toCount) =>
    countByWords(searchedUsers, 't', { terms, way: toCount, isFilled: true, toCount, isAgain: false }),
  )
  const statements = [
    ...ways.map((way) => conditionsOf(searchedUsers, 't', { terms, way })),
    ...counts.flatMap((each) => each ?? []),
    matching(statement`u.`, terms),
    matchingAddress(statement`i.email`, terms),
    ...(term ? [measureTerms(searchedUsers, 't', terms), measureTerms(searchedUsers, 't', terms, true)] : []),
  ]
  return statements.map(({ text }) => text)
}

test('the texts of all searches are few, whatever is typed: each connection keeps them', () => {
  const texts = new Set<string>()
  const sample = fc.sample(fc.array(typed, { maxLength: 60 }), { numRuns: 500, seed: 7 })
  const words = fc.sample(fc.array(word, { maxLength: 60 }), { numRuns: 500, seed: 7 })
  const queries = [
    ...sample,
    ...words,
    ...words.map((each) => ['@acme', ...each]),
    ...words.map((each) => [...each, 'a@b']),
  ]
  for (const query of queries) for (const text of textsOf(query.join(' '))) texts.add(text)
  // 36 lists of kinds, and for each the ways and the counts.
  const count = texts.size
  assert.ok(count > 50 && count <= 36 * 7, `${count} texts`)
  for (const query of queries)
    for (const text of textsOf([...query].reverse().join(' '))) assert.ok(texts.has(text), query.join(' '))
})

test('many words make no longer statement than nine', () => {
  const words = Array.from({ length: 127 }, (_, index) => String.fromCodePoint(0x4e00 + index))
  const [nine, all] = [words.slice(0, 9), words].map((each) => textsOf(each.join(' ')))
  assert.deepEqual(nine, all)
})
