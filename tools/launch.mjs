/**
 * Runs a script of ours on the Node that package.json pins, and makes first what is missing: node_modules, and for the
 * service its console. This file itself is plain JavaScript, for any Node from 20 on.
 */
import { existsSync, readFileSync } from 'node:fs'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { end, findNode, frugal, frugalEnv, nodeIsMissing, quiet, run } from './node.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const isWindows = process.platform === 'win32'

/**
 * Runs a script, whose path counts from the repository's root, in the user's own folder, and ends this process as the
 * script ends. The script has a channel to us, and so sees a 'disconnect' when we are killed without warning.
 */
export async function launch(script, args) {
  const isService = script === 'src/main.ts'
  const isProduction = isService && isForProduction()
  if (!isProduction && !isInstalled()) await install()
  const node = findNode()
  const path = [join(modules, '.bin'), process.env.PATH].join(delimiter)
  // Node stores its compiled code for the next start, if it can write there.
  const cache = join(modules, '.cache', 'compiled')
  const env = { ...(isService && frugalEnv), NODE_COMPILE_CACHE: cache, ...process.env, PATH: path }
  if (isService && !isProduction && ['', 'serve'].includes(args.join())) await buildConsole(node, env)
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc']
  end(await run(node, [...(isService ? frugal : []), quiet, resolve(root, script), ...args], { stdio, env }))
}

/** Builds the console where its sources are newer than what was built. */
async function buildConsole(node, env) {
  const ending = await run(node, [join(root, 'console', 'build.ts')], { stdio: ['ignore', 2, 2], env })
  if (ending.signal || ending.code !== 0) end(ending)
}

/**
 * npm writes the list of what it installed last of all, so a half-made node_modules has none. What is optional may be
 * missing, as it may be for another platform.
 */
function isInstalled() {
  return findNode() !== undefined && hasPackages(({ optional }, isSame) => isSame ?? optional === true)
}

/**
 * Whether nothing is missing but all of what is for development (npm ci --omit=dev), and there is a Node that can run the service.
 * Then the console is served as it was built before.
 */
function isForProduction() {
  return (
    findNode() !== undefined &&
    hasPackages(({ dev, optional, devOptional }, isSame) => {
      return dev ? isSame === undefined : (isSame ?? (optional === true || devOptional === true))
    })
  )
}

/** @param isRight takes a package of the lock, and whether the one that is installed has its version, if there is one */
function hasPackages(isRight) {
  try {
    const { '': _own, ...wanted } = readPackages(join(root, 'package-lock.json'))
    const installed = readPackages(join(modules, '.package-lock.json'))
    const isOthers = ([path]) => path.includes('node_modules/') // the rest are our own workspaces
    return Object.entries(wanted)
      .filter(isOthers)
      .every(([path, entry]) => {
        // The list is in our own node_modules: it stays there when a workspace's goes.
        const isThere = installed[path] && (path.startsWith('node_modules/') || existsSync(join(root, path)))
        return isRight(entry, isThere ? installed[path].version === entry.version : undefined)
      })
  } catch {
    return false
  }
}

function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

async function install() {
  console.error('guildhall: node_modules is missing or older than package-lock.json: running npm ci')
  // Other package managers set npm_execpath to themselves.
  const npm = process.env.npm_execpath ?? ''
  const isNpm = basename(npm) === 'npm-cli.js'
  const [file, ...args] = isNpm ? [process.execPath, npm] : ['npm']
  const options = { cwd: root, stdio: ['inherit', 2, 2], shell: isWindows && !isNpm }
  const ending = await run(
    file,
    [...args, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    options,
  )
  if (ending.signal) end(ending)
  if (ending.code === 0 && isInstalled()) return
  console.error(
    ending.code === 0
      ? `guildhall: ${nodeIsMissing}`
      : 'guildhall: npm ci failed, see above. It needs the npm registry once; run the same command again when it is there.',
  )
  process.exit(1)
}
