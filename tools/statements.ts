/** Statements: how wide the lines of SQL may be, and where sessions end. */
import { readTree } from './tree.ts'

/** The most columns of a line with SQL: the formatter does not break templates. */
const widestStatement = 140

/** @returns each line of a statement that is wider than the limit */
export async function findWideStatements(): Promise<string> {
  return readTree()
    .filter(({ path }) => /^src\/.*(?<!\.test)\.ts$/.test(path))
    .flatMap(({ path, text }) => {
      const lines = text.split('\n')
      return [...linesOfStatements(text)]
        .filter((number) => (lines[number - 1]?.length ?? 0) > widestStatement)
        .map((number) => `${path}:${number}: a line of SQL has more than ${widestStatement} columns`)
    })
    .join('\n')
}

/** Grants end with their session, and applications are told, because one function ends sessions. */
export async function findForeignEndings(): Promise<string> {
  return readTree()
    .filter(({ path }) => /^src\/.*(?<!\.test)\.ts$/.test(path) && path !== 'src/domain/sessions/endings.ts')
    .filter(({ text }) => /\bupdate\s+sessions\b[^`]*?\bset\b[^`]*?\bended_at\s*=[^`]*`/.test(text))
    .map(({ path }) => `${path}: ends sessions, but not by endSessions`)
    .join('\n')
}

/** @returns the numbers of the lines on which a template with the tag `sql` or `statement` is */
function linesOfStatements(text: string): Set<number> {
  const lineAt = (index: number) => text.slice(0, index).split('\n').length
  const lines = new Set<number>()
  for (const { start, end } of templatesIn(text))
    for (let line = lineAt(start); line <= lineAt(end); line++) lines.add(line)
  return lines
}

/** The texts of templates with the tag `sql` or `statement`, also of those in values of others. */
export function* templatesIn(text: string): Generator<{ readonly start: number; readonly end: number }> {
  for (const { index, 0: opening } of text.matchAll(/\b(?:sql|statement)(?:<[^`]*>)?`/g)) {
    const start = index + opening.length
    yield { start, end: endOfTemplate(text, start) }
  }
}

/** @param start of its text. @returns where its last backquote is; templates in its values are part of it */
export function endOfTemplate(text: string, start: number): number {
  return endOf('`', text, start)
}

/** @param start of a value in a template, after its opening. @returns where its last brace is */
export function endOfValue(text: string, start: number): number {
  return endOf('{', text, start)
}

function endOf(opening: '`' | '{', text: string, start: number): number {
  const open: string[] = [opening]
  for (let at = start; at < text.length; at++) {
    const [character, isText] = [text[at], open.at(-1) === '`']
    if (open.length === 1 && character === (isText ? '`' : '}')) return at
    if (character === '\\') at++
    else if (character === '`' && isText) open.pop()
    else if (character === '`') open.push('`')
    else if (character === '{' && (!isText || text[at - 1] === '$')) open.push('{')
    else if (character === '}' && !isText) open.pop()
  }
  return text.length
}
