/**
 * User information: what an application may know of the person now, by an access token (OpenID Connect Core 1.0, 5.3; RFC 6750).
 *
 * The token is judged as at a door. If a second factor is lacking, the answer asks for it (RFC 9470).
 */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { KnownToken } from '../../domain/access/authentication.ts'
import { firstFailing, rulesOfFactors } from '../../domain/access/rules.ts'
import type { ApplicationKind, ApplicationScope } from '../../domain/applications/applications.ts'
import { type ClaimsRow, personalClaims, selectClaims } from '../../domain/applications/id-tokens.ts'
import { AllRoles } from '../../domain/organizations/members.ts'
import { Organization } from '../../domain/organizations/organizations.ts'
import { isCurrent } from '../../domain/permissions/held.ts'
import { Role } from '../../domain/permissions/roles.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { type Statement, statement } from '../../platform/database/database.ts'
import { OAuthError, type OAuthErrorCode } from '../../platform/http/oauth-errors.ts'
import { IgnoredQuery } from '../../platform/http/query.ts'
import { Id, tenantIdToUuid } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const text = (maxLength: number, example: string) => Type.Optional(Type.String({ maxLength, examples: [example] }))

const Claims = Type.Object(
  {
    sub: { ...Id('user'), description: 'The id of the user.' },
    email: text(254, 'ann@example.com'),
    email_verified: Type.Optional(Type.Boolean()),
    name: text(100, 'Ann'),
    picture: text(2_048, 'https://example.com/ann.png'),
    locale: text(35, 'en'),
    zoneinfo: text(64, 'Europe/Berlin'),
    updated_at: Type.Optional(
      Type.Number({ minimum: 0, description: 'Seconds since 1970.', examples: [1_769_851_800] }),
    ),
    org: Type.Optional(
      Type.Object(
        { ...Type.Pick(Organization, ['id', 'slug', 'name']).properties, role: Role, roles: AllRoles },
        { description: 'The organization of the grant, while the user is in it.' },
      ),
    ),
  },
  { $id: 'UserInfo', description: 'The claims that the scopes of the grant open.' },
)

const config = {
  access: 'anyone',
  isForApplications: true,
  problems: ['not_found'],
  oauthErrors: ['invalid_request', 'invalid_token', 'insufficient_user_authentication', 'insufficient_scope'],
} as const
const described = {
  summary: 'Information about the user of an access token',
  description:
    'Needs an access token of an application as `Authorization: Bearer …`, with the scope `openid`. Other scopes open more claims. Everything is as it is now. If the tenant, or the organization of the grant, requires a second factor that the session has not proven, the answer asks for it (RFC 9470).',
  tags: ['Applications'],
  security: [{ accessToken: [] }],
  params: Type.Object({ tenantId: Id('ten') }),
  querystring: IgnoredQuery,
  response: { 200: Claims },
}

export async function userinfoRoutes(app: App): Promise<void> {
  app.get(
    '/tenants/:tenantId/userinfo',
    { config, schema: { ...described, operationId: 'getUserInfo' } },
    async (request) => tellOfUser(request, request.params.tenantId),
  )

  app.post(
    '/tenants/:tenantId/userinfo',
    {
      config: { ...config, takesForm: true },
      schema: {
        ...described,
        operationId: 'postUserInfo',
        body: Type.Object({}, { additionalProperties: true, description: 'Ignored.' }),
      },
    },
    async (request) => tellOfUser(request, request.params.tenantId),
  )
}

/** What an access token opens, if it may be used. */
interface Opened {
  readonly grantId: string
  readonly applicationId: string
  readonly kind: ApplicationKind
  /** Those of the grant that the application still has. */
  readonly scopes: readonly ApplicationScope[]
  /** Null: the session has proven a second factor, or none is required. */
  readonly failing: number | null
  /** Whether the last use of the grant or the session was noted more than a minute ago. */
  readonly isStale: boolean
}

async function tellOfUser(request: FastifyRequest, tenantId: string) {
  const tenant = tenantIdToUuid(tenantId)
  const isSent = /^Bearer +\S+$/i.test(request.headers.authorization ?? '')
  const token =
    request.token?.kind.name === 'application' && request.token.tenant === tenant ? request.token : undefined
  if (!token) await request.noteApplication(undefined) // beyond the rate, a made-up token costs no look-up
  const { any, opened, claims } = await request.server.database.read(
    tenant,
    {
      any: statement`select from applications where tenant_id = ${tenant} limit 1`,
      ...(token && selectUse(token)),
    },
    { byKey: true },
  )
  const [use, row] = [opened?.[0] as Opened | undefined, claims?.[0] as ClaimsRow | undefined] // as selectUse selects them
  // Where people hold their tokens themselves, one of them would use up what all share.
  await request.noteApplication(use && { id: use.applicationId, hasSecret: use.kind === 'server' })
  if (any.length === 0) throw new ApiProblem('not_found')
  if (!isSent) throw new OAuthError('invalid_token', 'An access token is needed.', { 'www-authenticate': 'Bearer' })
  if (!use || !row) throw refuse('invalid_token', 'The access token is unknown, or has ended.')
  if (!use.scopes.includes('openid')) throw refuse('insufficient_scope', 'The access token lacks the scope openid.')
  if (use.failing !== null)
    throw refuse(
      'insufficient_user_authentication',
      'A second factor is required of the user. Begin a new authorization with acr_values=aal2.',
      ', acr_values="aal2"',
    )
  request.uses = [{ tenant, ...(use.isStale && { grant: use.grantId }), ...(row.isStale && { session: row }) }]
  return personalClaims(row, use.scopes)
}

/** The token is judged by its kind, as at a door. */
function selectUse(token: KnownToken): { readonly opened: Statement; readonly claims: Statement } {
  const { tenant, kind, grant } = token
  const organization = statement`(
    select organization_id from grants where tenant_id = ${tenant} and id = ${grant?.id ?? null})`
  return {
    opened: statement`
      select c.grant_id, c.application_id, c.scopes, c.is_stale, a.kind, ${firstFailing(rulesOfFactors(kind))} as failing
      from tenants t
      cross join lateral (${kind.find(token)}) c
      join users u on u.tenant_id = ${tenant} and u.id = c.user_id and u.status = 'active'
      join applications a on a.tenant_id = ${tenant} and a.id = c.application_id
      left join lateral (
        select o.second_factor
        from memberships m
        join organizations o on o.tenant_id = ${tenant} and o.id = m.organization_id
        where m.tenant_id = ${tenant} and m.organization_id = ${organization} and m.user_id = u.id
          and m.status = 'active' and ${isCurrent}) m on true
      where t.id = ${tenant} and t.deleted_at is null`,
    claims: selectClaims(tenant, kind.sessionOf(token), organization),
  }
}

/** With the challenge of RFC 6750, 3. @param more parameters of the challenge */
function refuse(code: OAuthErrorCode, description: string, more = '') {
  const challenge = `Bearer error="${code}", error_description="${description}"${more}`
  return new OAuthError(code, description, { 'www-authenticate': challenge })
}
