/** The embedded database's server: how it is found and started. */
import { once } from 'node:events'
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Cluster } from './embedded-cluster.ts'
import { EmbeddedError, findCommand, run, start } from './embedded-programs.ts'

/** PostgreSQL's own, by name. */
export type Settings = Record<string, string>

interface Lock {
  pid: number
  /** The cluster's folder when the server started. */
  folder: string
  port: number
  status: string
}

const patience = 60_000
const longestLog = 10 * 1024 * 1024
const nobody = 2 ** 31 - 1 // greater than any pid, yet one that PostgreSQL can read

const defaults = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  cluster_name: 'guildhall',
  max_connections: '100',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements, and the rows that an error's details quote, hold personal data that erasure could not find in a log.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
}

/** The port of the server of this cluster, if there is one: on its way up, at work or on its way down. */
export async function findServer(cluster: Cluster): Promise<number | undefined> {
  const lock = readLock(cluster)
  return lock && (await isServer(cluster, lock)) ? lock.port : undefined
}

/**
 * Starts the server and waits until it is ready; answers its port, which is `wanted` or that of the last time if it can
 * be, so that those who were connected find it again. An error that is no EmbeddedError is one that may pass.
 */
export async function startServer(cluster: Cluster, settings: Settings, wanted?: number): Promise<number> {
  const port = await pickPort(wanted ?? readLock(cluster)?.port)
  const logFile = join(cluster.home, 'postgres.log')
  const log = openSync(logFile, 'a', 0o600)
  try {
    if (fstatSync(log).size > longestLog) ftruncateSync(log)
    const before = fstatSync(log).size
    const all = Object.entries({ ...defaults, ...settings, port: String(port) })
    const flags = all.flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const server = start(join(cluster.binaries, 'postgres'), ['-D', cluster.path, ...flags], cluster.owner, log)
    server.unref()
    let failure: Error | undefined
    server.once('error', (error) => (failure = error))
    server.once('exit', () => (failure ??= new Error('it ended')))
    for (const deadline = Date.now() + patience; Date.now() < deadline && !failure; await delay(20)) {
      const lock = readLock(cluster)
      if (lock?.pid === server.pid && lock?.status === 'ready') return port
    }
    const said = readFileSync(logFile).subarray(before).toString().slice(-2000)
    // Another process starts it too, an orphan of a server that was killed still holds on, or the port is taken.
    if (failure && /lock file|pre-existing shared memory|Address already in use/.test(said)) throw failure
    const reason = failure?.message ?? 'it is not ready after a minute'
    throw new EmbeddedError(`The embedded database did not start: ${reason}. The end of ${logFile}:\n${said}`)
  } finally {
    closeSync(log)
  }
}

/** Stops the server, whoever is connected; that there is none is no failure. */
export async function stopServer(cluster: Cluster): Promise<void> {
  const pid = readLock(cluster)?.pid
  // pg_ctl itself would wait for the next server too, if somebody starts one as soon as this one is gone.
  const args = ['stop', '-D', cluster.path, '-m', 'fast', '--no-wait']
  const failure = await run(join(cluster.binaries, 'pg_ctl'), args, cluster.owner).then(() => undefined, String)
  for (const deadline = Date.now() + patience; Date.now() < deadline; await delay(20)) {
    const lock = readLock(cluster)
    if (!lock || lock.pid !== pid || !(await isServer(cluster, lock))) return
    if (failure) break
  }
  throw new EmbeddedError(`The embedded database did not stop: ${failure ?? 'it still runs after a minute.'}`)
}

/** A port that is free now. */
async function pickPort(wanted = 0): Promise<number> {
  const probe = createServer()
  try {
    // By itself, a serving process (cluster.ts) would listen by way of its primary.
    await once(probe.listen({ port: wanted, host: '127.0.0.1', exclusive: true }), 'listening')
    return (probe.address() as AddressInfo).port // an address that was listened on by port
  } catch (error) {
    if (!wanted) throw error
    return await pickPort()
  } finally {
    probe.close()
  }
}

/** What the server wrote about itself in postmaster.pid, which a crash leaves behind. */
function readLock(cluster: Cluster): Lock | undefined {
  try {
    const lines = readFileSync(lockFile(cluster), 'utf8').split('\n')
    const [pid, folder = '', , port, , , , status = ''] = lines
    return { pid: Number(pid), folder, port: Number(port), status: status.trim() }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Whether a lock's server lives. PostgreSQL itself copes with a lock whose process is gone, but refuses to start while
 * any process of its user has that pid, as after a restart of the machine: then we put a pid there that nobody has. The
 * rest of the lock stays, for with it PostgreSQL makes sure that no orphan of its old server is still at work.
 */
async function isServer(cluster: Cluster, { pid, folder, port }: Lock): Promise<boolean> {
  const isFilled = pid > 0 && port > 0
  if (!isFilled) {
    // Being written at this moment, or cut off by a crash.
    if (Date.now() - statSync(lockFile(cluster)).mtimeMs > 5_000) unlinkSync(lockFile(cluster))
    throw new Error('postmaster.pid is incomplete')
  }
  const command = await findCommand(pid)
  if (command?.includes(folder)) return true
  if (command === undefined) return false
  await delay(200) // a server that was killed this moment still has its pid, and no command
  if ((await findCommand(pid)) === undefined) return false
  if (readLock(cluster) === undefined) return false // gone with the server, which another process has stopped
  const content = readFileSync(lockFile(cluster), 'utf8')
  if (content.startsWith(`${pid}\n`)) writeFileSync(lockFile(cluster), content.replace(/^\d+/, String(nobody)))
  return false
}

function lockFile(cluster: Cluster): string {
  return join(cluster.path, 'postmaster.pid')
}
