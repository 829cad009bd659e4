/** Addresses: of the client and of the host that it requested. */
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { networkIn } from '../settings/hosts.ts'

/**
 * @returns the client's IP address in its shortest form, without a port. If a trusted proxy forwards something that is not an address, the
 *   address of the proxy.
 */
export function addressOf(request: FastifyRequest): string {
  const forwarded = request.ip ?? ''
  const bare = /^"?\[([^\]]+)\](?::\d+)?"?$/.exec(forwarded)?.[1] ?? /^([\d.]+):\d+$/.exec(forwarded)?.[1] ?? forwarded
  const [address = ''] = (isIP(bare) ? bare : (request.socket.remoteAddress ?? '')).split('%') // without an IPv6 zone
  return isIP(address) ? ipaddr.process(address).toString() : '0.0.0.0'
}

/**
 * Which addresses are those of proxies whose forwarding headers are believed. A forwarded text that is no address is none of theirs.
 *
 * @param proxies addresses and CIDRs, which the settings have checked
 */
export function proxiesOf(proxies: readonly string[]): (address: string | undefined) => boolean {
  const networks = proxies.map(networkIn)
  return (address = '') => {
    if (isIP(address) === 0) return false
    const ip = ipaddr.process(address)
    return networks.some(([network, length]) => network.kind() === ip.kind() && ip.match(network, length))
  }
}

/** @param ip an IP address @returns the IPv4 address, or the /64 network of an IPv6 address, because one household usually has a /64 */
export function networkOf(ip: string): string {
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`)}/64`
}

/** @param network as `networkOf` gives it @returns the /48 of an IPv6 network, which is the most that one site usually gets (RFC 6177); or itself */
export function siteOf(network: string): string {
  const [address = '', bits] = network.split('/')
  return bits === undefined ? network : `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`)}/48`
}

/** @returns the host name of the request, in the form in which domains are stored: in lower case, without a trailing dot */
export function hostOf(request: FastifyRequest): string {
  return request.hostname.toLowerCase().replace(/\.$/, '')
}
