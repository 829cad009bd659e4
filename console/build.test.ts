import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { lent } from './build.ts'

const root = join(import.meta.dirname, '..')

test('the console is built again when a file that it shares with the service changes', () => {
  const imported = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.ts$|^(?:node_modules|dist)\b/.test(path))
    .map((path) => join(import.meta.dirname, path))
    .concat(lent.map((path) => join(root, path)))
    .flatMap((path) => {
      const names = readFileSync(path, 'utf8').matchAll(/^(?:import|export) (?!type )[^']*? from '(\.[^']+)'/gm)
      return [...names].map(([, name = '']) => relative(root, join(dirname(path), name)))
    })
    .filter((path) => path.startsWith('src/'))
  assert.deepEqual([...new Set(imported)].sort(), [...lent].sort())
})
