/** Dialogs while they send, and with text that is not saved. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Route } from 'playwright-core'
import { createConsoleWorld, type TabOptions } from '../../test/browser.ts'
import { offerKeys, requestKey } from '../../test/key-requests.ts'

const world = await createConsoleWorld()

async function openTab(t: TestContext, options: TabOptions) {
  const ended = Promise.withResolvers<void>()
  t.after(() => ended.resolve()) // before the page waits for its requests
  const tab = await world.tab(t, options)
  const { page, press } = tab
  const dialog = page.getByRole('dialog')
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  return {
    ...tab,
    dialog,
    inDialog,
    /**
     * Holds the next change at a path.
     *
     * @returns what waits until the change is sent, and what sends it on or answers it
     */
    async holdChange(path: RegExp | string) {
      const sent = Promise.withResolvers<void>()
      const released = Promise.withResolvers<(route: Route) => Promise<void>>()
      await page.route(path, async (route) => {
        if (route.request().method() === 'GET') return route.fallback()
        sent.resolve()
        const go = await Promise.race([released.promise, ended.promise])
        await (go ? go(route) : route.abort())
      })
      return {
        sent: sent.promise,
        goOn: () => released.resolve((route) => route.continue()),
        refuse: () => released.resolve((route) => route.fulfill({ status: 429, json: { code: 'rate_limited' } })),
      }
    },
    /** All ways to close a dialog. */
    async tryToClose() {
      await press('Escape')
      await page.mouse.click(4, 4) // beside it
      for (const name of ['Cancel', 'Close'])
        for (const button of await inDialog(name).all()) await button.dispatchEvent('click')
      await press('Escape')
    },
  }
}

test('the secret of a key is shown though somebody tries to close the dialog while it is made', async (t) => {
  const { slug: tenant } = await world.tenant()
  await offerKeys(world, tenant)
  const ann = await world.person('Ann', { tenant })
  await requestKey(ann, '/api/users/me/keys', { scopes: ['me:read'] })
  const { page, open, check, dialog, inDialog, holdChange, tryToClose } = await openTab(t, { person: ann, tenant })
  await open('/me/keys')
  await page.getByRole('button', { name: 'Actions for the key Import' }).click()
  await page.getByRole('menuitem', { name: 'Rotate…' }).click()
  const rotation = await holdChange(/\/rotate$/)
  await inDialog('Rotate key').click()
  await rotation.sent
  await tryToClose()
  await check()
  rotation.goOn()
  const secret = dialog.getByLabel('Secret', { exact: true })
  await secret.and(page.locator(':focus')).waitFor()
  await tryToClose()
  assert.match(await secret.inputValue(), /\S/)
  assert.equal(await page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true }))), false, 'asks')
  await inDialog('I’ve saved it').click()
  await dialog.waitFor({ state: 'detached' })
})

test('going back while the secret of a key is made asks first', async (t) => {
  const { slug: tenant } = await world.tenant()
  await offerKeys(world, tenant)
  const ann = await world.person('Ann', { tenant })
  await requestKey(ann, '/api/users/me/keys', { scopes: ['me:read'] })
  const { page, open, dialog, inDialog, holdChange } = await openTab(t, { person: ann, tenant })
  await open('/me')
  await page.locator('a[href$="/me/keys"]').first().click()
  await page.getByRole('button', { name: 'Actions for the key Import' }).click()
  await page.getByRole('menuitem', { name: 'Rotate…' }).click()
  const rotation = await holdChange(/\/rotate$/)
  await inDialog('Rotate key').click()
  await rotation.sent
  await page.evaluate(() => history.back())
  const question = page.getByRole('dialog', { name: 'Leave without the secret?' })
  await question.getByRole('button', { name: 'Stay' }).click()
  await question.waitFor({ state: 'detached' })
  assert.equal(await page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true }))), false, 'asks')
  rotation.goOn()
  await dialog.getByLabel('Secret', { exact: true }).waitFor()
  await inDialog('I’ve saved it').click()
  await dialog.waitFor({ state: 'detached' })
})

