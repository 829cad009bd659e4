/** Permissions and roles: their page for tenant admins in a browser. Each test has a tenant of its own, with one model. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createConsoleWorld, type TabOptions } from '../../test/browser.ts'
import { type Json, password } from '../../test/world.ts'

const world = await createConsoleWorld()

const invoices = {
  permissions: [
    { key: 'invoices:read', name: 'See invoices', minimumRole: 'member' },
    { key: 'invoices:write', name: 'Change invoices', minimumRole: 'admin' },
  ],
  roles: [{ key: 'billing', name: 'Billing', permissions: ['invoices:write'] }],
}

/** A tab of a tenant's admin, on the page. @param model what is there already */
async function tabWith(t: TestContext, model: Json | undefined, options: TabOptions = {}) {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  if (model) assert.equal((await tess.put('/api/admin/access', model)).status, 200)
  const tab = await world.tab(t, { person: tess, tenant, ...options })
  await tab.open('/admin/access')
  const { page } = tab
  const box = (name: string) => page.getByRole('checkbox', { name, exact: true })
  return {
    ...tab,
    tess,
    tenant,
    box,
    button: (name: string) => page.getByRole('button', { name, exact: true }),
    dialog: page.getByRole('dialog'),
    /** Those of the product, as they are saved. */
    async read() {
      const { body } = await tess.get('/api/admin/access')
      const permissions = body.permissions.filter(({ builtIn }: Json) => !builtIn)
      return { permissions, roles: body.roles.filter(({ source }: Json) => source === 'tenant') }
    },
    async save() {
      await page.getByRole('button', { name: 'Review and save…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByText('Permissions and roles were saved.').waitFor()
    },
  }
}

test('a tenant admin starts with an example, sees what it adds, and saves it', async (t) => {
  const { page, check, button, dialog, box, read } = await tabWith(t, undefined)
  await page.getByText('No permissions of your product yet').waitFor()
  await check()
  await button('Start with an example').click()
  await page.getByText('3 unsaved changes').waitFor()
  assert.ok(await box('Member: See invoices').isChecked())
  assert.ok(await box('Billing: Change invoices').isChecked())
  assert.deepEqual(await read(), { permissions: [], roles: [] })
  await button('Review and save…').click()
  await dialog.getByText('No member gains or loses a permission.').waitFor()
  await dialog.getByText('Gets invoices:read, invoices:write').waitFor()
  await check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Permissions and roles were saved.').waitFor()
  await check()
  const { permissions, roles } = await read()
  assert.deepEqual(
    permissions.map(({ key, minimumRole }: Json) => `${key} ${minimumRole}`),
    ['invoices:read member', 'invoices:write admin'],
  )
  assert.deepEqual(roles[0].permissions, ['invoices:read', 'invoices:write'])
  await page.reload()
  await page.getByRole('columnheader', { name: 'Billing' }).waitFor()
  assert.equal(await button('Review and save…').count(), 0)
})

test('permissions and roles are added, with a key that the role gets from its name', async (t) => {
  const { page, check, button, dialog, box, read, save } = await tabWith(t, invoices)
  await button('Add permission').click()
  await dialog.getByLabel('Name').fill('Void invoices')
  await dialog.getByLabel('Key').fill('Invoices Void')
  await dialog.getByRole('button', { name: 'Add permission' }).click()
  await dialog.getByLabel('Key').and(page.locator('[aria-invalid=true]')).waitFor()
  await check()
  await dialog.getByLabel('Key').fill('invoices:write')
  await dialog.getByRole('button', { name: 'Add permission' }).click()
  await dialog.getByText('There is a permission with this key already.').waitFor()
  await dialog.getByLabel('Key').fill('members:void')
  await dialog.getByRole('button', { name: 'Add permission' }).click()
  await dialog.getByText('The noun “members” is reserved for built-in permissions.').waitFor()
  await dialog.getByLabel('Key').fill('invoices:void')
  await dialog.getByLabel('Who has it without a role').selectOption('Owners only')
  await dialog.getByRole('button', { name: 'Add permission' }).click()
  await button('Add role').click()
  await dialog.getByLabel('Name').fill('Chief Accountant')
  assert.equal(await dialog.getByLabel('Key').inputValue(), 'chief-accountant')
  await dialog.getByRole('button', { name: 'Add role' }).click()
  await box('Chief Accountant: Void invoices').check()
  await button('Built in · 16 permissions').click()
  await box('Chief Accountant: See the activity').check()
  assert.equal(await box('Chief Accountant: Transfer the ownership').count(), 0, 'only owners have it')
  await check()
  await save()
  const { permissions, roles } = await read()
  assert.equal(permissions.find(({ key }: Json) => key === 'invoices:void').minimumRole, 'owner')
  assert.deepEqual(roles.find(({ key }: Json) => key === 'chief-accountant').permissions, [
    'audit:read',
    'invoices:void',
  ])
})

test('a fault that the service finds is shown with the key of its permission', async (t) => {
  const { page, button, dialog } = await tabWith(t, invoices)
  await button('Add permission').click()
  await dialog.getByLabel('Name').fill('End sessions')
  await dialog.getByLabel('Key').fill('sessions:send')
  await dialog.getByRole('button', { name: 'Add permission' }).click()
  await button('Review and save…').click()
  await page.getByText('sessions:send: This noun is reserved for built-in permissions.').waitFor()
  assert.equal(await dialog.count(), 0)
})

test('it says how many members gain or lose a permission before anything is saved', async (t) => {
  const { page, tenant, box, button, dialog, read, open } = await tabWith(t, invoices)
  await world.organization({ tenant })
  await open('/admin/access')
  await page.getByRole('columnheader', { name: 'Owner' }).getByText('1 member').waitFor()
  await box('Member: Change invoices').check()
  await button('Review and save…').click()
  await dialog.getByText('1 member gains or loses a permission.').waitFor() // the others have it already
  await dialog.getByText('Without a role: Admins and owners → Every member').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  assert.equal((await read()).permissions[1].minimumRole, 'admin')
})

test('what members hold goes only after it was confirmed by name', async (t) => {
  const { page, check, tenant, button, dialog, read, open } = await tabWith(t, invoices)
  const { ann, path, members } = await world.organization({ tenant })
  const granted = await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'billing' }] })
  assert.equal(granted.status, 200)
  await open('/admin/access')
  await button('Edit Billing').click()
  await dialog.getByRole('button', { name: 'Remove role' }).click()
  await button('Edit Change invoices').click()
  await dialog.getByRole('button', { name: 'Remove permission' }).click()
  await button('Review and save…').click()
  const saving = dialog.getByRole('button', { name: 'Save' })
  await dialog.getByText('Members or keys have what you’re removing').waitFor()
  await check()
  assert.equal(await saving.isEnabled(), false, 'nothing is confirmed yet')
  await dialog.getByLabel('Take the role Billing away from 1 member').check()
  assert.equal(await saving.isEnabled(), false, 'one is confirmed, and the other is not')
  assert.equal((await read()).roles.length, 1)
  await dialog.getByLabel('Take invoices:write away from everyone and from all keys').check()
  await saving.click()
  await page.getByText('Permissions and roles were saved.').waitFor()
  const { permissions, roles } = await read()
  assert.deepEqual([permissions.map(({ key }: Json) => key), roles], [['invoices:read'], []])
})

