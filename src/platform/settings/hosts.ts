/** Checks of hosts, networks and senders in settings. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** @param host a host name or an IP address; an IPv6 address may have brackets */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
}

/** Whether it is a valid sender of mails: an address, or a name and an address in angle brackets. */
export function isSender(text: string): boolean {
  return !/\p{Cc}/u.test(text) && /^[^<>@]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/.test(text)
}

export function isCidr(text: string): boolean {
  const [address = ''] = text.split('/')
  return isIP(address) > 0 && (ipaddr.isValid(text) || ipaddr.isValidCIDR(text)) // ipaddr alone would read 10.1 as 10.0.0.1
}
