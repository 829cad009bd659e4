/** User information: what an application may know of the person now, by an access token (OpenID Connect Core 1.0, 5.3; RFC 6750). */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { openAccessToken } from '../../domain/applications/access-tokens.ts'
import type { ApplicationKind, ApplicationScope } from '../../domain/applications/applications.ts'
import { scopesFor } from '../../domain/applications/granting.ts'
import { type ClaimsRow, personalClaims, selectClaims } from '../../domain/applications/id-tokens.ts'
import { AllRoles } from '../../domain/organizations/members.ts'
import { Organization } from '../../domain/organizations/organizations.ts'
import { Role } from '../../domain/permissions/roles.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { isSessionLive } from '../../domain/sessions/lifetime.ts'
import { type Statement, statement } from '../../platform/database/database.ts'
import { OAuthError, type OAuthErrorCode } from '../../platform/http/oauth-errors.ts'
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
  oauthErrors: ['invalid_request', 'invalid_token', 'insufficient_scope'],
} as const
const described = {
  summary: 'Information about the user of an access token',
  description:
    'Needs an access token of an application as `Authorization: Bearer …`, with the scope `openid`. Other scopes open more claims. Everything is as it is now.',
  tags: ['Applications'],
  params: Type.Object({ tenantId: Id('ten') }),
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
      config: { ...config, takesForm: true, hasOptionalBody: true },
      schema: {
        ...described,
        operationId: 'postUserInfo',
        body: Type.Object({}, { additionalProperties: true, description: 'Ignored.' }),
      },
    },
    async (request) => tellOfUser(request, request.params.tenantId),
  )
}

/** A grant and its application, if both may be used. */
interface GrantRow {
  readonly applicationId: string
  readonly kind: ApplicationKind
  readonly scopes: readonly ApplicationScope[]
  readonly applicationScopes: readonly ApplicationScope[]
  readonly isStale: boolean
}

async function tellOfUser(request: FastifyRequest, tenantId: string) {
  const { database, keyring } = request.server
  const tenant = tenantIdToUuid(tenantId)
  const [, sent] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  const token = sent === undefined ? undefined : openAccessToken(keyring, sent)
  const isOfTenant = token?.tenant === tenant
  const { any, grants, claims } = await database.read(
    tenant,
    {
      any: statement`select from applications where tenant_id = ${tenant} limit 1`,
      ...(isOfTenant ? selectUse(tenant, token.grantId, token.end) : { grants: nothing, claims: nothing }),
    },
    { byKey: true },
  )
  if (any.length === 0) throw new ApiProblem('not_found')
  if (sent === undefined) throw refuse('invalid_token', 'An access token is needed.', 'Bearer')
  const [grant, row] = [grants[0] as GrantRow | undefined, claims[0] as ClaimsRow | undefined] // as selectUse selects them
  if (!isOfTenant || !grant || !row) throw refuse('invalid_token', 'The access token is unknown, or has ended.')
  // Where people hold their tokens themselves, one of them would use up what all share.
  await request.noteApplication(grant.kind === 'server' ? grant.applicationId : undefined)
  const scopes = scopesFor(grant.scopes, { scopes: grant.applicationScopes })
  if (!scopes.includes('openid')) throw refuse('insufficient_scope', 'The access token lacks the scope openid.')
  request.uses = [{ tenant, ...(grant.isStale && { grant: token.grantId }), ...(row.isStale && { session: row }) }]
  return personalClaims(row, scopes)
}

const nothing = statement`select where false`

/** @param end of the access token, in seconds since 1970 */
function selectUse(
  tenant: string,
  id: string,
  end: number,
): { readonly grants: Statement; readonly claims: Statement } {
  const ofGrant = (column: Statement) =>
    statement`(select ${column} from grants where tenant_id = ${tenant} and id = ${id})`
  return {
    grants: statement`
      select g.application_id, a.kind, g.scopes, a.scopes as application_scopes, g.last_used_at < now() - interval '1 minute' as is_stale
      from grants g
      join applications a on a.tenant_id = ${tenant} and a.id = g.application_id and a.is_enabled
      join sessions s on s.tenant_id = ${tenant} and s.id = g.session_id
      join tenants t on t.id = s.tenant_id and t.deleted_at is null
      join users u on u.tenant_id = ${tenant} and u.id = s.user_id and u.status = 'active'
      where g.tenant_id = ${tenant} and g.id = ${id} and g.ended_at is null and ${isSessionLive}
        and to_timestamp(${end}) > statement_timestamp()`,
    claims: selectClaims(tenant, ofGrant(statement`session_id`), ofGrant(statement`organization_id`)),
  }
}

/** With the challenge of RFC 6750, 3; without a token it says nothing more. */
function refuse(
  code: OAuthErrorCode,
  description: string,
  challenge = `Bearer error="${code}", error_description="${description}"`,
) {
  return new OAuthError(code, description, { 'www-authenticate': challenge })
}
