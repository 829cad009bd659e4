/**
 * Authenticate: which session a request to a server of your own comes with. Whose it is, and whether it lives, only Guildhall knows.
 *
 * Invariant: of the request nothing is believed but this token, and it is no cookie that another site has sent.
 */
import { GuildhallError } from './errors.ts'

/** A `Request` of the web, Node's `IncomingMessage`, or what a framework makes of either. */
export interface IncomingRequest {
  readonly method?: string | undefined
  readonly headers: HeadersOfWeb | HeadersOfNode
}
interface HeadersOfWeb {
  get(name: string): string | null
}
type HeadersOfNode = Readonly<Record<string, string | readonly string[] | undefined>>

/** Enough to ask nobody about what is no token; the rest of its form is the service's matter. */
const tokenForm = /^ghs_[\w.-]{1,250}$/

/**
 * @param origin of your own pages; without one no cookie is looked at
 * @throws GuildhallError unauthenticated, ambiguous_credentials, cross_site
 */
export function readToken(request: IncomingRequest, origin: string | undefined): string {
  const authorization = headerOf(request, 'authorization')
  const cookie = origin === undefined ? undefined : readCookie(headerOf(request, 'cookie') ?? '', cookieName(origin))
  if (authorization !== undefined && cookie !== undefined)
    throw new GuildhallError('ambiguous_credentials', 'The request carries two credentials.', { status: 400 })
  const token = authorization === undefined ? cookie : /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (token === undefined || !tokenForm.test(token)) throw unauthenticated()
  if (cookie !== undefined && isUnsafe(request) && !isSameOrigin(request, origin))
    throw new GuildhallError('cross_site', 'The request comes from another site.', { status: 403 })
  return token
}

export function unauthenticated(cause?: unknown): GuildhallError {
  return new GuildhallError('unauthenticated', 'A valid session is required.', { status: 401, cause })
}

/** @throws TypeError for an origin of which the service sets no cookies */
export function checkOrigin(origin: string): void {
  const { protocol, hostname, origin: own } = new URL(origin)
  const isLoopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  if (own !== origin || !(protocol === 'https:' || (protocol === 'http:' && isLoopback)))
    throw new TypeError(`\`origin\` is like \`https://app.example.com\`, or plain http on a loopback name: ${origin}`)
}

/** As the service names it: `__Host-` keeps neighbours, and whoever sits on the line, from setting one. */
function cookieName(origin: string): string {
  return origin.startsWith('https:') ? '__Host-guildhall' : 'guildhall'
}

function readCookie(header: string, name: string): string | undefined {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
}

/** What may change something, and what opens a socket; also what does not say what it is. */
function isUnsafe(request: IncomingRequest): boolean {
  const { method = '' } = request
  return !['GET', 'HEAD'].includes(method.toUpperCase()) || headerOf(request, 'upgrade') !== undefined
}

/** The browser says where a request comes from; what it does not say counts as elsewhere. */
function isSameOrigin(request: IncomingRequest, origin: string | undefined): boolean {
  const site = headerOf(request, 'sec-fetch-site')
  return site === undefined ? headerOf(request, 'origin') === origin : site === 'same-origin'
}

/** @param name in lower case, as Node has them */
function headerOf({ headers }: IncomingRequest, name: string): string | undefined {
  // No header of Node's is a function.
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const value = (headers as HeadersOfNode)[name]
  return typeof value === 'object' ? value.join(name === 'cookie' ? '; ' : ', ') : value
}
