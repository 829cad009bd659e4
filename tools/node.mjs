/** Node: finds the Node that runs the service, and runs a program to its end. Plain JavaScript for any Node from 20 on. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The oldest Node that the service can use: it introduced Argon2. */
const oldest = [24, 7]

/** Under load, the objects of a request die young. A larger space for them would cost 100 MB and gain nothing (docs/performance.md). */
export const frugal = ['--max-semi-space-size=4']

/** glibc gives each thread memory of its own, and keeps what is freed there. Node does nearly all of its work in one thread. */
export const frugalEnv = { MALLOC_ARENA_MAX: '1' }

/** The Node is pinned: what is experimental in it is for us to know, and not for who runs a command. */
export const quiet = '--disable-warning=ExperimentalWarning'

/** What to do if `findNode` finds none. */
export const nodeIsMissing = `Node.js ${process.versions.node} is too old, and npm has installed no newer one (it does on Linux and Windows, where optional dependencies are not left out). Install Node.js ${oldest.join('.')} or newer.`

/** @returns the Node that package.json pins; if there is none for this platform, the running Node, if it is new enough */
export function findNode() {
  return findPinned() ?? (isRecent() ? process.execPath : undefined)
}

function findPinned() {
  const isWindows = process.platform === 'win32'
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
    const node = join(folder, 'bin', isWindows ? 'node.exe' : 'node')
    return existsSync(node) ? node : undefined
  } catch {
    return undefined
  }
}

function isRecent() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
}

/** Runs a program to its end, and passes the stop signals on to it. */
export async function run(file, args, options) {
  const child = spawn(file, args, options)
  const hand = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, hand)
  const ending = await new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 1, error }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  for (const signal of signals) process.off(signal, hand)
  if (ending.error) console.error(`guildhall: cannot run ${file}: ${ending.error.message}`)
  return ending
}

/** Ends this process with the exit code or the signal of a child. */
export function end({ code, signal }) {
  if (signal) process.kill(process.pid, signal)
  else process.exit(code)
}
