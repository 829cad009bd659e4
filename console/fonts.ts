/**
 * The font of the first page: Inter with the characters of our own texts, in the weights in use. Other characters are in the files of
 * the package, of which a browser loads those that a page shows (theme/fonts.css).
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import subsetFont from 'subset-font'

/** Ignored by Git. theme/fonts.css names it. */
const place = join(import.meta.dirname, 'node_modules', '.fonts')

/** Printable ASCII, and what our texts have beyond it. theme/fonts.css names the same. */
const ascii = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index))
export const firstCharacters = [...ascii, ...'\u00a0·–—‘’“”…'].join('')

/** Of the font's features: those that browsers apply always, and those that our styles turn on. */
const keepFeatures = ['calt', 'ccmp', 'kern', 'locl', 'mark', 'mkmk', 'rlig', 'liga', 'tnum', 'cv11', 'ss03']

/** Makes the file that theme/fonts.css names. */
export async function makeFirstFont(): Promise<void> {
  const source = createRequire(import.meta.url).resolve(
    '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  )
  const options = {
    targetFormat: 'woff2',
    variationAxes: { wght: { min: 400, max: 700, default: 400 } },
    keepFeatures, // of which the package's types do not know yet
  } as const
  const font = await subsetFont(await readFile(source), firstCharacters, options)
  await mkdir(place, { recursive: true })
  const made = join(place, String(process.pid))
  await writeFile(made, font)
  await rename(made, join(place, 'inter-first.woff2')) // another build may be reading it
}
