/** Tables of people hold at every width: with the longest names and addresses, in any script. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createConsoleWorld } from '../../test/browser.ts'
import { onRows } from '../../test/rows.ts'
import { until } from '../../test/smtp.ts'

const world = await createConsoleWorld()
const { query } = world.postgres
const { giveInvitations, giveMembers } = onRows(world)
const widths = [390, 820, 1024, 1280, 1440]

/** Each with a hundred characters. */
const names = [
  'Wolfeschlegelsteinhausen',
  'محمد بن عبد الله ',
  'สมชาย',
  '李雷和韩梅梅',
  'Anneliese von der Heydt-',
  'Дарья ',
]
  .map((part) => part.repeat(100).slice(0, 100).trim())
  .map((name) => name.padEnd(100, name.slice(0, 1)))
const longest = (at: number) => `${at}${'x'.repeat(63)}@${'mail'.repeat(15)}.${'example'.repeat(8)}.example.com`

/** What is wrong with the table on the page. */
async function faultsOf(page: Page, most: number): Promise<string[]> {
  return page.evaluate((most) => {
    /** The number of lines: what overlaps is on the same one. */
    const linesOf = (node: Node) => {
      const range = document.createRange()
      range.selectNodeContents(node)
      const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1)
      const ends: number[] = []
      for (const { top, bottom } of boxes.sort((one, other) => one.top - other.top)) {
        const last = ends.at(-1)
        if (last === undefined || (top + bottom) / 2 > last) ends.push(bottom)
      }
      return ends.length
    }
    const faults: string[] = []
    if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways')
    for (const cell of document.querySelectorAll('tbody td')) {
      const lines = linesOf(cell)
      if (lines > most) faults.push(`${lines} lines: ${cell.textContent}`)
      const { right } = cell.getBoundingClientRect()
      if (right > innerWidth) faults.push(`beyond the window: ${cell.textContent}`)
    }
    const lines = [...document.querySelectorAll('tbody bdi, tbody a[dir=auto]')]
    for (const text of lines) {
      if (linesOf(text) > 1) faults.push(`broken: ${text.textContent}`)
      const holder = text.closest('a') ?? text
      if (holder.scrollWidth <= holder.clientWidth) continue
      const whole = [text, ...(text.closest('tr')?.querySelectorAll('[title]') ?? [])].map(
        (each) => each.getAttribute('title') ?? '',
      )
      if (getComputedStyle(holder).textOverflow !== 'ellipsis') faults.push(`cut without a mark: ${text.textContent}`)
      if (!whole.some((title) => title.includes(text.textContent ?? '')))
        faults.push(`unreachable: ${text.textContent}`)
    }
    if (!lines.some((text) => text.textContent?.includes('@'))) faults.push('there is no address')
    return faults
  }, most)
}

/** Looks until there is no fault: a page that gets another width is drawn twice, since it measures what is cut. */
async function holds(find: () => Promise<unknown[]>, width: number): Promise<void> {
  let faults: unknown[] = []
  const isWithout = async () => {
    faults = await find()
    return faults.length === 0
  }
  await until(isWithout, 'a page without a fault').catch((failure) => {
    assert.deepEqual(faults, [], `at ${width} pixels`)
    throw failure
  })
}

async function checkAtEachWidth(page: Page, most = 3): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    // Below 1280 pixels the address is below the name, and has no column.
    await page.getByRole('columnheader', { name: 'Email' }).waitFor({ state: width < 1280 ? 'detached' : 'attached' })
    await holds(() => faultsOf(page, most), width)
  }
}

const organization = await world.organization()
await giveMembers(organization.id, names)
for (const [at, name] of names.entries())
  await query('update users set email = $2 where name = $1', [name, longest(at)])
await query(
  `update memberships set expires_at = now() + interval '9 days' where organization_id = $1 and role = 'member'`,
  [organization.id],
)
const invited = await giveInvitations(organization, [longest(7), longest(8), 'ann@example.com'])
await query('update users set name = $2 where id = $1', [organization.ann.id, names[1]])

test('members hold, and what is cut off unfolds when it has the focus', async (t) => {
  const { page, open, check } = await world.tab(t, { person: organization.ann })
  await open(`/organizations/${organization.slug}/members`)
  await page.getByRole('cell', { name: longest(0) }).waitFor()
  await checkAtEachWidth(page)
  await page.setViewportSize({ width: 820, height: 900 })
  await page.getByRole('columnheader', { name: 'Email' }).waitFor({ state: 'detached' })
  const address = page.getByText(longest(0))
  await address.and(page.locator('[tabindex="0"]')).focus()
  assert.ok(await address.evaluate((text) => text.scrollWidth <= text.clientWidth), 'all of it is shown')
  assert.equal(await address.evaluate((text) => text === document.activeElement), true)
  await check()
})

