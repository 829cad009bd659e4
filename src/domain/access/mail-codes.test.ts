import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Keyring } from '../../platform/cryptography.ts'
import { isMailCode, makeMailCode } from './mail-codes.ts'

const keyring = new Keyring(['a secret that is only used in tests'])
const row = { tenant: 'a', attemptId: 'att_1', generation: 1 }

test('a mailed code has six digits, and each digit is any', () => {
  const codes = Array.from({ length: 1000 }, (_, generation) => makeMailCode(keyring, { ...row, generation }))

  for (const code of codes) assert.match(code, /^\d{6}$/)
  const places = Array.from({ length: 6 }, (_, place) => codes.map((code) => code[place]).join(''))
  for (const place of places) assert.equal(new Set(place).size, 10, place)
  assert.equal(new Set(places).size, 6)
})

test('a mailed code is of one attempt, of its newest generation, in its tenant, under our secret', () => {
  const code = makeMailCode(keyring, row)

  assert.equal(isMailCode(keyring, code, row), true)
  for (const other of [{ tenant: 'b' }, { attemptId: 'att_2' }, { generation: 2 }])
    assert.equal(isMailCode(keyring, code, { ...row, ...other }), false, JSON.stringify(other))
  assert.equal(isMailCode(new Keyring(['another secret that is only used in tests']), code, row), false)
})
