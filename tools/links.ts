/** Links of a package, whose documents were written for the whole repository. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Code, or a link with its text and its target. */
const codeOrLink = /^( *)```[\s\S]*?^\1```$|(?<!\[)`[^`\n]*`|\[([^[\]]*)\]\(([^)\s#]+)(?:#[^)\s]*)?\)/gm

/** Replaces each link to a file outside the package by its text. */
export function dropLinksOutOf(dist: string): void {
  for (const path of globSync('**/*.md', { cwd: dist })) {
    const leadsOut = (file: string) =>
      !/^[a-z]+:/.test(file) &&
      (join(dirname(path), file).startsWith('..') || !existsSync(join(dist, dirname(path), file)))
    const text = readFileSync(join(dist, path), 'utf8').replace(codeOrLink, (all, _indent, words, file) =>
      file !== undefined && leadsOut(file) ? words : all,
    )
    writeFileSync(join(dist, path), text)
  }
}
