/** The keys of people and of organizations in the console: making, copying, trying, rotating, narrowing and ending one. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createConsoleWorld, type TabOptions } from '../../test/browser.ts'
import { offerKeys, requestKey } from '../../test/key-requests.ts'
import { keyboardOf, refusalIn, typeDate } from '../../test/keyboard.ts'
import { until } from '../../test/smtp.ts'
import { password } from '../../test/world.ts'

const world = await createConsoleWorld()
const mine = '/api/users/me/keys'

/** A tab, with what the tests do on pages of keys. */
async function openTab(t: TestContext, options: TabOptions) {
  const tab = await world.tab(t, options)
  const { page, press } = tab
  const dialog = page.getByRole('dialog')
  const keyboard = keyboardOf(tab)
  return {
    ...tab,
    opener: page.getByRole('button', { name: 'New key' }),
    dialog,
    secret: dialog.getByLabel('Secret', { exact: true }),
    live: page.getByRole('table', { name: 'Active keys' }).getByRole('row'),
    ended: page.getByRole('table', { name: 'Ended keys' }).getByRole('row'),
    create: () => dialog.getByRole('button', { name: 'Create key' }).click(),
    /** Opens the menu of a key by keyboard, and chooses from it. */
    async choose(key: string, item: string) {
      await page.getByRole('button', { name: `Actions for the key ${key}` }).focus()
      await press('Enter')
      await keyboard.choose(keyboard.item(item))
      await dialog.locator(':focus').waitFor()
    },
    /** Presses the Tab key until a button of the dialog has the focus, and then Enter. */
    activate: (button: string) => keyboard.act(dialog.getByRole('button', { name: button, exact: true })),
    hasPlace: async (name: string) =>
      (await page.getByRole('navigation').getByRole('link', { name, exact: true }).count()) > 0,
  }
}

/** A tenant whose people and organizations may have keys, and whose product has roles for those who deal with them. */
async function makeTenant() {
  const { slug: tenant } = await world.tenant()
  const admin = await world.tenantAdmin(tenant)
  await offerKeys(world, tenant)
  const { status } = await admin.put('/api/admin/access', {
    permissions: [{ key: 'notes:write', name: 'Write notes', minimumRole: 'owner' }],
    roles: [
      { key: 'viewer', name: 'Viewer', permissions: ['keys:read'] },
      { key: 'keeper', name: 'Keeper', permissions: ['keys:read', 'keys:write'] },
    ],
  })
  assert.equal(status, 200)
  return { tenant, admin, ...(await world.organization({ tenant })) }
}

test('a person makes a key after confirming that it is them, and a program acts as them with its secret', async (t) => {
  const { tenant, ann } = await makeTenant()
  const { page, context, open, check, opener, dialog, secret, live, create } = await openTab(t, { person: ann, tenant })
  await open('/me/keys')
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
  await check()
  await opener.click()
  await dialog.getByRole('group', { name: 'Your account' }).waitFor()
  await dialog.getByRole('checkbox', { name: 'Write notes' }).waitFor()
  await dialog.getByLabel('Name').fill('Nightly import')
  await create()
  await dialog.getByText('Choose at least one.').waitFor()
  await dialog.getByRole('checkbox').first().and(page.locator(':focus')).waitFor()
  await check()
  await dialog.getByRole('checkbox', { name: 'See your account' }).check()
  await world.postgres.query(
    `update sessions set authenticated_at = now() - interval '11 minutes' where user_id = $1`,
    [ann.id],
  )
  await create()
  const confirm = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await confirm.getByLabel('Password', { exact: true }).fill(password)
  await confirm.getByRole('button', { name: 'Continue' }).click()

  await secret.and(page.locator(':focus')).waitFor()
  await check()
  const text = await secret.inputValue()
  await page.keyboard.press('Escape')
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  t.after(() => context.clearPermissions())
  await dialog.getByRole('button', { name: 'Copy secret' }).click()
  const copied = async () => String(await page.evaluate('navigator.clipboard.readText()'))
  await until(async () => (await copied()) === text, 'the secret to be copied')
  await dialog.getByRole('button', { name: 'Copy the command' }).click()
  const command = /^curl -H "Authorization: (.+)" (.+)$/
  const [, header = '', url = ''] = await until(async () => command.exec(await copied()), 'the command to be copied')
  const caller = await (await fetch(url, { headers: { authorization: header } })).json()
  assert.deepEqual([caller.type, caller.user?.id, caller.key?.name], ['user', ann.id, 'Nightly import'])

  await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
  await opener.and(page.locator(':focus')).waitFor()
  await live.getByText('Nightly import').waitFor()
  await live.getByText(`…${text.slice(-4)}`).waitFor()
  assert.ok(!(await page.content()).includes(text))
  await check()
  const [key] = (await ann.get(mine)).body.data
  assert.deepEqual(key.scopes, ['me:read'])
  assert.ok(Math.abs(Date.parse(key.expiresAt) - Date.now() - 90 * 86_400_000) < 3_600_000)
})

