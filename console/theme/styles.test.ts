import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { createConsoleWorld } from '../../test/browser.ts'
import { mailboxKey } from '../../test/world.ts'

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

test('with forced colors, what is chosen still differs from what is not', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { ann, slug } = await world.organization({ tenant })
  const { page, open, become } = await world.tab(t, { person: ann, tenant })
  await page.emulateMedia({ forcedColors: 'active' })
  t.after(() => page.emulateMedia({ forcedColors: 'none' }))
  const alike: string[] = []
  const differ = async (what: string, one: Locator, other: Locator, part?: Part) => {
    const [first, second] = [await picture(page, one, part), await picture(page, other, part)]
    if (first.equals(second)) alike.push(what)
  }

  await open(`/organizations/${slug}/members`)
  const tabs = page.getByRole('navigation', { name: /^People of/ }).getByRole('link')
  const places = page.getByRole('navigation').getByRole('link')
  await tabs.nth(1).waitFor()
  await page.mouse.move(0, 0)
  await differ('tabs', tabs.nth(0), tabs.nth(1), 'bottom')
  await differ('places', places.filter({ hasText: 'People' }), places.filter({ hasText: 'Links' }), 'start')

  await become(tess)
  await open('/admin/settings')
  const tracks = (state: string) => page.locator(`.mantine-Switch-input${state} + .mantine-Switch-track`)
  await tracks(':checked').first().waitFor()
  await differ('switches', tracks(':checked').first(), tracks(':not(:checked)').first(), 'middle')

  await open('/admin/activity')
  await page.getByRole('combobox', { name: 'Type' }).click()
  await page.keyboard.press('ArrowDown')
  const options = page.getByRole('option')
  await page.locator('[data-combobox-selected]').waitFor()
  await differ('options', options.nth(0), options.nth(1), 'bottom')

  await open('/admin/applications/new')
  const radios = page.getByRole('radio')
  await differ('radios', radios.nth(0), radios.nth(1))

  await open('/admin/keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('radio', { name: 'Something else', exact: true }).check()
  const checkboxes = page.getByRole('dialog').getByRole('checkbox')
  await checkboxes.nth(0).check()
  await differ('checkboxes', checkboxes.nth(0), checkboxes.nth(1))

  const permissions = [
    { key: 'invoices:read', name: 'See invoices', minimumRole: 'member' },
    { key: 'invoices:write', name: 'Change invoices', minimumRole: 'admin' },
  ]
  assert.equal((await tess.put('/api/admin/access', { permissions, roles: [] })).status, 200)
  await open('/admin/access')
  const boxOf = (name: string) => page.getByRole('checkbox', { name, exact: true })
  const cell = (name: string) => page.getByRole('cell').filter({ has: boxOf(name) })
  await boxOf('Member: Change invoices').check()
  await page.mouse.move(0, 0)
  await differ('changed boxes', cell('Member: See invoices'), cell('Member: Change invoices'), 'start')

  await become()
  for (const name of ['Eve', 'Fay']) {
    const { email } = await world.person(name, { tenant, verified: false })
    await world.mailedToken(email, 'verify-email', tenant)
  }
  await open(`/mailbox#${mailboxKey}`)
  const mails = page.getByRole('region', { name: 'Emails' }).getByRole('listitem').getByRole('button')
  await mails.nth(0).and(page.locator('[aria-current=true]')).waitFor()
  await differ('mails', mails.nth(0), mails.nth(1), 'start')

  await open('/sign-up')
  await page.getByLabel('Password', { exact: true }).fill('correct horse')
  const bars = page.locator('[data-level] > span').first().locator('span')
  await differ('bars of the strength', bars.nth(0), bars.nth(3))
  assert.deepEqual(alike, [])
})

type Part = 'start' | 'bottom' | 'middle'

/** The pixels of an element in its present size, or of a part of them: then text in it does not matter. */
async function picture(page: Page, element: Locator, part?: Part): Promise<Buffer> {
  await element.scrollIntoViewIfNeeded()
  const box = await element.boundingBox()
  assert.ok(box)
  const [x, y] = [Math.round(box.x), Math.round(box.y)]
  const [width, height] = [Math.round(box.width), Math.round(box.height)]
  const clip = {
    start: { x, y: y + 12, width: 6, height: 8 },
    bottom: { x: x + 12, y: y + height - 2, width: 8, height: 2 },
    middle: { x: x + width / 2 - 2, y: y + height / 2 - 2, width: 4, height: 4 },
    all: { x, y, width, height },
  }[part ?? 'all']
  return page.screenshot({ clip })
}

/** The classes of Mantine's components, which are in scripts as they are in stylesheets. */
function classesOf(text: string): Set<string> {
  return new Set(text.match(/\bm_[0-9a-f]{5,}\b/g))
}
