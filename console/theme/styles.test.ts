import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildConsole } from '../build.ts'

const consoleFolder = join(import.meta.dirname, '..')
const stylesOfMantine = join(consoleFolder, 'node_modules/@mantine/core/styles')

test('the console has the styles of the components of Mantine that it uses, and of no others', async () => {
  await buildConsole()
  const assets = join(consoleFolder, 'dist/assets')
  const scripts = readdirSync(assets)
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join(assets, file), 'utf8'))
  const used = classesOf(scripts.join('\n'))
  const files = readdirSync(stylesOfMantine).filter((file) => file.endsWith('.layer.css'))
  const needed = files.filter((file) => {
    const classes = classesOf(readFileSync(join(stylesOfMantine, file), 'utf8'))
    return classes.size === 0 || [...classes].some((name) => used.has(name))
  })

  const styles = ['components.css', 'more-components.css'].map((file) =>
    readFileSync(join(import.meta.dirname, file), 'utf8'),
  )
  const imported = [...styles.join('\n').matchAll(/"@mantine\/core\/styles\/([^"]+)"/g)].map(([, file = '']) => file)

  assert.deepEqual(imported.toSorted(), needed.toSorted())
})

/** The classes of Mantine's components, which are in scripts as they are in stylesheets. */
function classesOf(text: string): Set<string> {
  return new Set(text.match(/\bm_[0-9a-f]{5,}\b/g))
}
