/** Links of a package: its documents were written for the repository, of which it has a part. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Code as it stands, or a link with its text and what it leads to. */
const codeOrLink = /^( *)```[\s\S]*?^\1```$|(?<!\[)`[^`\n]*`|\[([^[\]]*)\]\(([^)\s#]+)(?:#[^)\s]*)?\)/gm

/** Leaves of each link to a file that the package does not have its text. */
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
