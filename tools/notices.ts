/** Notices: the packages in a bundle, each with its licence, which has to go with every copy. */
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A file of a bundle, as far as it matters here. */
type BundledFile =
  | { readonly type: 'chunk'; readonly moduleIds: readonly string[] }
  | { readonly type: 'asset'; readonly originalFileNames: readonly string[] }

/**
 * @param part what the bundle is of Guildhall
 * @param folder the one from which the bundler names files
 * @throws Error if a package comes without the text of its licence, and none is known here
 */
export function noticesOf(part: string, files: readonly BundledFile[], folder: string): string {
  const sources = files.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : file.originalFileNames))
  const packages = sources.flatMap((path) => folderOfPackage(resolve(folder, path)) ?? [])
  const notices = [...new Set(packages)].sort().map(noticeOf)
  const line = `\n\n${'-'.repeat(80)}\n\n`
  return `${[`The ${part} of Guildhall contains these packages.`, ...notices].join(line)}\n`
}

function folderOfPackage(path: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/@.][^\\/]*/.exec(path)?.[0]
}

function noticeOf(folder: string): string {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const by: string = author?.name || author || 'its authors'
  const texts = globSync('{licen[cs]e,LICEN[CS]E,Licen[cs]e,NOTICE}*', { cwd: folder })
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
  if (texts.length === 0) {
    if (license !== 'MIT') throw new Error(`${name} comes without the text of its licence, ${license}`)
    texts.push(mit(copyrightOf(folder) ?? `Copyright (c) ${by.replace(/ <.*/, '')}`))
  }
  return [`${name} ${version} (${license}), by ${by}`, ...texts].join('\n\n')
}

function copyrightOf(folder: string): string | undefined {
  const [file] = globSync('{readme,README,Readme}*', { cwd: folder })
  return file && /^Copyright \(c\).*$/m.exec(readFileSync(join(folder, file), 'utf8'))?.[0]
}

const mit = (copyright: string) => `${copyright}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
