/** What moves on a page by itself: Chromium's layout shifts. */
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { timeout } from './timeout.ts'

/** Runs in the browser: resolves when what is there now is painted. */
const painted =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))'

/**
 * Runs in the browser: the page gets each response of the API after the one before is painted, so that each shift that this order can cause
 * is seen, however fast the machine is. However slow it is, the page does not go on without what is late: names that come after their list
 * move it. And it reads nothing again for its age.
 */
const oneByOne = `{
  const { fetch, setTimeout } = globalThis
  const now = Date.now()
  Date.now = () => now
  globalThis.setTimeout = (act, delay, ...rest) => setTimeout(act, delay >= 2000 ? ${timeout} : delay, ...rest)
  let turn = Promise.resolve()
  globalThis.fetch = async (...call) => {
    const response = await fetch(...call)
    turn = turn.then(() => ${painted})
    await turn
    return response
  }
}`

/** Runs in the browser: what has moved since the page was opened, without what follows a key or a click. */
const shifts = `new Promise((resolve) => {
  const seen = []
  const nameOf = ({ node }) => (node instanceof Element ? node : node?.parentElement)?.outerHTML.slice(0, 200)
  const keep = (entries) => {
    for (const { value, hadRecentInput, sources } of entries)
      if (!hadRecentInput) seen.push([value.toFixed(4), ...sources.map(nameOf)].join('\\n  '))
  }
  const observer = new PerformanceObserver((list) => keep(list.getEntries()))
  observer.observe({ type: 'layout-shift', buffered: true })
  ${painted}.then(() => {
    keep(observer.takeRecords())
    resolve(seen)
  })
})`

/** The pages that are opened from now on show each response of the API by itself, until the end of the test. */
export async function showOneByOne(t: TestContext, page: Page): Promise<void> {
  const script = await page.addInitScript(oneByOne)
  t.after(() => script.dispose())
}

/** @returns what has moved since the page was opened: how much, and which elements */
export function findShifts(page: Page): Promise<string[]> {
  return page.evaluate(shifts)
}
