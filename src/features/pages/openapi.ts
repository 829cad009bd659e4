/**
 * The OpenAPI 3.1 document: generated from the routes, so that it cannot disagree with them. What every route may answer because of
 * its access and its schema is added here, once.
 */

import swagger from '@fastify/swagger'
import type { RouteOptions } from 'fastify'
import { isOfOrganization, scopeOf, takesAccessTokens } from '../../domain/permissions/access.ts'
import { type ProblemCode, problems } from '../../domain/problems.ts'
import { shareComponents } from '../../platform/http/components.ts'
import { addCsv, addExamples, type Described, makeBodiesOptional } from '../../platform/http/examples.ts'
import type { App } from '../../platform/http/server.ts'
import { hasOptionalBody } from '../../platform/http/validation.ts'
import { mostBytes, pictureTypes } from '../../platform/pictures/picture.ts'
import { type Config, mayOpenMailbox } from '../../platform/settings/config.ts'
import { version } from '../../platform/version.ts'
import { describeEvents, eventWebhooks } from './openapi-events.ts'
import { headersOf, isLimited, withHeaders } from './openapi-headers.ts'
import {
  exampleOf,
  oauthErrorSchema,
  oauthResponses,
  pictureResponses,
  problemResponses,
  problemSchema,
  withPages,
} from './openapi-problems.ts'

const description = `
Organizations and users for a SaaS product: members, roles and invitations; profile, password, devices, audit log and account
deletion; administration of the whole tenant for its admins.

## Signing in

\`POST /api/auth/sign-up\` makes an account, \`POST /api/auth/sign-in\` starts a session of one. Both answer \`session.token\`: send it
with each request as \`Authorization: Bearer <token>\`. A web page on the service’s own origin sends \`Guildhall-Session: cookie\` with
either of them instead, and has the token in a cookie that no script can read.

## Programs

A program sends a key, \`ghk_…\`, where a person sends the token of a session. What a key may do are its scopes. An operation names the
scope that it needs, or is for sessions alone.

An application sends an access token, \`ght_…\`, with which it acts for a person. Operations that list the scheme \`accessToken\` take it with
the scope \`api\`; user information takes it with \`openid\`.

## Tenants

A tenant is one isolated population of users and organizations. A session says itself which one it is of. Without a session it is the
tenant whose domain the request came to, else the one that the header \`Guildhall-Tenant: <slug>\` names, else \`default\`.

## Errors

Every error is a problem document (RFC 9457, \`application/problem+json\`). Go by its \`code\`, which comes from a closed list; \`title\`
and \`detail\` are for people. With \`invalid_request\`, \`errors\` names every field that is wrong, or the header. Each code is explained at
[/docs/problems](/docs/problems).

## Changes at the same time

What can be edited answers an \`ETag\`, but for members and factors. Send it as \`If-Match\` with a change or a deletion, and nothing of
what somebody else has changed meanwhile is overwritten.

## Trying again

Send \`Idempotency-Key\` with an operation that lists it, and the same request can be sent again when its answer got lost. These
operations make an organization, a member, invitations, a link, a user or a provider, send an invitation again, or transfer an
organization.

## Lists

A list answers \`data\` and \`nextCursor\`. Send \`nextCursor\` as \`cursor\`, with the same filters, for the next page, until it is
null. \`limit\` is how many items a page has at most. Members, users and logs also come whole, as CSV: send \`Accept: text/csv\`.
`.trim()