test('a secret that is shown is lost only if the person confirms it', async (t) => {
  const { tenant, ann } = await makeTenant()
  const { page, open, opener, dialog, secret, create } = await openTab(t, { person: ann, tenant })
  await open('/me')
  await page.getByRole('link', { name: 'My keys', exact: true }).click()
  await opener.click()
  await dialog.getByLabel('Name').fill('Nightly import')
  await dialog.getByRole('checkbox').first().check()
  await create()
  const text = await secret.inputValue()
  const asksToUnload = () => page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })))
  assert.equal(await asksToUnload(), true)
  await page.evaluate(() => history.back())
  const question = page.getByRole('dialog', { name: 'Leave without the secret?' })
  await question.getByRole('button', { name: 'Leave without it' }).waitFor()
  await question.getByRole('button', { name: 'Stay' }).click()
  await question.waitFor({ state: 'detached' })
  assert.equal(await secret.inputValue(), text)

  await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await asksToUnload(), false)
  await page.evaluate(() => history.back())
  await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
})

test('a secret that the browser does not copy is selected, and the page says so', async (t) => {
  const { tenant, ann } = await makeTenant()
  await requestKey(ann, mine, { name: 'Import' })
  const { page, open, check, dialog, secret, choose, activate } = await openTab(t, { person: ann, tenant })
  await open('/me/keys')
  await choose('Import', 'Rotate…')
  await activate('Rotate key')
  const text = await secret.inputValue()
  const selected = () => page.evaluate('getSelection().toString()')
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))')
  await dialog.getByRole('button', { name: 'Copy the command' }).click()
  await page.getByRole('alert').getByText('Not copied').waitFor()
  assert.match(String(await selected()), /^curl .+api\/caller$/)
  await dialog.getByRole('button', { name: 'Copy secret' }).click()
  await secret.and(page.locator(':focus')).waitFor()
  assert.equal(await selected(), text)
  assert.equal(await dialog.getByText('Copied').count(), 0)
  await check()
})

test('a key is rotated, narrowed and ended by keyboard', async (t) => {
  const { tenant, ann } = await makeTenant()
  await requestKey(ann, mine, { name: 'Reports' })
  await requestKey(ann, mine, {
    name: 'Import',
    scopes: ['me:read', 'members:read', 'invitations:read', 'notes:write'],
  })
  const tab = await openTab(t, { person: ann, tenant })
  const { page, open, check, dialog, secret, live, ended, choose, press, activate } = tab
  await open('/me/keys')
  const row = live.filter({ hasText: 'Import' })
  await row.getByText('See your account, See the members and 2 more').focus()
  await press('Enter')
  await row.getByText('Write notes').waitFor()
  await check()

  await choose('Import', 'Rotate…')
  await dialog.getByLabel('The current secret keeps working for').and(page.locator(':focus')).selectOption('7 days')
  await check()
  await activate('Rotate key')
  await secret.and(page.locator(':focus')).waitFor()
  const hint = (await secret.inputValue()).slice(-4)
  await activate('I’ve saved it')
  await page.getByRole('button', { name: 'Actions for the key Import' }).and(page.locator(':focus')).waitFor()
  await row.getByText(`…${hint}`).waitFor()
  await row.getByText(/Replaced, stops in [678] days/).waitFor()

  await choose('Import', 'Edit…')
  await dialog.getByLabel('Name').and(page.locator(':focus')).fill('Small import')
  await dialog.getByRole('checkbox', { name: 'Write notes' }).focus()
  await press('Space')
  await check()
  const day = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10)
  await dialog.getByLabel('Ends on').fill(day)
  await activate('Save')
  await page.getByText('The key was changed.').waitFor()
  const [key] = (await ann.get(mine)).body.data
  assert.deepEqual([key.name, key.scopes], ['Small import', ['me:read', 'members:read', 'invitations:read']])
  assert.ok(Math.abs(Date.parse(key.expiresAt) - Date.parse(day)) < 2 * 86_400_000)

  await choose('Small import', 'End…')
  await dialog.getByText('Programs that use it are refused at once.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor()
  await activate('End key')
  await ended.getByText('Ended manually').waitFor()
  await page.getByRole('button', { name: 'Actions for the key Reports' }).and(page.locator(':focus')).waitFor()
  await check()
  await choose('Reports', 'End…')
  await activate('End key')
  await page.getByRole('heading', { name: 'No active keys' }).waitFor()
  await page.getByRole('heading', { name: 'Active', exact: true }).and(page.locator(':focus')).waitFor()
})

