/**
 * The embedded database at rest: the folder of its data, and the system user that it belongs to.
 *
 * A cluster is made whole somewhere else and appears under its name in one atomic step, so that neither a process
 * killed half-way nor two that begin at the same moment can leave half a database behind.
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
import { exists, getBinaries, instead, makeRefuge, refuge, unless } from './embedded-binaries.ts'
import { EmbeddedError, type Owner, run } from './embedded-programs.ts'

export interface Passwords {
  superuser: string
  guildhall: string
}

export interface Cluster {
  /** The real path of the data folder. */
  home: string
  /** The real path of PostgreSQL's own folder: `<home>/postgres`, or where that symbolic link leads. */
  path: string
  /** The folder that holds initdb, pg_ctl and postgres, where the owner can run them. */
  binaries: string
  owner: Owner
  passwords: Passwords
}

const account = 'guildhall'

const isRoot = process.getuid?.() === 0

/** Makes the folder of data and secrets if it is missing. @returns its real path @throws EmbeddedError */
export async function makeDataFolder(folder: string): Promise<string> {
  const made = await mkdir(folder, { recursive: true, mode: isRoot ? 0o711 : 0o700 }).catch(
    (cause: NodeJS.ErrnoException) => {
      const message = `The folder of the data, ${folder}, cannot be made (${cause.code}). Set GUILDHALL_DATA to one that you may write to.`
      throw new EmbeddedError(message, { cause })
    },
  )
  const isNew = made !== undefined
  // Inside a repository neither the data nor the secret beside it is the repository's.
  if (isNew) await writeFile(join(folder, '.gitignore'), '*\n')
  return realpath(folder)
}

/** Finds the cluster of a data folder, and makes folder and cluster if they are missing. */
export async function getCluster(folder: string, options: { sync: boolean }): Promise<Cluster> {
  const home = await makeDataFolder(folder)
  const link = join(home, 'postgres')
  const existing = await findClusterPath(link)
  const passwords = await getPasswords(join(home, 'postgres.json'), existing)
  // PostgreSQL refuses to run as root. A cluster that is already there says itself who may run it.
  const owner = isRoot ? ((await findOwner(existing)) ?? (await getAccount())) : {}
  const binaries = await getBinaries(owner)
  const path = existing ?? (await makeCluster(link, { home, binaries, owner, passwords }, options.sync))
  return { home, path, binaries, owner, passwords }
}

/** The file's content once it exists is final: of two processes that begin together, one writes and both read. */
async function getPasswords(file: string, existing: string | undefined): Promise<Passwords> {
  if (existing && !(await exists(file))) {
    throw new EmbeddedError(
      `The file ${file} is missing, which has the passwords of the database in ${existing}. Put it back from the backup.`,
    )
  }
  const attempt = `${file}.${randomBytes(6).toString('hex')}`
  try {
    if (!(await exists(file))) {
      const fresh: Passwords = { superuser: randomSecret('database'), guildhall: randomSecret('database') }
      await writeFile(attempt, `${JSON.stringify(fresh)}\n`, { mode: 0o600, flush: true })
      await link(attempt, file).catch(unless('EEXIST'))
    }
    return JSON.parse(await readFile(file, 'utf8')) as Passwords // written by us alone
  } catch (cause) {
    throw new EmbeddedError(`Cannot read or make ${file}, the passwords of the embedded database: ${String(cause)}`, {
      cause,
    })
  } finally {
    await rm(attempt, { force: true })
  }
}

async function findClusterPath(link: string): Promise<string | undefined> {
  if (await exists(join(link, 'PG_VERSION'))) return await realpath(link)
  if (!(await lstat(link).catch(unless('ENOENT')))?.isSymbolicLink()) return undefined
  throw new EmbeddedError(`The data that ${link} leads to is gone. Put it back, or delete the link to begin anew.`)
}

async function findOwner(path: string | undefined): Promise<Owner | undefined> {
  if (!path) return undefined
  const { uid, gid } = await stat(path)
  if (uid !== 0) return { uid, gid }
  throw new EmbeddedError(
    `The data in ${path} belongs to root, as which PostgreSQL does not run. Give it back to who had it (a backup keeps that with cp -a): ` +
      `chown -R ${account}:${account} ${path}`,
  )
}

async function getAccount(): Promise<Owner> {
  const found = await findAccount()
  if (found) return found
  const shell = ['-s', '/sbin/nologin']
  // Where one of these fails, as on Alpine, which has no useradd, or where two processes make the account at once,
  // the next one may do; what counts is whether the account is there in the end.
  await run('useradd', ['--system', '--user-group', '--no-create-home', '-d', refuge, ...shell, account]).catch(
    async () => {
      await run('addgroup', ['-S', account]).catch(() => {})
      await run('adduser', ['-S', '-D', '-H', '-h', refuge, ...shell, '-G', account, account]).catch(() => {})
    },
  )
  const made = await findAccount()
  if (made) return made
  throw new EmbeddedError(
    `PostgreSQL does not run as root, and the system user "${account}" could not be made. ` +
      `Make it, or start Guildhall as another user, ${instead}.`,
  )
}

async function findAccount(): Promise<Owner | undefined> {
  const ids = await Promise.all([run('id', ['-u', account]), run('id', ['-g', account])]).catch(() => undefined)
  return ids && { uid: Number(ids[0]), gid: Number(ids[1]) }
}

/** Makes the cluster that `link` names, unless another process is quicker; answers where it is. */
async function makeCluster(link: string, cluster: Omit<Cluster, 'path'>, sync: boolean): Promise<string> {
  const { home, owner } = cluster
  const mark = sha256(home).toString('hex').slice(0, 16)
  const isHome = owner.uid === undefined || (await mayEnter(home, owner))
  if (!isHome) await makeRefuge()
  const place = isHome ? home : refuge
  const attempt = await mkdtemp(join(place, `.new-${mark}-`))
  try {
    const made = await initialize(attempt, cluster, sync)
    if (isHome) {
      await rename(made, link)
    } else {
      const path = join(refuge, `${mark}-${randomBytes(4).toString('hex')}`)
      await rename(made, path)
      await symlink(path, link).catch(async (error) => {
        await rm(path, { recursive: true, force: true })
        throw error
      })
    }
  } catch (error) {
    // Somebody else's cluster in its place means that we lost a race, however that made our own attempt fail.
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
    throw new EmbeddedError(`initdb could not make the embedded database, ${instead}: ${String(cause)}`, { cause })
  }
  return path
}

/** With a cluster in its place, every other attempt at it is litter, even one still under way. */
async function removeAttempts(place: string, mark: string): Promise<void> {
  const names = (await readdir(place)).filter((name) => name.startsWith(`.new-${mark}-`))
  await Promise.all(names.map((name) => rm(join(place, name), { recursive: true, force: true }).catch(() => {})))
}

async function mayEnter(folder: string, owner: Owner): Promise<boolean> {
  return await run('/bin/sh', ['-c', 'test -x "$0"', folder], owner).then(
    () => true,
    () => false,
  )
}
