/** The embedded database's server: finds, starts and stops it. */
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

/** PostgreSQL's settings, by name. */
export type Settings = Record<string, string>

/** The content of postmaster.pid. */
interface Lock {
  pid: number
  /** The cluster's folder when the server started. */
  folder: string
  port: number
  status: string
}

/** The timeout of a start and of a stop, in milliseconds. */
const timeout = 60_000
/** Above this size, in bytes, a start empties the log. */
const maxLogSize = 10 * 1024 * 1024
const unusedPid = 2 ** 31 - 1 // greater than any pid, and PostgreSQL can parse it

const defaults = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  cluster_name: 'guildhall',
  max_connections: '100',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements and the details of errors contain personal data, which erasure could not remove from a log.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
}

/** @returns the port of the cluster's server, which may still be starting or stopping; undefined if none runs */
export async function findServer(cluster: Cluster): Promise<number | undefined> {
  const lock = readLock(cluster)
  return lock && !(await disarmStaleLock(cluster, lock)) ? lock.port : undefined
}

/**
 * Starts the server and waits until it is ready.
 *
 * @param wanted   the port to use; by default that of a server that crashed, whose clients go on to connect to it
 * @param isNeeded whether no other port will do; otherwise any is used if that is not free
 * @returns its port
 * @throws EmbeddedError when it cannot start; any other error is transient, and the caller may try again
 */
export async function startServer(
  cluster: Cluster,
  settings: Settings,
  wanted?: number,
  isNeeded = wanted !== undefined,
): Promise<number> {
  const port = await pickPort(wanted ?? readLock(cluster)?.port, isNeeded)
  const logFile = join(cluster.home, 'postgres.log')
  const log = openSync(logFile, 'a', 0o600)
  try {
    if (fstatSync(log).size > maxLogSize) ftruncateSync(log)
    const before = fstatSync(log).size
    const all = Object.entries({ ...defaults, ...settings, port: String(port) })
    const flags = all.flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const server = start(join(cluster.binaries, 'postgres'), ['-D', cluster.path, ...flags], cluster.owner, log)
    server.unref()
    let failure: Error | undefined
    server.once('error', (error) => (failure = error))
    server.once('exit', () => (failure ??= new Error('it ended')))
    for (const deadline = performance.now() + timeout; performance.now() < deadline && !failure; await delay(20)) {
      const lock = readLock(cluster)
      if (lock?.pid === server.pid && lock?.status === 'ready') return port
    }
    const output = readFileSync(logFile).subarray(before).toString().slice(-2000)
    // Another process starts it too, a backend of a killed server still runs, or the port is in use.
    if (failure && /lock file|pre-existing shared memory|Address already in use/.test(output)) throw failure
    const reason = failure?.message ?? 'it is not ready after a minute'
    throw new EmbeddedError(`The embedded database did not start: ${reason}. The end of ${logFile}:\n${output}`)
  } finally {
    closeSync(log)
  }
}

/** Stops the server in `fast` mode, which closes all connections. Succeeds if none runs. @throws EmbeddedError */
export async function stopServer(cluster: Cluster): Promise<void> {
  const pid = readLock(cluster)?.pid
  // Without --no-wait, pg_ctl would also wait for the next server, if another process starts one at once.
  const args = ['stop', '-D', cluster.path, '-m', 'fast', '--no-wait']
  const failure = await run(join(cluster.binaries, 'pg_ctl'), args, cluster.owner).then(() => undefined, String)
  for (const deadline = performance.now() + timeout; performance.now() < deadline; await delay(20)) {
    const lock = readLock(cluster)
    if (!lock || lock.pid !== pid || (await disarmStaleLock(cluster, lock))) return
    if (failure) break
  }
  throw new EmbeddedError(`The embedded database did not stop: ${failure ?? 'it still runs after a minute.'}`)
}

/** @throws Error when the port is needed and in use, which is transient: a server that was killed holds it until it is gone */
async function pickPort(wanted: number | undefined, isNeeded: boolean): Promise<number> {
  if (wanted) {
    if (await isFree(wanted)) return wanted
    if (isNeeded) throw new Error(`port ${wanted} is in use`)
  }
  return probe(0)
}

async function isFree(port: number): Promise<boolean> {
  return probe(port).then(
    () => true,
    () => false,
  )
}

/** Listens on a port for a moment. @param port 0 for any that is free @returns the port */
async function probe(port: number): Promise<number> {
  const server = createServer()
  try {
    // Without `exclusive`, a serving process (process/cluster.ts) would listen through its primary.
    await once(server.listen({ port, host: '127.0.0.1', exclusive: true }), 'listening')
    return (server.address() as AddressInfo).port // listening on a port, not on a pipe
  } finally {
    server.close()
  }
}

/** Reads postmaster.pid, which also remains after a crash. */
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
 * Finds out whether the server of a lock is gone, and makes sure that the lock then does not prevent a start.
 *
 * PostgreSQL ignores a lock whose process is gone. But it refuses to start if another process of its user has that pid, for example after a
 * reboot. Then we replace the pid by one that no process has. The rest of the lock stays, because PostgreSQL checks with it that no backend
 * of the old server still runs.
 *
 * @returns whether the lock is stale: its server does not run
 * @throws Error when the lock is incomplete, which is transient
 */
async function disarmStaleLock(cluster: Cluster, { pid, folder, port }: Lock): Promise<boolean> {
  const isComplete = pid > 0 && port > 0
  if (!isComplete) {
    // The server is writing it now, or a crash has truncated it.
    if (Date.now() - statSync(lockFile(cluster)).mtimeMs > 5_000) unlinkSync(lockFile(cluster))
    throw new Error('postmaster.pid is incomplete')
  }
  const command = await findCommand(pid)
  if (command?.includes(folder)) return false
  if (command === undefined) return true
  await delay(200) // a server that was just killed still has its pid, but no command line
  if ((await findCommand(pid)) === undefined) return true
  if (readLock(cluster) === undefined) return true // another process has stopped the server
  const content = readFileSync(lockFile(cluster), 'utf8')
  if (content.startsWith(`${pid}\n`)) writeFileSync(lockFile(cluster), content.replace(/^\d+/, String(unusedPid)))
  return true
}

function lockFile(cluster: Cluster): string {
  return join(cluster.path, 'postmaster.pid')
}