test('invitations hold', async (t) => {
  await query(`update invitations set member_expires_at = now() + interval '400 days', mailed = false where id = $1`, [
    invited[0],
  ])
  const { page, open } = await world.tab(t, { person: organization.ann })
  await open(`/organizations/${organization.slug}/members?tab=invitations`)
  await page.getByText(longest(8)).waitFor()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await page.getByRole('columnheader', { name: 'Role' }).waitFor({ state: width < 1280 ? 'detached' : 'attached' })
    await holds(() => faultsOf(page, 3), width)
  }
})

test('links hold', async (t) => {
  const emailDomains = ['kestrel.example', 'research.kestrel.example']
  const made = await organization.ann.post(`${organization.path}/links`, { emailDomains })
  assert.equal(made.status, 201)
  const { page, open } = await world.tab(t, { person: organization.ann })
  await open(`/organizations/${organization.slug}/links`)
  await page.getByText('research.kestrel.example').waitFor()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    const cellsBeyond = () =>
      page.evaluate(() => {
        const frame = document.querySelector('table')?.parentElement?.getBoundingClientRect().right ?? 0
        const cells = [...document.querySelectorAll('tbody td')]
        return cells.filter((cell) => cell.getBoundingClientRect().right > frame + 1).map((cell) => cell.textContent)
      })
    await holds(cellsBeyond, width)
  }
})

test('the cards of the overview stay in their columns', async (t) => {
  const { page, open } = await world.tab(t, { person: organization.ann })
  await open(`/organizations/${organization.slug}`)
  await page.getByText(longest(8)).waitFor()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    const wideCards = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('main section')].flatMap((card) => {
          const most = card.parentElement?.getBoundingClientRect().right ?? 0
          return card.getBoundingClientRect().right > most + 1 ? [card.querySelector('h2')?.textContent] : []
        }),
      )
    await holds(wideCards, width)
  }
})

test('users hold', async (t) => {
  const { page, open } = await world.tab(t, { person: await world.tenantAdmin() })
  await open('/admin/users')
  await page.getByText(longest(0)).waitFor()
  await checkAtEachWidth(page)
})

test('short facts lose no letter where one is wrapped', async (t) => {
  const { page, open } = await world.tab(t, { person: organization.ann, width: 390 })
  await query(`update sessions set created_at = now() - interval '28 minutes' where user_id = $1`, [
    organization.ann.id,
  ])
  await open('/me/devices')
  await page.getByText('Signed in 28 minutes ago').last().waitFor()
  const { cut, most } = await page.evaluate(() => {
    const cut: (string | null)[] = []
    let most = 0
    for (const fact of document.querySelectorAll('[class*=_facts] > span')) {
      const range = document.createRange()
      range.selectNodeContents(fact)
      const boxes = [...range.getClientRects()]
      const left = fact.parentElement?.getBoundingClientRect().left ?? 0
      if (boxes.some((box) => box.left < left - 0.5)) cut.push(fact.textContent)
      most = Math.max(most, new Set(boxes.map(({ bottom }) => Math.round(bottom))).size)
    }
    return { cut, most }
  })
  assert.deepEqual(cut, [])
  assert.ok(most > 1, 'one has two lines')
})

test('a name that is written from right to left keeps its beginning where it is cut', async (t) => {
  const admin = await world.tenantAdmin()
  const name = names[1] ?? ''
  assert.equal((await admin.patch('/api/admin/tenant', { name })).status, 200)
  assert.equal((await organization.ann.patch(organization.path, { name })).status, 200)
  const { page, open } = await world.tab(t, { person: organization.ann })
  for (const [path, width, least] of [
    ['/organizations', 390, 2],
    [`/organizations/${organization.slug}`, 390, 1],
    [`/organizations/${organization.slug}`, 1440, 3],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await open(path)
    const findCut = () =>
      page.evaluate(
        (start) => {
          const shown = [...document.querySelectorAll<HTMLElement>('body *')].filter(
            (each) => each.textContent?.startsWith(start) && each.checkVisibility() && each.clientWidth > 1,
          )
          return shown
            .filter((each) => getComputedStyle(each).textOverflow === 'ellipsis' && each.scrollWidth > each.clientWidth)
            .map((each) => getComputedStyle(each).direction)
        },
        name.slice(0, 5),
      )
    const cut = await until(async () => {
      const found = await findCut()
      return found.length >= least ? found : undefined
    }, `${least} names that are cut on ${path} at ${width} pixels`)
    assert.deepEqual([...new Set(cut)], ['rtl'], `${path} at ${width} pixels`)
  }
})
