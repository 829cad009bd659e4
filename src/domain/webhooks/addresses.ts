/**
 * Addresses of webhooks: which URLs may be set as such, and which hosts are our own.
 *
 * A URL is judged when it is set, so that a mistake is known at once, and again at each attempt, because names and domains change.
 */
import { type Sql, type Statement, statement } from '../../platform/database/database.ts'
import { atMost, type Fault, faultOf } from '../../platform/http/faults.ts'
import { hostOf } from '../../platform/outbound/addresses.ts'
import { type Outbound, OutboundError } from '../../platform/outbound/outbound.ts'
import { QueuedPlaces } from '../../platform/outbound/queued-places.ts'
import type { Config } from '../../platform/settings/config.ts'

/** Whose webhook it is: a tenant's may call hosts that `OUTBOUND_PRIVATE` names. */
export type WebhookKind = 'tenant' | 'organization'

/** How long a URL may be, in characters. */
export const longestUrl = 2_048

/**
 * Reads which hosts are our own, of those to which the URL may lead: `PUBLIC_URL`, and domains of any tenant at the port of `PUBLIC_URL`. The
 * host of a tenant's base URL is its product's, so it may be called.
 *
 * @param url any text
 * @returns hosts and ports, as `Outbound` takes them
 */
export async function readOwnHosts(
  sql: Sql,
  { publicUrl }: Pick<Config, 'publicUrl'>,
  url: string,
): Promise<ReadonlySet<string>> {
  return ownHostsOf({ publicUrl }, await sql<{ domain: string }>`${selectOwnDomains(url)}`)
}

/** Selects the domains of tenants to which a URL leads. */
export function selectOwnDomains(url: string): Statement {
  const name = URL.parse(url)?.hostname.replace(/\.$/, '') ?? ''
  return statement`select domain from tenant_domains where domain = ${name}`
}

/** @returns hosts and ports, as `readOwnHosts` does, of domains that were read */
export function ownHostsOf(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  domains: readonly { readonly domain: string }[],
): ReadonlySet<string> {
  const own = new URL(publicUrl)
  return new Set([hostOf(own), ...domains.map(({ domain }) => hostOf(own, domain))])
}

/** Of a tenant, 4 URLs at most are judged at once: its own names that are slow to resolve hold up no other tenant. */
const places = new QueuedPlaces({ all: Number.POSITIVE_INFINITY, each: 4, wait: 2_000 })

/**
 * Judges a URL that somebody sets. It may ask name servers for seconds, so it is called outside of transactions, and only for callers who
 * may set the URL: the answer tells something of the operator's network.
 *
 * A name without addresses is no fault of an https URL, because it may get some later, and neither is one for which the tenant has no place
 * in time. Each attempt judges them.
 *
 * @param tenant whose admins, or admins of whose organizations, set the URL
 * @param ownHosts of `readOwnHosts`
 * @returns a fault at `/url`, or none
 */
export async function judgeUrl(
  outbound: Pick<Outbound, 'judge'>,
  tenant: string,
  ownHosts: ReadonlySet<string>,
  url: string,
  kind: WebhookKind,
): Promise<Fault[]> {
  const faults = judgeForm(ownHosts, url, kind)
  if (faults.length > 0) return faults
  const giveBack = await places.take(tenant)
  try {
    if (!giveBack) throw new OutboundError('busy')
    await outbound.judge(url, { isPrivateAllowed: kind === 'tenant', ownHosts })
    return []
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.detail === 'address') return [notAllowed(sentenceOf(url, kind))]
    if (!isPlain(url)) return []
    return [
      notAllowed(
        error.detail === 'busy'
          ? 'The host of this URL cannot be looked up now. Try again soon.'
          : 'A URL with http needs a host that has an address now.',
      ),
    ]
  } finally {
    giveBack?.()
  }
}

/** Judges a URL by its text alone, without asking name servers: for many at once, each of which is judged again when something is sent. */
export function judgeForm(ownHosts: ReadonlySet<string>, url: string, kind: WebhookKind): Fault[] {
  const fault = faultOfForm(url, kind)
  if (fault) return [fault]
  return ownHosts.has(hostOf(new URL(url))) ? [notAllowed('This is a URL of Guildhall itself.')] : []
}

/** What is wrong with the text itself. */
function faultOfForm(url: string, kind: WebhookKind): Fault | undefined {
  const target = /^[\x21-\x7e]+$/.test(url) && !url.includes('\\') ? URL.parse(url) : null
  if (!target?.hostname)
    return faultOf('/url', 'invalid_format', 'A URL like https://example.com/webhooks is needed, in ASCII characters.')
  if (Math.max(url.length, target.href.length) > longestUrl) return faultOf('/url', 'too_long', atMost(longestUrl))
  if (target.username || target.password) return notAllowed('A URL without a user name and password is needed.')
  if (url.includes('#')) return notAllowed('A URL without a fragment is needed.')
  if (target.protocol === 'https:' || (isPlain(url) && kind === 'tenant')) return undefined
  return notAllowed('A URL with https is needed.')
}

function sentenceOf(url: string, kind: WebhookKind): string {
  if (isPlain(url))
    return 'A URL with https is needed. Only hosts that the operator names in `OUTBOUND_PRIVATE` may have http.'
  if (kind === 'organization') return 'The host has an address that cannot be called. A public address is needed.'
  return 'The host has an address that cannot be called. A public one is needed, or one that the operator names in `OUTBOUND_PRIVATE`.'
}

function isPlain(url: string): boolean {
  return new URL(url).protocol === 'http:'
}

function notAllowed(detail: string): Fault {
  return faultOf('/url', 'not_allowed', detail)
}
