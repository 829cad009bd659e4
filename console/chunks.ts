/**
 * The chunks of the console's scripts: few, so that a page is loaded by few requests, and each with what its pages need.
 *
 * Invariant: a chunk imports only those before it in this list, so chunks cannot import each other in a circle:
 * - `main`: what starts the console, and the page to sign in, which most people see first
 * - `strangers`: what pages without a session share with other pages, and the styles of all but the first page, which are one file
 * - `inside`: the pages with a session, with their frames: each is small, and a request takes longer than its code
 * - `administration`: the pages of tenant admins
 * - one for each page without a session, and for each dialog that is loaded when it opens
 */
import { build, type InlineConfig, type Plugin, type Rollup } from 'vite'

/** Of each module that is loaded later: who needs it. Somebody who opens a dialog may be anybody. */
type Audience = 'main' | 'stranger' | 'user' | 'admin' | 'anybody'

/** By the modules that load them. */
const audiences: Readonly<Record<string, Audience>> = {
  '/routes/outside.ts': 'stranger',
  '/layout/outside.tsx': 'stranger',
  '/routes/inside.ts': 'user',
  '/routes/me.ts': 'user',
  '/routes/organizations.ts': 'user',
  '/routes/administration.ts': 'admin',
}

/**
 * Builds once without these chunks, since only the bundler knows which modules a page uses of a package that exports many, like Mantine.
 *
 * @returns the chunk of each module that shares one
 */
export async function findChunks(config: InlineConfig): Promise<ReadonlyMap<string, string>> {
  const chunks = new Map<string, string>()
  const finder: Plugin = {
    name: 'chunk-finder',
    generateBundle(_options, bundle) {
      const pages = findPages(this)
      for (const [module, users] of findUsers(bundle)) {
        const chunk = chunkFor(
          module,
          [...users].flatMap((entry) => pages.get(entry) ?? []),
        )
        if (chunk) chunks.set(module, chunk)
      }
    },
  }
  const options = { ...config.build, write: false, minify: false, reportCompressedSize: false } as const
  await build({ ...config, plugins: [...(config.plugins ?? []), finder], build: options })
  return chunks
}

/** @returns nothing for a module of one page without a session, or of one dialog, which is in its chunk */
function chunkFor(module: string, needed: readonly Audience[]): string | undefined {
  if (needed.includes('main')) return 'main'
  if (needed.length > 0 && module.endsWith('.css')) return 'strangers'
  if (needed.length > 1 && needed.includes('stranger')) return 'strangers'
  if (needed.length > 0 && needed.every((audience) => audience === 'admin')) return 'administration'
  return needed.length > 1 || needed.includes('user') ? 'inside' : undefined
}

/** The start, and the modules that are loaded later: those of pages, and a few dialogs. */
function findPages(context: Rollup.PluginContext): Map<string, Audience> {
  const pages = new Map<string, Audience>()
  for (const module of context.getModuleIds()) {
    const audience = Object.entries(audiences).find(([file]) => module.endsWith(file))?.[1] ?? 'anybody'
    if (module.endsWith('/index.html')) pages.set(module, 'main')
    for (const page of context.getModuleInfo(module)?.dynamicallyImportedIds ?? []) pages.set(page, audience)
  }
  return pages
}

/** By which entries, which are the start and the pages, each module is needed. */
function findUsers(bundle: Rollup.OutputBundle): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>()
  const files = Object.values(bundle).filter((file) => file.type === 'chunk')
  for (const { facadeModuleId: entry, fileName } of files) {
    if (!entry) continue
    const seen = new Set<string>()
    const visit = (name: string) => {
      const file = bundle[name]
      if (file?.type !== 'chunk' || seen.has(name)) return
      seen.add(name)
      for (const module of file.moduleIds) users.set(module, (users.get(module) ?? new Set()).add(entry))
      for (const other of file.imports) visit(other)
    }
    visit(fileName)
  }
  return users
}