export async function describeApi(app: App): Promise<void> {
  const used = new Set<ProblemCode>()
  const optional = new Set<string | undefined>()
  const asCsv = new Set<string | undefined>()
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: {
        title: 'Guildhall',
        version,
        description,
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0.html' },
        contact: { name: 'Guildhall', url: `${app.config.publicUrl}/docs` },
      },
      servers: [{ url: app.config.publicUrl, description: 'This service' }],
      tags: [
        { name: 'Signing in', description: 'Accounts and sessions.' },
        { name: 'Me', description: 'The caller’s own account.' },
        { name: 'Factors', description: 'The caller’s authenticator app, passkeys and recovery codes.' },
        { name: 'Linked accounts', description: 'Accounts at providers that sign the caller in.' },
        { name: 'Devices', description: 'Where the caller is signed in.' },
        { name: 'Organizations', description: 'Groups of users.' },
        { name: 'Members', description: 'The users of an organization and their roles.' },
        { name: 'Invitations', description: 'Inviting people to an organization by email.' },
        { name: 'Access', description: 'Permissions and roles, and asking who may do what.' },
        { name: 'Applications', description: 'Products of the tenant, into which its people sign in.' },
        { name: 'Keys', description: 'What programs send instead of a session.' },
        { name: 'Audit log', description: 'What happened, when, and who did it.' },
        { name: 'Events', description: 'The same in an exact order, for programs.' },
        { name: 'Administration', description: 'The tenant as a whole, for its admins.' },
        { name: 'Health', description: 'Whether the service accepts requests.' },
        ...(mayOpenMailbox(app.config) && !app.config.smtpUrl
          ? [{ name: 'Mailbox', description: 'Mail that is kept locally instead of sent.' }]
          : []),
      ],
      components: {
        securitySchemes: {
          session: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'ghs_<tenant>.<secret>',
            description: 'A session token.',
          },
          cookie: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-guildhall',
            description: 'A session token in a cookie (named `guildhall` on plain-HTTP loopback).',
          },
          key: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'ghk_<tenant>.<secret>',
            description:
              'A key of a person, an organization or the tenant. Each operation names the scope that it needs.',
          },
          accessToken: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'ght_<tenant>.<grant>.<end>.<mac>',
            description:
              'An access token of an application, for a person. User information needs its scope `openid`, all else `api`.',
          },
          mailboxKey: {
            type: 'apiKey',
            in: 'header',
            name: 'Guildhall-Mailbox-Key',
            description: 'The key that the service prints when it starts.',
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `schema-${index}`,
    },
    transform: ({ schema, url, route }) => {
      const codes = possibleProblems(route)
      if (!route.config?.oauthErrors) for (const code of codes) used.add(code)
      const { operationId } = (schema ?? {}) as { operationId?: string }
      if (hasOptionalBody(route)) optional.add(operationId)
      if (route.config?.answersCsv) asCsv.add(operationId)
      return { schema: documented(schema, route, codes, app.config), url }
    },
    transformObject: (made) => {
      if (!('openapiObject' in made)) throw new Error('The document is not OpenAPI.')
      const problemExamples = Object.fromEntries([...used].sort().map((code) => [code, exampleOf(app.config, code)]))
      const examples = addExamples(made.openapiObject as Described) // the same document: its own type says less of what it refers to
      Object.assign(made.openapiObject.components ?? {}, { examples: { ...problemExamples, ...examples } })
      makeBodiesOptional(made.openapiObject as Described, optional)
      addCsv(made.openapiObject as Described, asCsv)
      shareComponents(made.openapiObject)
      const { components = {} } = made.openapiObject
      const { parameters, pathItems } = describeEvents()
      Object.assign(components, { parameters: { ...components.parameters, ...parameters }, pathItems })
      return Object.assign(made.openapiObject, { webhooks: eventWebhooks() })
    },
  })
  app.addSchema({ ...problemSchema })
  app.addSchema({ ...oauthErrorSchema })
}

/** The schema of a route with everything that follows from its access. */
function documented(
  schema: RouteOptions['schema'],
  route: RouteOptions,
  codes: readonly ProblemCode[],
  service: Config,
): NonNullable<RouteOptions['schema']> {
  const access = route.config?.access
  const isPublic = access === 'anyone'
  const named = headersOf(route, isPublic && codes.includes('tenant_mismatch'))
  return {
    security: isPublic
      ? []
      : [
          ...(access === 'tenant_key' ? [] : [{ session: [] }, { cookie: [] }]),
          ...(scopeOf(route.config ?? {}) === null ? [] : [{ key: [] }]),
          ...(takesAccessTokens(route.config ?? {}) ? [{ accessToken: [] }] : []),
        ],
    ...schema,
    description: [(schema as { description?: string } | undefined)?.description, sayCsv(route), sayKeys(route)]
      .filter(Boolean)
      .join(' '),
    ...(Object.keys(named).length > 0 && { headers: { type: 'object', properties: named } }),
    ...(route.config?.takesForm && { consumes: ['application/x-www-form-urlencoded'] }),
    ...(route.config?.takesPicture && { body: pictureBody }),
    response: {
      ...withHeaders(schema, route),
      ...errorResponses(route, codes, service),
    },
  } as NonNullable<RouteOptions['schema']> // @fastify/swagger's type does not know `security`
}

