/**
 * Authentication: who sends a request. Here the credential is read and its form judged; whether its session lives is asked behind
 * the door, in the same pipeline as the data (authorization.ts).
 */

import cookie from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../platform/http/server.ts'
import { isLoopback } from '../../platform/settings/hosts.ts'
import { ApiProblem } from '../problems.ts'
import type { CredentialKind } from './credential-kinds.ts'
import type { TokenHash } from './tokens.ts'

/** A token that came with a request, and its kind. */
export interface KnownToken extends TokenHash {
  readonly kind: CredentialKind
}

/** A credential, and how it came. */
export interface Credential extends KnownToken {
  readonly by: 'bearer' | 'cookie'
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The kinds of credentials that the doors accept. */
    readonly credentialKinds: readonly CredentialKind[]
  }
  interface FastifyRequest {
    /** The token that came with the request, if it is in the form of one of ours; judged later. */
    token: KnownToken | undefined
    credential: Credential | undefined
  }
}

/**
 * 401 for a missing or malformed credential on routes that need one, 403 for a cookie that another site sent.
 *
 * @param kinds the kinds of credentials that the doors accept
 */
export async function authenticate(app: App, kinds: readonly CredentialKind[]): Promise<void> {
  await app.register(cookie)
  app.decorate('credentialKinds', kinds)
  app.decorateRequest('credential', undefined)
  app.decorateRequest('token', undefined)
  app.addHook('onRequest', async (request) => {
    request.token = findToken(request, kinds)
    request.credentialKind = request.token?.kind.name
  })

  app.addHook('preValidation', async (request) => {
    request.credential = readCredential(request)
    if (request.routeOptions.config.access !== 'anyone' && !request.credential) throw new ApiProblem('unauthenticated')
    if (usesCookies(request) || (request.credential?.by === 'cookie' && isUnsafe(request.method)))
      await refuseCrossSite(request)
  })
}

/**
 * Whether the caller asks for its session as a cookie, and may have one.
 *
 * @throws Problem https_required
 */
export function wantsSessionCookie(request: FastifyRequest): boolean {
  if (!usesCookies(request) || !request.routeOptions.config.startsSession) return false
  if (request.protocol !== 'https' && !isLoopback(request.hostname)) throw new ApiProblem('https_required')
  return true
}

/** Puts a session's token into the cookie: out of reach for scripts, sent to this host alone. */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  reply.setCookie(cookieName(request), token, cookieOptions(request))
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  if (request.cookies[cookieName(request)] !== undefined) reply.clearCookie(cookieName(request), cookieOptions(request))
}

export function cookieOptions(request: FastifyRequest) {
  // Browsers keep it as long as they may (400 days, RFC 6265bis); when the session ends is the server's matter.
  return {
    path: '/',
    httpOnly: true,
    secure: request.protocol === 'https',
    sameSite: 'lax',
    maxAge: 400 * 86_400,
  } as const
}

/** `__Host-` binds the cookie to host and https; plain http on loopback cannot have it. */
export function cookieName(request: FastifyRequest, name = 'guildhall'): string {
  return request.protocol === 'https' ? `__Host-${name}` : name
}

/** Whether the caller says that it is a browser with cookies, on a route that sets or reads them beside the credential. */
export function usesCookies({ headers, routeOptions: { config } }: FastifyRequest): boolean {
  return headers['guildhall-session'] === 'cookie' && (config.startsSession === true || config.readsDevice === true)
}

/** @throws Problem ambiguous_credentials, unauthenticated for one that is not in the form of ours */
function readCredential(request: FastifyRequest): Credential | undefined {
  const header = request.headers.authorization
  const fromCookie = request.cookies[cookieName(request)]
  if (header !== undefined && fromCookie !== undefined) throw new ApiProblem('ambiguous_credentials')
  const token = request.token
  if (token !== undefined) return { ...token, by: header ? 'bearer' : 'cookie' }
  // A browser keeps sending a cookie that means nothing any more; that must not keep its owner from signing in.
  if (header !== undefined && request.routeOptions.config.access !== 'anyone') throw new ApiProblem('unauthenticated')
  return undefined
}

/** Keys come as bearer tokens alone: a cookie is sent by browsers, whatever page asks for it (ASVS 5.0 V14.2.1). */
function findToken(request: FastifyRequest, kinds: readonly CredentialKind[]): KnownToken | undefined {
  const { authorization } = request.headers
  if (authorization !== undefined) return knownToken(/^Bearer +(\S+)$/i.exec(authorization)?.[1], kinds)
  const token = knownToken(request.cookies[cookieName(request)], kinds)
  return token?.kind.name === 'session' ? token : undefined
}

/** @returns undefined for a text that is no credential of one of the kinds */
export function knownToken(token: string | undefined, kinds: readonly CredentialKind[]): KnownToken | undefined {
  if (token === undefined) return undefined
  const kind = kinds.find(({ pattern }) => pattern.test(token))
  const read = kind?.read(token)
  return kind && read && { ...read, kind }
}

function isUnsafe(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD'
}

/** CSRF (ASVS 5.0 V3.5.1): the browser says where a request comes from; what it does not say counts as elsewhere. */
async function refuseCrossSite(request: FastifyRequest): Promise<void> {
  const site = request.headers['sec-fetch-site']
  if (site === 'same-origin') return
  if (site !== undefined || !(await isOwnOrigin(request))) throw new ApiProblem('cross_site')
}

/** The origin of PUBLIC_URL or of a tenant's domain. */
async function isOwnOrigin({ headers: { origin }, server }: FastifyRequest): Promise<boolean> {
  if (origin === undefined) return false
  if (origin === server.config.publicUrl) return true
  if (!origin.startsWith('https://')) return false
  const domain = origin.slice('https://'.length)
  const found = await server.database.acrossTenants((sql) => sql`select 1 from tenant_domains where domain = ${domain}`)
  return found.length > 0
}
