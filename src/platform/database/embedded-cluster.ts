/**
 * The embedded database's files: its data folder, and the system user that owns it.
 *
 * A cluster is initialized in a temporary folder and renamed in one atomic step. So neither a killed process nor two concurrent ones can
 * leave an incomplete cluster.
 */
import {
  chown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { randomBytes, randomSecret, sha256 } from '../cryptography.ts'
import { alternative, exists, getBinaries, ignoring, makeSharedFolder, sharedFolder } from './embedded-binaries.ts'
import { EmbeddedError, type Owner, run } from './embedded-programs.ts'

export interface Passwords {
  superuser: string
  guildhall: string
}

export interface Cluster {
  /** The real path of the data folder. */
  home: string
  /** The real path of PGDATA: `<home>/postgres`, or the target of that symbolic link. */
  path: string
  /** The folder with initdb, pg_ctl and postgres, which the owner can execute. */
  binaries: string
  owner: Owner
  passwords: Passwords
}

/** The system user that runs PostgreSQL when we run as root. */
const account = 'guildhall'

const isRoot = process.getuid?.() === 0

/** How to delete a folder into which a killed process may still write. */
export const patiently = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }

/** Creates the folder of data and secrets if it is missing. @returns its real path @throws EmbeddedError */
export async function makeDataFolder(folder: string): Promise<string> {
  const made = await mkdir(folder, { recursive: true, mode: isRoot ? 0o711 : 0o700 }).catch(
    (cause: NodeJS.ErrnoException) => {
      const message = `The data folder ${folder} cannot be created (${cause.code}). Set GUILDHALL_DATA to a folder that you may write to.`
      throw new EmbeddedError(message, { cause })
    },
  )
  const isNew = made !== undefined
  // The folder may be inside a repository, which must contain neither the data nor the secret.
  if (isNew) await writeFile(join(folder, '.gitignore'), '*\n')
  return realpath(folder)
}

/**
 * Finds the cluster of a data folder. Creates the folder and the cluster if they are missing.
 *
 * @param options.sync whether initdb flushes the files to disk
 * @throws EmbeddedError
 */
export async function getCluster(folder: string, options: { sync: boolean }): Promise<Cluster> {
  const home = await makeDataFolder(folder)
  const link = join(home, 'postgres')
  const existing = await findClusterPath(link)
  const passwords = await getPasswords(join(home, 'postgres.json'), existing)
  // PostgreSQL refuses to run as root. An existing cluster is run by the user who owns its files.
  const owner = isRoot ? ((await findOwner(existing)) ?? (await getAccount())) : {}
  const binaries = await getBinaries(owner)
  const path = existing ?? (await makeCluster(link, { home, binaries, owner, passwords }, options.sync))
  return { home, path, binaries, owner, passwords }
}

/** Reads the passwords, and creates them if there is no cluster yet. */
async function getPasswords(file: string, existing: string | undefined): Promise<Passwords> {
  if (existing && !(await exists(file))) {
    throw new EmbeddedError(
      `The file ${file} is missing. It holds the passwords of the database in ${existing}. Restore it from the backup.`,
    )
  }
  const make = () => JSON.stringify({ superuser: randomSecret('database'), guildhall: randomSecret('database') })
  const read = (text: string) => JSON.parse(text) as Passwords // written by us alone
  return await readOrCreate(file, 'the passwords of the embedded database', make, read)
}

/**
 * Reads a file of secrets, and creates it if it is missing. If two processes start together, one writes the file and both read it.
 *
 * @param what what the file holds, for the message
 * @throws EmbeddedError
 */
export async function readOrCreate<Content>(
  file: string,
  what: string,
  make: () => string,
  read: (text: string) => Content,
): Promise<Content> {
  const attempt = `${file}.${randomBytes(6).toString('hex')}`
  try {
    if (!(await exists(file))) {
      await writeFile(attempt, `${make()}\n`, { mode: 0o600, flush: true })
      await link(attempt, file).catch(ignoring('EEXIST'))
    }
    return read(await readFile(file, 'utf8'))
  } catch (cause) {
    throw new EmbeddedError(`The file ${file}, which holds ${what}, cannot be read or created: ${String(cause)}`, {
      cause,
    })
  } finally {
    await rm(attempt, { force: true }).catch(() => {}) // where nothing can be written, nothing is left
  }
}

async function findClusterPath(link: string): Promise<string | undefined> {
  if (await exists(join(link, 'PG_VERSION'))) return await realpath(link)
  if (!(await lstat(link).catch(ignoring('ENOENT')))?.isSymbolicLink()) return undefined
  throw new EmbeddedError(
    `The target of the symbolic link ${link} is missing. Restore it, or delete the link to start with an empty database.`,
  )
}

