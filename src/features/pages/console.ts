/**
 * Console: the app that people use in a browser (`console/`). It is built before the service starts (`console/build.ts`) and served
 * from there: one page for all of its paths, and the files that this page loads.
 *
 * Invariant: its page loads nothing from another origin and runs no inline script. The one exception are pictures, while the tenant
 * has said that pages may show those that other servers hold.
 */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readRemotePictures } from '../../domain/access/tenancy.ts'
import { ApiProblem } from '../../domain/problems.ts'
import type { App } from '../../platform/http/server.ts'
import { type Asset, makeAsset, open, policyOf, serveAsset, typeOf, zippable } from './assets.ts'

/** Where console/build.ts puts it. */
export const builtConsole = join(import.meta.dirname, '../../../console/dist')

/** How the paths of the console begin (console/routes/); what is below them is its own too. Any other path is unknown. */
export const consolePages = [
  'sign-in',
  'sign-up',
  'authorize',
  'signed-out',
  'forgot-password',
  'reset-password',
  'verify-email',
  'undo-email-change',
  'end-session',
  'set-up',
  'invitation',
  'join',
  'goodbye',
  'me',
  'organizations',
  'admin',
] as const

/** Where the paths are: at the top, and once more below the slug of a tenant. */
const bases = ['', '/t/:slug(^.+$)']

const own = ["script-src 'self'", "style-src 'self'", "font-src 'self'", "connect-src 'self'"]
const strictPolicy = policyOf(...own, "img-src 'self'")
const picturePolicy = policyOf(...own, "img-src 'self' https:")
/** The styles of mails are inline, and the frame of a mail inherits this. */
const mailboxPolicy = policyOf(
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "img-src 'self'",
)

/** Everything of one build: its page and its files belong together, so all of it is read at once and kept. */
interface Built {
  readonly page: Buffer
  readonly assets: ReadonlyMap<string, Asset>
}

/**
 * Registers the console; its mailbox only where the API has a mailbox. Call it after the routes of the API.
 *
 * @param folder where the built console is; where there is none, its paths say so
 */
export async function consoleRoutes(app: App, folder: string | undefined): Promise<void> {
  let built: Built | undefined
  if (folder === undefined || !existsSync(join(folder, 'index.html')))
    app.log.warn(
      'the console is not built: its pages answer 503 until there is one (npm start, or node console/build.ts, builds it)',
    )
  // Read for the first who comes. At a start there may be none for a moment, while another takes its place.
  const getBuilt = async () => {
    if (folder !== undefined) built ??= await findBuilt(folder)
    return built
  }
  const shown = (handlerOf: (built: Built) => Handler): Handler => {
    let handler: Handler | undefined
    return async (request, reply) => {
      const found = await getBuilt()
      if (!found) return sayUnbuilt(request, reply)
      handler ??= handlerOf(found)
      return handler(request, reply)
    }
  }
  const mayShowPictures = readRemotePictures(app.database)
  const show = shown(({ page }) => showPage(page, mayShowPictures))
  app.showUnknown = show

  for (const base of bases) {
    app.get(`${base}/`, open, show)
    for (const page of consolePages) serveBelow(app, `${base}/${page}`, show)
  }
  app.get('/t/:slug(^.+$)', open, show)
  // Password managers lead people there (W3C, A Well-known URL for Changing Passwords).
  app.get('/.well-known/change-password', open, async (_request, reply) => reply.redirect('/me/security'))

  if (app.hasRoute({ method: 'GET', url: '/api/mailbox' })) {
    const showMailbox = shown(({ page }) => {
      const mailbox = makeAsset(typeOf('index.html'), page, mailboxPolicy)
      return (request, reply) => serveAsset(request, reply, mailbox)
    })
    for (const base of bases) serveBelow(app, `${base}/mailbox`, showMailbox)
  }

  const kept = { ...open, config: { ...open.config, isUncounted: true } } as const
  app.get<{ Params: { file: string } }>('/assets/:file', kept, async (request, reply) => {
    const asset = (await getBuilt())?.assets.get(request.params.file)
    if (!asset) throw new ApiProblem('not_found')
    return serveAsset(request, reply, asset)
  })
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<Buffer | string | undefined>

/** A path, and all below it. */
function serveBelow(app: App, path: string, handler: Handler): void {
  app.get(path, open, handler)
  app.get(`${path}/*`, open, handler)
}

/** @returns undefined where there is no build, or one whose page names files that are not there: another takes its place just now */
async function findBuilt(folder: string): Promise<Built | undefined> {
  try {
    const page = await readFile(join(folder, 'index.html'))
    const assets = new Map<string, Asset>()
    const files = new Set(await readdir(join(folder, 'assets')))
    for (const file of files) {
      if (file.endsWith('.br')) continue // with the file that it is made from
      const type = typeOf(file)
      const made = { ...makeAsset(type, await readFile(join(folder, 'assets', file))), immutable: true }
      const brotli = files.has(`${file}.br`) && (await readFile(join(folder, 'assets', `${file}.br`)))
      const asset = brotli ? { ...made, brotli } : made
      assets.set(file, /^text\/|svg/.test(type) ? zippable(asset) : asset)
    }
    const named = [...page.toString().matchAll(/"\/assets\/([^"]+)"/g)].map(([, file = '']) => file)
    return named.every((file) => assets.has(file)) ? { page, assets } : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined // of node:fs
    throw error
  }
}

/** The page, under the policy of the tenant that it is about. */
function showPage(page: Buffer, mayShowPictures: ReturnType<typeof readRemotePictures>): Handler {
  const strict = makeAsset(typeOf('index.html'), page, strictPolicy)
  const withPictures = makeAsset(typeOf('index.html'), page, picturePolicy)
  return async (request, reply) => {
    const { slug } = request.params as { slug?: string } // of the paths below /t/
    const shows = await mayShowPictures(request, slug).catch((error: unknown) => {
      // The page itself needs no database, and says better than we could here what cannot be reached.
      request.log.warn({ err: error }, 'whose page this is could not be found out')
      return false
    })
    return serveAsset(request, reply, shows ? withPictures : strict)
  }
}

const sayUnbuilt: Handler = async (_request, reply) => {
  reply.status(503).header('content-security-policy', policyOf("style-src 'self'", "img-src 'self'"))
  reply.type(typeOf('index.html'))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>The console is not built · Guildhall</title>
<link rel="icon" href="/pages/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/pages/page.css">
</head>
<body>
<main class="prose">
<h1>The console is not built</h1>
<p>The API works. Its pages for people have to be built first: start the service by <code>npm start</code>, which does that,
or run <code>node console/build.ts</code> in its folder.</p>
<p><a href="/docs">API reference</a></p>
</main>
</body>
</html>
`
}