function errorResponses(
  { config }: RouteOptions,
  codes: readonly ProblemCode[],
  service: Config,
): Record<number, object> {
  if (config?.oauthErrors) return oauthResponses(config.oauthErrors, codes)
  if (config?.takesPicture) return { ...problemResponses(codes), ...pictureResponses(service) }
  return config?.showsProblems ? withPages(problemResponses(codes)) : problemResponses(codes)
}

function sayCsv({ config }: RouteOptions): string {
  return config?.answersCsv ? 'With `Accept: text/csv`, the whole list as a file, without `limit` and `cursor`.' : ''
}

/** Which keys may use a route. Where a member means themselves or another one, two permissions are at stake. */
function sayKeys({ config = {} }: RouteOptions): string {
  if (config.access === 'anyone') return ''
  const scope = scopeOf(config)
  if (scope === null) return 'No key may do this.'
  if (scope === 'any') return 'Any key may do this.'
  const [one, self] = typeof scope === 'object' ? [scope.others, scope.self] : [scope]
  if (config.access === 'tenant_key') return `Only a key of the tenant with the scope \`${one}\` may do this.`
  return `A key needs the scope \`${one}\`${self ? `; of oneself \`${self}\`` : ''}.`
}

const pictureBody = {
  content: Object.fromEntries(
    Object.keys(pictureTypes).map((type) => [
      type,
      { schema: { type: 'string', format: 'binary', maxLength: mostBytes } },
    ]),
  ),
}

/** Every problem that a route may answer: those it declares, and those that follow from what it is. */
function possibleProblems(route: RouteOptions): ProblemCode[] {
  const { access = 'anyone', problems: declared = [] } = route.config ?? {}
  const scope = scopeOf(route.config ?? {})
  const { schema } = route
  const isUnsafe = [route.method].flat().some((method) => method !== 'GET' && method !== 'HEAD')
  const codes: (ProblemCode | false | undefined)[] = [
    ...declared,
    route.config?.takesIfMatch && 'version_mismatch',
    route.config?.answersCsv && 'overloaded',
    route.config?.takesIdempotencyKey && 'idempotency_key_reused',
    route.config?.takesIdempotencyKey && 'request_in_progress',
    isLimited(route) && 'rate_limited',
    access !== 'anyone' && 'unauthenticated',
    'ambiguous_credentials',
    access !== 'anyone' && 'tenant_mismatch',
    (isUnsafe || (access !== 'anyone' && scope !== null)) && 'cross_site', // a cookie, or a key in a page
    access !== 'anyone' && 'insufficient_scope',
    access !== 'anyone' && access !== 'tenant_key' && !route.config?.withoutSecondFactor && 'second_factor_required',
    route.config?.proof === 'fresh' && 'confirmation_required',
    access !== 'anyone' && (access !== 'user' || scope !== null) && access !== 'caller' && 'forbidden',
    isOfOrganization(access) && 'not_found',
    isOfOrganization(access) && 'membership_suspended',
    Boolean(schema?.params) && 'invalid_id',
    'invalid_request',
    isUnsafe && !route.config?.takesForm && !route.config?.takesPicture && 'malformed_json',
    isUnsafe && 'too_large',
    isUnsafe && 'unsupported_media_type',
    'internal',
    'unavailable',
  ]
  return (Object.keys(problems) as ProblemCode[]).filter((code) => codes.includes(code)) // in one order, so that routes share responses
}
