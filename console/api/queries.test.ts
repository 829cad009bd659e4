/** What the console keeps of its requests. */
import { test } from 'node:test'
import { createConsoleWorld } from '../../test/browser.ts'
import { offerKeys } from '../../test/key-requests.ts'
import { until } from '../../test/smtp.ts'
import { password } from '../../test/world.ts'

const world = await createConsoleWorld()

/**
 * Runs in the browser: the values and the results of the changes that the console keeps, as text. They are found by the tree of React, since
 * a page has no other way to them.
 */
const keptChanges = `(() => {
  const place = document.getElementById('console')
  const key = Object.keys(place).find((name) => name.startsWith('__reactContainer$'))
  let part = place[key].stateNode.current
  while (part && !part.memoizedProps?.client?.getMutationCache) part = part.child
  if (!part) throw new Error('the page has a client of queries')
  const kept = part.memoizedProps.client.getMutationCache().getAll()
  return JSON.stringify(kept.map(({ state: { variables, data } }) => [variables, data]))
})()`

test('the page keeps no password, and no secret that was shown once', async (t) => {
  const { slug: tenant } = await world.tenant()
  await offerKeys(world, tenant)
  const ann = await world.person('Ann', { tenant })
  const { page, open } = await world.tab(t, { tenant })
  const isKept = async (text: string) => String(await page.evaluate(keptChanges)).includes(text)
  const isGone = (text: string) => until(async () => !(await isKept(text)), `${text} to be gone`)
  await open('/sign-in')
  await page.getByLabel('Email').fill(ann.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  const answer = Promise.withResolvers<void>()
  await page.route('**/api/auth/sign-in', (route) => answer.promise.then(() => route.continue()))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await until(() => isKept(password), 'the password to be sent')
  answer.resolve()
  await page.getByRole('button', { name: ann.email }).waitFor()
  await isGone(password)

  await page.getByRole('button', { name: ann.email }).click()
  await page.getByRole('menuitem', { name: 'My keys' }).click()
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor()
  await page.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Import')
  await dialog.getByRole('checkbox').first().check()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const field = dialog.getByLabel('Secret', { exact: true })
  const secret = await field.inputValue()
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
  await dialog.waitFor({ state: 'detached' })
  await isGone(secret)
})
