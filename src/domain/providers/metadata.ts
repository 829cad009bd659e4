/**
 * Metadata of providers (OpenID Connect Discovery 1.0), kept for ten minutes.
 *
 * Invariant: what is kept of metadata takes a few KiB of memory, whatever a provider answers. Admins of any tenant may name a hostile one.
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
/** How long the URLs of a provider may be; our parameters are added to that of its page. */
const longestUrl = 2_000
const endpoints = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'] as const
/** Of the lists that are kept: how many values, and how long each may be. */
const [mostValues, longestValue] = [32, 64]
/** How long metadata and key sets may be, in bytes. Those of the large providers have less than 20 KiB. */
const longestAnswer = 64 * 1024
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
      const answer = await withinBounds(await discoveryRequest(new URL(url), this.#calls))
      const found = await processDiscoveryResponse(new URL(issuer), answer)
      if (found.issuer !== issuer) throw new ProviderFailure('bad_metadata') // the library ignores a trailing slash
      const announced = found.id_token_signing_alg_values_supported ?? ['RS256']
      const accepted = algorithms.filter((each) => announced.includes(each))
      if (accepted.length === 0 || !isForBrowsers(found)) throw new ProviderFailure('bad_metadata')
      const { issuerFor } = kind
      return {
        ...keptOf(found),
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

/** @returns the answer, which can be read again @throws ProviderFailure bad_metadata if it is too long */
export async function withinBounds(answer: Response): Promise<Response> {
  if (answer.status !== 200) return answer
  const body = await answer.arrayBuffer()
  if (body.byteLength > longestAnswer) throw new ProviderFailure('bad_metadata')
  return new Response(body, answer)
}

/** The parts of metadata that are read, by us or by oauth4webapi. @throws ProviderFailure bad_metadata if a URL is too long */
function keptOf(found: Metadata): Metadata {
  const urls = endpoints.flatMap((name) => (typeof found[name] === 'string' ? [[name, found[name]] as const] : []))
  if (urls.some(([, url]) => url.length > longestUrl)) throw new ProviderFailure('bad_metadata')
  const lists = (['token_endpoint_auth_methods_supported', 'userinfo_signing_alg_values_supported'] as const).flatMap(
    (name) => {
      const values: unknown = found[name]
      return Array.isArray(values) ? [[name, values.filter(isShort).slice(0, mostValues)] as const] : []
    },
  )
  return {
    issuer: found.issuer,
    ...Object.fromEntries([...urls, ...lists]),
    authorization_response_iss_parameter_supported: Boolean(found.authorization_response_iss_parameter_supported),
  }
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length <= longestValue
}

/** Whether the page where people sign in is one of the web, and no script; without TLS only if the issuer has none. */
function isForBrowsers({ authorization_endpoint, issuer }: Metadata): boolean {
  const protocol = URL.parse(authorization_endpoint ?? '')?.protocol
  return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http://'))
}
