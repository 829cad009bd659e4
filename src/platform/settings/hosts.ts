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

/** A name and an address in angle brackets, or an address alone. */
const senderForm = /^(?:(?<name>[^<>@]*)<(?<named>[^<>@\s]+@[^<>@\s]+)>|(?<bare>[^<>@\s]+@[^<>@\s]+))$/

/** Whether it is a valid sender of mails: an address, or a name and an address in angle brackets. */
export function isSender(text: string): boolean {
  // In an address, a mail program reads these as the end of something else.
  return !/\p{Cc}/u.test(text) && senderForm.test(text) && !/[,;:()"\\]/.test(senderOf(text).address)
}

/**
 * Takes a sender apart. A mail program would read a comma or a colon in its name as the end of an address or of a group, and parentheses as
 * a comment. So the name is apart, and what writes the header quotes it.
 *
 * @param text for which `isSender` is true
 * @returns the name without quotes around it; empty if there is none
 */
export function senderOf(text: string): { readonly name: string; readonly address: string } {
  const { name = '', named, bare = text } = senderForm.exec(text)?.groups ?? {}
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/.exec(name.trim()) ?? []
  return { name: quoted?.replace(/\\(.)/g, '$1') ?? name.trim(), address: named ?? bare }
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
    return isCidr(entry) && isEverybody(entry) ? [`OUTBOUND_PRIVATE must not allow every address ("${entry}").`] : []
  })
}

function isCidr(text: string): boolean {
  const [address = ''] = text.split('/')
  return isIP(address) > 0 && (ipaddr.isValid(text) || ipaddr.isValidCIDR(text)) // ipaddr alone would read 10.1 as 10.0.0.1
}

function isEverybody(entry: string): boolean {
  return networkIn(entry)[1] === 0
}

/** An address, and how many of its bits name the network. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/**
 * @param entry an address or a CIDR, which the settings have checked
 * @returns an IPv4 network also where it is written as IPv6 (`::ffff:10.0.0.0/104`): IPv4 addresses are compared in their own form
 */
export function networkIn(entry: string): Network {
  const [address = '', bits] = entry.split('/')
  const network = ipaddr.parse(address)
  const length = bits === undefined ? network.toByteArray().length * 8 : Number(bits)
  if (network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && length >= 96)
    return [network.toIPv4Address(), length - 96]
  return [network, length]
}

/** Whether it is a host name, and not a short or foreign form of an IPv4 address, such as 10.1 or 0x7f000001. */
function isHostName(text: string): boolean {
  const labels = text.split('.')
  const isName = labels.every((label) => /^[a-z\d_]([a-z\d_-]*[a-z\d_])?$/i.test(label))
  return isName && !/^(\d+|0x.*)$/i.test(labels.at(-1) ?? '')
}
