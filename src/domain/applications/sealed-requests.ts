/**
 * Sealed requests: requests of applications that were checked, on their way through our pages and back: `ghr_<tenant>.<sealed>`.
 *
 * They are no secrets of a person, and open nothing. Each kind is sealed apart, so that none is taken for another.
 */
import { Type } from 'typebox'
import type { Keyring } from '../../platform/cryptography.ts'
import { sealedRequestPattern, suffixOf, tenantOf } from '../access/tokens.ts'

type Kind = 'authorize' | 'sign-out'

/** How long one may take to come back, in seconds. */
const lifetime = 3_600

export const SealedRequest = Type.String({
  maxLength: 10_000,
  pattern: sealedRequestPattern,
  description: 'The `request` with which the page was opened.',
  examples: [`ghr_01k9zq3v5hf8gs4m2y7c6t0wdn.${'x'.repeat(60)}`],
})

export function sealRequest<Request extends object>(
  keyring: Keyring,
  tenant: string,
  kind: Kind,
  request: Request,
): string {
  return `ghr_${suffixOf(tenant)}.${keyring.seal('request', JSON.stringify(request), contextOf(tenant, kind))}`
}

/**
 * @param text in the form of `SealedRequest`
 * @returns what was sealed, also if it is over; undefined for a text that is none of this kind and tenant
 */
export function openRequest<Request extends object>(
  keyring: Keyring,
  tenant: string,
  kind: Kind,
  text: string,
): Request | undefined {
  const opened = keyring.open('request', text.slice(text.indexOf('.') + 1), contextOf(tenant, kind))
  return opened === undefined ? undefined : (JSON.parse(opened) as Request) // sealed above, under the kind
}

/** @returns the id of the tenant that it names; `openRequest` says whether it is the tenant’s */
export function tenantOfRequest(text: string): string {
  return tenantOf(text)
}

/** Whether a request was under way for too long. Both times are the database’s. */
export function isOver({ requestedAt }: { readonly requestedAt: string }, now: string): boolean {
  return Date.parse(now) - Date.parse(requestedAt) > lifetime * 1_000
}

function contextOf(tenant: string, kind: Kind): string {
  return `${tenant}\n${kind}`
}
