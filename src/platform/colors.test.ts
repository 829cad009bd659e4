import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { accentOf, contrast, greys, ourAccent, parse, readable } from './colors.ts'

const schemes = ['light', 'dark'] as const

test('contrast is that of WCAG', () => {
  assert.equal(contrast(parse('#ffffff'), parse('#000000')), 21)
  assert.equal(contrast(parse('#777777'), parse('#777777')), 1)
  assert.ok(Math.abs(contrast(parse('#767676'), parse('#ffffff')) - 4.54) < 0.01)
})

test('any color of a tenant is made readable on our backgrounds, and a readable one is left as it is', () => {
  for (const [ground, ink] of [
    [greys.light.raised, '#18181b'],
    [greys.dark.raised, '#ffffff'],
  ] as const) {
    for (const color of ['#000000', '#ffffff', '#ffff00', '#facc15', '#4f46e5', '#7f7f7f', '#00ff00', '#0f766e'])
      assert.ok(
        contrast(readable(parse(color), parse(ground), parse(ink)), parse(ground)) >= 4.5,
        `${color} on ${ground}`,
      )
  }
  assert.deepEqual(readable(parse('#0f766e'), parse(greys.light.raised), parse('#18181b')), parse('#0f766e'))
})

test('text on an accent is readable, and an accent on our backgrounds, in both schemes', () => {
  for (const scheme of schemes) {
    const ground = parse(greys[scheme].raised)
    const accents = ['#000000', '#ffffff', '#facc15', '#4f46e5'].map((color) => accentOf(color, scheme))
    for (const { accent, onAccent } of [...accents, ourAccent[scheme]]) {
      assert.match(accent, /^#[0-9a-f]{6}$/)
      assert.ok(contrast(parse(accent), ground) >= 4.5, `${accent} in ${scheme}`)
      assert.ok(contrast(parse(onAccent), parse(accent)) >= 4.5, `${onAccent} on ${accent}`)
    }
  }
})

test('our colors are the same in the console, on the other pages, in the mark and in mails', async () => {
  const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
  const tokens = await read('console/theme/tokens.css')
  for (const scheme of schemes) {
    const { accent, onAccent } = ourAccent[scheme]
    assert.ok(tokens.includes(`--our-accent-in-${scheme}: ${accent};`), scheme)
    assert.ok(tokens.includes(`--our-on-accent-in-${scheme}: ${onAccent};`), scheme)
  }
  const shared = Object.keys(greys.light) as (keyof typeof greys.light)[]
  const ours = Object.fromEntries(shared.map((name) => [name, [greys.light[name], greys.dark[name]]]))
  const console = schemedIn(tokens)
  assert.deepEqual(Object.fromEntries(shared.map((name) => [name, console[name]])), ours)
  const accent = [ourAccent.light.accent, ourAccent.dark.accent]
  assert.deepEqual(schemedIn(await read('src/features/pages/page.css')), { ...ours, accent })

  const opening = (await read('console/theme/opening.css')).matchAll(
    /(?:background|path \{\s*fill): light-dark\((.*)\)/g,
  )
  assert.deepEqual(
    [...opening].map(([, pair]) => pair?.split(', ')),
    [ours.ground, ours.ground],
  )
  const mark = (await read('src/features/pages/favicon.svg')).match(/#[0-9a-f]{6}/g)
  assert.deepEqual(mark, Object.values(ourAccent.light))
})

/** The variables of a stylesheet with a color in each scheme. */
function schemedIn(css: string): Record<string, readonly [string, string]> {
  const found = css.matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)
  return Object.fromEntries([...found].map(([, name = '', light = '', dark = '']) => [name, [light, dark]]))
}
