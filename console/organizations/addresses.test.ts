/** Addresses in pasted text. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAddresses } from './addresses.ts'

test('addresses are found between commas, semicolons, spaces and new lines', () => {
  assert.deepEqual(findAddresses('a@b.example, c@d.example;e@f.example\ng@h.example  i@j.example,'), [
    'a@b.example',
    'c@d.example',
    'e@f.example',
    'g@h.example',
    'i@j.example',
  ])
})

test('names beside angle brackets are left out', () => {
  assert.deepEqual(
    findAddresses('Ann Archer <ann@a.example>, "Bell, Ben" <ben@a.example>; Cole, Cleo <cleo@a.example>'),
    ['ann@a.example', 'ben@a.example', 'cleo@a.example'],
  )
  assert.deepEqual(findAddresses('<mailto:ann@a.example> dan@a.example'), ['ann@a.example', 'dan@a.example'])
})

test('each address is found once, and an invalid one stays to be corrected', () => {
  assert.deepEqual(findAddresses('ann@a.example ANN@a.example nobody'), ['ANN@a.example', 'nobody'])
  assert.deepEqual(findAddresses(' \n ,; '), [])
})
