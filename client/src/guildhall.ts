/** Guildhall: a client of one service, by nouns. It keeps nothing between two calls. */
import { adminOf } from './admin.ts'
import {
  ask,
  type Connection,
  connect,
  type Organization,
  type RequestOptions,
  type Role,
  signalOf,
  type Tenant,
  type TokenSource,
  type User,
  type Versioned,
} from './api.ts'
import { authOf, type CookieSession, type TokenSession } from './auth.ts'
import { checkOrigin, type IncomingRequest, readToken, unauthenticated } from './authenticate.ts'
import { GuildhallError, isGuildhallError } from './errors.ts'
import { invitationsOf } from './invitations.ts'
import { meOf } from './me.ts'
import { organizationsOf } from './organizations.ts'
import type { Fetch } from './transport.ts'

interface Options {
  /** Where the service is: `https://accounts.example.com`. */
  readonly url: string
  /** The slug of the tenant. Without one it is the tenant whose domain `url` has, or `default`. */
  readonly tenant?: string | undefined
  /** How often what may be sent again is sent again: 2 times unless told otherwise. */
  readonly retries?: number | undefined
  /** For how many milliseconds each sending waits for its answer: 35,000 unless told otherwise. */
  readonly timeout?: number | undefined
  /** What sends, in the place of the platform's own. */
  readonly fetch?: Fetch | undefined
}

export interface TokenOptions extends Options {
  readonly session?: 'token' | undefined
  /** Of the session in whose name is asked, or what gives it at each request. */
  readonly token?: TokenSource | undefined
  /** The origin of your own pages, for `authenticate`: without one it takes no cookies. */
  readonly origin?: string | undefined
}

export interface CookieOptions extends Options {
  /** The session is a cookie that no script can read. For pages of the service's own origin. */
  readonly session: 'cookie'
}

export interface Guildhall<Session = TokenSession> {
  /** How sessions begin and end, and what mailed links do. */
  readonly auth: ReturnType<typeof authOf<Session>>
  /** The caller. */
  readonly me: ReturnType<typeof meOf>
  readonly organizations: ReturnType<typeof organizationsOf>
  /** For whoever is invited. */
  readonly invitations: ReturnType<typeof invitationsOf>
  /** For admins of the tenant. */
  readonly admin: ReturnType<typeof adminOf>
  readonly tenant: {
    /** What a sign-in page must know: name, brand, who may sign up. */
    get(options?: RequestOptions): Promise<Tenant>
  }

  /** The same in the name of a session. */
  withToken(token: TokenSource): Guildhall

  /**
   * For servers: asks Guildhall who sends a request to yours, by its bearer token, or by its cookie if there is an `origin`. Nothing is
   * kept: a session that has ended is refused at the next request.
   *
   * @throws GuildhallError unauthenticated, ambiguous_credentials, cross_site; not_found for an organization that they are not in
   */
  authenticate(request: IncomingRequest, options?: RequestOptions): Promise<Caller>
  authenticate(request: IncomingRequest, options: RequestOptions & { organization: string }): Promise<MemberCaller>
}

/** Who sends a request. */
export interface Caller {
  readonly user: Versioned<User>
  /** Asks in their name. */
  readonly guildhall: Guildhall
}

export interface MemberCaller extends Caller {
  /** The one that was named, with their role in it. */
  readonly organization: Versioned<Organization> & { readonly role: Role }
}

/** @throws TypeError for options that cannot be meant */
export function createGuildhall(options: CookieOptions): Guildhall<CookieSession>
export function createGuildhall(options: TokenOptions): Guildhall
export function createGuildhall(options: TokenOptions | CookieOptions): Guildhall<CookieSession> {
  const { url, tenant, retries = 2, timeout = 35_000 } = options
  if (!/^https?:$/.test(new URL(url).protocol)) throw new TypeError(`\`url\` is no address of a service: ${url}`)
  const isCookie = options.session === 'cookie'
  const origin = isCookie ? undefined : options.origin
  if (origin !== undefined) checkOrigin(origin)
  const fetch = options.fetch ?? ((request: Request, init?: RequestInit) => globalThis.fetch(request, init))
  const transport = { fetch, retries, timeout }
  return guildhallOf({ url, tenant, token: isCookie ? undefined : options.token, cookies: isCookie, transport }, origin)
}

function guildhallOf(connection: Connection, origin: string | undefined): Guildhall {
  const api = connect(connection)
  const as = (token: TokenSource, tenant = connection.tenant) =>
    guildhallOf({ ...connection, tenant, token, cookies: false }, origin)
  return {
    auth: authOf(api),
    me: meOf(api),
    organizations: organizationsOf(api),
    invitations: invitationsOf(api),
    admin: adminOf(api),
    tenant: { get: (options = {}) => ask(api.GET('/api/tenant', signalOf(options))) },
    withToken: (token) => as(token),
    // The tenant is always named, so that a session of another one, which is no session of this product, does not pass.
    authenticate: async (request: IncomingRequest, options: AuthenticateOptions = {}) =>
      identify(as(readToken(request, origin), connection.tenant ?? 'default'), options),
  }
}

type AuthenticateOptions = RequestOptions & { readonly organization?: string }

async function identify(guildhall: Guildhall, options: AuthenticateOptions): Promise<MemberCaller> {
  const { signal, organization: orgId = '' } = options
  try {
    const [user, organization] = await Promise.all([
      guildhall.me.get({ signal }),
      // One that was named by mistake, with nothing in it, is refused as no id: nobody passes because a name is missing.
      'organization' in options ? guildhall.organizations.get(orgId, { signal }) : undefined,
    ])
    // Nobody passes because something else answers at this address.
    if (!/^user_/.test(user.id) || (organization && !organization.role))
      throw new GuildhallError('unexpected', 'What answered is not Guildhall: it says nothing of a user.')
    // Where no organization was named, nobody was promised one.
    return { user, guildhall, ...(organization && { organization }) } as MemberCaller
  } catch (error) {
    throw isGuildhallError(error, 'tenant_mismatch') ? unauthenticated(error) : error
  }
}
