/** Links between documents: whether each leads to a file, or to a heading in one. */
import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { anchorsOf, proseOf, readDocument, readDocuments } from './documents.ts'

/**
 * @param folder  links must not lead outside it
 * @returns the dead links of its documents, and the number of documents
 */
export function findDeadLinks(folder: string): { dead: string[]; documents: number } {
  const documents = readDocuments(['**/*.md'], folder)
  const dead = documents.flatMap((document) =>
    [...proseOf(document).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link) && !leads(folder, document.path, link))
      .map((link) => `${document.path}: ${link}`),
  )
  return { dead, documents: documents.length }
}

function leads(folder: string, from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#')
  const path = file === '' ? from : relative(folder, join(folder, dirname(from), file))
  if (path.startsWith('..') || !existsSync(join(folder, path))) return false
  return (
    anchor === undefined ||
    (statSync(join(folder, path)).isFile() && anchorsOf(readDocument(path, folder)).includes(anchor))
  )
}
