/**
 * Addresses that the service may call.
 *
 * Invariant: an address that only this machine or its network can reach is called only if the operator names it (`OUTBOUND_PRIVATE`).
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isLoopback, type Network, networkIn } from '../settings/hosts.ts'
import { OutboundError } from './errors.ts'
import type { Address, Resolve } from './names.ts'

/** What `OUTBOUND_PRIVATE` names. */
export interface Named {
  readonly hosts: ReadonlySet<string>
  readonly networks: readonly Network[]
}

/** Which hosts may be called. */
export interface Rules {
  /** Whether hosts that `OUTBOUND_PRIVATE` names may be called; if not, only public addresses, and by https. */
  readonly isPrivateAllowed: boolean
  /** Our own hosts, as `hostOf` names them. They are never called. */
  readonly ownHosts: ReadonlySet<string>
}

/**
 * @returns all addresses of the URL's host, if all of them may be called
 * @throws OutboundError address, dns
 */
export async function findAddresses(
  target: URL,
  { isPrivateAllowed, ownHosts, named, resolve }: Rules & { readonly named: Named; readonly resolve: Resolve },
  signal: AbortSignal,
): Promise<readonly Address[]> {
  const { protocol, username, password } = target
  if (username || password || !['http:', 'https:'].includes(protocol)) throw new OutboundError('address')
  if (ownHosts.has(hostOf(target))) throw new OutboundError('address')
  const host = bare(target.hostname)
  const family = isIP(host)
  const addresses = family
    ? [{ address: host, family }]
    : await resolve(host, signal).catch(() => {
        throw new OutboundError('dns')
      })
  if (addresses.length === 0) throw new OutboundError('dns')
  const mayCall = ({ address }: Address) => {
    if (ownHosts.has(hostOf(target, address))) return false // by another name
    if (isNamed(named, host, address)) return isPrivateAllowed
    return protocol === 'https:' && isPublic(address)
  }
  if (!addresses.every(mayCall)) throw new OutboundError('address')
  return addresses
}

/**
 * A URL's host and port in one spelling: without brackets and a dot at the end, IPv4 also where it is written as IPv6, and `localhost` for
 * every name and address of the loopback interface.
 *
 * @param url  of http or https
 * @param host another name or an address of its host
 */
export function hostOf({ protocol, hostname, port }: URL, host = hostname): string {
  const text = bare(host)
  const name = isIP(text) ? ipaddr.process(text).toString() : text
  return `${isLoopback(name) ? 'localhost' : name}:${port || (protocol === 'https:' ? 443 : 80)}`
}

/** A dot at the end leads to the same host. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$|\.$/g, '')
}

/** @param entries hosts, addresses and CIDRs, which the settings have checked */
export function readNamed(entries: readonly string[]): Named {
  const isNetwork = (entry: string) => isIP(entry.split('/')[0] ?? '') > 0
  return {
    hosts: new Set(entries.filter((entry) => !isNetwork(entry)).map((entry) => entry.toLowerCase())),
    networks: entries.filter(isNetwork).map(networkIn),
  }
}

/** Whether the operator names the host, or the network of the address. */
function isNamed({ hosts, networks }: Named, host: string, address: string): boolean {
  if (hosts.has(host.toLowerCase())) return true
  const parsed = ipaddr.process(address) // IPv4 also where it is written as IPv6, as in `networkIn`
  return networks.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits))
}

const globalUnicast = ipaddr.parseCIDR('2000::/3')

/**
 * Whether everybody on the internet can reach the address: not private, shared (CGNAT), loopback, link-local, unique local, multicast or
 * reserved, and no IPv6 address that contains an IPv4 address.
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || parsed.match(...globalUnicast) // ::7f00:1 counts as unicast, too
}
