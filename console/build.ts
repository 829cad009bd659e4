/**
 * Builds the console into `dist` if its sources have changed, and serves it from its sources for development. Run as a
 * script, it builds.
 *
 * Invariant: `dist` is a whole build or is not there, and has in it the hash of what it was made from.
 */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'

const folder = import.meta.dirname
const root = join(folder, '..')
const dist = join(folder, 'dist')
/** The files of the service in the console. From the client it imports types only, which are not in a build. */
export const lent: readonly string[] = [
  'src/domain/limits/caps.ts',
  'src/domain/limits/durations.ts',
  'src/domain/organizations/reserved-slugs.ts',
  'src/domain/organizations/slug-of-name.ts',
  'src/domain/record/actions.ts',
  'src/platform/colors.ts',
  'src/platform/json.ts',
]
/** Ignored by Git, and on the same disk as `dist`. */
const workshop = join(folder, 'node_modules', '.builds')
const hashFile = 'sources.sha256'

if (import.meta.main) {
  try {
    await buildConsole()
  } catch (error) {
    console.error(`guildhall: the console cannot be built: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}

/**
 * Builds if the build is stale, and logs how long it took.
 *
 * @throws Error if the sources cannot be built; the last build stays
 */
export async function buildConsole(): Promise<void> {
  const hash = await hashSources()
  if (await isBuilt(hash)) return
  const begin = performance.now()
  console.error('guildhall: building the console, which takes some seconds')
  const place = join(workshop, randomBytes(6).toString('hex'))
  try {
    await bundle(place)
    await compress(join(place, 'assets'))
    await writeFile(join(place, hashFile), hash) // last: without it a build counts as stale
    await putInPlace(place, hash)
  } finally {
    await rm(place, { recursive: true, force: true })
  }
  console.error(`guildhall: built the console in ${((performance.now() - begin) / 1000).toFixed(1)} s`)
}

/** Whether there is a build, but from other sources. */
export async function isConsoleStale(): Promise<boolean> {
  return existsSync(join(dist, hashFile)) && !(await isBuilt(await hashSources()))
}

/**
 * Serves the console from its sources, and follows their changes.
 *
 * @param service the origin that gets every request which is not for the console
 */
export async function serveConsole(port: number, service: string): Promise<{ close(): Promise<void> }> {
  const [{ createServer }, { viteConfig }, { makeFirstFont }] = await Promise.all([
    import('vite'),
    import('./vite.config.ts'),
    import('./fonts.ts'),
  ])
  await makeFirstFont()
  // The console's folder `api` and the API share the prefix of their paths.
  const ofService = ['^/api(?!/[^/?]+\\.ts(\\?|$))', '^/(docs|pages)(/|$)', '^/(openapi\\.json|livez|readyz)$']
  const vite = await createServer({
    ...viteConfig,
    clearScreen: false,
    server: {
      host: '127.0.0.1',
      port,
      strictPort: true,
      proxy: Object.fromEntries(ofService.map((path) => [path, service])),
    },
  })
  return vite.listen()
}

/** The hash of everything that a build is made from. */
async function hashSources(): Promise<string> {
  const hash = createHash('sha256')
  const others = [...lent, 'tools/notices.ts', 'package-lock.json'].map((path) => join(root, path))
  for (const path of [...(await listSources(folder)), ...others].sort()) {
    const content = await readFile(path)
    hash.update(`${relative(root, path)} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

async function listSources(place: string): Promise<string[]> {
  const paths: string[] = []
  for (const entry of await readdir(place, { withFileTypes: true })) {
    const path = join(place, entry.name)
    if (path === dist || entry.name === 'node_modules' || /\.test\.tsx?$/.test(path)) continue
    if (entry.isDirectory()) paths.push(...(await listSources(path)))
    else if (entry.isFile() && !entry.name.startsWith('.')) paths.push(path) // editors leave links and the like
  }
  return paths
}

async function isBuilt(hash: string): Promise<boolean> {
  return (await readFile(join(dist, hashFile), 'utf8').catch(() => undefined)) === hash
}

async function bundle(place: string): Promise<void> {
  const [{ build }, { viteConfig }, { findChunks }, { makeFirstFont }] = await Promise.all([
    import('vite'),
    import('./vite.config.ts'),
    import('./chunks.ts'),
    import('./fonts.ts'),
  ])
  await makeFirstFont()
  const own = process.env.NODE_ENV
  process.env.NODE_ENV = 'production' // otherwise React is its development build
  try {
    const config = { ...viteConfig, mode: 'production', logLevel: 'warn' } as const
    const chunks = await findChunks(config)
    const name = (module: string) => chunks.get(module) ?? null
    const groups = [{ name, debugName: 'by who opens it', includeDependenciesRecursively: false }]
    const rolldownOptions = { output: { codeSplitting: { groups } } }
    await build({
      ...config,
      build: { ...viteConfig.build, rolldownOptions, outDir: place, emptyOutDir: false },
    })
  } finally {
    if (own === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = own
  }
}

/** Puts beside each text what browsers that take brotli get. At its highest quality it is too slow for doing it at a request. */
async function compress(place: string): Promise<void> {
  const texts = (await readdir(place)).filter((file) => /\.(js|css|svg)$/.test(file))
  await Promise.all(
    texts.map(async (file) => {
      const content = await readFile(join(place, file))
      const small = await promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
      if (small.length < content.length) await writeFile(join(place, `${file}.br`), small)
    }),
  )
}

/** Puts a build in the place of the last one. Another process may be doing the same. */
async function putInPlace(place: string, hash: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    if (await isBuilt(hash)) return // by the other process, from the same sources
    const old = `${place}-${attempt}`
    try {
      await mkdir(workshop, { recursive: true })
      // Between the two there is no build. A reader that finds none looks again (src/features/pages/console.ts).
      await rename(dist, old).catch(unlessMissing)
      await rename(place, dist).catch(async (error) => {
        await rename(old, dist).catch(() => {})
        throw error
      })
      return
    } catch (error) {
      if (attempt === 5) throw error
    } finally {
      await rm(old, { recursive: true, force: true })
    }
  }
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
