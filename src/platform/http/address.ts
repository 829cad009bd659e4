/** Address: where a request comes from. */
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/**
 * @returns the IP address of whoever sent the request, in its shortest form. What a trusted proxy forwards may have a port; what is
 *   no address at all counts as the proxy's own.
 */
export function addressOf(request: FastifyRequest): string {
  const forwarded = request.ip ?? ''
  const bare = /^"?\[([^\]]+)\](?::\d+)?"?$/.exec(forwarded)?.[1] ?? /^([\d.]+):\d+$/.exec(forwarded)?.[1] ?? forwarded
  const [address = ''] = (isIP(bare) ? bare : (request.socket.remoteAddress ?? '')).split('%') // without an IPv6 zone
  return isIP(address) ? ipaddr.process(address).toString() : '0.0.0.0'
}

/** @returns the IPv4 address, or the /64 of an IPv6 one: a household has that many of them */
export function networkOf(ip: string): string {
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`)}/64`
}

/** @returns the name under which the request came, as domains are kept: lower case, without a dot at its end */
export function hostOf(request: FastifyRequest): string {
  return request.hostname.toLowerCase().replace(/\.$/, '')
}
