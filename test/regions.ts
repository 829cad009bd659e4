/** The regions of a page whose words screen readers say when they change. They say nothing of a region that comes with its words. */
import type { Locator, Page } from 'playwright-core'

/** @returns the regions that are there now, as they are later */
export async function markRegions(page: Page): Promise<Locator> {
  await page.locator('[role=status]').evaluateAll((regions) => {
    for (const region of regions) region.setAttribute('data-marked', '')
  })
  return page.locator('[role=status][data-marked]')
}
