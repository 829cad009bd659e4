/**
 * Authenticate: reads the sender's token from a request to your own server. Only Guildhall knows whose it is, and whether it is live.
 *
 * Invariant: nothing in the request but this token identifies the sender, and a cookie that another site sent does not count.
 */
import { GuildhallError } from './errors.ts'

/** A web `Request`, Node's `IncomingMessage`, or a framework's version of either. */
export interface IncomingRequest {
  readonly method?: string | undefined
  readonly headers: HeadersOfWeb | HeadersOfNode
}
interface HeadersOfWeb {
  get(name: string): string | null
}
type HeadersOfNode = Readonly<Record<string, string | readonly string[] | undefined>>

/** Spares Guildhall text that is no token. The service checks the rest. */
const sessionForm = /^ghs_[\w.-]{1,250}$/
const applicationForm = /^ght_[\w.-]{1,250}$/
const keyForm = /^ghk_[\w.-]{1,250}$/

/**
 * @param origin the origin of your own pages; without it, cookies are ignored
 * @param takesKeys whether the sender may use a key. Only a session may be in a cookie.
 * @throws GuildhallError unauthenticated, ambiguous_credentials, cross_site
 */
export function readToken(request: IncomingRequest, origin: string | undefined, takesKeys = false): string {
  const authorization = headerOf(request, 'authorization')
  const cookie = origin === undefined ? undefined : readCookie(headerOf(request, 'cookie') ?? '', cookieName(origin))
  if (authorization !== undefined && cookie !== undefined)
    throw new GuildhallError('ambiguous_credentials', 'The request carries two credentials.', { status: 400 })
  const token = authorization === undefined ? cookie : /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  const bearerForms = takesKeys ? [sessionForm, applicationForm, keyForm] : [sessionForm, applicationForm]
  const forms = cookie === undefined ? bearerForms : [sessionForm]
  if (token === undefined || !forms.some((form) => form.test(token))) throw unauthenticated()
  if (cookie !== undefined && isUnsafe(request) && !isSameOrigin(request, origin))
    throw new GuildhallError('cross_site', 'The request comes from another site.', { status: 403 })
  return token
}

export function unauthenticated(cause?: unknown): GuildhallError {
  return new GuildhallError('unauthenticated', 'A valid session or key is required.', { status: 401, cause })
}

/** @throws TypeError for an origin for which the service sets no cookies */
export function checkOrigin(origin: string): void {
  const { protocol, hostname, origin: own } = new URL(origin)
  const isLoopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  if (own !== origin || !(protocol === 'https:' || (protocol === 'http:' && isLoopback)))
    throw new TypeError(
      `\`origin\` must be like \`https://app.example.com\`, or plain http on a loopback name; it is ${origin}`,
    )
}

/** `__Host-` prevents a neighbouring host, or an attacker on the network, from setting the cookie. */
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

/** A request that may change something or opens a socket. An unknown method counts as unsafe. */
function isUnsafe(request: IncomingRequest): boolean {
  const { method = '' } = request
  return !['GET', 'HEAD'].includes(method.toUpperCase()) || headerOf(request, 'upgrade') !== undefined
}

/** If the browser does not say where a request comes from, it counts as cross-site. */
function isSameOrigin(request: IncomingRequest, origin: string | undefined): boolean {
  const site = headerOf(request, 'sec-fetch-site')
  return site === undefined ? headerOf(request, 'origin') === origin : site === 'same-origin'
}

/** @param name in lower case, as in Node's headers */
function headerOf({ headers }: IncomingRequest, name: string): string | undefined {
  // Node's headers have no method `get`; a header of that name is a string.
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const value = (headers as HeadersOfNode)[name]
  return typeof value === 'object' ? value.join(name === 'cookie' ? '; ' : ', ') : value
}
