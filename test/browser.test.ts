/** What tabs of tests leave behind. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createConsoleWorld } from './browser.ts'

const world = await createConsoleWorld({ worker: false })

test('a clock that a test has set is not that of the next test', async (t) => {
  const yearOfPage = async (t: TestContext, time?: number) => {
    const { page, open } = await world.tab(t)
    if (time !== undefined) await page.clock.install({ time })
    await open('/sign-in')
    return page.evaluate(() => new Date().getFullYear())
  }
  await t.test('one test', async (t) => assert.equal(await yearOfPage(t, Date.UTC(1999, 5)), 1999))
  await t.test('the next one', async (t) => assert.notEqual(await yearOfPage(t), 1999))
})
