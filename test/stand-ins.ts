/**
 * Stand-ins for the base images of the Dockerfile, where registries of images cannot be reached: this Node, with the C and C++ libraries of
 * this Debian.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const libraries = ['libc6', 'libgcc-s1', 'libstdc++6']

/**
 * The image that builds: Node, npm, and the programs that the Dockerfile runs. It uses the same registry of packages as this machine.
 *
 * @param folder a new folder for its files
 * @returns its variables
 */
export function makeBuildBase(folder: string): Record<string, string> {
  const programs = ['sh', 'env', 'mkdir', 'mv', 'cp', 'chmod'].map((name) => `/usr/bin/${name}`)
  const needed = run('ldd', ...programs).matchAll(/(\/\S+) \(0x/g)
  makeFiles(folder, [...programs, ...[...needed].map(([, path = '']) => path)])
  place(folder, process.execPath, 'usr/local/bin/node')
  const npm = realpathSync(run('sh', '-c', 'command -v npm').trim())
  cpSync(dirname(dirname(npm)), join(folder, 'usr/local/lib/npm'), { recursive: true })
  symlinkSync('../lib/npm/bin/npm-cli.js', join(folder, 'usr/local/bin/npm'))
  const { NODE_EXTRA_CA_CERTS: authorities } = process.env
  if (authorities) place(folder, authorities, 'etc/ssl/authorities.pem')
  return {
    HOME: '/root',
    PATH: '/usr/local/bin:/usr/bin',
    npm_config_registry: run('npm', 'config', 'get', 'registry').trim(),
    ...(authorities && { NODE_EXTRA_CA_CERTS: '/etc/ssl/authorities.pem' }),
  }
}

/**
 * The image that serves: Node without npm, and without a shell.
 *
 * @param folder a new folder for its files
 * @returns its variables
 */
export function makeFinalBase(folder: string): Record<string, string> {
  makeFiles(folder, [])
  place(folder, process.execPath, 'nodejs/bin/node')
  return { PATH: '/usr/bin' }
}

/** @param paths of this machine, besides the libraries */
function makeFiles(folder: string, paths: readonly string[]): void {
  for (const name of ['etc', 'root', 'tmp', 'usr/bin', 'usr/lib', 'usr/lib64'])
    mkdirSync(join(folder, name), { recursive: true })
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(folder, name))
  chmodSync(join(folder, 'tmp'), 0o1777)
  const users = ['root:x:0:0:root:/root:/sbin/nologin', 'nonroot:x:65532:65532:nonroot:/:/sbin/nologin']
  writeFileSync(join(folder, 'etc/passwd'), `${users.join('\n')}\n`)
  writeFileSync(join(folder, 'etc/group'), 'root:x:0:\nnonroot:x:65532:\n')
  const listed = run('dpkg', '--listfiles', ...libraries).split('\n')
  const isWanted = (path: string) => /^\/(?!usr\/share\/)/.test(path) && statSync(path).isFile()
  for (const path of [...listed.filter(isWanted), ...paths]) place(folder, path, path)
}

function place(folder: string, from: string, to: string): void {
  mkdirSync(dirname(join(folder, to)), { recursive: true })
  copyFileSync(from, join(folder, to))
}

function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 24 })
}
