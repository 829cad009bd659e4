import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from './password-strength.ts'

const say = (password: string, identities: string[] = []) => {
  const { level, advice } = judge(password, { minimum: 8, identities })
  return advice === undefined ? level : `${level} ${advice}`
}

test('a short password says how many characters are missing, counted as people see them', () => {
  assert.deepEqual(judge('🦊🦊🦊', { minimum: 8 }), { level: 'short', missing: 5 })
  assert.equal(judge('seventy-two', { minimum: 12 }).missing, 1)
})

test('length and variety make a password strong, and nothing else', () => {
  assert.equal(say('hedgehog'), 'weak longer')
  assert.equal(say('password1'), 'weak longer')
  assert.equal(say('passphrases w'), 'good')
  assert.equal(say('correct horse battery staple'), 'strong')
  assert.equal(say('Zürich liegt am See, nicht am Meer'), 'strong')
})

test('repetitions, sequences and public facts about the person count for little', () => {
  assert.equal(say('aaaaaaaaaaaaaaaaaaaa'), 'weak repeats')
  assert.equal(say('abcdefghijklmnop'), 'weak sequence')
  assert.equal(say('12345678987654321'), 'weak sequence')
  assert.equal(say('ann.archer7', ['ann.archer@example.com']), 'weak identity')
})
