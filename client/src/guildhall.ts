/** Guildhall: a client of one service, by nouns. It keeps no state between calls, except a browser's device token. */
import { adminOf } from './admin.ts'
import {
  type Asked,
  ask,
  type CallerDetails,
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
import { type CheckPermission, checkOf } from './check.ts'
import { callerIn, credentialsOf, refusalOf } from './credentials.ts'
import { type DeviceStore, storeOfBrowser } from './device.ts'
import { GuildhallError, isGuildhallError } from './errors.ts'
import { invitationsOf } from './invitations.ts'
import { linksOf } from './links.ts'
import { meOf } from './me.ts'
import { organizationsOf } from './organizations.ts'
import { callerOf, tokensOf } from './tokens.ts'
import type { Fetch } from './transport.ts'

interface Options {
  /** The URL of the service, such as `https://accounts.example.com`. */
  readonly url: string
  /** The slug of the tenant. By default it is the tenant whose domain is in `url`, or else `default`. */
  readonly tenant?: string | undefined
  /** How often a request is retried if a retry does no harm. Default: 2. */
  readonly retries?: number | undefined
  /**
   * Milliseconds to wait for the answer, with all retries. Default: 5,000 for `authenticate`, `caller`, `check`, `credentials.verify`,
   * `tokens.create`, `me.get` and `organizations.get`, which a server asks at each request of its own; 35,000 for all else. `Infinity` means
   * 25 days.
   */
  readonly timeout?: number | undefined
  /** Replaces the platform's `fetch`. */
  readonly fetch?: Fetch | undefined
}

export interface TokenOptions extends Options {
  readonly session?: 'token' | undefined
  readonly key?: never
  /** The token of the caller's session, or an application's access token for them; or a function that returns it for each request. */
  readonly token?: TokenSource | undefined
  /**
   * Where the device of the people who sign in keeps its token. By default it is `localStorage` in a browser. A server has none: it stands
   * for many devices.
   */
  readonly device?: DeviceStore | undefined
  /** The origin of your own pages, for `authenticate`. Without it, `authenticate` ignores cookies. */
  readonly origin?: string | undefined
}

export interface KeyOptions extends Options {
  readonly session?: undefined
  readonly token?: undefined
  /** A key, for example of the tenant, or a function that returns it for each request. */
  readonly key: TokenSource
  /** The origin of your own pages, for `authenticate`. Without it, `authenticate` ignores cookies. */
  readonly origin?: string | undefined
}

export interface CookieOptions extends Options {
  /** Keeps the session in a cookie that no script can read. For pages of the service's own origin. */
  readonly session: 'cookie'
  readonly key?: never
  readonly token?: undefined
}

/** What every client has, whatever its credential: for your own functions that take a client. */
export interface AnyGuildhall<Session = TokenSession | CookieSession> {
  /** Starts and ends sessions, and uses mailed links. */
  readonly auth: ReturnType<typeof authOf<Session>>
  /** The caller's own account. */
  readonly me: ReturnType<typeof meOf>
  readonly organizations: ReturnType<typeof organizationsOf>
  /** For the invited person. */
  readonly invitations: ReturnType<typeof invitationsOf>
  /** For the person who opens a link to join. */
  readonly links: ReturnType<typeof linksOf>
  /** Asks what the caller may do. */
  readonly check: CheckPermission
  /** Who the caller is, and what they may do now in an organization that they are in, by its id or slug. */
  caller<Permission extends string = string>(
    options?: RequestOptions & { readonly organization?: string },
  ): Promise<CallerDetails<Permission>>
  /** For servers with a key of the tenant: whose credentials they are that came with requests. */
  readonly credentials: ReturnType<typeof credentialsOf>
  /** For services that check tokens by themselves. */
  readonly tokens: ReturnType<typeof tokensOf>
  /** For admins of the tenant. */
  readonly admin: ReturnType<typeof adminOf>
  readonly tenant: {
    /** What a sign-in page needs to know: name, brand, who may sign up. */
    get(options?: RequestOptions): Promise<Tenant>
  }

  /** The same client with another session. */
  withToken(token: TokenSource): Guildhall
}

export interface Guildhall<Session = TokenSession> extends AnyGuildhall<Session> {
  /**
   * For servers: asks Guildhall who sent a request to yours, by its bearer token, or by its cookie if `origin` is set. The token is that of a
   * session, or an application's access token with the scope `api`. Nothing is cached: a session that has ended is refused at the next request.
   *
   * @throws GuildhallError unauthenticated, ambiguous_credentials, cross_site, second_factor_required; not_found for an organization that the
   *   sender is not in, invalid_id for one that is undefined or malformed, membership_suspended
   */
  authenticate(request: IncomingRequest, options?: AuthenticateOptions): Promise<Caller>
  authenticate(
    request: IncomingRequest,
    options: AuthenticateOptions & { readonly organization: string | undefined },
  ): Promise<MemberCaller>
}

export interface AuthenticateOptions extends RequestOptions {
  /** Needs a key and an `organization`. */
  readonly permissions?: never
}

/** A client with a key. */
export interface KeyGuildhall extends AnyGuildhall<TokenSession> {
  /**
   * For servers with a key of the tenant that has `credentials:verify`: asks Guildhall, in one request, who sent a request to yours, by its
   * bearer token, or by its cookie if `origin` is set. The token is that of a session, of a key, or an application's access token. With `permissions`, the sender must hold
   * all of them in the organization now. Nothing is cached.
   *
   * @throws GuildhallError unauthenticated, ambiguous_credentials, cross_site; not_found for an organization that the sender has no access
   *   to, invalid_id for one that is undefined or malformed, second_factor_required, forbidden for a missing permission; unexpected if
   *   Guildhall refuses the key of this client
   */
  authenticate(request: IncomingRequest, options?: AuthenticateOptions): Promise<Sender>
  authenticate<Permission extends string = string>(
    request: IncomingRequest,
    options: RequestOptions & {
      readonly organization: string | undefined
      /** At most 20. */
      readonly permissions?: readonly NoInfer<Permission>[]
    },
  ): Promise<OrganizationSender<Permission>>
}

/** Who sent a request, as a client with a key learns it. */
export type Sender<Permission extends string = string> = CallerDetails<Permission> & {
  /** A client with the sender's session or key. */
  readonly guildhall: Guildhall
}

export type OrganizationSender<Permission extends string = string> = Sender<Permission> & {
  readonly organization: NonNullable<CallerDetails['organization']>
}

/** The sender of a request. */
export interface Caller {
  readonly user: Versioned<User>
  /** A client with the sender's session. */
  readonly guildhall: Guildhall
}

export interface MemberCaller extends Caller {
  /** The named organization, with the sender's role in it. */
  readonly organization: Versioned<Organization> & { readonly role: Role }
}

/** @throws TypeError for invalid options */
export function createGuildhall(options: CookieOptions): Guildhall<CookieSession>
export function createGuildhall(options: KeyOptions): KeyGuildhall
export function createGuildhall(options: TokenOptions): Guildhall
export function createGuildhall(
  options: TokenOptions | KeyOptions | CookieOptions,
): Guildhall<CookieSession> | KeyGuildhall {
  const { url, tenant, retries = 2, timeout, key, token } = options
  if (!/^https?:$/.test(new URL(url).protocol))
    throw new TypeError(`\`url\` must be an http or https URL; it is ${url}`)
  const isCookie = options.session === 'cookie'
  if ([isCookie, key, token].filter(Boolean).length > 1) throw new TypeError('A client has one credential.')
  const origin = isCookie ? undefined : options.origin
  if (origin !== undefined) checkOrigin(origin)
  const fetch = options.fetch ?? ((request: Request, init?: RequestInit) => globalThis.fetch(request, init))
  const transport = { fetch, retries, timeout }
  const connection = { url, tenant, cookies: isCookie, transport }
  if ('key' in options) return keyGuildhallOf({ ...connection, token: key, device: undefined }, origin)
  const device = isCookie ? undefined : (options.device ?? storeOfBrowser(url))
  return guildhallOf({ ...connection, token, device }, origin)
}

function keyGuildhallOf(connection: Connection, origin: string | undefined): KeyGuildhall {
  const guildhall = guildhallOf(connection, origin)
  return {
    ...guildhall,
    authenticate: async (request: IncomingRequest, options: SenderOptions = {}) => {
      const credential = readToken(request, origin, true)
      const { signal, ...asked } = options
      const body = { ...asked, credential } as Asked<'verifyCredential', never> // `verify` refuses what is undefined
      const verification = await guildhall.credentials.verify(body, { signal }).catch((error: unknown) => {
        throw refusalOf(error)
      })
      const caller = callerIn(verification)
      // Without `organization` in the options, the declared result is a Sender.
      return { ...caller, guildhall: guildhall.withToken(credential) } as OrganizationSender<never>
    },
  }
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
    links: linksOf(api),
    check: checkOf(api),
    caller: (options = {}) => callerOf(api, options),
    credentials: credentialsOf(api),
    tokens: tokensOf(api),
    admin: adminOf(api),
    tenant: { get: (options = {}) => ask(api.GET('/api/tenant', signalOf(options))) },
    withToken: (token) => as(token),
    // The tenant is always named, so that a session of another tenant is refused.
    authenticate: async (request: IncomingRequest, options: CallerOptions = {}) =>
      identify(as(readToken(request, origin), connection.tenant ?? 'default'), options),
  }
}