test('of a role that more members have than are counted, the review says so', async (t) => {
  const { page, tenant, button, dialog, open } = await tabWith(t, invoices)
  const { ann, path, members } = await world.organization({ tenant })
  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'billing' }] })
  await page.route('**/api/admin/access', async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const response = await route.fetch()
    const model = await response.json()
    for (const role of model.roles) if (role.key === 'billing') role.memberCount = 10_000 // the service counts no further
    await route.fulfill({ response, json: model })
  })
  await open('/admin/access')
  await page.getByRole('columnheader', { name: 'Billing' }).getByText('10,000+ members').waitFor()
  await button('Edit Billing').click()
  await dialog.getByRole('button', { name: 'Remove role' }).click()
  await button('Review and save…').click()
  await dialog.getByLabel('Take the role Billing away from 10,000 members or more').waitFor()
})

test('while the review is on its way nothing is edited or discarded, and what it shows is saved', async (t) => {
  const slow = Promise.withResolvers<void>()
  t.after(() => slow.resolve()) // before the page waits for its requests
  const { page, box, button, dialog, read } = await tabWith(t, invoices)
  await page.route('**/api/admin/access?dryRun=true', async (route) => {
    await slow.promise
    await route.continue()
  })
  await box('Billing: See invoices').check()
  await button('Review and save…').click()
  await page.locator('button[aria-busy=true]').waitFor()
  for (const name of ['Add role', 'Add permission', 'Discard']) assert.ok(await button(name).isDisabled(), name)
  await box('Member: Change invoices').click()
  await button('Edit Billing').click()
  slow.resolve()
  await dialog.getByText('Gets invoices:read').waitFor()
  assert.equal(await dialog.count(), 1, 'that of the review')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Permissions and roles were saved.').waitFor()
  const { permissions, roles } = await read()
  assert.equal(permissions[1].minimumRole, 'admin')
  assert.deepEqual(roles[0].permissions, ['invoices:read', 'invoices:write'])
})

