/** Reads of the console that begin before a change is saved, and are answered after it. */
import type { Locator, Page } from 'playwright-core'

interface SavedName {
  /** Of the API: where the name is read and changed. */
  readonly path: string
  /** What the page says once the new name is saved. */
  readonly words: string
  /** What happens while they are away. Reads of the name that this begins are held, too. */
  readonly away?: () => Promise<unknown>
}

/**
 * Saves "Nordlicht" as the name on a page while a read of it is under way: somebody comes back to the window and saves at once. The read is
 * answered, as it was, after the change.
 *
 * @param answered resolved when the read is answered; a test resolves it before its page waits for requests
 * @returns the field of the name, once the page had time to show the late answer
 */
export async function saveDuringRead(
  page: Page,
  answered: PromiseWithResolvers<void>,
  { path, words, away }: SavedName,
): Promise<Locator> {
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.waitFor()
  const held = Promise.withResolvers<void>()
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const response = await route.fetch()
    held.resolve()
    await answered.promise
    await route.fulfill({ response })
  })
  await away?.()
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
  await held.promise
  await name.fill('Nordlicht')
  const message = page.getByText(words).waitFor() // it goes after some seconds
  const answer = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await (await answer).finished()
  const late = page.waitForResponse(`**${path}`)
  answered.resolve()
  await (await late).finished()
  await message
  for (let count = 0; count < 5; count++) await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
  return name
}
