/** A person without a mouse: acts on a page by keys alone, and says where the focus is. Its places are found by their names. */
import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import type { Tab } from './browser.ts'

/** As often the Tab key is pressed at most: no page of the tests has more stops. */
const most = 90

const focused = `(({ activeElement: { tagName, ariaLabel, innerText } }) =>
  tagName + ' ' + (ariaLabel ?? innerText ?? '').slice(0, 60))(document)`

/**
 * Types a date into its field, from the first part on.
 *
 * @param digits of the day, the month and the year, or of the first two. Which of them comes first depends on the browser, so both are the
 *   same.
 */
export async function typeDate(field: Locator, digits: string): Promise<void> {
  await field.blur()
  await field.pressSequentially(digits)
}

/** @returns what waits until a field of a dialog is refused: it has the focus, and the words are shown */
export function refusalIn(dialog: Locator): (field: Locator, words: string | RegExp) => Promise<void> {
  return async (field, words) => {
    await field.and(dialog.page().locator('[aria-invalid=true]')).and(dialog.page().locator(':focus')).waitFor()
    await dialog.getByText(words).waitFor()
  }
}

export function keyboardOf({ page, press }: Tab) {
  const hasFocus = async (place: Locator) => (await place.and(page.locator(':focus')).count()) === 1
  /** Waits until the focus is at a place: where a person goes on. */
  const isAt = async (place: Locator) => {
    try {
      await place.and(page.locator(':focus')).waitFor()
    } catch {
      assert.fail(`the focus is at ${await page.evaluate(focused)}, and not at ${place}`)
    }
  }
  /** Presses the Tab key until the focus is at a place. */
  const reach = async (place: Locator) => {
    await place.waitFor()
    for (let count = 0; count < most; count++) {
      if (await hasFocus(place)) return
      await press('Tab')
    }
    assert.fail(`the Tab key does not lead to ${place}`)
  }
  return {
    isAt,
    reach,
    dialog: page.getByRole('dialog'),
    title: page.getByRole('heading', { level: 1 }),
    button: (name: string | RegExp) => page.getByRole('button', { name, exact: true }),
    field: (name: string) => page.getByLabel(name, { exact: true }),
    item: (name: string) => page.getByRole('menuitem', { name }),
    place: (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }),
    /** Goes to a place, and presses a key there. */
    async act(place: Locator, key = 'Enter') {
      await reach(place)
      await press(key)
    },
    /** Goes to a field, and types over what is in it. */
    async type(field: Locator, text: string) {
      await reach(field)
      await press('Control+a')
      await page.keyboard.type(text)
    },
    /** Chooses from the menu that has just opened, by the arrow keys. */
    async choose(item: Locator) {
      await page.locator('[role^=menuitem]:focus').waitFor()
      for (let count = 0; count < 10 && !(await hasFocus(item)); count++) await press('ArrowDown')
      await isAt(item)
      await press('Enter')
    },
  }
}
