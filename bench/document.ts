/** The document: docs/performance.md with the tables of the latest stored results, between their markers. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { consoleTable, findConsole } from './console-report.ts'
import { growth, plotGrowth } from './growth.ts'
import { report } from './report.ts'
import { findLatest, findMeasured, findWebhooks, readGrowth } from './results.ts'
import { compared, roles } from './roles.ts'
import { findSearch, searchTables } from './search-report.ts'
import { webhookTables } from './webhook-report.ts'

/** Replaces tables and plot in the document, if their results are stored. */
export function writeResults(): void {
  const [folder, plot] = [join(import.meta.dirname, '../docs'), 'performance-growth.svg']
  const file = join(folder, 'performance.md')
  const [latest, sizes, ofRoles, ofWebhooks] = [findLatest(), readGrowth(), findMeasured(compared), findWebhooks()]
  if (latest) writeFileSync(file, fill(readFileSync(file, 'utf8'), 'results', report(latest)))
  else console.error('The tables stay as they are: no results of a complete run are stored.')
  const comparison = ofRoles && roles(ofRoles)
  if (comparison) writeFileSync(file, fill(readFileSync(file, 'utf8'), 'roles', comparison))
  else console.error('The roles stay as they are: no results of all their operations are stored.')
  const sent = ofWebhooks && webhookTables(ofWebhooks)
  if (sent) writeFileSync(file, fill(readFileSync(file, 'utf8'), 'webhooks', sent))
  else console.error('The webhooks stay as they are: no results of them are stored.')
  const pages = findConsole()
  if (pages) writeFileSync(file, fill(readFileSync(file, 'utf8'), 'console', consoleTable(pages)))
  else console.error('The console stays as it is: no results of it are stored.')
  const searches = findSearch()
  if (searches) writeFileSync(file, fill(readFileSync(file, 'utf8'), 'search', searchTables(searches)))
  else console.error('The searches stay as they are: no results of them are stored.')
  if (sizes.length > 1) {
    writeFileSync(join(folder, plot), plotGrowth(sizes))
    writeFileSync(file, fill(readFileSync(file, 'utf8'), 'growth', growth(sizes, plot)))
  } else console.error('The growth stays as it is: results of all reads are stored at one scale only.')
}

/** @throws Error if the text has no such markers */
function fill(text: string, place: string, content: string): string {
  const [begin, end] = [`<!-- ${place} -->`, `<!-- end of ${place} -->`]
  const [before, after] = [text.split(begin)[0], text.split(end)[1]]
  if (after === undefined) throw new Error(`The markers ${begin} and ${end} are missing.`)
  return `${before}${begin}\n\n${content}\n\n${end}${after}`
}
