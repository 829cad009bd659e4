import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'

const world = await createConsoleWorld()
const consoleFolder = join(import.meta.dirname, '..')
const stylesOfMantine = join(consoleFolder, 'node_modules/@mantine/core/styles')

test('the console has the styles of the components of Mantine that it uses, and of no others', () => {
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

test('each class of a module of styles is used by a component that imports it', () => {
  const files = readdirSync(consoleFolder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => !/(^|\/)(node_modules|dist)\//.test(file),
  )
  const components = files
    .filter((file) => file.endsWith('.tsx'))
    .map((file) => ({ file, text: readFileSync(join(consoleFolder, file), 'utf8') }))
  const isUsed = (styles: string, name: string) =>
    components.some(({ file, text }) =>
      [...text.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)].some(([, object = '', path = '']) => {
        if (join(dirname(file), path) !== styles) return false
        const shared = new RegExp(`export \\{ ${object} as (\\w+) \\}`).exec(text)?.[1]
        const uses = (other: string, as: string) => new RegExp(`\\b${as}\\.${name}\\b`).test(other)
        return uses(text, object) || (shared !== undefined && components.some((other) => uses(other.text, shared)))
      }),
    )

  const unused = files
    .filter((file) => file.endsWith('.module.css'))
    .flatMap((styles) => {
      const text = readFileSync(join(consoleFolder, styles), 'utf8')
      const selectors = text.replaceAll(/\/\*.*?\*\/|:global\([^)]*\)|\{[^{}]*\}/gs, '')
      const names = new Set([...selectors.matchAll(/\.([a-z]\w*)/gi)].map(([, name = '']) => name))
      return [...names].filter((name) => !isUsed(styles, name)).map((name) => `${styles}: .${name}`)
    })

  assert.deepEqual(unused, [])
})

test('styles that are loaded later override those of the first page', async (t) => {
  const { page, open } = await world.tab(t, { person: await world.tenantAdmin() })
  await open('/admin/settings')
  const description = page.locator('.mantine-Switch-description').first()
  await description.waitFor()
  // The styles of all descriptions come with the first page, and those of a switch, which indent it like the label, later.
  const [own, ofLabel] = (await page.evaluate(`['description', 'label'].map((part) =>
    getComputedStyle(document.querySelector('.mantine-Switch-' + part)).paddingInlineStart)`)) as string[]
  assert.notEqual(own, '0px')
  assert.equal(own, ofLabel)
})

test('a busy button has its sign in the middle, also without animations', async (t) => {
  const { page, open } = await world.tab(t, { person: await world.person() })
  const late = Promise.withResolvers<void>()
  await page.route('**/api/users/me/audit', async (route) => {
    if (route.request().headers().accept === 'text/csv') await late.promise
    await route.continue()
  })
  await open('/me/activity')
  const button = page.getByRole('button', { name: 'Export CSV' })
  await button.click()
  await page.locator('.mantine-Button-loader').waitFor()
  const [frame, sign] = await Promise.all([button.boundingBox(), page.locator('.mantine-Button-loader').boundingBox()])
  late.resolve()
  assert.ok(frame && sign)
  for (const [at, size] of [
    ['x', 'width'],
    ['y', 'height'],
  ] as const)
    assert.ok(
      Math.abs(frame[at] + frame[size] / 2 - sign[at] - sign[size] / 2) <= 1.5,
      `${at}: ${sign[at]} in ${frame[at]}`,
    )
})

/** The classes of Mantine's components, which are in scripts as they are in stylesheets. */
function classesOf(text: string): Set<string> {
  return new Set(text.match(/\bm_[0-9a-f]{5,}\b/g))
}
