import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesIn } from './changed.ts'

test('a changed brand is shown as what has changed of it', () => {
  const logoUrl = 'https://accounts.example.com/pictures/ten_1'
  const details = {
    name: { from: 'Acme', to: 'Acme Ltd' },
    brand: { from: { color: '#123456' }, to: { color: '#123456', logoUrl } },
    endedSessions: 2,
  }
  assert.deepEqual(changesIn(details), [
    ['name', { from: 'Acme', to: 'Acme Ltd' }],
    ['logoUrl', { from: null, to: logoUrl }],
  ])
  assert.deepEqual(changesIn({ brand: { from: null, to: { color: '#fff' } } }), [['color', { from: null, to: '#fff' }]])
  assert.deepEqual(changesIn(null), [])
})
