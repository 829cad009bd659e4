/** Headers in the document: those that a route takes, and those with which it answers. */
import type { RouteOptions } from 'fastify'
import { rateHeaders, versionHeader } from './openapi-problems.ts'

/** @param namesTenant whether the tenant of a request is not known by a credential */
export function headersOf({ config }: RouteOptions, namesTenant: boolean): Readonly<Record<string, object>> {
  return {
    ...(namesTenant && { 'Guildhall-Tenant': tenantHeader }),
    ...(config?.startsSession && { 'Guildhall-Session': sessionHeader }),
    ...(config?.readsDevice && { 'Guildhall-Session': deviceHeader }),
    ...(config?.takesIfMatch && { 'If-Match': matchHeader }),
    ...(config?.takesIdempotencyKey && { 'Idempotency-Key': keyHeader }),
  }
}

const tenantHeader = {
  type: 'string',
  maxLength: 48,
  description: 'The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`.',
}
const sessionHeader = {
  type: 'string',
  enum: ['cookie'],
  description: 'Puts the session token into a cookie instead of the body.',
}
const deviceHeader = {
  ...sessionHeader,
  description: 'Reads the cookie by which an account knows this device. Browsers that use the session cookie have one.',
}

const matchHeader = {
  type: 'string',
  maxLength: 1000,
  description: 'The `ETag` that you have read. If the resource has changed since, the request is refused with 412.',
  examples: ['"org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"'],
}
const keyHeader = {
  type: 'string',
  minLength: 1,
  maxLength: 520,
  description:
    'A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.',
  examples: ['"8e03978e-40d5-43e8-bc93-6894a57f9324"'],
}

/** The shapes that have versions. */
const versioned = new Set([
  'User#',
  'Organization#',
  'Invitation#',
  'Key#',
  'KeyWithSecret#',
  'TenantSettings#',
  'Webhook#',
  'WebhookWithSecret#',
  'Application#',
  'ApplicationWithSecret#',
  'Provider#',
  'AccessModel#',
])

/** The answers of a route that is used as it is meant, with the headers that tell something. */
export function withHeaders(schema: RouteOptions['schema'], route: RouteOptions): object {
  const { querystring } = (schema ?? {}) as { querystring?: { properties?: object } }
  const isPaged = Object.hasOwn(querystring?.properties ?? {}, 'cursor')
  const text = (description: string) => ({ type: 'string', maxLength: 4096, description })
  const link = text('The next page, where there is one: `<…>; rel="next"` (RFC 8288).')
  const headers = {
    ...(isPaged && { Link: { ...link, maxLength: 32_768 } }), // the address of this page, of 16 KiB at most, and a cursor
    ...(route.config?.startsSession && { 'Set-Cookie': text('The session, with `Guildhall-Session: cookie`.') }),
    ...(!route.config?.startsSession && route.method === 'POST' && { Location: text('Where what was made is.') }),
    ...(route.config?.takesIdempotencyKey && {
      'Idempotent-Replayed': text('`true`: the answer that the first request with this key got.'),
    }),
    ...(isLimited(route) && rateHeaders),
  }
  return Object.fromEntries(
    Object.entries(Object(schema?.response)).map(([status, response]) => {
      const { Location: _location, ...others } = headers
      const isChanged = route.config?.takesIfMatch && route.method !== 'DELETE'
      const isVersioned = isChanged || (versioned.has(Object(response).$ref) && status !== '202') // where it is only shown beside
      const told = {
        ...(status === '201' ? headers : others),
        ...(isVersioned && { ETag: versionHeader }),
      }
      return [status, Object.keys(told).length > 0 ? { ...Object(response), headers: told } : response]
    }),
  )
}

/** Whether its requests are counted (domain/limits/request-rates.ts). */
export function isLimited({ url }: RouteOptions): boolean {
  return url.startsWith('/api/')
}
