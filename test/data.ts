/** Data for processes in tests, as after a first start: created once and copied for each process. The first start has tests of its own. */
import { execFile, execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { appendFile, copyFile, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { randomSecret } from '../src/platform/cryptography.ts'
import { makeDataFolder, openEmbedded } from '../src/platform/database/embedded.ts'
import { patiently } from '../src/platform/database/embedded-cluster.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { migrateQueue } from '../src/platform/jobs/worker.ts'
import { atEnd } from './ending.ts'
import { openPatient } from './timeout.ts'

const root = join(import.meta.dirname, '..')

/** Puts the data of a migrated database, with nothing but a secret, into a new folder. */
export async function copyData(folder: string): Promise<void> {
  const template = await ensureTemplate()
  const cluster = await realpath(join(template, 'postgres'))
  const copy = `${cluster}-${randomBytes(6).toString('hex')}` // beside the cluster, because the database's user can reach it there
  await makeDataFolder(folder)
  await promisify(execFile)('cp', ['-a', cluster, copy]) // Node's copy would not keep the owner
  await symlink(copy, join(folder, 'postgres'))
  await copyFile(join(template, 'postgres.json'), join(folder, 'postgres.json'))
  await writeFile(join(folder, 'secret'), `${randomSecret('root')}\n`, { mode: 0o600 })
}

/** @returns the pid of a cluster's server; throws if there is none */
export function postmasterOf(cluster: string): number {
  return Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10)
}

/** Ends a cluster's server, which outlives its killed service, and deletes its data. */
export function deleteCluster(cluster: string): void {
  try {
    const pid = postmasterOf(cluster)
    const command = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
    if (command.includes(cluster)) process.kill(pid, 'SIGKILL')
  } catch {
    // There is none, or it has ended.
  }
  rmSync(cluster, patiently)
}

/** Test files run in processes of their own: the first to finish renames its copy, and the others discard theirs. */
async function ensureTemplate(): Promise<string> {
  const template = join(tmpdir(), `guildhall-tests-${userInfo().username}-data-${hashSources()}`)
  if (existsSync(template)) return template
  const attempt = await mkdtemp(`${template}-new-`)
  const home = join(attempt, 'data') // the database's user can enter it, unlike a folder of mkdtemp
  const { path, url, release } = await openEmbedded(home, { settings: { fsync: 'off' } })
  atEnd(() => {
    if (existsSync(home)) deleteCluster(path)
    rmSync(attempt, patiently)
  })
  const database = openPatient(url)
  try {
    await migrate(url)
    await migrateQueue(database)
  } finally {
    await database.close()
    await release()
  }
  // The data does not outlive the tests, and no test waits for a vacuum.
  await appendFile(join(path, 'postgresql.conf'), 'fsync = off\nautovacuum = off\n')
  try {
    await rename(home, template)
  } catch (error) {
    if (!existsSync(template)) throw error
    await rm(path, { recursive: true, force: true })
  } finally {
    await rm(attempt, { recursive: true, force: true })
  }
  return template
}

/** A hash of everything that determines a new database. */
function hashSources(): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  for (const folder of ['migrations', 'src/platform/database']) {
    for (const file of readdirSync(join(root, folder)).sort()) hash.update(readFileSync(join(root, folder, file)))
  }
  return hash.digest('hex').slice(0, 12)
}
