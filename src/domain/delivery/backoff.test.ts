import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRetryAfter } from './backoff.ts'

const now = Date.parse('2026-03-01T12:00:00Z')

test('Retry-After is seconds or a date, a day at most, and nothing if nobody can read it', () => {
  for (const [header, seconds] of [
    [null, 0],
    ['0', 0],
    ['120', 120],
    ['86400', 86_400],
    ['86401', 86_400],
    ['9'.repeat(60), 86_400],
    ['Sun, 01 Mar 2026 12:02:00 GMT', 120],
    ['Sun, 01 Mar 2026 11:59:00 GMT', 0],
    ['Mon, 31 Dec 9999 23:59:59 GMT', 86_400],
    ['-120', 0],
    ['1e9', 0],
    ['0x7fffffff', 0],
    ['NaN', 0],
    ['Infinity', 0],
    ['soon', 0],
    ['', 0],
  ] as const)
    assert.equal(readRetryAfter(header, now), seconds, `${header}`)
})
