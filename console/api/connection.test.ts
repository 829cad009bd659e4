/** The console without a connection: a change fails at once and is never sent later, and the page keeps what it has read. */
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { createConsoleWorld, type TabOptions } from '../../test/browser.ts'

const world = await createConsoleWorld()

/** A tab that can be disconnected and reconnected. */
async function openTab(t: TestContext, options: TabOptions) {
  const tab = await world.tab(t, options)
  const { page, context } = tab
  const sent: string[] = []
  const strip = page.getByText('No connection to the service.')
  const toDevices = async () => {
    await page.getByRole('button', { name: options.person?.email ?? '' }).click()
    await page.getByRole('menuitem', { name: 'Devices' }).click()
  }
  return {
    ...tab,
    strip,
    toDevices,
    async disconnect() {
      await context.setOffline(true)
      await strip.waitFor()
    },
    /** Reconnects, opens a page of the console, and finds that nothing but reads was sent. */
    async reconnect() {
      const note = (request: { method(): string; url(): string }) => {
        if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`)
      }
      page.on('request', note)
      await context.setOffline(false)
      await strip.waitFor({ state: 'detached' })
      await toDevices()
      await page.getByText('This device').waitFor()
      page.off('request', note)
      assert.deepEqual(sent, [])
    },
  }
}

/** Ends the next response to such a request after half of its body. @returns the status of that response */
function cutNext(t: TestContext, method: string, path: string): Promise<number> {
  const { server } = world.app
  const cut = Promise.withResolvers<number>()
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== method || request.url?.split('?')[0] !== path) return
    server.off('request', listener)
    const endHalfway = (body: string) => {
      response.write(body.slice(0, body.length / 2), () => response.destroy())
      cut.resolve(response.statusCode)
      return response
    }
    response.end = endHalfway as typeof response.end // JSON comes as one text
  }
  server.prependListener('request', listener)
  t.after(() => server.off('request', listener))
  return cut.promise
}

test('a change whose response ends before it is whole is done once, even if it is sent again', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, strip } = await openTab(t, { person: ann })
  await open('/organizations/new')
  await page.getByLabel('Name').fill('Made once')
  const submit = page.getByRole('button', { name: 'Create organization' })
  const status = cutNext(t, 'POST', '/api/organizations')
  await submit.click()
  const alert = page.getByRole('alert').filter({ hasText: 'The service can’t be reached' })
  await alert.getByText('it may have been saved').waitFor()
  await strip.waitFor()
  assert.equal(await status, 201)

  await submit.click()
  await page.getByText('Made once was created.').waitFor()
  await strip.waitFor({ state: 'detached' })
  assert.equal((await ann.get('/api/organizations')).body.data.length, 1)
})

test('a list whose response ends before it is whole is read again', async (t) => {
  const { ann, slug } = await world.organization()
  const { page, open } = await openTab(t, { person: ann })
  const status = cutNext(t, 'GET', '/api/organizations')
  await open('/organizations')
  assert.equal(await status, 200)
  await page.getByRole('main').getByRole('link', { name: slug }).waitFor()
})

test('a member who is removed offline stays a member, also after reconnecting', async (t) => {
  const { ann, slug, path, members } = await world.organization()
  const { page, open, disconnect, reconnect } = await openTab(t, { person: ann })
  await open(`/organizations/${slug}/members`)
  await page.getByRole('button', { name: 'Actions for Ben' }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove Ben?' })
  await disconnect()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('alert').getByText('You’re offline').waitFor()
  assert.ok(await dialog.getByRole('button', { name: 'Remove' }).isEnabled())
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await reconnect()
  assert.equal((await ann.get(`${path}/members/${members.ben.id}`)).status, 200)
})

test('a role that is chosen offline is put back, and never sent', async (t) => {
  const { ann, slug, path, members } = await world.organization()
  const { page, open, disconnect, reconnect } = await openTab(t, { person: ann })
  await open(`/organizations/${slug}/members`)
  await page.getByRole('button', { name: 'Role of Cleo: Member' }).click()
  await disconnect()
  await page.getByRole('menuitemradio', { name: /^Admin/ }).click()
  await page.getByRole('alert').getByText('You’re offline').waitFor()
  await page.getByRole('button', { name: 'Role of Cleo: Member' }).waitFor()

  await reconnect()
  assert.equal((await ann.get(`${path}/members/${members.cleo.id}`)).body.role, 'member')
})

test('an edit that is discarded offline is never saved', async (t) => {
  const ann = await world.person('Ann')
  const { page, open, disconnect, reconnect } = await openTab(t, { person: ann })
  await open('/me/devices')
  await page.getByText('This device').waitFor()
  await page.getByRole('link', { name: 'Profile' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Discarded')
  await disconnect()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('You’re offline').waitFor()
  await page.getByRole('link', { name: 'Devices' }).click()
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await page.getByText('This device').waitFor() // as it was read before

  await reconnect()
  assert.equal((await ann.get('/api/users/me')).body.name, 'Ann')
})

test('an edit that is saved offline stays in its form until its writer saves it again', async (t) => {
  const ann = await world.person('Ann')
  const { page, context, open, strip, disconnect } = await openTab(t, { person: ann })
  const name = page.getByLabel('Name', { exact: true })
  await open('/me')
  await name.fill('Ann Archer')
  await disconnect()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('Nothing was changed.').waitFor()
  await context.setOffline(false)
  await strip.waitFor({ state: 'detached' })
  assert.deepEqual([await name.inputValue(), (await ann.get('/api/users/me')).body.name], ['Ann Archer', 'Ann'])

  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Profile saved.').waitFor()
  assert.equal((await ann.get('/api/users/me')).body.name, 'Ann Archer')
})

test('an invitation that is given up offline is never sent', async (t) => {
  const { ann, slug, path } = await world.organization()
  const { page, open, disconnect, reconnect } = await openTab(t, { person: ann })
  await open(`/organizations/${slug}/members`)
  await page.getByRole('button', { name: 'Invite people' }).click()
  const dialog = page.getByRole('dialog')
  const addresses = dialog.getByLabel('Email addresses')
  await addresses.fill('zoe@example.com')
  await disconnect()
  await dialog.getByRole('button', { name: 'Send invitation' }).click()
  await dialog.getByText('You’re offline').waitFor()
  assert.equal(await addresses.inputValue(), 'zoe@example.com')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await reconnect()
  assert.deepEqual((await ann.get(`${path}/invites?status=pending`)).body.data, [])
})

test('a verification that failed offline is sent again only when asked', async (t) => {
  const ann = await world.person('Ann', { verified: false })
  const { page, context, openMailed } = await openTab(t, { person: ann })
  let isAsked = false
  await page.route('**/api/auth/verify-email', async (route) => {
    if (isAsked) return route.continue()
    isAsked = true
    await context.setOffline(true)
    await route.abort('internetdisconnected')
  })
  await openMailed(ann.email, 'verify-email')
  await page.getByRole('alert').waitFor()
  const sent: string[] = []
  page.on('request', (request) => request.method() !== 'GET' && sent.push(request.url()))
  await context.setOffline(false)
  await page.evaluate(async () => {
    dispatchEvent(new Event('visibilitychange')) // as when the user comes back to the tab
    await fetch('/livez') // anything that the event sends comes before it
  })
  assert.deepEqual(sent, [])
  assert.equal((await ann.get('/api/users/me')).body.emailVerified, false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText(`You sign in with ${ann.email}.`).waitFor()
})

test('a list stays offline, and a list that cannot be read says why and is read on reconnecting', async (t) => {
  const { ann, slug } = await world.organization()
  const { page, context, open, disconnect, check, showFilters, toDevices } = await openTab(t, { person: ann })
  await open(`/organizations/${slug}/members`)
  await page.getByRole('link', { name: 'Members 3' }).waitFor()
  await showFilters()
  await disconnect()
  await check()
  await page.getByLabel('Search by name or email').fill('cleo')
  const alert = page.getByRole('alert').getByText('You’re offline')
  await alert.waitFor()
  await page.getByLabel('Search by name or email').fill('')
  await page.getByRole('cell', { name: /Cleo/ }).first().waitFor()
  await alert.waitFor({ state: 'detached' })

  await toDevices()
  await alert.waitFor()
  await context.setOffline(false)
  await page.getByText('This device').waitFor()
})

test('a page that cannot be opened offline says why, and can be tried again', async (t) => {
  const { ann, slug } = await world.organization()
  const { page, context, open, strip, disconnect, check } = await openTab(t, { person: ann })
  await open('/organizations')
  await page.getByRole('link', { name: slug }).waitFor()
  await disconnect()
  await page.getByRole('link', { name: slug }).click()
  await page.getByRole('heading', { name: 'This page couldn’t be loaded' }).waitFor()
  const alert = page.getByRole('alert').getByText('You’re offline')
  const retry = page.getByRole('main').getByRole('button', { name: 'Try again' }).last()
  await alert.waitFor()
  await check()
  // The alert of the first try stands until the second has failed, too. Online before that, the second try would open the page.
  const failed = page.waitForEvent('requestfailed', (request) => request.resourceType() === 'fetch')
  await retry.click()
  await failed
  await alert.waitFor()
  await context.setOffline(false)
  await strip.waitFor({ state: 'detached' })
  await retry.click()
  await page.getByRole('heading', { name: 'Newest members' }).waitFor()
})

test('a response to a request from before the connection was lost does not restore it', async (t) => {
  const { ann, slug } = await world.organization()
  const { page, open, strip, disconnect } = await openTab(t, { person: ann })
  await open('/organizations')
  const release = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  await page.route('**/api/organizations/**/members*', async (route) => {
    const response = await route.fetch()
    asked.resolve()
    await release.promise
    await route.fulfill({ response })
  })
  await page.getByRole('link', { name: slug }).click()
  await asked.promise
  await disconnect()
  release.resolve()
  await page.getByText('Cleo').first().waitFor()
  assert.ok(await strip.isVisible())
})

test('what is opened or exported offline says so, and goes on with the connection', async (t) => {
  const { ann, slug } = await world.organization()
  const { page, open, disconnect, context, strip } = await openTab(t, { person: ann })
  await open(`/organizations/${slug}/members`)
  await page.getByText('Cleo').first().waitFor()
  await page.getByRole('button', { name: 'Actions for Ben' }).click()
  const setEnd = page.getByRole('menuitem', { name: 'Set an end date…' })
  await setEnd.waitFor()
  await disconnect()
  await setEnd.click()
  const dialog = page.getByRole('dialog', { name: 'What Ben can do' })
  await dialog.getByRole('alert').getByText('You’re offline').waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Save' }).count(), 0)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  const file = page.getByRole('button', { name: 'Export CSV' })
  await file.click()
  await page.getByRole('alert').getByText('You’re offline').waitFor()

  await context.setOffline(false)
  await strip.waitFor({ state: 'detached' })
  const [download] = await Promise.all([page.waitForEvent('download'), file.click()])
  assert.match(download.suggestedFilename(), /^members-/)
})

test('in the dialog of a new organization, a search for its owner fails offline and is done again', async (t) => {
  const { page, open, disconnect, context, strip } = await openTab(t, { person: await world.tenantAdmin() })
  const owner = await world.person('Zelda')
  await open('/admin/organizations')
  await page.getByRole('button', { name: 'New organization' }).click()
  const dialog = page.getByRole('dialog', { name: 'New organization' })
  const field = dialog.getByRole('combobox', { name: 'Owner' })
  await field.waitFor()
  await disconnect()
  await field.fill('Zelda')
  await dialog.getByRole('alert').getByText('You’re offline').waitFor()
  assert.equal(await dialog.getByText('No matching').count(), 0)

  await context.setOffline(false)
  await strip.waitFor({ state: 'detached' })
  await field.click()
  await page.getByRole('option', { name: owner.email }).click()
  await dialog.getByRole('alert').waitFor({ state: 'detached' })
})