async function findOwner(path: string | undefined): Promise<Owner | undefined> {
  if (!path) return undefined
  const { uid, gid } = await stat(path)
  if (uid !== 0) return { uid, gid }
  throw new EmbeddedError(
    `The data in ${path} belongs to root, and PostgreSQL does not run as root. Restore its owner (cp -a keeps it in a backup): ` +
      `chown -R ${account}:${account} ${path}`,
  )
}

async function getAccount(): Promise<Owner> {
  const found = await findAccount()
  if (found) return found
  const shell = ['-s', '/sbin/nologin']
  // Alpine has no useradd, and another process may create the account at the same time. So failures are ignored, and only the
  // existence of the account counts.
  await run('useradd', ['--system', '--user-group', '--no-create-home', '-d', sharedFolder, ...shell, account]).catch(
    async () => {
      await run('addgroup', ['-S', account]).catch(() => {})
      await run('adduser', ['-S', '-D', '-H', '-h', sharedFolder, ...shell, '-G', account, account]).catch(() => {})
    },
  )
  const made = await findAccount()
  if (made) return made
  throw new EmbeddedError(
    `PostgreSQL does not run as root, and the system user "${account}" could not be created. ` +
      `Create it, or start Guildhall as another user, ${alternative}.`,
  )
}

async function findAccount(): Promise<Owner | undefined> {
  const ids = await Promise.all([run('id', ['-u', account]), run('id', ['-g', account])]).catch(() => undefined)
  return ids && { uid: Number(ids[0]), gid: Number(ids[1]) }
}

/** Creates the cluster at `link`, unless another process does so first. @returns its real path */
async function makeCluster(link: string, cluster: Omit<Cluster, 'path'>, sync: boolean): Promise<string> {
  const { home, owner } = cluster
  const mark = sha256(home).toString('hex').slice(0, 16)
  const isHome = owner.uid === undefined || (await mayEnter(home, owner))
  if (!isHome) await makeSharedFolder()
  const place = isHome ? home : sharedFolder
  const attempt = await mkdtemp(join(place, `.new-${mark}-`))
  try {
    const made = await initialize(attempt, cluster, sync)
    if (isHome) {
      await rename(made, link)
    } else {
      const path = join(sharedFolder, `${mark}-${randomBytes(4).toString('hex')}`)
      await rename(made, path)
      await symlink(path, link).catch(async (error) => {
        await rm(path, { recursive: true, force: true })
        throw error
      })
    }
  } catch (error) {
    // If a cluster exists now, another process has won the race, and the error of our own attempt does not matter.
    if (!(await exists(join(link, 'PG_VERSION')))) throw error
  } finally {
    if (await exists(join(link, 'PG_VERSION'))) await removeAttempts(place, mark)
    await rm(attempt, { recursive: true, force: true }).catch(() => {})
  }
  return await realpath(link)
}

async function initialize(attempt: string, { binaries, owner, passwords }: Omit<Cluster, 'path'>, sync: boolean) {
  const file = join(attempt, 'password')
  const path = join(attempt, 'postgres')
  await writeFile(file, passwords.superuser, { mode: 0o600 })
  if (owner.uid !== undefined && owner.gid !== undefined) {
    await chown(file, owner.uid, owner.gid)
    await chown(attempt, owner.uid, owner.gid)
  }
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${file}`]
  try {
    await run(
      join(binaries, 'initdb'),
      [`--pgdata=${path}`, ...locale, ...access, ...(sync ? [] : ['--no-sync'])],
      owner,
    )
  } catch (cause) {
    throw new EmbeddedError(`initdb could not create the embedded database, ${alternative}: ${String(cause)}`, {
      cause,
    })
  }
  return path
}

/**
 * Deletes the temporary folders of all attempts. The cluster exists, so even an attempt that still runs is useless. The initdb of a killed
 * process goes on writing into its folder for a moment.
 */
async function removeAttempts(place: string, mark: string): Promise<void> {
  const names = (await readdir(place)).filter((name) => name.startsWith(`.new-${mark}-`))
  await Promise.all(names.map((name) => rm(join(place, name), patiently).catch(() => {})))
}

/** Whether the owner may enter the folder. */
async function mayEnter(folder: string, owner: Owner): Promise<boolean> {
  return await run('/bin/sh', ['-c', 'test -x "$0"', folder], owner).then(
    () => true,
    () => false,
  )
}
