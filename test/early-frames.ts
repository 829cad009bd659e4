/** A browser whose frames come at once, before the render that they should show: as on a busy machine. */
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'

/** For the pages that are opened from now on, until the end of the test. */
export async function drawAtOnce(t: TestContext, page: Page): Promise<void> {
  const script = await page.addInitScript(() => {
    globalThis.requestAnimationFrame = (draw) => {
      draw(performance.now())
      return 0
    }
  })
  t.after(() => script.dispose())
}
