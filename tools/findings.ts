/** Checks of our own. Each answers what it found wrong, a finding a line, and nothing when all is well. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { readTree, root } from './tree.ts'

/** In bytes. */
const firstLoadLimit = 250_000

/** Who may reach past the wall between tenants: to find the tenant or the origins of a request, to keep the list of tenants and their domains, to go through all of them, to see that the database answers, to look at the queue. */
const crossings = [
  'src/domain/access/authentication.ts',
  'src/domain/access/cross-origin.ts',
  'src/domain/access/tenancy.ts',
  'src/platform/database/database.ts',
  'src/process/doctor-database.ts',
  'src/platform/http/health.ts',
  'src/platform/jobs/batch.ts',
  'src/platform/jobs/queue.ts',
  'src/platform/jobs/retention.ts',
  'src/platform/jobs/sweep.ts',
  'src/features/tenants/tenants.ts',
  'src/features/tenants/deletion.ts',
  'src/features/webhooks/changes.ts',
  'src/process/watch/figures.ts',
  'src/tasks.ts',
]

/** What computes with keys, hashes or random numbers, tests aside. */
export const cryptographers: Readonly<Record<string, string>> = {
  'client/src/receiver.ts': 'verifies signatures of webhooks (HMAC-SHA-256)',
  'client/src/api.ts': 'idempotency keys of the client (128 random bits); not secret',
  'console/access/role-dialog.tsx': 'tells new roles of a draft apart in the browser; not secret',
  'console/api/idempotency.ts': 'idempotency keys in the browser (122 random bits); not secret',
  'console/build.ts': 'a hash of the console’s sources, and names of temporary files; not secret',
  'src/platform/cryptography.ts': 'all cryptography of the service',
}

/** What uses numbers that can be guessed, and so may. */
export const dice: Readonly<Record<string, string>> = {
  'client/src/transport.ts': 'how long to wait before sending again',
  'src/domain/delivery/backoff.ts': 'how long to wait before sending again',
  'src/platform/database/errors.ts': 'how long to wait before trying again',
  'src/platform/http/idempotency.ts': 'how long to wait before looking again',
}

/** What of the service knows of the network at all: nobody makes it call an address of theirs where nothing is called. */
const connections: Readonly<Record<string, string>> = {
  'src/main.ts': 'says how long each address of a name may take',
  'src/platform/settings/config.ts': 'tells addresses from names',
  'src/platform/settings/hosts.ts': 'tells addresses from names',
  'src/platform/database/database.ts': 'knows the connections of a pool',
  'src/platform/database/embedded.ts': 'the embedded PostgreSQL',
  'src/platform/database/embedded-server.ts': 'finds a free port',
  'src/platform/database/errors.ts': 'knows the errors of the driver',
  'src/platform/database/pipeline.ts': 'speaks over a connection that it is given',
  'src/platform/database/lookups.ts': 'knows the connections of a pool',
  'src/platform/database/distribute.ts': 'the PostgreSQL of the settings',
  'src/platform/database/distribution.ts': 'the PostgreSQL of the settings',
  'src/platform/database/migrate.ts': 'the PostgreSQL of the settings',
  'src/platform/database/pool.ts': 'the PostgreSQL of the settings',
  'src/platform/database/queued-pool.ts': 'the PostgreSQL of the settings',
  'src/platform/database/requirements.ts': 'the PostgreSQL of the settings',
  'src/platform/http/address.ts': 'tells addresses from names',
  'src/platform/http/closing.ts': 'closes what the server was asked on',
  'src/platform/http/errors.ts': 'answers what is no HTTP',
  'src/platform/http/server.ts': 'listens',
  'src/platform/outbound/addresses.ts': 'tells addresses from names',
  'src/platform/outbound/names.ts': 'asks for the addresses of those who are called',
  'src/platform/outbound/outbound.ts': 'every call by HTTP',
  'src/domain/mail/composition.ts': 'tells addresses from other text',
  'src/domain/mail/transport.ts': 'the mail server of the settings',
  'src/features/pages/problem-page.ts': 'knows the names of statuses',
  'src/process/watch/exposition.ts': 'listens, where metrics are wanted',
  'src/process/watch/traces.ts': 'the collector of the settings, where traces are wanted',
}

/** What calls other servers by HTTP. */
const callers: Readonly<Record<string, string>> = {
  'src/platform/outbound/outbound.ts': 'the one way out: addresses, times and lengths are checked there',
  'src/features/pages/reference.js': 'runs in the browser',
}

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

/** Cryptography is where the inventory says (docs/security/cryptography.md), and numbers that can be guessed decide nothing. */
export async function findUnlistedCryptography(): Promise<string> {
  const uses = /from '(node:)?crypto'|\bcrypto\.(subtle|getRandomValues|randomUUID)\b/
  return [...findUnlisted(uses, cryptographers), ...findUnlisted(/\bMath\.random\b/, dice)].join('\n')
}

/**
 * The service connects to its database, its mail server, its collector of traces and, through platform/outbound, to what people name
 * (ASVS 5.0 V1.3.6, V13.2.4).
 */
