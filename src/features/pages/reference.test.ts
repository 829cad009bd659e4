/** The API reference in a browser: its bar, the credential that it sends, and what axe says of Scalar's page in our colors. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { checkAccessibility, createConsoleWorld } from '../../../test/browser.ts'

const world = await createConsoleWorld()

/** Scalar's form of a request has a second main landmark, and its regions of examples all have one name. */
const accepted = ['landmark-no-duplicate-main', 'landmark-unique']

const openReference = async (page: Page, operation = '') => {
  await page.goto(`/docs${operation}`)
  await page.getByRole('heading', { level: 1, name: 'Guildhall' }).waitFor()
  await page.locator('.caller').filter({ hasText: 'Requests are real.' }).waitFor()
}

/** Opens the form of a request: that of `GET /api/users/me`. */
const openRequest = async (page: Page) => {
  await page.getByRole('button', { name: /^Test Request.*get \/api\/users\/me\)$/i }).click()
  await page.locator('[data-addressbar-action=send]:visible').waitFor()
}

/** Sends the request of the open form. @returns the status, and the address of the person in the answer */
const send = async (page: Page) => {
  const answered = page.waitForResponse((each) => each.url().endsWith('/api/users/me'))
  await page.locator('[data-addressbar-action=send]:visible').click()
  const answer = await answered
  return [answer.status(), (await answer.json()).email]
}

test('requests are sent as the signed-in person, or as the person whose token is entered', async (t) => {
  const [ann, ben] = [await world.person('Ann'), await world.person('Ben')]
  const { page } = await world.tab(t, { person: ann })
  await openReference(page, '#tag/me/GET/api/users/me')
  assert.equal(await page.locator('.caller').textContent(), `Requests are real. Without a token, you are ${ann.email}.`)
  assert.equal(await page.getByText('No authentication selected').count(), 0)
  await page.getByText('Credential required', { exact: true }).first().waitFor()
  await openRequest(page)
  await page.getByRole('dialog').getByText('requests are sent with the session of this browser').waitFor()
  assert.deepEqual(await send(page), [200, ann.email])

  await page.getByRole('dialog').getByPlaceholder('Token').fill(ben.token)
  assert.deepEqual(await send(page), [200, ben.email])
})

test('somebody who is not signed in gets 401, and finds the page to sign in', async (t) => {
  const { page, context } = await world.tab(t)
  await openReference(page, '#tag/me/GET/api/users/me')
  const opened = context.waitForEvent('page')
  await page.getByRole('region', { name: 'Guildhall' }).getByRole('link', { name: 'Sign in' }).click()
  await (await opened).waitForURL('**/sign-in')
  await openRequest(page)
  assert.deepEqual(await send(page), [401, undefined])
})

for (const width of [1440, 390]) {
  test(`the keyboard reaches the way back, which stays in view, at ${width} pixels`, async (t) => {
    const { page } = await world.tab(t, { person: await world.person(), width })
    await openReference(page)
    await page.getByText('API reference', { exact: true }).click()
    await page.keyboard.press('Tab')
    const back = page.getByRole('link', { name: 'To the console' })
    await page.locator('.back:focus').waitFor()
    assert.ok(Number(await page.evaluate('scrollTo(0, 500), scrollY')) > 0)
    const box = await back.boundingBox()
    assert.ok(box && box.y >= 0 && box.x + box.width < width, JSON.stringify(box))
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/organizations/)
  })

  // Loaded in its scheme: after a switch, Scalar's editors keep colors of the other one for a while.
  for (const scheme of ['light', 'dark'] as const)
    test(`axe finds no fault of contrast and no critical one, at ${width} pixels, ${scheme}`, async (t) => {
      const { page } = await world.tab(t, { person: await world.person(), width, scheme })
      await openReference(page, '#tag/me/GET/api/users/me')
      await page.getByRole('button', { name: /^Test Request.*get \/api\/users\/me\)$/i }).waitFor()
      await checkAccessibility(page, scheme, accepted, [scheme])
      await openRequest(page)
      await send(page)
      await checkAccessibility(page, scheme, accepted, [scheme])
    })
}
