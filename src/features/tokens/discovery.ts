/**
 * Discovery: where everybody reads the keys that check a tenant's tokens (OpenID Connect Discovery 1.0, RFC 8414; RFC 7517).
 *
 * Nothing here is secret, so pages of every origin may read it, and caches may store it for ten minutes. Before the tenant has signed
 * something, or has an application, there is nothing to find.
 */
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { applicationScopes } from '../../domain/applications/applications.ts'
import { prompts } from '../../domain/applications/decision.ts'
import { claims } from '../../domain/applications/id-tokens.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { placeColumns, type Place as SignInPlace, signInBaseOf } from '../../domain/providers/urls.ts'
import { issuerOf } from '../../domain/signing-keys/issuer.ts'
import { listPublicKeys, selectPublicKeys } from '../../domain/signing-keys/signing-keys.ts'
import { type Statement, statement } from '../../platform/database/database.ts'
import { IgnoredQuery } from '../../platform/http/query.ts'
import { Id, ref, tenantIdToUuid } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import type { Config } from '../../platform/settings/config.ts'

const url = { maxLength: 2048 }
const base = 'https://accounts.example.com/api/tenants/ten_01k9zq3v5hf8gs4m2y7c6t0wdn'
const Base64url = Type.String({ maxLength: 1024, pattern: '^[A-Za-z0-9_-]+$' })
const params = Type.Object({ tenantId: Id('ten') })
const config = { access: 'anyone', isOpenToOrigins: true, problems: ['not_found'] } as const
const cached = 'public, max-age=600'

const list = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 30, description }))
const Url = (path: string, description: string) =>
  Type.Optional(Type.String({ ...url, description, examples: [`${base}/${path}`] }))
const Flag = Type.Optional(Type.Boolean())

type IssuerMetadata = Static<typeof IssuerMetadata>
const IssuerMetadata = Type.Object(
  {
    issuer: Type.String({ ...url, examples: [base] }),
    jwks_uri: Type.String({ ...url, examples: [`${base}/jwks.json`] }),
    authorization_endpoint: Url('authorize', 'Where an application sends people. It may be on a domain of the tenant.'),
    token_endpoint: Url('token', 'Where it exchanges a code.'),
    userinfo_endpoint: Url('userinfo', 'Where it asks about the user.'),
    revocation_endpoint: Url('revoke', 'Where it gives back tokens.'),
    end_session_endpoint: Url('end-session', 'Where it sends people to sign out.'),
    scopes_supported: list('An application has some of them.'),
    response_types_supported: list('Codes alone.'),
    response_modes_supported: list('How a code comes back.'),
    grant_types_supported: list('What can be exchanged for tokens.'),
    subject_types_supported: list('`sub` is the same for each application.'),
    id_token_signing_alg_values_supported: list('How ID tokens are signed.'),
    token_endpoint_auth_methods_supported: list('How an application proves who it is.'),
    revocation_endpoint_auth_methods_supported: list('The same.'),
    code_challenge_methods_supported: list('PKCE, which every application uses.'),
    prompt_values_supported: list('What an application may ask for.'),
    acr_values_supported: list('One factor, and two.'),
    claim_types_supported: list('How claims come.'),
    claims_supported: list('What an application may learn.'),
    claims_parameter_supported: Flag,
    request_parameter_supported: Flag,
    request_uri_parameter_supported: Flag,
    authorization_response_iss_parameter_supported: Flag,
    backchannel_logout_supported: Flag,
    backchannel_logout_session_supported: Flag,
  },
  {
    $id: 'IssuerMetadata',
    description: 'The issuer, and where its keys are; with an application, the rest of OpenID Connect Discovery.',
  },
)

