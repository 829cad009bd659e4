/**
 * Pages: the few HTML pages that need no console. Reference of the API, list of problems, local mailbox, and the pages that links in
 * mails and in the terminal open.
 *
 * Invariant: a page loads nothing from another origin and runs no inline script; its Content-Security-Policy says so.
 */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { sha256 } from '../cryptography.ts'
import type { App } from '../http/server.ts'
import { problemPage } from './problem-page.ts'

/** Something that is served as it is, revalidated at each visit. */
interface Asset {
  readonly type: string
  readonly body: Buffer
  /** The body for those who take gzip, where that pays. */
  readonly zipped?: Buffer
  readonly etag: string
  readonly policy?: string
}

const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const

/** What every page may: its own scripts, styles and requests. Forms are sent by script, never by the browser. */
const pagePolicy = policy("script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'")
/** The styles of mails stand inline, and the frame of a mail inherits this. */
const mailboxPolicy = policy(
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "frame-src 'self'",
  "img-src 'self'",
)
/** The reference sets inline styles as it renders. */
const referencePolicy = policy(
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
)

/** What links in mails (mail/mail.ts) and in the terminal lead to. */
export const linkPages = [
  'set-up',
  'verify-email',
  'forgot-password',
  'reset-password',
  'undo-email-change',
  'end-session',
  'invitation',
]

const open = { config: { access: 'anyone' }, schema: { hide: true } } as const

/** Registers the pages; the mailbox's only where the API has a mailbox. Call it after the routes of the API. */
export async function pageRoutes(app: App): Promise<void> {
  // The document is complete once every route is registered, and does not change after that.
  let document: Asset | undefined
  app.get('/openapi.json', open, async (request, reply) => {
    document ??= makeAsset('application/json; charset=utf-8', JSON.stringify(app.swagger()))
    return serve(request, reply, document)
  })

  for (const entrance of ['/', '/api']) app.get(entrance, open, async (_request, reply) => reply.redirect('/docs'))
  await serveFile(app, '/docs', 'reference.html', referencePolicy)
  await serveFile(app, '/docs/reference.js', 'reference.js')
  let bundle: Promise<Asset> | undefined
  app.get('/docs/scalar.js', open, async (request, reply) => {
    bundle ??= readReferenceBundle()
    return serve(request, reply, await bundle)
  })
  serveAt(app, '/docs/problems', makeAsset(types.html, problemPage(), pagePolicy))

  for (const file of ['page.css', 'page.js', 'form.js', 'links.js', 'favicon.svg'])
    await serveFile(app, `/pages/${file}`, file)
  for (const page of linkPages) {
    await serveFile(app, `/${page}`, 'links.html', pagePolicy)
    await serveFile(app, `/t/:slug/${page}`, 'links.html', pagePolicy)
  }
  if (app.hasRoute({ method: 'GET', url: '/api/mailbox' })) {
    await serveFile(app, '/mailbox', 'mailbox.html', mailboxPolicy)
    for (const file of ['mailbox.css', 'mailbox.js']) await serveFile(app, `/pages/${file}`, file)
  }
}

function policy(...sources: readonly string[]): string {
  return ["default-src 'none'", ...sources, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join(
    '; ',
  )
}

/** Serves a file of this folder. */
async function serveFile(app: App, url: string, file: string, policy?: string): Promise<void> {
  const type = types[file.slice(file.lastIndexOf('.') + 1) as keyof typeof types] // the folder has no others
  serveAt(app, url, makeAsset(type, await readFile(new URL(file, import.meta.url)), policy))
}

function serveAt(app: App, url: string, asset: Asset): void {
  app.get(url, open, async (request, reply) => serve(request, reply, asset))
}

function makeAsset(type: string, content: string | Buffer, policy?: string): Asset {
  const body = Buffer.from(content)
  const etag = `"${sha256(body).toString('base64url').slice(0, 22)}"`
  return { type, body, etag, ...(policy !== undefined && { policy }) }
}

async function serve(request: FastifyRequest, reply: FastifyReply, asset: Asset): Promise<Buffer | undefined> {
  const { type, body, zipped, etag, policy } = asset
  // Weak: the zipped body is the same thing in other bytes.
  reply.headers({ 'cache-control': 'no-cache', etag: `W/${etag}` })
  if (policy !== undefined) reply.header('content-security-policy', policy)
  if (zipped) reply.header('vary', 'accept-encoding')
  if (request.headers['if-none-match']?.includes(etag)) {
    reply.status(304)
    return undefined
  }
  reply.type(type)
  if (!zipped || !/\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? '')) return body
  reply.header('content-encoding', 'gzip')
  return zipped
}

/**
 * The script of Scalar's reference. Its package keeps it as a string inside the plugin, and the plugin's own page has an inline
 * script; so the plugin is registered where nobody comes, and asked for the script alone. Read at the first visit: it has 4 MB.
 */
async function readReferenceBundle(): Promise<Asset> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const shelf = Fastify()
  await shelf.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
  const { rawPayload } = await shelf.inject('/docs/js/scalar.js')
  await shelf.close()
  return { ...makeAsset(types.js, rawPayload), zipped: await promisify(gzip)(rawPayload) }
}