export async function findUnlistedConnections(): Promise<string> {
  const uses =
    /(?:from |import\()'(node:)?(https?|http2|net|tls|dgram|dns|dns\/promises)'|from '(pg|nodemailer)'|import\('@opentelemetry\/exporter-|\bWebSocket\b/
  const calls =
    /import (?:type )?(?!type )(\w+|\* as \w+|\{[^}]*\b(request|get|Agent|ClientRequest)\b[^}]*\}) from '(node:)?https?'|from 'undici'|\bfetch\(|\bimport\('(node:)?https?'\)/
  return [...findUnlisted(uses, connections, 'src/'), ...findUnlisted(calls, callers, 'src/')].join('\n')
}

/** No text becomes code (ASVS 5.0 V1.3.2). Biome refuses `eval`. */
export async function findCodeFromText(): Promise<string> {
  return findUnlisted(/\bnew Function\(|[^.\w]Function\(|(?:from |import\()'(node:)?vm'/, {}).join('\n')
}

function findUnlisted(pattern: RegExp, listed: Readonly<Record<string, string>>, folder = ''): string[] {
  const users = readTree()
    .filter(({ path, text }) => /^(src|client|console)\/.*(?<!\.test)\.(m?[jt]s|tsx)$/.test(path) && pattern.test(text))
    .map(({ path }) => path)
    .filter((path) => path.startsWith(folder))
  const paths = Object.keys(listed)
  return [
    ...users.filter((path) => !paths.includes(path)).map((path) => `${path} has ${pattern.source}, but is not listed`),
    ...paths.filter((path) => !users.includes(path)).map((path) => `${path} is listed, but has no ${pattern.source}`),
  ]
}

/** openapi.json and the tables of docs/security are what the code makes today, without settings: every machine makes the same. */
export async function findStaleDocuments(): Promise<string> {
  const checking = promisify(execFile)(process.execPath, [join(root, 'tools/docs.ts'), '--check'], { cwd: root })
  return checking.then(
    () => '',
    (error) => error.stdout || error.message,
  )
}

/**
 * The tables of requirements name, in backquotes, files that are there, and after the file of a test, in “curly quotes”, tests by the
 * names that they have in it: whole, with … for what a name is made with. In a table whose last column is "Shown by" every row has one.
 */
export async function findUnshownRequirements(): Promise<string> {
  const path = 'docs/security/asvs.md'
  let isTable = false
  return readFileSync(join(root, path), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      isTable = /\| Shown by \|$/.test(line) || (isTable && line.startsWith('|'))
      const isRow = isTable && !/^\| *-|\| Shown by \|$/.test(line)
      const faults = unshownIn(line)
      if (isRow && !/“[^”]+” *(<br>.*)?\|$/.test(line)) faults.push('names no test in its last column')
      return faults.map((fault) => `${path}:${index + 1}: ${fault}`)
    })
    .join('\n')
}

/** Goes through the names of files and tests in a line. */
function unshownIn(line: string): string[] {
  const faults: string[] = []
  let file: string | undefined
  for (const [, name, path] of line.matchAll(
    /“([^”]+)”|`([\w.@-]+(?:\/[\w.@-]+)*\.(?:[cm]?[jt]sx?|json|md|sql|ya?ml))`/g,
  )) {
    if (path !== undefined) {
      file = path
      if (!existsSync(join(root, path))) faults.push(`there is no ${path}`)
    } else if (!file || !namesIn(file).includes(name ?? '')) faults.push(`no “${name}” in ${file ?? 'any file'}`)
  }
  return faults
}

const names = new Map<string, readonly string[]>()

/** @returns every text in a file, comments aside, that could be a test's name, with … in the place of what is filled in */
function namesIn(path: string): readonly string[] {
  const known = names.get(path)
  if (known) return known
  const text = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : ''
  const code = text.replace(/(?<!\S)(\/\/.*|\/\*[\s\S]*?\*\/)/g, '')
  const found = [...code.matchAll(/\b(?:test|name:)[( ]*(['"`])((?:\\.|(?!\1).)+)\1/g)].map(([, , name = '']) =>
    name.replace(/\$\{[^}]*\}/g, '…').replace(/\\(.)/g, '$1'),
  )
  names.set(path, found)
  return found
}

export async function findMisnumberedMigrations(): Promise<string> {
  return readdirSync(join(root, 'migrations'))
    .sort()
    .map((name, index) => ({ name, number: String(index + 1).padStart(4, '0') }))
    .filter(({ name, number }) => !new RegExp(`^${number}_[a-z_]+\\.sql$`).test(name))
    .map(({ name, number }) => `migrations/${name}: number ${number} comes here, as ${number}_words_and_words.sql`)
    .join('\n')
}

/**
 * Whatever takes away or narrows what older code uses says from which version on code can do without (src/platform/database/migrate.ts). So it
 * is from version 16 on.
 */
export async function findBreakingMigrations(): Promise<string> {
  const breaks = /\bdrop (table|column)\b|\brename\b|\bset not null\b|\balter column \w+ (set data )?type\b/i
  return readdirSync(join(root, 'migrations'))
    .filter((name) => Number(name.slice(0, 4)) > 15)
    .map((name) => ({ name, text: readFileSync(join(root, 'migrations', name), 'utf8') }))
    .filter(({ text }) => breaks.test(text.replace(/--.*/g, '')) && !/^-- needs \d{4}\b/m.test(text))
    .map(
      ({ name }) =>
        `migrations/${name} takes something away, and has no line "-- needs 0016" for code that can do without`,
    )
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
