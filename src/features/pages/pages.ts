/**
 * Pages: the few HTML pages that are not the console's: the reference of the API, and the list of problems.
 *
 * Invariant: a page loads nothing from another origin and runs no inline script; its Content-Security-Policy says so.
 */
import { readFile } from 'node:fs/promises'
import Fastify from 'fastify'
import type { App } from '../../platform/http/server.ts'
import { type Asset, makeAsset, open, policyOf, serveAsset, typeOf, zippable } from './assets.ts'

/** What every page may: its own scripts, styles and requests. */
const pagePolicy = policyOf("script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'")
/** The reference sets inline styles as it renders. */
const referencePolicy = policyOf(
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
)

/** Registers the pages. Call it after the routes of the API. */
export async function pageRoutes(app: App): Promise<void> {
  // The document is complete once every route is registered, and does not change after that.
  let document: Asset | undefined
  app.get('/openapi.json', open, async (request, reply) => {
    document ??= makeAsset('application/json; charset=utf-8', JSON.stringify(app.swagger()))
    return serveAsset(request, reply, document)
  })

  app.get('/api', open, async (_request, reply) => reply.redirect('/docs'))
  await serveFile(app, '/docs', 'reference.html', referencePolicy)
  for (const file of ['reference.js', 'reference.css']) await serveFile(app, `/docs/${file}`, file)
  let bundle: Promise<Asset> | undefined
  app.get('/docs/scalar.js', open, async (request, reply) => {
    bundle ??= readReferenceBundle()
    return serveAsset(request, reply, await bundle)
  })
  let problems: Promise<Asset> | undefined
  app.get('/docs/problems', open, async (request, reply) => {
    problems ??= makeProblemPage()
    return serveAsset(request, reply, await problems)
  })
  for (const file of ['page.css', 'favicon.svg']) await serveFile(app, `/pages/${file}`, file)
}

/** Made at the first visit: the names of statuses are in node:http, whose import takes 7 MiB. */
async function makeProblemPage(): Promise<Asset> {
  const { problemPage } = await import('./problem-page.ts')
  return makeAsset(typeOf('problems.html'), problemPage(), pagePolicy)
}

/** Serves a file of this folder. */
async function serveFile(app: App, url: string, file: string, policy?: string): Promise<void> {
  serveAt(app, url, makeAsset(typeOf(file), await readFile(new URL(file, import.meta.url)), policy))
}

function serveAt(app: App, url: string, asset: Asset): void {
  app.get(url, open, async (request, reply) => serveAsset(request, reply, asset))
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
  return zippable(makeAsset(typeOf('scalar.js'), rawPayload))
}
