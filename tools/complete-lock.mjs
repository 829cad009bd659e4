/**
 * Adds the builds of our tools for other platforms to package-lock.json. npm leaves them out if the registry lacks one, and npm ci then
 * refuses the lock everywhere. The version is the one that the dependent package pins. They have no integrity, so npm trusts the registry
 * for them. Run it after npm install.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url))
const lock = JSON.parse(readFileSync(file, 'utf8'))
const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const cpus = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64']
let added = 0

for (const [path, { dev, optionalDependencies }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(path === '' ? {} : (optionalDependencies ?? {}))) {
    const place = `node_modules/${name}`
    if (foldersAbove(path).some((folder) => lock.packages[folder + place])) continue
    const words = name.split(/[/-]/)
    const os = systems.filter((system) => words.includes(system))
    const cpu = cpus.filter((each) => words.includes(each))
    if (!os.length || !cpu.length || !/^\d/.test(version)) {
      console.error(`left out: ${name}@${version}`)
      continue
    }
    const libc = words.some((word) => word.startsWith('musl'))
      ? ['musl']
      : words.some((word) => word.startsWith('gnu')) && ['glibc']
    lock.packages[place] = { version, cpu, ...(dev && { dev }), ...(libc && { libc }), optional: true, os }
    added += 1
  }
}

/** Finds a package as Node does: in the package's own node_modules, then in those of the folders above. */
function foldersAbove(path) {
  const parts = path.split('/')
  return [...parts.map((_, index) => `${parts.slice(0, parts.length - index).join('/')}/`), '']
}

const order = ([a], [b]) => (a < b ? -1 : 1)
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(order))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.error(`${added} added`)
