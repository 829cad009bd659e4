/** Addresses of an application as somebody types them, one a line. The API has the last word. */
import type { Kind } from './application.ts'

export type Fault = 'form' | 'scheme' | 'app_scheme' | 'fragment' | 'person' | 'wildcard' | 'spelling'

export interface FaultAt {
  readonly address: string
  readonly fault: Fault
  /** As a browser writes it. */
  readonly spelling: string
}

export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** @returns the first line that is no address to which people of such an application can be sent */
export function findFault(text: string, kind: Kind): FaultAt | undefined {
  for (const address of linesOf(text)) {
    const fault = faultOf(address, kind)
    if (fault) return { address, fault, spelling: URL.canParse(address) ? new URL(address).href : address }
  }
  return undefined
}

const loopbacks = ['localhost', '127.0.0.1', '[::1]']

function faultOf(address: string, kind: Kind): Fault | undefined {
  if (!URL.canParse(address)) return 'form'
  const { protocol, hostname, username, password, href } = new URL(address)
  if (address.includes('#')) return 'fragment'
  if (username !== '' || password !== '') return 'person'
  if (address.includes('*')) return 'wildcard'
  if (protocol === 'http:') {
    if (!loopbacks.includes(hostname)) return 'scheme'
  } else if (protocol !== 'https:') {
    if (kind !== 'native') return 'scheme'
    if (!protocol.includes('.')) return 'app_scheme'
  }
  return href === address ? undefined : 'spelling'
}
