/**
 * Tokens for applications: what a code or a refresh token is exchanged for (OpenID Connect Core 1.0, 3.1.3 and 12; RFC 6749, 5).
 *
 * 1. The application says, or proves, who it is (client-authentication.ts).
 * 2. The code makes a grant, or the grant of the refresh token goes on (domain/applications/granting.ts). That is committed.
 * 3. The tokens are made: nothing of them is stored. If the answer is lost, the same refresh token gives the same successor.
 */
import { type Static, Type } from 'typebox'
import { mostOfToken } from '../../domain/access/tokens.ts'
import type { Client } from '../../domain/applications/clients.ts'
import {
  accessTokenLifetime,
  makeAccessToken,
  makeRefreshToken,
  openRefreshToken,
} from '../../domain/applications/grant-tokens.ts'
import { type Granted, makeGrant, rotateGrant } from '../../domain/applications/granting.ts'
import { type ClaimsRow, idTokenClaims, secondOf } from '../../domain/applications/id-tokens.ts'
import { ReusedError } from '../../domain/applications/reuse.ts'
import { OrganizationPath } from '../../domain/organizations/organizations.ts'
import { tokensAnswered } from '../../platform/channels.ts'
import type { RequestContext } from '../../platform/http/context.ts'
import { OAuthError, oauthCodeOf } from '../../platform/http/oauth-errors.ts'
import { Problem } from '../../platform/http/problems.ts'
import { IgnoredQuery } from '../../platform/http/query.ts'
import { Id } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { authenticateClient, clientParameters } from './client-authentication.ts'

/** What can be exchanged. */
export const grantTypes = ['authorization_code', 'refresh_token'] as const

const text = (description: string, maxLength: number) => Type.Optional(Type.String({ maxLength, description }))
const Parameters = Type.Object(
  {
    grant_type: Type.String({
      maxLength: 100,
      description: '`authorization_code` or `refresh_token`.',
      examples: ['authorization_code'],
    }),
    ...clientParameters,
    code: text('The code, with `authorization_code`.', mostOfToken),
    redirect_uri: text('The one of the authorization request, with `authorization_code`.', 2_048),
    // A shorter one could be guessed from its challenge, which the browser has shown.
    code_verifier: Type.Optional(
      Type.String({
        minLength: 43,
        maxLength: 128,
        pattern: '^[A-Za-z0-9._~-]+$',
        description: 'The verifier of PKCE (RFC 7636), with `authorization_code`: at least 43 random characters.',
      }),
    ),
    refresh_token: text('The newest refresh token, with `refresh_token`.', mostOfToken),
    scope: text('With `refresh_token`: scopes of the grant. The new tokens have all of them.', 200),
    organization: Type.Optional({
      ...OrganizationPath,
      description:
        'With `refresh_token`: the id or slug of the organization that the ID token is for. The grant does not change.',
    }),
  },
  { additionalProperties: true, description: 'Other parameters are ignored.' },
)

const Tokens = Type.Object(
  {
    access_token: Type.String({ maxLength: 200, examples: ['ght_01k9zq3v5hf8gs4m2y7c6t0wdn.…'] }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ minimum: 0, maximum: 86_400, format: 'int32', description: 'Seconds.' }),
    id_token: Type.String({ maxLength: 16_384, description: 'A JSON Web Token, signed with RS256.' }),
    refresh_token: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'With `offline_access`.',
        examples: ['ghf_01k9zq3v5hf8gs4m2y7c6t0wdn.…'],
      }),
    ),
    scope: Type.String({ maxLength: 200, examples: ['openid profile email'] }),
  },
  { $id: 'ApplicationTokens', description: 'What an application holds of somebody’s session.' },
)

