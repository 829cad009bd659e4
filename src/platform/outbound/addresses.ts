/**
 * Addresses that the service may call.
 *
 * Invariant: an address that only this machine or its network can reach is called only if the operator names it (`OUTBOUND_PRIVATE`).
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** What `OUTBOUND_PRIVATE` names. */
export interface Named {
  readonly hosts: ReadonlySet<string>
  readonly networks: readonly Network[]
}

/** @param entries hosts, addresses and CIDRs, which the settings have checked */
export function readNamed(entries: readonly string[]): Named {
  const isNetwork = (entry: string) => isIP(entry.split('/')[0] ?? '') > 0
  return {
    hosts: new Set(entries.filter((entry) => !isNetwork(entry)).map((entry) => entry.toLowerCase())),
    networks: entries.filter(isNetwork).map((entry) => {
      if (entry.includes('/')) return ipaddr.parseCIDR(entry)
      return ipaddr.parseCIDR(`${entry}/${isIP(entry) === 4 ? 32 : 128}`)
    }),
  }
}

/** Whether the operator names the host, or the network of the address. */
export function isNamed({ hosts, networks }: Named, host: string, address: string): boolean {
  if (hosts.has(host.toLowerCase())) return true
  const parsed = ipaddr.parse(address)
  return networks.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits))
}

const globalUnicast: Network = ipaddr.parseCIDR('2000::/3')

/**
 * Whether everybody on the internet can reach the address: not private, shared (CGNAT), loopback, link-local, unique local, multicast or
 * reserved, and no IPv6 address that contains an IPv4 address.
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || parsed.match(...globalUnicast) // ::7f00:1 counts as unicast, too
}
