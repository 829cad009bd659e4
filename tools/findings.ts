/** Checks of our own. Each answers what it found wrong, a finding a line, and nothing when all is well. */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

const root = join(import.meta.dirname, '..')
/** In bytes. */
const firstLoadLimit = 250_000

/** Who may reach past the wall between tenants: to find the tenant or the origins of a request, to keep the list of tenants, to go through all of them, to see that the database answers. */
const crossings = [
  'src/access/authentication.ts',
  'src/access/cross-origin.ts',
  'src/access/tenancy.ts',
  'src/database/database.ts',
  'src/http/health.ts',
  'src/jobs/retention.ts',
  'src/tenants/tenants.ts',
]

export async function findUnlistedCrossings(): Promise<string> {
  const callers = readTree()
    .filter(({ path, text }) => isSource(path) && /\bacrossTenants\b/.test(text))
    .map(({ path }) => path)
  return [
    ...callers
      .filter((path) => !crossings.includes(path))
      .map((path) => `${path} calls acrossTenants, but is not listed`),
    ...crossings.filter((path) => !callers.includes(path)).map((path) => `${path} is listed, but does not call it`),
  ].join('\n')
}

/** openapi.json is what the code makes today. It is made without settings, so that every machine makes the same. */
export async function findStaleDocument(): Promise<string> {
  const made = await promisify(execFile)(process.execPath, [join(root, 'src/main.ts'), 'openapi'], {
    cwd: root,
    maxBuffer: 2 ** 26,
  })
  const kept = readFileSync(join(root, 'openapi.json'), 'utf8')
  return made.stdout === kept ? '' : 'openapi.json is not what the routes say. Run: npm run openapi'
}

export async function findMisnumberedMigrations(): Promise<string> {
  return readdirSync(join(root, 'migrations'))
    .sort()
    .map((name, index) => ({ name, number: String(index + 1).padStart(4, '0') }))
    .filter(({ name, number }) => !new RegExp(`^${number}_[a-z_]+\\.sql$`).test(name))
    .map(({ name, number }) => `migrations/${name}: number ${number} comes here, as ${number}_words_and_words.sql`)
    .join('\n')
}

/** Tests that are skipped, put off, or run alone. */
export async function findPartialTests(): Promise<string> {
  const partial = /\.(only|skip|todo)\(|\b(only|skip|todo): *(true|['"`])/
  return findLines(partial, (path) => path.endsWith('.test.ts') || path.startsWith('test/'))
}

/** Folders that are on one machine only. */
export async function findForeignPaths(): Promise<string> {
  return findLines(/(?<![\w.~}-])\/(home|root|Users|work|workspace)\/\w/, (path) => path !== 'package-lock.json')
}

/** What a browser must have before it can show anything: the scripts that the console's page names, zipped. */
export async function findHeavyFirstLoad(): Promise<string> {
  const dist = join(root, 'console/dist')
  const page = readFileSync(join(dist, 'index.html'), 'utf8')
  const scripts = [...page.matchAll(/<(?:script|link rel="modulepreload")[^>]* (?:src|href)="([^"]+\.js)"/g)]
  const bytes = scripts.reduce((sum, [, path = '']) => sum + gzipSync(readFileSync(join(dist, path))).length, 0)
  const sentence = `The first load of the console is ${Math.ceil(bytes / 1000)} kB of script in ${scripts.length} files; the most is ${firstLoadLimit / 1000} kB.`
  console.log(`                ${sentence}`)
  return scripts.length > 0 && bytes <= firstLoadLimit ? '' : sentence
}

function findLines(pattern: RegExp, isMeant: (path: string) => boolean): string {
  return readTree()
    .filter(({ path }) => isMeant(path))
    .flatMap(({ path, text }) => text.split('\n').map((line, index) => ({ place: `${path}:${index + 1}`, line })))
    .filter(({ line }) => pattern.test(line))
    .map(({ place, line }) => `${place}: ${line.trim().slice(0, 120)}`)
    .join('\n')
}

function isSource(path: string): boolean {
  return path.startsWith('src/') && path.endsWith('.ts') && !path.endsWith('.test.ts')
}

let tree: { path: string; text: string }[] | undefined

function readTree(): { path: string; text: string }[] {
  tree ??= listFiles()
    .filter((path) => lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile())
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  return tree
}

/** Every file that is ours: what git has or would take, and where there is no git all but what a .gitignore names. */
function listFiles(): string[] {
  const options = ['--cached', '--others', '--exclude-standard', '-z']
  const { stdout } = spawnSync('git', ['ls-files', ...options], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (stdout) return stdout.split('\0').filter(Boolean)
  const ignored = ['.git', ...readFileSync(join(root, '.gitignore'), 'utf8').split(/\/?\s+/)]
  // A folder of data ignores itself.
  const isOurs = (path: string, name: string) =>
    !ignored.includes(name) && !ignored.includes(path) && !existsSync(join(root, path, '.gitignore'))
  const walk = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter(({ name }) => isOurs(folder + name, name))
      .flatMap((entry) => (entry.isDirectory() ? walk(`${folder}${entry.name}/`) : [folder + entry.name]))
  return walk('')
}
