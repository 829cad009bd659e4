/**
 * Kinds of providers: what distinguishes them, in one table.
 *
 * Invariant: an address is believed only of a provider that is known to verify it. Microsoft is never believed, because admins of any
 * Microsoft tenant can write any address into its accounts.
 */

import type { ProviderType } from '../credentials/identities.ts'

/** What a sign-in needs to know of a provider. */
export interface Provider {
  readonly type: ProviderType
  readonly clientId: string
  /** Null: a public client. */
  readonly clientSecret: string | null
  /** Of `oidc`. */
  readonly issuer: string | null
  /** Of `microsoft`: a tenant's id, `common`, `organizations` or `consumers`. */
  readonly microsoftTenant: string | null
  /** Of `oidc`. */
  readonly trustsEmail: boolean
}

/** Claims of an ID token, with those of the user info that it lacks. */
export type Claims = Readonly<Record<string, unknown>>

/** A provider that speaks OpenID Connect. */
export interface OpenIdKind {
  readonly protocol: 'openid'
  readonly scope: string
  /** How the client secret is sent if the provider accepts both ways. */
  readonly secretIn: 'header' | 'body'
  /** `url`: the metadata are below it. `issuer`: what they must name. */
  locate(provider: Provider): { readonly url: string; readonly issuer: string }
  /** The issuer that the ID token must name, if it is not that of the metadata. */
  readonly issuerFor?: (claims: Claims, provider: Provider) => string
  /** Whether it is believed that the address is verified, if the provider says so. */
  believes(claims: Claims, provider: Provider): boolean
}

/** GitHub, which speaks OAuth 2.0 without ID tokens. */
export interface GitHubKind {
  readonly protocol: 'github'
  readonly scope: string
  /** Of identities. */
  readonly issuer: string
  /** What `iss` must be in callbacks. */
  readonly callbackIssuer: string
  readonly authorizationUrl: string
  readonly tokenUrl: string
  readonly apiUrl: string
}

export type Kinds = Readonly<Record<Exclude<ProviderType, 'github'>, OpenIdKind>> & { readonly github: GitHubKind }

/** Where the providers are. Tests have doubles elsewhere. */
const usual = {
  google: 'https://accounts.google.com',
  microsoft: 'https://login.microsoftonline.com',
  github: 'https://github.com',
  gitHubApi: 'https://api.github.com',
}

export function makeKinds(origins: Partial<typeof usual> = {}): Kinds {
  const { google, microsoft, github, gitHubApi } = { ...usual, ...origins }
  const openId = { protocol: 'openid', scope: 'openid email profile' } as const
  return {
    google: {
      ...openId,
      secretIn: 'body',
      locate: () => ({ url: google, issuer: google }),
      // Other addresses are verified only once, and may belong to somebody else by now.
      believes: ({ email, hd }) => (typeof hd === 'string' && hd !== '') || /@gmail\.com$/i.test(String(email)),
    },
    microsoft: {
      ...openId,
      secretIn: 'body',
      locate: ({ microsoftTenant }) => {
        const named = microsoftTenant ?? 'common'
        return { url: `${microsoft}/${named}/v2.0`, issuer: `${microsoft}/${tenantIn(named, '{tenantid}')}/v2.0` }
      },
      issuerFor: ({ tid }, { microsoftTenant }) => {
        const isId = typeof tid === 'string' && microsoftTenantId.test(tid)
        const fits = isId && (microsoftTenant !== 'organizations' || tid !== consumers)
        return fits ? `${microsoft}/${tenantIn(microsoftTenant ?? 'common', tid)}/v2.0` : ''
      },
      believes: () => false,
    },
    github: {
      protocol: 'github',
      scope: 'read:user user:email',
      issuer: github,
      callbackIssuer: `${github}/login/oauth`,
      authorizationUrl: `${github}/login/oauth/authorize`,
      tokenUrl: `${github}/login/oauth/access_token`,
      apiUrl: gitHubApi,
    },
    oidc: {
      ...openId,
      secretIn: 'header',
      locate: ({ issuer }) => ({ url: issuer ?? '', issuer: issuer ?? '' }),
      believes: (_claims, { trustsEmail }) => trustsEmail,
    },
  }
}

export const kinds = makeKinds()

/** The Microsoft tenant of all personal accounts. */
const consumers = '9188040d-6c67-4c5b-b112-36a304b66dad'
const microsoftTenantId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** The tenant that Microsoft's issuer names. @param ofAny for accounts of more than one tenant */
function tenantIn(named: string, ofAny: string): string {
  if (named === 'consumers') return consumers
  return named === 'common' || named === 'organizations' ? ofAny : named
}