test('a list of keys says who holds one, on a phone too, and has a heading once one has ended', async (t) => {
  const { tenant, ann, id, slug } = await makeTenant()
  const list = `/api/organizations/${id}/keys`
  const { key } = await requestKey(ann, list)
  await requestKey(ann, list, { name: 'Reports' })
  const { page, open, check, live, ended } = await openTab(t, { person: ann, tenant, width: 390 })
  await open(`/organizations/${slug}/keys`)
  await page.getByText('A key’s holder is the person who created it or rotated it last.').waitFor()
  await live.filter({ hasText: 'Import' }).getByText('Holder: Ann', { exact: true }).waitFor()
  assert.equal(await page.getByRole('main').getByRole('heading', { level: 2 }).count(), 0)
  await check()
  await ann.delete(`${list}/${key.id}`)
  await page.reload()
  await ended.getByText('Holder: Ann', { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Active', exact: true }).waitFor()
})

test('where timers are late, the Tab key leads from a date to the buttons, and the focus stays there', async (t) => {
  const { tenant, ann } = await makeTenant()
  await requestKey(ann, mine)
  const { page, open, dialog, choose } = await openTab(t, { person: ann, tenant })
  await open('/me/keys')
  await choose('Import', 'Edit…')
  await dialog.getByLabel('Ends on').focus()
  await page.evaluate(`
    const late = []
    const { setTimeout } = globalThis
    globalThis.setTimeout = (act, delay, ...rest) => (delay ? setTimeout(act, delay, ...rest) : late.push(act))
    globalThis.runTimers = () => late.splice(0).forEach((act) => act())
  `)
  const save = dialog.getByRole('button', { name: 'Save' }).and(page.locator(':focus'))
  for (let stops = 0; stops < 20 && (await save.count()) === 0; stops++) await page.keyboard.press('Tab')
  await page.evaluate('runTimers()')
  assert.equal(await save.count(), 1)
})

test('a key works in one organization until a chosen date, and each fault is shown at its field, on a phone', async (t) => {
  const { tenant, ann } = await makeTenant()
  const { page, open, check, opener, dialog, live, create } = await openTab(t, { person: ann, tenant, width: 390 })
  await open('/me/keys')
  await opener.click()
  await dialog.getByRole('checkbox', { name: 'See the members' }).check()
  await dialog.getByLabel('Works in').selectOption({ index: 1 })
  await dialog.getByLabel('Ends', { exact: true }).selectOption('On a date…')
  await create()
  const date = dialog.getByLabel('Date')
  await date.and(page.locator('[aria-invalid=true]')).waitFor()
  await dialog.getByLabel('Name').and(page.locator('[aria-invalid=true]')).and(page.locator(':focus')).waitFor()
  await dialog.getByText('Only people can create and rotate keys.').waitFor()
  await date.fill(new Date(Date.now() + 400 * 86_400_000).toISOString().slice(0, 10))
  await create()
  await dialog.getByLabel('Name').and(page.locator('[aria-invalid=true]')).waitFor()
  await dialog.getByLabel('Name').fill('Phone')
  await create()
  await date.and(page.locator('[aria-invalid=true]')).and(page.locator(':focus')).waitFor()
  await check()
  await date.fill(new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10))
  await create()
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
  await live.getByText('Only in Acme').waitFor()
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  await check()
})

test('a date that is half typed or no day is refused at its field, for a new key and for an earlier end', async (t) => {
  const { tenant, ann } = await makeTenant()
  await requestKey(ann, mine)
  const { page, open, press, opener, dialog, choose } = await openTab(t, { person: ann, tenant })
  const [date, end] = [dialog.getByLabel('Date'), dialog.getByLabel('Ends on')]
  const isRefused = refusalIn(dialog)
  await open('/me/keys')
  await choose('Import', 'Edit…')
  await end.focus()
  await press('Backspace')
  await press('Enter')
  await isRefused(end, 'Enter the whole date: day, month and year.')
  await typeDate(end, '12129999')
  await press('Enter')
  await isRefused(end, 'Check the year.')
  await typeDate(end, '12122020')
  await press('Enter')
  await isRefused(end, 'or a later day.')
  await press('Escape')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await dialog.waitFor({ state: 'detached' })

  await opener.click()
  await dialog.getByRole('checkbox', { name: 'See the members' }).check()
  await dialog.getByLabel('Name').fill('Reports')
  await dialog.getByLabel('Ends', { exact: true }).selectOption('On a date…')
  await typeDate(date, '1212')
  await press('Enter')
  await isRefused(date, 'Enter the whole date: day, month and year.')
  await typeDate(date, '12120027')
  await press('Enter')
  await isRefused(date, 'Check the year.')
  await typeDate(date, '12122020')
  await press('Enter')
  await isRefused(date, 'Choose a day from')
  assert.equal((await ann.get(mine)).body.data.length, 1)
})

test('a key that works in one organization is offered nothing that leads to another one', async (t) => {
  const { tenant, ann } = await makeTenant()
  const { open, check, opener, dialog, secret, create } = await openTab(t, { person: ann, tenant })
  await open('/me/keys')
  await opener.click()
  await dialog.getByLabel('Name').fill('Nightly import')
  const elsewhere = ['Create organizations', 'Answer your invitations']
  const boxes = elsewhere.map((name) => dialog.getByRole('checkbox', { name }))
  for (const box of boxes) await box.check()
  await dialog.getByLabel('Works in').selectOption({ index: 1 })
  for (const box of boxes) assert.deepEqual([await box.isDisabled(), await box.isChecked()], [true, false])
  assert.equal(await dialog.getByText('Only for keys that work in “All my organizations”.').count(), 2)
  await check()
  await create()
  await dialog.getByText('Choose at least one.').waitFor()

  await dialog.getByLabel('Works in').selectOption('All my organizations')
  for (const box of boxes) await box.check()
  await create()
  await secret.waitFor()
  const [key] = (await ann.get(mine)).body.data
  assert.deepEqual([key.organizationId, key.scopes.sort()], [null, ['invitations:answer', 'organizations:create']])
})

test('somebody without a second factor makes keys although an organization requires one, and a secret stays shown', async (t) => {
  const { tenant, ann, slug } = await makeTenant()
  await requestKey(ann, mine, { name: 'Reports' })
  assert.equal((await ann.post('/api/organizations', { name: 'Zenith' })).status, 201)
  const required = `update organizations set second_factor = 'required'`
  await world.postgres.query(`${required} where slug = $1`, [slug])
  const { page, open, check, opener, dialog, secret, live, choose, activate } = await openTab(t, {
    person: ann,
    tenant,
  })
  await open('/me/keys')
  await opener.click()
  await dialog.getByRole('checkbox', { name: 'Write notes' }).waitFor()

  await world.postgres.query(`${required} where tenant_id = (select id from tenants where slug = $1)`, [tenant])
  await open('/me/keys')
  const alert = page.getByRole('alert', { includeHidden: true }).getByText('A second factor is required')
  await alert.waitFor()
  await check()
  await choose('Reports', 'Rotate…')
  await activate('Rotate key')
  const text = await secret.inputValue()
  const answered = page.waitForResponse((response) => response.url().endsWith('/roles'))
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange'))) // as when the user comes back to the window
  await (await answered).finished()
  await alert.waitFor()
  assert.equal(await secret.inputValue(), text)
  await activate('I’ve saved it')
  await live.getByText(`…${text.slice(-4)}`).waitFor()

  await opener.click()
  await dialog.getByRole('checkbox', { name: 'See your account' }).waitFor()
  assert.equal(await dialog.getByRole('checkbox', { name: 'Write notes' }).count(), 0)
})

test('as many keys live as may be, and the next one is refused', async (t) => {
  const { tenant, ann } = await makeTenant()
  for (let count = 0; count < 20; count++) await requestKey(ann, mine)
  const { open, opener, dialog, create } = await openTab(t, { person: ann, tenant })
  await open('/me/keys')
  await opener.click()
  await dialog.getByLabel('Name').fill('One more')
  await dialog.getByRole('checkbox').first().check()
  await create()
  await dialog.getByRole('alert').getByText('There are too many active keys').waitFor()
})

test('only those who may see keys of an organization see them, and only those who manage them make them', async (t) => {
  const { tenant, ann, cleo, slug, path, members } = await makeTenant()
  await requestKey(ann, `${path}/keys`, { name: 'Import', scopes: ['members:read', 'notes:write'] })
  const tab = await openTab(t, { person: cleo, tenant })
  const { page, open, check, opener, dialog, secret, live, create, hasPlace } = tab
  const give = (role: string) => ann.patch(`${path}/members/${members.cleo.id}`, { grants: [{ role }] })
  const openKeys = () => open(`/organizations/${slug}/keys`)
  await openKeys()
  await page.getByRole('heading', { name: 'You can’t see keys' }).waitFor()
  await check()
  assert.equal(await hasPlace('Keys'), false)

  await give('viewer')
  await openKeys()
  await live.getByText('See the members, Write notes').waitFor()
  await live.getByText('Ann').waitFor()
  assert.deepEqual([await hasPlace('Keys'), await live.getByRole('button').count(), await opener.count()], [true, 0, 0])
  await check()

  await give('keeper')
  await openKeys()
  await opener.click()
  await dialog.getByRole('checkbox', { name: 'Manage keys' }).check()
  const offered = await dialog.getByRole('checkbox').count()
  assert.equal(await dialog.getByRole('checkbox', { name: 'Write notes' }).count(), 0, 'they do not hold it')
  assert.equal(await dialog.getByRole('checkbox', { name: 'Leave' }).count(), 0, 'a key is no member')
  assert.equal(offered, 5)
  await dialog.getByLabel('Name').fill('Keeper’s')
  await create()
  await secret.waitFor()
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
  await live.filter({ hasText: 'Keeper’s' }).getByText('No end').waitFor()

  await page.getByRole('button', { name: 'Actions for the key Import' }).click()
  await page.getByRole('menuitem', { name: 'Rotate…' }).click()
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  await dialog
    .getByRole('alert')
    .getByText('This includes what you don’t have yourself: Write notes. Ask an owner.')
    .waitFor()
})

test('a key whose holder left says when it ends, and another person keeps it by rotating it', async (t) => {
  const { tenant, ann, ben, slug, path } = await makeTenant()
  const { key } = await requestKey(ben, `${path}/keys`)
  await world.postgres.query(
    `update api_keys set holder_left_at = now(), expires_at = now() + interval '3 days' where id = $1`,
    [key.id],
  )
  const { page, open, check, dialog, live, choose, activate } = await openTab(t, { person: ann, tenant })
  await open(`/organizations/${slug}/keys`)
  const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'Europe/Lisbon' })
  const end = (await ann.get(`${path}/keys`)).body.data[0].expiresAt
  await live.getByText(`Someone with its secret lost access: ends on ${day.format(new Date(end))}`).waitFor()
  await check()
  await choose('Import', 'Rotate…')
  await dialog.getByText('You become its holder').waitFor()
  await activate('Rotate key')
  await dialog.getByLabel('Secret', { exact: true }).waitFor()
  await activate('I’ve saved it')
  await live.getByText('No end').waitFor()
  await live.getByText('Ann').waitFor()
  assert.equal(await page.getByText('Someone with its secret').count(), 0)
})

