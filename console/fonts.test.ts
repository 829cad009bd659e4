import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { firstCharacters } from './fonts.ts'

test('the first font has every character of our texts, and the styles name its characters', () => {
  const folder = join(import.meta.dirname, 'texts/en')
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  const shown = new Set(texts.join('').replaceAll('\n', ''))
  assert.deepEqual(
    [...shown].filter((character) => !firstCharacters.includes(character)),
    [],
  )

  const styles = readFileSync(join(import.meta.dirname, 'theme/fonts.css'), 'utf8')
  const [, ranges = ''] = /inter-first[^}]*unicode-range: ([^;]+);/.exec(styles) ?? []
  const named = ranges.split(', ').flatMap((range) => {
    const [first = 0, last = first] = range
      .replace('U+', '')
      .split('-')
      .map((code) => Number.parseInt(code, 16))
    return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index))
  })
  assert.deepEqual(named.sort(), [...firstCharacters].sort())
})

test('all files of the font name the same weights, or a browser would use only some of them', () => {
  const styles = readFileSync(join(import.meta.dirname, 'theme/fonts.css'), 'utf8')
  const faces = styles.split('@font-face').filter((face) => face.includes('"Inter Variable"'))
  const weights = faces.map((face) => /font-weight: ([^;]+);/.exec(face)?.[1])
  assert.deepEqual(new Set(weights), new Set(['400 700']))
})
