/** Real processes for tests, each with a data folder and a port of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, realpathSync, rmSync } from 'node:fs'
import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { patiently } from '../src/platform/database/embedded-cluster.ts'
import { copyData, deleteCluster, postmasterOf } from './data.ts'
import { atEnd } from './ending.ts'
import { freePort } from './ports.ts'
import { until } from './smtp.ts'
import type { Json } from './world.ts'

export const root = join(import.meta.dirname, '..')
const ownMain = join(root, 'src', 'main.ts')
const folders: string[] = []
export const children = new Set<ChildProcess>()

atEnd(() => {
  for (const child of children) child.kill('SIGKILL')
  for (const folder of folders) {
    const data = join(folder, '.guildhall', 'postgres')
    // If the database's user cannot enter root's folder, the cluster is elsewhere.
    if (existsSync(data)) deleteCluster(realpathSync(data))
    rmSync(folder, patiently)
  }
})

export interface Process {
  readonly child: ChildProcess
  /** The output so far. */
  readonly out: string
  readonly err: string
  /** The exit code, or the signal that ended it, once its output is closed. */
  readonly ended: Promise<number | string | null>
}

export interface Running extends Process {
  readonly url: string
  readonly port: number
  readonly folder: string
}

interface Options {
  /** By default one with data. A first start has an empty one, and so has a service that stores its data elsewhere. */
  readonly folder?: string
  readonly port?: number
  readonly env?: Record<string, string | undefined>
  /** The standard input; empty by default. */
  readonly input?: string
  /** Starts it with the launcher, as `npm start` does. */
  readonly launched?: boolean
  /** Another script than the service, started with the launcher. */
  readonly script?: string
  /** The `src/main.ts` of other code. */
  readonly main?: string
}
/** Starts a service, and waits until it reports that it runs. If it does not come to that, it is killed. */
export async function start({ folder, port, ...options }: Options = {}): Promise<Running> {
  const place = folder ?? (await makeFolder({ data: options.env?.DATABASE_URL === undefined }))
  const own = port ?? (await freePort())
  const service = run(['serve'], { folder: place, port: own, ...options })
  let ended: { readonly code: number | string | null } | undefined
  void service.ended.then((code) => (ended = { code }))
  const runs = () => service.out.includes('Ctrl-C stops it.')
  try {
    await until(() => runs() || ended, 'the service to run')
    if (ended) throw new Error(`the service ended with ${ended.code}`)
  } catch (error) {
    service.child.kill('SIGKILL')
    throw new Error(`${(error as Error).message}: ${service.out}\n${service.err}`, { cause: error }) // both are ours
  }
  const running: Running = Object.assign(service, { url: `http://127.0.0.1:${own}`, port: own, folder: place })
  return running
}

export function run(
  args: string[],
  { folder, port, env = {}, input = '', launched = false, script, main = ownMain }: Options = {},
): Process {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const isLaunched = launched || script !== undefined
  const program = isLaunched ? [join(root, 'tools', 'run.mjs'), script ?? 'src/main.ts'] : [main]
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: folder ?? tmpdir(),
    env: {
      PATH,
      HOME,
      NODE_COMPILE_CACHE,
      LOG_LEVEL: 'silent',
      ...(port !== undefined && { PORT: String(port) }),
      ...env,
    },
    stdio: 'pipe',
  })
  child.stdin?.end(input)
  children.add(child)
  const printed = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text) => (printed.out += text))
  child.stderr?.setEncoding('utf8').on('data', (text) => (printed.err += text))
  return {
    child,
    get out() {
      return printed.out
    },
    get err() {
      return printed.err
    },
    ended: new Promise((resolve) => {
      child.once('close', (code, signal) => {
        children.delete(child)
        resolve(signal ?? code)
      })
    }),
  }
}

export function stop(service: Process, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string | null> {
  service.child.kill(signal)
  return service.ended
}

export function databaseRuns({ folder }: Running): boolean {
  return existsSync(join(folder, '.guildhall', 'postgres', 'postmaster.pid'))
}

/** @returns the pids of a primary's serving processes (src/process/cluster.ts) */
export function servingProcesses({ child }: Pick<Process, 'child'>): number[] {
  const options = ['-ww', '-o', 'pid=,args=', '--ppid', String(child.pid)]
  const { stdout } = spawnSync('ps', options, { encoding: 'utf8' })
  return [...stdout.matchAll(/^ *(\d+) .*main\.ts serve$/gm)].map(([, pid]) => Number(pid))
}

/** Kills the embedded database. @returns what says whether another server has taken its place */
export function killDatabase({ folder }: Running): () => boolean {
  const cluster = join(folder, '.guildhall', 'postgres')
  const killed = postmasterOf(cluster)
  process.kill(killed, 'SIGKILL')
  return () => {
    try {
      return postmasterOf(cluster) !== killed
    } catch {
      return false // there is none for a moment
    }
  }
}

/** @param options.data whether the folder has the data of an earlier start, with nothing in it yet */
export async function makeFolder(options: { data?: boolean } = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'guildhall-process-')))
  folders.push(folder)
  if (options.data) await copyData(join(folder, '.guildhall'))
  return folder
}

/** A stopping service waits a moment for requests on open connections. */
const once = { connection: 'close' }

export async function post(
  { url }: Pick<Running, 'url'>,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Json }> {
  return answerOf(
    await fetch(url + path, {
      method: 'POST',
      headers: { ...once, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
}

export async function get(
  { url }: Pick<Running, 'url'>,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Json }> {
  return answerOf(await fetch(url + path, { headers: { ...once, ...headers } }))
}

async function answerOf(response: Response): Promise<{ status: number; body: Json }> {
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
