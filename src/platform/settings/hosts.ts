/** Hosts, networks and senders, as settings name them. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** @param host a host name or an address, with or without the brackets of IPv6 */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
}

/** Whether mail may come from it: one address, with a name before it or alone. */
export function isSender(text: string): boolean {
  return !/\p{Cc}/u.test(text) && /^[^<>@]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/.test(text)
}

export function isCidr(text: string): boolean {
  const [address = ''] = text.split('/')
  return isIP(address) > 0 && (ipaddr.isValid(text) || ipaddr.isValidCIDR(text)) // ipaddr alone would take 10.1 for 10.0.0.1
}
