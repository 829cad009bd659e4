/** Addresses of applications: where people may be sent, and which texts admins may set as such. */
import type { Sql } from '../../platform/database/database.ts'
import { type Fault, faultOf } from '../../platform/http/faults.ts'
import type { Config } from '../../platform/settings/config.ts'
import { isLoopback } from '../../platform/settings/hosts.ts'
import type { Application, ApplicationKind } from './applications.ts'

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

/** @returns the address without its port, if it is on the loopback interface by number, and the rest of the text is canonical */
function loopback(uri: string): string | undefined {
  const [, start, rest] = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::[1-9]\d{0,4})?(\/[^#]*)$/.exec(uri) ?? []
  if (start === undefined || rest === undefined || !URL.canParse(uri)) return undefined
  const withoutPort = start + rest
  return new URL(withoutPort).href === withoutPort ? withoutPort : undefined
}

/** The parameters that an answer adds to a redirect URI. None may be in its query, because none comes twice (RFC 6749, 3.1). */
const ofAnswers = ['code', 'state', 'iss', 'error', 'error_description'] as const
export type AnswerParameter = (typeof ofAnswers)[number]

/** The addresses of an application. */
export type Addresses = Pick<Application, 'redirectUris' | 'postLogoutUris' | 'startUrl' | 'backChannelLogoutUri'>

/**
 * Judges the addresses that somebody sets, in texts of the format `redirect-uri`: https, http on loopback, or a scheme with a dot; without
 * fragment, user name and password. What was taken by an earlier rule is sent again with a list: it may stay.
 *
 * @param stored the addresses that the application has, which are not judged again
 * @returns a fault for each that such an application may not have
 */
export async function faultsOfAddresses(
  sql: Sql,
  { publicUrl }: Pick<Config, 'publicUrl'>,
  kind: ApplicationKind,
  { redirectUris = [], postLogoutUris = [], startUrl, backChannelLogoutUri }: Partial<Addresses>,
  stored: Partial<Addresses> = {},
): Promise<Fault[]> {
  const lists = [
    { field: 'redirectUris', uris: redirectUris, known: stored.redirectUris, added: ofAnswers },
    { field: 'postLogoutUris', uris: postLogoutUris, known: stored.postLogoutUris, added: ['state'] },
  ]
  const opened = [
    ...lists.flatMap(({ field, uris, known = [], added }) =>
      uris
        .map((uri, index) => ({ uri, pointer: `/${field}/${index}`, isRepeated: uris.indexOf(uri) < index, added }))
        .filter(({ uri, isRepeated }) => isRepeated || !known.includes(uri)),
    ),
    ...(startUrl && startUrl !== stored.startUrl
      ? [{ uri: startUrl, pointer: '/startUrl', isRepeated: false, added: [] }]
      : []),
  ]
  const isNew = backChannelLogoutUri !== stored.backChannelLogoutUri
  const posted = backChannelLogoutUri && isNew ? [{ uri: backChannelLogoutUri, pointer: '/backChannelLogoutUri' }] : []
  const hosts = [...opened, ...posted].map(({ uri }) => hostOf(uri))
  const domains = await sql<{ domain: string }>`select domain from tenant_domains where domain = any(${hosts})`
  const own = new Set(domains.map(({ domain }) => domain))
  const common = (pointer: string, uri: string) => {
    if (new URL(uri).href !== uri)
      return faultOf(pointer, 'invalid_format', 'Write the URL as a browser shows it after opening it.')
    if (own.has(hostOf(uri)) || isBelow(publicUrl, uri))
      return faultOf(pointer, 'not_allowed', 'This is a URL of Guildhall itself.')
    return undefined
  }
  return [
    ...opened.map(({ uri, pointer, isRepeated, added }) => {
      if (isRepeated) return faultOf(pointer, 'not_allowed', 'This URL is listed twice.')
      if (kind !== 'native' && hasOwnScheme(uri))
        return faultOf(pointer, 'not_allowed', 'Only a `native` application has URLs with a scheme of its own.')
      const fault = common(pointer, uri)
      if (fault) return fault
      const query = new URL(uri).searchParams
      if (added.some((name) => query.has(name)))
        return faultOf(
          pointer,
          'not_allowed',
          `The query must not have what Guildhall adds to it: ${added.join(', ')}.`,
        )
      return undefined
    }),
    ...posted.map(({ uri, pointer }) => {
      if (hasOwnScheme(uri)) return faultOf(pointer, 'not_allowed', 'A URL with https is needed.')
      // Keycloak filled such placeholders in (CVE-2026-4874). Nobody does here, so they are a mistake.
      if (/[{}]/.test(uri)) return faultOf(pointer, 'not_allowed', 'A URL without placeholders is needed.')
      return common(pointer, uri)
    }),
  ].filter((fault) => fault !== undefined)
}

function hasOwnScheme(uri: string): boolean {
  return !/^https?:/i.test(uri)
}

/** A dot at the end leads to the same host. */
function hostOf(uri: string): string {
  return new URL(uri).hostname.replace(/\.$/, '')
}

/** Whether an address is below that of this service. On the machine itself it has several names. */
function isBelow(publicUrl: string, uri: string): boolean {
  const [own, other] = [new URL(publicUrl), new URL(uri)]
  const isSameHost = hostOf(uri) === own.hostname || (isLoopback(hostOf(uri)) && isLoopback(own.hostname))
  return isSameHost && other.protocol === own.protocol && other.port === own.port
}
