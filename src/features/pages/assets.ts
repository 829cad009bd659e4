/** Assets: what is served as it is, and under which policy. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sha256 } from '../../platform/cryptography.ts'

export interface Asset {
  readonly type: string
  readonly body: Buffer
  /** The body for those who take gzip, where that pays. Made when the first one comes. */
  readonly zipped?: () => Promise<Buffer>
  /** The body for those who take brotli, if the build has compressed it. */
  readonly brotli?: Buffer
  readonly etag: string
  /** Its Content-Security-Policy, if it is a page. */
  readonly policy?: string
  /** Whether its name changes with its content, so that nobody has to ask again. */
  readonly immutable?: boolean
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
}

/** For routes that are no part of the API. */
export const open = { config: { access: 'anyone' }, schema: { hide: true } } as const

/** @returns the media type for the name of a file */
export function typeOf(file: string): string {
  return types[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
}

/** A policy that allows nothing but what is said. Forms are sent by script, never by the browser. */
export function policyOf(...sources: readonly string[]): string {
  return ["default-src 'none'", ...sources, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join(
    '; ',
  )
}

export function makeAsset(type: string, content: string | Buffer, policy?: string): Asset {
  const body = Buffer.from(content)
  // Of the policy too: a browser that keeps the page keeps it with the policy that it came with.
  const etag = `"${sha256(Buffer.concat([body, Buffer.from(policy ?? '')]))
    .toString('base64url')
    .slice(0, 22)}"`
  return { type, body, etag, ...(policy !== undefined && { policy }) }
}

/** The same asset, zipped for those who take that. */
export function zippable(asset: Asset): Asset {
  let zipped: Promise<Buffer> | undefined
  const zip = () => {
    zipped ??= promisify(gzip)(asset.body)
    return zipped
  }
  return { ...asset, zipped: zip }
}

export async function serveAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, body, zipped, brotli, etag, policy, immutable }: Asset,
): Promise<Buffer | undefined> {
  const caching = immutable ? 'public, max-age=31536000, immutable' : 'no-cache'
  // Weak: the zipped body is the same thing in other bytes.
  reply.headers({ 'cache-control': caching, etag: `W/${etag}` })
  if (policy !== undefined)
    reply.headers({ 'content-security-policy': policy, 'cross-origin-opener-policy': 'same-origin' })
  if (zipped) reply.header('vary', 'accept-encoding')
  if (request.headers['if-none-match']?.includes(etag)) {
    reply.status(304)
    return undefined
  }
  reply.type(type)
  const accepted = request.headers['accept-encoding']?.toString() ?? ''
  if (brotli && /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(accepted)) {
    reply.header('content-encoding', 'br')
    return brotli
  }
  if (!zipped || !/\bgzip\b/.test(accepted)) return body
  const sent = await zipped()
  reply.header('content-encoding', 'gzip')
  return sent
}
