/**
 * @guildhall/client/tokens: checks Guildhall's signed tokens in a service, without asking Guildhall about each. It needs nothing of the rest
 * of the client.
 *
 * Invariant: a token is believed only with a signature by a key of the issuer's own key set, with RS256, and with the type, issuer and
 * audience of this service (RFC 8725, RFC 9068). Nothing in a token says where its key is.
 */
import type { JWTPayload } from 'jose'
import {
  JOSEAlgNotAllowed,
  JOSENotSupported,
  JWKSMultipleMatchingKeys,
  JWKSNoMatchingKey,
  JWSInvalid,
  JWSSignatureVerificationFailed,
  JWTClaimValidationFailed,
  JWTExpired,
  JWTInvalid,
} from 'jose/errors'
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote'
import { jwtVerify } from 'jose/jwt/verify'
import { GuildhallError } from './errors.ts'

export interface VerifierOptions {
  /** `<the URL of Guildhall>/api/tenants/<the tenant's id>`. */
  readonly issuer: string
  /** The name of this service: one of the tenant's `tokenAudiences`, or the tenant's id if it has none. */
  readonly audience: string
  /** In seconds: refuses tokens that were made longer ago, although they have not ended. */
  readonly maxAge?: number | undefined
}

/** What a token says: true when it was made, and believed until it ends. */
export interface TokenClaims extends JWTPayload {
  /** The user's id; of a token of an organization's or the tenant's key, that of the key. */
  readonly sub: string
  /** The permissions in the organization, separated by spaces. */
  readonly scope: string
  /** The id of the key that made it, or `guildhall`. */
  readonly client_id: string
  /** The id of the session, or of the key. */
  readonly sid: string
  readonly org?: {
    readonly id: string
    readonly slug: string
    /** Null for a key of an organization or of the tenant, which is no member. */
    readonly role: 'owner' | 'admin' | 'member' | null
    /** The role, every role that it includes, and the roles of the product that are granted. */
    readonly roles: readonly string[]
  }
}

/** A token that is valid. */
export interface VerifiedToken<Permission extends string = string> {
  /** Null if a key of an organization or of the tenant made it. */
  readonly userId: string | null
  /** Null if a key made it. */
  readonly sessionId: string | null
  /** Null if a session made it. */
  readonly keyId: string | null
  /** Undefined if the token is of no organization. */
  readonly organization: TokenClaims['org']
  /** What the caller may do in the organization. */
  readonly permissions: ReadonlySet<Permission>
  readonly expiresAt: Date
  /** Everything that the token says. */
  readonly claims: TokenClaims
}

/**
 * @returns a function that checks a token. It throws GuildhallError unauthenticated for one that is not valid, and unreachable if the keys
 *   cannot be read
 * @throws TypeError for invalid options
 */
export function createVerifier<Permission extends string = string>({ issuer, audience, maxAge }: VerifierOptions) {
  if (!/^https?:\/\/.+\/api\/tenants\/ten_[0-9a-z]{26}$/.test(issuer))
    throw new TypeError(`\`issuer\` must be like \`https://accounts.example.com/api/tenants/ten_…\`; it is ${issuer}`)
  // Without one, a token for any service would be valid for this one.
  if (typeof audience !== 'string' || audience === '') throw new TypeError('`audience` must name this service.')
  if (maxAge !== undefined && !(Number.isFinite(maxAge) && maxAge >= 0))
    throw new TypeError('`maxAge` must be seconds.')
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks.json`), { [customFetch]: fetchUncached })
  const wanted = {
    issuer,
    audience,
    algorithms: ['RS256'],
    typ: 'at+jwt',
    clockTolerance: 5, // of seconds that our clocks may differ
    requiredClaims: ['sub', 'exp', 'iat', 'jti', 'client_id', 'scope', 'sid'],
    ...(maxAge !== undefined && { maxTokenAge: maxAge }),
  }
  return async (token: string): Promise<VerifiedToken<Permission>> => {
    const { payload } = await jwtVerify<TokenClaims>(token, keys, wanted).catch((error: unknown) => {
      throw refusalOf(error)
    })
    return {
      userId: ifOf('user', payload.sub),
      sessionId: ifOf('dev', payload.sid),
      keyId: ifOf('key', payload.client_id),
      organization: payload.org,
      permissions: new Set(payload.scope.split(' ').filter(Boolean) as Permission[]),
      expiresAt: new Date((payload.exp ?? 0) * 1_000), // the claim is required
      claims: payload,
    }
  }
}

/** An HTTP cache may keep the key set for ten minutes, and jose keeps it for ten more. */
function fetchUncached(url: string, init: RequestInit): Promise<Response> {
  // A platform without a cache lacks the property.
  return fetch(url, { ...init, ...('cache' in Request.prototype && { cache: 'no-store' }) })
}

/** @returns the id if it is of this type */
function ifOf(type: 'user' | 'dev' | 'key', id: string): string | null {
  return id.startsWith(`${type}_`) ? id : null
}

/** Faults of a token. Every other error tells nothing of it: the keys could not be read. */
const faults = [
  JOSEAlgNotAllowed,
  JOSENotSupported,
  JWKSMultipleMatchingKeys,
  JWKSNoMatchingKey,
  JWSInvalid,
  JWSSignatureVerificationFailed,
  JWTClaimValidationFailed,
  JWTExpired,
  JWTInvalid,
]

function refusalOf(error: unknown): GuildhallError {
  return faults.some((fault) => error instanceof fault)
    ? new GuildhallError('unauthenticated', 'The token is not valid.', { status: 401, cause: error })
    : new GuildhallError('unreachable', 'The keys that check tokens cannot be read.', { cause: error })
}