export async function discoveryRoutes(app: App): Promise<void> {
  app.addSchema(IssuerMetadata)

  app.get(
    '/tenants/:tenantId/.well-known/openid-configuration',
    {
      config,
      schema: {
        operationId: 'getIssuer',
        summary: 'The issuer of tokens',
        description:
          'Where the keys are that check the tenant’s tokens; once the tenant has an application, all that its OpenID Connect offers. Not found before the tenant’s first token or application.',
        tags: ['Access'],
        params,
        querystring: IgnoredQuery,
        response: { 200: ref(IssuerMetadata) },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.params
      const tenant = tenantIdToUuid(tenantId)
      const { keys, places } = await app.database.read(
        tenant,
        { keys: selectPublicKeys(tenant), places: selectPlace(tenant) },
        { byKey: true },
      )
      const place = places[0] as Place | undefined // as selectPlace selects it
      if (!place || (keys.length === 0 && !place.hasApplications)) throw new ApiProblem('not_found')
      reply.header('cache-control', cached)
      const issuer = issuerOf(app.config, tenantId)
      const keySet = { issuer, jwks_uri: `${issuer}/jwks.json` }
      return place.hasApplications ? { ...keySet, ...metadataOf(issuer, hostOf(app.config, place), tenantId) } : keySet
    },
  )

  app.get(
    '/tenants/:tenantId/jwks.json',
    {
      config,
      schema: {
        operationId: 'listSigningKeys',
        summary: 'The keys that check tokens',
        description:
          'A key is here a day before it signs, and until the last session is over in which it has signed. Not found before the tenant’s first token.',
        tags: ['Access'],
        params,
        querystring: IgnoredQuery,
        response: {
          200: Type.Object(
            {
              keys: Type.Array(
                Type.Object({
                  kty: Type.Literal('RSA'),
                  use: Type.Literal('sig'),
                  alg: Type.Literal('RS256'),
                  kid: Base64url,
                  n: Base64url,
                  e: Base64url,
                }),
                { maxItems: 100 },
              ),
            },
            { description: 'The public keys (RFC 7517).' },
          ),
        },
      },
    },
    async (request, reply) => {
      const keys = await getKeys(request, request.params.tenantId)
      reply.header('cache-control', cached)
      return {
        keys: keys.map(({ id: kid, publicKey }) => ({ ...publicKey, use: 'sig' as const, alg: 'RS256' as const, kid })),
      }
    },
  )
}

/** What a client of OpenID Connect must know beside the keys. */
function metadataOf(issuer: string, host: string, tenantId: string): Omit<IssuerMetadata, 'issuer' | 'jwks_uri'> {
  const authentication = ['client_secret_basic', 'client_secret_post', 'none']
  return {
    authorization_endpoint: `${host}/api/tenants/${tenantId}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    revocation_endpoint: `${issuer}/revoke`,
    end_session_endpoint: `${host}/api/tenants/${tenantId}/end-session`,
    scopes_supported: [...applicationScopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: authentication,
    revocation_endpoint_auth_methods_supported: authentication,
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: [...prompts],
    acr_values_supported: ['aal1', 'aal2'],
    claim_types_supported: ['normal'],
    claims_supported: [...claims],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  }
}

interface Place extends SignInPlace {
  readonly hasApplications: boolean
}

function selectPlace(tenant: string): Statement {
  return statement`
    select ${placeColumns},
      exists (select from applications a where a.tenant_id = ${tenant}) as has_applications
    from tenants t
    where t.id = ${tenant} and t.deleted_at is null`
}

/** The one origin where a tenant's people sign in. */
function hostOf(config: Config, place: Place): string {
  return new URL(signInBaseOf(config, place)).origin
}

/** @throws Problem not_found for a tenant without a key, and for one that is being deleted */
async function getKeys(request: Pick<FastifyRequest, 'asAnyone'>, tenantId: string) {
  const keys = await request.asAnyone({ id: tenantIdToUuid(tenantId) }, (sql) => listPublicKeys(sql))
  if (keys.length === 0) throw new ApiProblem('not_found')
  return keys
}
