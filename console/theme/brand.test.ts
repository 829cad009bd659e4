import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contrast, parse, readable } from './brand.ts'

test('contrast is that of WCAG', () => {
  assert.equal(contrast(parse('#ffffff'), parse('#000000')), 21)
  assert.equal(contrast(parse('#777777'), parse('#777777')), 1)
  assert.ok(Math.abs(contrast(parse('#767676'), parse('#ffffff')) - 4.54) < 0.01)
})

test('any color of a tenant is made readable on our backgrounds, and a readable one is left as it is', () => {
  for (const [ground, ink] of [
    ['#f4f3f1', '#1c1917'],
    ['#282421', '#ffffff'],
  ] as const) {
    for (const color of ['#000000', '#ffffff', '#ffff00', '#facc15', '#4f46e5', '#7f7f7f', '#00ff00', '#0f766e'])
      assert.ok(
        contrast(readable(parse(color), parse(ground), parse(ink)), parse(ground)) >= 4.5,
        `${color} on ${ground}`,
      )
  }
  assert.deepEqual(readable(parse('#0f766e'), parse('#f4f3f1'), parse('#1c1917')), parse('#0f766e'))
})