test('a renamed role stays with its members', async (t) => {
  const { tenant, button, dialog, save, open } = await tabWith(t, invoices)
  const { ann, path, members } = await world.organization({ tenant })
  await ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role: 'billing' }] })
  await open('/admin/access')
  await button('Edit Billing').click()
  await dialog.getByLabel('Name').fill('Accounts')
  await dialog.getByLabel('Key').fill('accounts')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await save()
  const { body } = await ann.get(`${path}/members/${members.cleo.id}`)
  assert.deepEqual(body.roles, ['member', 'accounts'])
})

test('what somebody else has saved meanwhile stays, beside one’s own edits', async (t) => {
  const { page, tess, box, button, dialog, read } = await tabWith(t, invoices)
  await box('Billing: See invoices').check()
  const renamed = { key: 'billing', name: 'Finance', permissions: ['invoices:write', 'audit:read'] }
  assert.equal((await tess.put('/api/admin/access', { ...invoices, roles: [renamed] })).status, 200)
  await button('Review and save…').click()
  await dialog.getByText('Gets invoices:read').waitFor()
  const again = { key: 'support', name: 'Support', permissions: [] }
  await tess.put('/api/admin/access', { ...invoices, roles: [renamed, again] })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('This was changed in the meantime').waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Permissions and roles were saved.').waitFor()
  const { roles } = await read()
  assert.deepEqual(
    roles.map(({ name, permissions }: Json) => [name, permissions]),
    [
      ['Finance', ['audit:read', 'invoices:read', 'invoices:write']],
      ['Support', []],
    ],
  )
})

test('saving asks for a confirmation, if the session is not fresh', async (t) => {
  const { page, tess, box, button, dialog, read } = await tabWith(t, invoices)
  await world.postgres.query(
    `update sessions set authenticated_at = now() - interval '11 minutes' where user_id = $1`,
    [tess.id],
  )
  await box('Billing: See invoices').check()
  await button('Review and save…').click()
  const confirm = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await confirm.getByLabel('Password', { exact: true }).fill(password)
  await confirm.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Permissions and roles were saved.').waitFor()
  assert.deepEqual((await read()).roles[0].permissions, ['invoices:read', 'invoices:write'])
})

test('leaving the page with unsaved changes asks first, and they can be discarded', async (t) => {
  const { page, box, button, dialog } = await tabWith(t, invoices)
  await box('Billing: See invoices').check()
  await page.getByRole('link', { name: 'Users' }).click()
  await dialog.getByText('Discard unsaved changes?').waitFor()
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  await button('Discard').click()
  assert.equal(await box('Billing: See invoices').isChecked(), false)
  await page.getByRole('link', { name: 'Users' }).click()
  await page.getByRole('heading', { name: /^Everyone at/, level: 1 }).waitFor()
})

test('the arrow keys move between the boxes, and Ctrl+S opens the review', async (t) => {
  const { page, box, dialog, button } = await tabWith(t, invoices)
  await box('Member: See invoices').focus()
  await page.keyboard.press('ArrowDown')
  await box('Member: Change invoices').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('End')
  await box('Billing: Change invoices').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Space')
  await page.keyboard.press('Control+s')
  await dialog.getByText('Gets invoices:read').waitFor()
  await page.keyboard.press('Escape')
  await box('Billing: See invoices').and(page.locator(':focus')).waitFor()
  await button('Edit See invoices').focus()
  await page.keyboard.press('Enter')
  await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor()
})