export async function applicationTokenRoutes(app: App): Promise<void> {
  app.post(
    '/tenants/:tenantId/token',
    {
      config: {
        access: 'anyone',
        takesForm: true,
        isForApplications: true,
        problems: ['not_found'],
        oauthErrors: [
          'invalid_request',
          'invalid_grant',
          'invalid_scope',
          'invalid_target',
          'unauthorized_client',
          'unsupported_grant_type',
          'invalid_client',
        ],
      },
      schema: {
        operationId: 'exchangeCode',
        summary: 'Get tokens for an application',
        description:
          'The token endpoint of OpenID Connect. A code is exchanged once; one that comes again ends the grant that it made. A refresh token is replaced at each use. The one before gives the same new one for 30 seconds, so that a lost answer can be asked for again; an older one ends the grant. Errors are those of OAuth 2.0.',
        tags: ['Applications'],
        params: Type.Object({ tenantId: Id('ten') }),
        querystring: IgnoredQuery,
        body: Parameters,
        response: { 200: Tokens },
      },
    },
    async (request) => {
      const grantType = grantTypes.find((each) => each === request.body.grant_type) ?? 'none'
      try {
        const { tenant, ...client } = await authenticateClient(request)
        if (!client.enabled) throw new OAuthError('unauthorized_client', 'The application is switched off.')
        const granted = await grant(request.context, grantType, tenant, client, request.body)
        const { outcome, grantId, generation, scopes, claims } = granted
        request.uses = [...(request.uses ?? []), { tenant, ...useOf(claims) }]
        const end = secondOf(claims.now) + accessTokenLifetime
        const ids = { applicationId: client.id, scopes, nonce: granted.nonce }
        const answer = {
          access_token: makeAccessToken(app.keyring, { tenant, grantId, end }),
          token_type: 'Bearer' as const,
          expires_in: accessTokenLifetime,
          id_token: await app.signer.sign(
            tenant,
            claims.keyId ?? undefined,
            'JWT',
            idTokenClaims(app.config, tenant, claims, ids),
          ),
          ...(scopes.includes('offline_access') && {
            refresh_token: makeRefreshToken(app.keyring, { tenant, grantId, generation }),
          }),
          scope: scopes.join(' '),
        }
        tokensAnswered.publish({ grantType, outcome })
        return answer
      } catch (error) {
        tokensAnswered.publish({ grantType, outcome: outcomeOf(error) })
        throw error
      }
    },
  )
}

/** Makes a grant, or goes on with one. @throws OAuthError, among them invalid_request for a parameter that is missing */
async function grant(
  context: RequestContext,
  grantType: (typeof grantTypes)[number] | 'none',
  tenant: string,
  client: Client,
  sent: Static<typeof Parameters>,
): Promise<Granted & { readonly nonce: string | null }> {
  if (grantType === 'none')
    throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.')
  if (grantType === 'authorization_code')
    return makeGrant(context, tenant, client, {
      code: needed(sent, 'code'),
      redirectUri: needed(sent, 'redirect_uri'),
      verifier: needed(sent, 'code_verifier'),
    })
  const token = openRefreshToken(context.keyring, needed(sent, 'refresh_token'))
  if (token?.tenant !== tenant) throw new OAuthError('invalid_grant', 'The refresh token is not valid here.')
  const wanted = { organization: sent.organization ?? null, scopes: (sent.scope ?? '').split(' ').filter(Boolean) }
  return { ...(await rotateGrant(context, token, client, wanted)), nonce: null }
}

function needed(sent: Static<typeof Parameters>, name: keyof Static<typeof Parameters>): string {
  const value = sent[name]
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is needed.`)
  return value
}

/** A refresh, like the exchange, counts as use of the session. */
function useOf({ isStale, sessionId, userId }: ClaimsRow) {
  return isStale ? { session: { sessionId, userId } } : {}
}

/** For metrics. */
function outcomeOf(error: unknown): string {
  if (error instanceof ReusedError) return 'reused'
  return error instanceof Problem ? oauthCodeOf(error) : 'server_error'
}
