/**
 * Metadata of providers (OpenID Connect Discovery 1.0), kept for ten minutes.
 *
 * oauth4webapi keeps a provider's keys beside its metadata for five minutes, and fetches them again for an unknown `kid`, at most once a
 * minute. The metadata must therefore stay the same object.
 */
import {
  _expectedIssuer,
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from 'oauth4webapi'
import { OutboundError, type OutboundFetch } from '../../platform/outbound/outbound.ts'
import { ProviderFailure } from './failures.ts'
import type { Claims, OpenIdKind, Provider } from './kinds.ts'

declare module 'oauth4webapi' {
  /** Undocumented: the issuer that an ID token must name, if it depends on its claims. The version is therefore pinned. */
  export const _expectedIssuer: unique symbol
}

export type Metadata = AuthorizationServer

/** Of ID tokens. Keys of RSA have at least 2048 bits, which oauth4webapi checks. */
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']

const lifetime = 10 * 60_000
/** How long the URL of a provider's page may be; our parameters are added to it. */
const longestUrl = 2_000
/** Providers whose metadata are kept. */
const most = 1_000

/** What every call of oauth4webapi must be given. Whether a call may be without TLS is decided in platform/outbound. */
export function callsThrough(outbound: OutboundFetch) {
  return {
    [allowInsecureRequests]: true,
    [customFetch]: async (url: string, request: Parameters<OutboundFetch>[1]) => {
      const answer = await outbound(url, request)
      if (answer.status >= 500 || answer.status === 429) throw new ProviderFailure('unreachable')
      return answer
    },
  } as const
}

export class MetadataStore {
  readonly #calls: ReturnType<typeof callsThrough>
  readonly #kept = new Map<string, { readonly until: number; readonly metadata: Promise<Metadata> }>()

  constructor(calls: ReturnType<typeof callsThrough>) {
    this.#calls = calls
  }

  /** @throws ProviderFailure unreachable, bad_metadata */
  get(kind: OpenIdKind, provider: Provider): Promise<Metadata> {
    const { url, issuer } = kind.locate(provider)
    const key = `${provider.type} ${url}`
    const known = this.#kept.get(key)
    if (known && known.until > Date.now()) return known.metadata
    const metadata = this.#load(kind, provider, url, issuer)
    this.#kept.delete(key)
    this.#kept.set(key, { until: Date.now() + lifetime, metadata })
    metadata.catch(() => {
      if (this.#kept.get(key)?.metadata === metadata) this.#kept.delete(key)
    })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > most && oldest !== undefined) this.#kept.delete(oldest)
    return metadata
  }

  async #load(kind: OpenIdKind, provider: Provider, url: string, issuer: string): Promise<Metadata> {
    try {
      const answer = await discoveryRequest(new URL(url), this.#calls)
      const found = await processDiscoveryResponse(new URL(issuer), answer)
      if (found.issuer !== issuer) throw new ProviderFailure('bad_metadata') // the library ignores a trailing slash
      const announced = found.id_token_signing_alg_values_supported ?? ['RS256']
      const accepted = algorithms.filter((each) => announced.includes(each))
      if (accepted.length === 0 || !isForBrowsers(found)) throw new ProviderFailure('bad_metadata')
      const { issuerFor } = kind
      return {
        ...found,
        id_token_signing_alg_values_supported: accepted,
        ...(issuerFor && {
          [_expectedIssuer]: ({ claims }: { readonly claims: Claims }) => issuerFor(claims, provider),
        }),
      }
    } catch (error) {
      if (error instanceof ProviderFailure) throw error
      throw new ProviderFailure(error instanceof OutboundError ? 'unreachable' : 'bad_metadata')
    }
  }
}

/** Whether the page where people sign in is one of the web, and no script; without TLS only if the issuer has none. */
function isForBrowsers({ authorization_endpoint, issuer }: Metadata): boolean {
  if ((authorization_endpoint ?? '').length > longestUrl) return false
  const protocol = URL.parse(authorization_endpoint ?? '')?.protocol
  return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http://'))
}
