/** Files that a page of the console downloads, for tests. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { parseCsv } from './csv.ts'

/** Downloads the list of the page. @returns the name of the file, and its lines by their headers */
export async function downloadCsv(page: Page) {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('search').getByRole('button', { name: 'Export CSV' }).click(),
  ])
  return { name: file.suggestedFilename(), lines: parseCsv(await readFile(await file.path(), 'utf8')) }
}