test('on a phone there is one role at a time, and the page does not scroll sideways', async (t) => {
  const name = 'Donaudampfschifffahrtsgesellschaftskapitänsmützen verwalten'
  const model = { ...invoices, permissions: [...invoices.permissions, { key: 'hats:write', name }] }
  const { page, check, box, save, read } = await tabWith(t, model, { width: 390 })
  await box(`Billing: ${name}`).check()
  assert.equal(await box(`Admin: ${name}`).count(), 0)
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  await check()
  await page.getByLabel('Show').selectOption('Admin')
  await box(`Admin: ${name}`).uncheck()
  await save()
  const { permissions, roles } = await read()
  assert.equal(permissions[0].minimumRole, 'owner')
  assert.deepEqual(roles[0].permissions, ['hats:write', 'invoices:write'])
})

test('an edge that hides roles has a shadow, and a box without a check is empty in the dark', async (t) => {
  const roles = ['billing', 'dispatch', 'customs', 'returns'].map((key) => ({ key, name: key, permissions: [] }))
  const { page, check, box } = await tabWith(t, { ...invoices, roles }, { width: 820, scheme: 'dark' })
  await box('Member: See invoices').waitFor()
  const frame = page.getByRole('table').locator('xpath=..')
  /** The pixels at the frame's right edge, below the head, in a row without text there. */
  const edge = async () => {
    const { x, width } = (await frame.boundingBox()) ?? assert.fail()
    const { y } = (await page.getByRole('row').filter({ hasText: 'See invoices' }).boundingBox()) ?? assert.fail()
    return page.screenshot({ clip: { x: x + width - 4, y: y + 4, width: 2, height: 4 } })
  }
  const before = await edge()
  await frame.evaluate((element) => element.scrollTo(element.scrollWidth, 0))
  assert.notDeepEqual(await edge(), before)
  await frame.evaluate((element) => element.scrollTo(0, 0))
  const { x, y } = (await box('Member: Change invoices').boundingBox()) ?? assert.fail()
  const inside = { x: Math.round(x) + 6, y: Math.round(y) + 6, width: 4, height: 4 }
  assert.deepEqual(
    await page.screenshot({ clip: inside }),
    await page.screenshot({ clip: { ...inside, x: inside.x - 16 } }),
  )
  await check()
})

test('200 permissions and 50 roles, in many scripts, can be filtered and edited', async (t) => {
  const words = ['Rechnungen ändern', '請求書を変更', 'تعديل الفواتير', 'Изменять счета']
  const permissions = Array.from({ length: 200 }, (_, at) => ({ key: `noun-${at}:do`, name: `${words[at % 4]} ${at}` }))
  const roles = Array.from({ length: 50 }, (_, at) => ({ key: `role-${at}`, name: `Role ${at}`, permissions: [] }))
  const { page, button, dialog, box, read, save } = await tabWith(t, { permissions, roles })
  await page.getByText('Your product · 200 permissions').waitFor()
  await page.getByLabel('Filter permissions').fill('счета 199')
  await page.getByLabel('Show').selectOption('Role 49')
  await box('Role 49: Изменять счета 199').check()
  await page.getByRole('checkbox').nth(1).waitFor({ state: 'detached' })
  await page.getByLabel('Filter permissions').fill('')
  await page.getByLabel('Show').selectOption('All roles')
  await page.locator('input[aria-label="Role 0: 請求書を変更 1"]').check() // faster than by its role
  await button('Add permission').click()
  await dialog.getByLabel('Name').fill('One more')
  await dialog.getByLabel('Key').fill('one:more')
  await dialog.getByRole('button', { name: 'Add permission' }).click()
  await dialog.getByText('You’ve reached the limit of 200 permissions').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await save()
  const saved = (await read()).roles.filter((role: Json) => role.permissions.length > 0)
  assert.deepEqual(saved.map(({ key }: Json) => key).sort(), ['role-0', 'role-49'])
})
