/** Documents: parses the repository's Markdown. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')

export interface Block {
  readonly language: string
  /** The line of its fence; its first line follows. */
  readonly line: number
  readonly text: string
}

export interface Document {
  /** Relative to the root of the repository, or of another folder. */
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
}

/** @returns those that the patterns name and that are written: not what is installed or built */
export function readDocuments(patterns: readonly string[], folder = root): Document[] {
  const exclude = (name: string) => /(^|\/)(node_modules|dist|\.[^/]+)$/.test(name)
  return globSync(patterns, { cwd: folder, exclude })
    .sort()
    .map((path) => readDocument(path, folder))
}

/** @param path from the folder on */
export function readDocument(path: string, folder = root): Document {
  const text = readFileSync(join(folder, path), 'utf8')
  return { path, text, blocks: blocksOf(text) }
}

function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].map((found) => {
    const [, indent = '', language = '', code = ''] = found
    const line = text.slice(0, found.index).split('\n').length
    return { language, line, text: code.replace(new RegExp(`^${indent}`, 'gm'), '') }
  })
}

/** The text without its code, in which `[…](…)` is no link. */
export function proseOf({ text }: Document): string {
  return text.replace(/^( *)```.*?^\1```$/gms, '').replace(/`[^`\n]*`/g, '')
}

/** The anchors of its headings, as GitHub makes them. */
export function anchorsOf({ text }: Document): string[] {
  const headings = [...text.replace(/^( *)```.*?^\1```$/gms, '').matchAll(/^#+ (.+)$/gm)]
  const names = headings.map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return names.map((name, index) => {
    const before = names.slice(0, index).filter((each) => each === name).length
    return before === 0 ? name : `${name}-${before}`
  })
}

/** The rows of its tables of operations: the client's method, `GET /api/users/me`, who may. */
export function operationsOf({ path, text }: Document) {
  return [...text.matchAll(/^\| (?:`(\w[\w.]*)`|–) \| `([A-Z]+ \/[^`]*)` \| (.*?) \|/gm)].map(
    ([, method, operation = '', who = '']) => ({ path, method, operation, who }),
  )
}

/** The TypeScript of a document at its own line numbers: visible blocks, and preparations in comments (`<!-- ts … -->`). */
export function sourceOf({ text }: Document): string {
  const lines = text.split('\n').map(() => '')
  for (const { 1: shown, 2: hidden, index } of text.matchAll(/^```ts\n(.*?)^```$|^<!-- ts (.*?) -->$/gms)) {
    const first = text.slice(0, index).split('\n').length - (shown === undefined ? 1 : 0)
    for (const [offset, line] of (shown ?? hidden ?? '').trimEnd().split('\n').entries()) lines[first + offset] = line
  }
  return lines.join('\n')
}

/** A line whose comment shows its output. */
const printing = /^(.*)\bconsole\.log\((.*)\) \/\/ (.+)$/gm

/** @returns the lines of a document that show the output of its code */
export function placesOf(document: Document): string[] {
  const code = sourceOf(document)
  return [...code.matchAll(printing)].map(({ index }) => placeOf(document, code, index))
}

/** @returns its code, with its cast (cast.ts) on the first line, and `print` in place of every line that shows its output */
export function programOf(document: Document): string {
  const code = sourceOf(document)
  const cast =
    'const { age, ann, atProvider, bob, cleo, dan, guildhall, issuer, mailed, mailedCode, print, shown, tess, totpOf } = stage'
  const entered = `import { stage } from ${JSON.stringify(join(root, 'test/cast.ts'))}; ${cast}`
  const checked = code.replace(printing, (_line, before, values, expected, index) => {
    const place = JSON.stringify(placeOf(document, code, index))
    return `${before}print(${place}, ${JSON.stringify(expected)}, ${values})`
  })
  return entered + checked
}

function placeOf({ path }: Document, code: string, index: number): string {
  return `${path}:${code.slice(0, index).split('\n').length}`
}
