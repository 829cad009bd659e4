import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actions } from '../../src/domain/record/actions.ts'
import { actionsOf, kinds } from './kinds.ts'

test('each action is of one kind, so that a filter by all kinds finds each entry', () => {
  for (const action of actions) {
    const words: readonly string[] = [action, `${action.split('.')[0]}.*`]
    const found = kinds.filter((kind) => actionsOf([kind]).action?.some((word) => words.includes(word)))
    assert.equal(found.length, 1, `${action}: ${found.join()}`)
  }
})
