import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { accentOf, contrast, ourAccent, parse, readable } from './colors.ts'

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

test('text on an accent is readable, and an accent on our backgrounds, in both schemes', () => {
  for (const scheme of ['light', 'dark'] as const) {
    const ground = parse({ light: '#f4f3f1', dark: '#282421' }[scheme])
    const accents = ['#000000', '#ffffff', '#facc15', '#4f46e5'].map((color) => accentOf(color, scheme))
    for (const { accent, onAccent } of [...accents, ourAccent[scheme]]) {
      assert.match(accent, /^#[0-9a-f]{6}$/)
      assert.ok(contrast(parse(accent), ground) >= 4.5, `${accent} in ${scheme}`)
      assert.ok(contrast(parse(onAccent), parse(accent)) >= 4.5, `${onAccent} on ${accent}`)
    }
  }
})

test('our own accent is that of the pages', async () => {
  const tokens = await readFile(new URL('../../console/theme/tokens.css', import.meta.url), 'utf8')
  for (const scheme of ['light', 'dark'] as const) {
    const { accent, onAccent } = ourAccent[scheme]
    assert.ok(tokens.includes(`--our-accent-in-${scheme}: ${accent};`), scheme)
    assert.ok(tokens.includes(`--on-accent-in-${scheme}: ${onAccent};`), scheme)
  }
})
