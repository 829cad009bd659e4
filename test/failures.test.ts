/** The last lines of a run of tests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstLine, summarize } from '../tools/failures.ts'

const messageOf = (assertion: () => void): string => {
  try {
    assertion()
  } catch (error) {
    return (error as Error).message // of node:assert
  }
  return assert.fail('it did not fail')
}

test('a run of tests ends with the tests that failed, their files and their errors', () => {
  const failures = [
    { file: 'src/a.test.ts', test: 'one › holds', line: 'Expected 401.', text: 'the whole error' },
    { file: 'src/b.test.ts', test: 'another holds', line: 'No mail came.', text: 'the whole error' },
  ]
  assert.equal(
    summarize(failures),
    'FAILED  one › holds\n        src/a.test.ts: Expected 401.\nFAILED  another holds\n        src/b.test.ts: No mail came.',
  )
})

test('the first line of an error says what differs', () => {
  assert.equal(firstLine('\nthe first\nthe second'), 'the first')
  assert.equal(firstLine(''), '')
  assert.equal(firstLine('x'.repeat(1_000)).length, 200)
  assert.equal(firstLine(messageOf(() => assert.equal(401, 200, 'refused'))), 'refused')
  assert.equal(firstLine(messageOf(() => assert.equal(401, 200))), 'Expected values to be strictly equal: 401 !== 200')
  assert.equal(
    firstLine(messageOf(() => assert.deepEqual([1, 'x'], [1, 'y']))),
    "Expected values to be strictly deep-equal: + 'x' - 'y'",
  )
  assert.match(firstLine(messageOf(() => assert.match('abc', /x/))), /Input: 'abc'$/)
})
