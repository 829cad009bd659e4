/** Addresses of applications: where people may be sent, and which text is such an address. */
import type { Application } from './applications.ts'

/**
 * Whether people may be sent to an address with a code. Addresses are compared as texts (ASVS 5.0 V10.4.1), but that a `native` application
 * may listen at any port of the loopback interface (RFC 8252, 7.3).
 */
export function isRedirectUri(
  { kind, redirectUris }: Pick<Application, 'kind' | 'redirectUris'>,
  uri: string,
): boolean {
  if (redirectUris.includes(uri)) return true
  const withoutPort = kind === 'native' ? loopback(uri) : undefined
  return withoutPort !== undefined && redirectUris.some((known) => loopback(known) === withoutPort)
}

/** @returns the address without its port, if it is on the loopback interface by number, and the text is canonical */
function loopback(uri: string): string | undefined {
  const [, start, rest] = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(\/[^#]*)$/.exec(uri) ?? []
  if (start === undefined || rest === undefined || !URL.canParse(uri) || new URL(uri).href !== uri) return undefined
  return start + rest
}
