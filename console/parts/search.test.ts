import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { readActivitySearch } from '../audit/search.ts'
import { isOurs, readSignInSearch } from '../sign-in/sign-in-search.ts'
import { readTenantActivitySearch } from '../tenants/activity-search.ts'
import { exactly, longestQuery, readQuery } from './search.ts'

test('the search of a route contains only what its reader lets through', () => {
  const nonsense = [{}, '//elsewhere.example/', 'evil', -1, null, ['/'], true]
  const names = ['next', 'query', 'kinds', 'last', 'from', 'to', 'organization', 'userId', '__proto__', 'other']
  const readers: ((given: Record<string, unknown>) => object)[] = [
    readSignInSearch,
    readQuery,
    readActivitySearch,
    readTenantActivitySearch,
  ]
  for (const read of readers)
    for (const value of nonsense) {
      const given = Object.fromEntries(names.map((name) => [name, value]))
      // As the router merges them.
      const shown = JSON.parse(JSON.stringify({ ...given, ...exactly(read)(given) }))
      assert.deepEqual(shown, { ...read(given) })
      assert.deepEqual(
        Object.keys(shown).filter((name) => name !== 'query'),
        [],
        `${read.name} of ${String(value)}`,
      )
    }
  assert.deepEqual(exactly(readQuery)({ query: 7, other: 7 }), { query: '7', other: undefined })
})

test('signing in never leads to another site', () => {
  for (const path of ['/', '/me', '/t/acme/organizations?query=a%20b#c']) assert.ok(isOurs(path), path)
  const elsewhere = ['//evil.example', '/\\evil.example', '/\t/evil.example', '/ /evil.example', 'https://evil.example']
  for (const path of [...elsewhere, 'me', '', undefined, ['/me']]) assert.ok(!isOurs(path), String(path))
})

test('a query in the address may be as long as the API takes', async () => {
  const { components } = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'))
  const limits = Object.values<{ name: string; schema: { maxLength: number } }>(components.parameters)
    .filter(({ name }) => name === 'query')
    .map(({ schema }) => schema.maxLength)
  assert.ok(limits.length > 0)
  assert.deepEqual([...new Set(limits)], [longestQuery])
  const long = 'x'.repeat(longestQuery)
  assert.deepEqual(readQuery({ query: `${long}y` }), { query: long })
})
