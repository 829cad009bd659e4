/** Checks of hosts, networks and senders in settings. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** @param host a host name or an IP address; an IPv6 address may have brackets */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
}

/** @returns the host as a local URL names it: `localhost` for 127.0.0.1, because passkeys need a name, and a cookie belongs to one name */
export function hostInUrl(host: string): string {
  if (host === '127.0.0.1') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** Whether it is a valid sender of mails: an address, or a name and an address in angle brackets. */
export function isSender(text: string): boolean {
  return !/\p{Cc}/u.test(text) && /^[^<>@]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/.test(text)
}

/** @returns a sentence for each entry of TRUST_PROXY that is none */
export function faultsOfProxies(entries: readonly string[]): string[] {
  return entries.flatMap((entry) => {
    if (!isCidr(entry)) return [`TRUST_PROXY must list addresses or CIDRs such as 10.0.0.0/8; "${entry}" is neither.`]
    return isEverybody(entry) ? [`TRUST_PROXY must not trust every address ("${entry}").`] : []
  })
}

/** @returns a sentence for each entry of OUTBOUND_PRIVATE that is none */
export function faultsOfPrivate(entries: readonly string[]): string[] {
  return entries.flatMap((entry) => {
    if (!isCidr(entry) && !isHostName(entry))
      return [`OUTBOUND_PRIVATE must list hosts, addresses or CIDRs such as 10.0.0.0/8; "${entry}" is none of these.`]
    return isEverybody(entry) ? [`OUTBOUND_PRIVATE must not allow every address ("${entry}").`] : []
  })
}

function isCidr(text: string): boolean {
  const [address = ''] = text.split('/')
  return isIP(address) > 0 && (ipaddr.isValid(text) || ipaddr.isValidCIDR(text)) // ipaddr alone would read 10.1 as 10.0.0.1
}

function isEverybody(cidr: string): boolean {
  return /\/0+$/.test(cidr)
}

/** Whether it is a host name, and not a short or foreign form of an IPv4 address, such as 10.1 or 0x7f000001. */
function isHostName(text: string): boolean {
  const labels = text.split('.')
  const isName = labels.every((label) => /^[a-z\d_]([a-z\d_-]*[a-z\d_])?$/i.test(label))
  return isName && !/^(\d+|0x.*)$/i.test(labels.at(-1) ?? '')
}
