/**
 * Chromium, for tests that need a browser. If there is none, a file that imports this ends here: in CI it fails, elsewhere it is skipped
 * with a message.
 */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { skipped } from './ending.ts'

/** First the headless build: the same engine, for a quarter less CPU time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const ofMacOs = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

const path = search() ?? leave()

/** @returns the path of the program */
export function findChromium(): string {
  return path
}

function search(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const inPath = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return process.env.CHROMIUM_PATH || [...inPath, ...ofMacOs].find((place) => existsSync(place))
}

function leave(): never {
  const missing =
    'No Chromium is found, which this needs. Debian: apt-get install chromium-headless-shell; else set CHROMIUM_PATH to the program.'
  if (process.env.CI === 'true') throw new Error(missing)
  console.error(`SKIPPED tests of the console: ${missing}`)
  process.exit(skipped)
}