type CallerOptions = RequestOptions & { readonly organization?: string | undefined }
type SenderOptions = CallerOptions & { readonly permissions?: readonly string[] }

async function identify(guildhall: Guildhall, options: CallerOptions): Promise<MemberCaller> {
  const { signal, organization: orgId = '', ...others } = options
  // An option that is ignored would let everybody pass.
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new TypeError(`A client without a key has no option \`${unknown}\`.`)
  try {
    const [user, organization] = await Promise.all([
      guildhall.me.get({ signal }),
      // Their own account is open to sessions without a required second factor. The organization and `caller` are not.
      // An empty name is an invalid id. Otherwise a missing name would let everybody pass.
      'organization' in options
        ? guildhall.organizations.get(orgId, { signal })
        : guildhall.caller({ signal }).then(() => undefined),
    ])
    // Nobody passes because another server answers at this URL.
    if (!/^user_/.test(user.id) || (organization && !organization.role))
      throw new GuildhallError('unexpected', 'The response does not come from Guildhall: it has no user.')
    // Without `organization` in the options, the declared result is a Caller.
    return { user, guildhall, ...(organization && { organization }) } as MemberCaller
  } catch (error) {
    // Of another tenant, or of an application without the scope `api`: here it is nobody's.
    throw isGuildhallError(error, 'tenant_mismatch', 'insufficient_scope') ? unauthenticated(error) : error
  }
}