test('where keys are not offered nobody finds them, but those who have some can end them', async (t) => {
  const { tenant, admin, ann, ben, slug, path } = await makeTenant()
  await requestKey(ann, mine, { name: 'Mine' })
  await requestKey(ann, `${path}/keys`, { name: 'Ours' })
  const { page, open, become, check, opener, dialog, live, choose, activate, create, hasPlace } = await openTab(t, {
    person: ann,
    tenant,
  })
  await open('/me/keys')
  await opener.click()
  await dialog.getByLabel('Name').fill('Late')
  await dialog.getByRole('checkbox').first().check()
  await admin.patch('/api/admin/tenant', { personalKeys: false, organizationKeys: false })
  await create()
  await page.getByRole('alert').getByText('Keys are turned off').waitFor()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await opener.count(), 0)
  await check()
  for (const [place, name, key] of [
    ['/me', 'My keys', 'Mine'],
    [`/organizations/${slug}/settings`, 'See keys', 'Ours'],
  ] as const) {
    await open(place)
    await check()
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByText('Programs that use these keys are refused').waitFor()
    await choose(key, 'End…')
    await activate('End key')
    await page.getByRole('heading', { name: 'Keys are turned off' }).waitFor()
    assert.equal(await live.count(), 0)
  }
  // Both pages now show that there is no key left: nothing that is still under way could make a place for keys.
  await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'See keys' }).count(), 0)
  await become(ben)
  await open('/me/keys')
  await page.getByRole('heading', { name: 'Keys are turned off' }).waitFor()
  assert.equal(await hasPlace('My keys'), false)
  await open(`/organizations/${slug}`)
  await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).waitFor()
  assert.equal(await hasPlace('Keys'), false)
})