test('a dialog that asks before an action shows its refusal, though somebody tries to close it meanwhile', async (t) => {
  const { ann, slug, path, members } = await world.organization()
  const { page, open, dialog, inDialog, holdChange, tryToClose } = await openTab(t, { person: ann })
  await open(`/organizations/${slug}/members`)
  await page.getByRole('button', { name: 'Actions for Cleo' }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  const removal = await holdChange(`**${path}/members/${members.cleo.id}`)
  await inDialog('Remove').click()
  await removal.sent
  await tryToClose()
  removal.refuse()
  await dialog.getByRole('alert').and(page.locator(':focus')).waitFor()
  await inDialog('Cancel').click()
  await dialog.waitFor({ state: 'detached' })
})

test('a form in a dialog cannot be cancelled while it sends, and can be after a refusal', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { page, open, dialog, inDialog, holdChange, tryToClose } = await openTab(t, { person: tess, tenant })
  await open('/admin/users')
  const opener = page.getByRole('button', { name: 'New user' })
  await opener.click()
  await dialog.getByLabel('Name', { exact: true }).fill('Zoe')
  await dialog.getByLabel('Email', { exact: true }).fill('zoe@example.com')
  const creation = await holdChange('**/api/admin/users')
  await inDialog('Create user').click()
  await creation.sent
  await tryToClose()
  creation.refuse()
  await dialog.getByRole('alert').and(page.locator(':focus')).waitFor()
  assert.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), 'Zoe')
  await inDialog('Cancel').click()
  await dialog.waitFor({ state: 'detached' })
  await opener.and(page.locator(':focus')).waitFor()
})

test('a dialog with a code stays open while the code is checked', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, dialog, holdChange, tryToClose } = await openTab(t, { person: ann })
  await open('/me/security')
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const first = dialog.getByLabel('Digit 1 of 6')
  await first.and(page.locator(':focus')).waitFor()
  const proof = await holdChange(/\/api\/users\/me\/factors$/)
  await page.keyboard.type('123456')
  await proof.sent
  await tryToClose()
  proof.refuse()
  await dialog.getByRole('alert').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

test('Escape, a click beside a dialog and its close button ask before text is lost, and cancelling does not', async (t) => {
  const { slug: tenant } = await world.tenant()
  const tess = await world.tenantAdmin(tenant)
  const { page, open, check, press, dialog, inDialog } = await openTab(t, { person: tess, tenant })
  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' })
  const opener = page.getByRole('button', { name: 'New webhook' })
  const url = dialog.getByLabel('URL')
  const ways = [
    () => press('Escape'),
    () => page.mouse.click(4, 4),
    () => dialog.first().getByRole('button', { name: 'Close' }).click(),
  ]
  await open('/admin/webhooks')
  for (const close of ways) {
    await opener.click()
    await url.waitFor()
    await close() // there is no text
    await dialog.waitFor({ state: 'detached' })
  }
  await opener.click()
  await url.fill('https://example.com/events')
  for (const close of ways) {
    await close()
    await question.getByRole('button', { name: 'Keep editing' }).and(page.locator(':focus')).waitFor()
    await check()
    await press('Escape')
    await question.waitFor({ state: 'detached' })
    assert.equal(await url.inputValue(), 'https://example.com/events')
  }
  await press('Escape')
  await question.waitFor()
  await page.mouse.click(4, 4) // the second click of two
  await question.getByRole('button', { name: 'Discard changes' }).click()
  await dialog.waitFor({ state: 'detached' })
  await opener.and(page.locator(':focus')).waitFor()
  await opener.click()
  assert.equal(await url.inputValue(), '')
  await url.fill('https://example.com/events')
  await inDialog('Cancel').click()
  await dialog.waitFor({ state: 'detached' })
})

for (const [name, path, opener, field] of [
  ['a user', '/admin/users', 'New user', 'Name'],
  ['an organization', '/admin/organizations', 'New organization', 'Name'],
  ['a provider', '/admin/providers', 'Add provider', 'Client ID'],
  ['a role', '/admin/access', 'Add role', 'Description'],
  ['a permission', '/admin/access', 'Add permission', 'Description'],
] as const)
  test(`the dialog for ${name} asks before its text is lost`, async (t) => {
    const { slug: tenant } = await world.tenant()
    const tess = await world.tenantAdmin(tenant)
    const { page, open, press, dialog } = await openTab(t, { person: tess, tenant })
    const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' })
    await open(path)
    await page.getByRole('button', { name: opener }).first().click()
    await dialog.getByLabel(field, { exact: true }).fill('Northwind')
    await press('Escape')
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'detached' })
    assert.equal(await dialog.getByLabel(field, { exact: true }).inputValue(), 'Northwind')
  })
