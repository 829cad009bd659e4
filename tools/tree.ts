/** The tree: the repository's own files, and nothing else in its folder. */
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')

/** A file of ours, with its path from the root. */
interface File {
  readonly path: string
  readonly text: string
}

let tree: readonly File[] | undefined

/** @returns all files of ours, with their content */
export function readTree(): readonly File[] {
  tree ??= listFiles()
    .filter((path) => lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile())
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  return tree
}

/** All files of ours: those that git has or would add; without git, all that no .gitignore excludes. */
export function listFiles(): string[] {
  const options = ['--cached', '--others', '--exclude-standard', '-z']
  const { stdout } = spawnSync('git', ['ls-files', ...options], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (stdout) return stdout.split('\0').filter(Boolean)
  const ignored = ['.git', ...readFileSync(join(root, '.gitignore'), 'utf8').split(/\/?\s+/)]
  // A folder of data ignores itself.
  const isOurs = (path: string, name: string) =>
    !ignored.includes(name) && !ignored.includes(path) && !existsSync(join(root, path, '.gitignore'))
  const walk = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter(({ name }) => isOurs(folder + name, name))
      .flatMap((entry) => (entry.isDirectory() ? walk(`${folder}${entry.name}/`) : [folder + entry.name]))
  return walk('')
}
