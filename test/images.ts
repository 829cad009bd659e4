/** Images, built and run by buildah without an engine, as root. */
import assert from 'node:assert/strict'
import { execFile, execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { patiently } from '../src/platform/database/embedded-cluster.ts'
import { atEnd } from './ending.ts'
import { children, root } from './processes.ts'
import { makeBuildBase, makeFinalBase } from './stand-ins.ts'

/** The settings of an image, in Docker's format. */
interface ImageSettings {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly WorkingDir: string
  readonly Healthcheck: { readonly Test: readonly string[] }
}

export interface Image {
  readonly settings: ImageSettings
  /** The folder with the files of the image. */
  readonly files: string
  /**
   * Runs a program of the image as the image's user, without capabilities. It cannot write to any file.
   *
   * @param env variables besides those of the image
   */
  run(program: readonly string[], env: Readonly<Record<string, string>>): Container
}

export interface Container {
  readonly pid: number
  /** Sends SIGTERM. */
  stop(): void
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>
}

/** @returns why this machine cannot build and run images, whatever is installed; undefined if it can */
export function reasonAgainstImages(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'images are built and run by root on Linux'
  return spawnSync('unshare', ['--mount', 'true']).status === 0 ? undefined : 'this machine does not allow mounts'
}

/** @returns which program is missing here; undefined if none is */
export function missingForImages(): string | undefined {
  if (spawnSync('buildah', ['--version']).error) return 'buildah is missing (Debian: apt-get install buildah)'
  return spawnSync('dpkg', ['--version']).error && 'dpkg is missing, which lists the files for the base images'
}

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')

/** The names of the stages that the image is made from. Each is built by itself, because together they take long. */
export const stages: readonly string[] = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name = '']) => name)

export interface Builder {
  /** Builds a stage of the Dockerfile. */
  buildStage(name: string): Promise<void>
  /** Builds the image. */
  build(): Promise<Image>
}

/**
 * Provides the base images of the Dockerfile: stand-ins, where they cannot be pulled. All images are deleted at the end of the process.
 *
 * @throws Error also later, with the output of buildah, if it fails
 */
export function openBuilder(): Builder {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'guildhall-image-')))
  const buildah = openStore(folder)
  const bases = [
    { name: /^FROM (node:\S+)/m.exec(dockerfile)?.[1] ?? '', make: makeBuildBase },
    { name: /^FROM (\S+) AS base$/m.exec(dockerfile)?.[1] ?? '', make: makeFinalBase },
  ]
  if (bases.some(({ name }) => buildah('pull', name).status !== 0)) {
    const recipe = join(folder, 'Containerfile')
    for (const { name, make } of bases) {
      const base = join(folder, 'base')
      const env = Object.entries(make(base)).map(([key, value]) => `ENV ${key}=${value}\n`)
      writeFileSync(recipe, `FROM scratch\nCOPY . /\n${env.join('')}`)
      succeed(buildah('build', '--file', recipe, '--tag', name, base))
      rmSync(base, { recursive: true })
    }
  }
  // What this machine has of the packages is not downloaded again.
  const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim()
  mkdirSync(cache, { recursive: true })
  const common = ['--isolation', 'chroot', '--pull-never', '--layers', '--format', 'docker']
  const mounts = ['--volume', `${cache}:${join('/root', '.npm')}`]
  // Not synchronously: the runner has to hear of the tests meanwhile.
  const build = async (...options: readonly string[]) => {
    const args = [...buildah.options, 'build', ...common, ...mounts, ...options, '.']
    await promisify(execFile)('buildah', args, buildah.settings)
  }
  return {
    buildStage: (name) => build('--target', name),
    build: async () => {
      await build('--tag', 'guildhall')
      const { Docker } = JSON.parse(succeed(buildah('inspect', '--type', 'image', 'guildhall')))
      const settings: ImageSettings = Docker.config
      succeed(buildah('from', '--pull-never', '--name', 'container', 'guildhall'))
      const files = succeed(buildah('mount', 'container')).trim()
      for (const name of ['proc', 'dev']) mkdirSync(join(files, name), { recursive: true })
      return { settings, files, run: (program, env) => run(files, settings, program, env) }
    },
  }
}

/** @returns buildah, with images in a folder of their own, by layers where this file system has them */
function openStore(folder: string) {
  const stores = ['overlay', 'vfs'].map((driver) => {
    const place = join(folder, driver)
    const options = ['--storage-driver', driver, '--root', join(place, 'images'), '--runroot', join(place, 'run')]
    const settings = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 } as const
    const call = (...args: readonly string[]) => spawnSync('buildah', [...options, ...args], settings)
    const buildah = Object.assign(call, { options, settings })
    // buildah mounts the folder of the layers on itself, and the files of images below it. A build may still run.
    const close = () => spawnSync('umount', ['--recursive', '--lazy', join(place, 'images', driver)])
    return { buildah, close }
  })
  atEnd(() => {
    for (const { close } of stores) close()
    rmSync(folder, patiently)
  })
  const works = ({ buildah }: (typeof stores)[number]) =>
    buildah('from', '--name', 'empty', 'scratch').status === 0 && buildah('mount', 'empty').status === 0
  const store = stores.find(works)
  assert.ok(store, 'buildah cannot store images here')
  return store.buildah
}

function succeed({ error, status, stdout, stderr }: SpawnSyncReturns<string>): string {
  assert.equal(status, 0, `${error ?? ''}\n${stdout}\n${stderr}`)
  return stdout
}

/** In a namespace of its own, the files are read-only. The change from root to another user drops all capabilities. */
const enter = `set -e
mount --bind "$0" "$0"
mount -o remount,bind,ro "$0"
mount --bind -o ro /proc "$0/proc"
mount --rbind /dev "$0/dev"
exec setpriv --no-new-privs --clear-groups "$@"`

function run(
  files: string,
  { User, Env, WorkingDir }: ImageSettings,
  program: readonly string[],
  env: Readonly<Record<string, string>>,
): Container {
  const [user = '', group = ''] = User.split(':')
  const change = ['unshare', `--root=${files}`, `--wd=${WorkingDir}`, `--setgid=${group}`, `--setuid=${user}`]
  const own = Object.fromEntries(
    Env.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  )
  const child = spawn('unshare', ['--mount', 'sh', '-c', enter, files, ...change, '--', ...program], {
    env: { ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  const [out, err] = [text(child.stdout), text(child.stderr)]
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    pid: child.pid ?? 0,
    stop: () => child.kill(),
    ended: Promise.all([closed, out, err]).then(([code, out, err]) => {
      children.delete(child)
      return { code, out, err }
    }),
  }
}
