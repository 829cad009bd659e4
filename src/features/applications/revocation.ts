/** Revocation: an application gives back what it holds of a session (RFC 7009). The session itself stays. */
import { Type } from 'typebox'
import { mostOfToken } from '../../domain/access/tokens.ts'
import { openAccessToken, openRefreshToken } from '../../domain/applications/grant-tokens.ts'
import { endGrants } from '../../domain/sessions/grants.ts'
import { statement } from '../../platform/database/database.ts'
import { IgnoredQuery } from '../../platform/http/query.ts'
import { Id } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { authenticateClient, clientParameters } from './client-authentication.ts'

export async function revocationRoutes(app: App): Promise<void> {
  app.post(
    '/tenants/:tenantId/revoke',
    {
      config: {
        access: 'anyone',
        takesForm: true,
        isForApplications: true,
        problems: ['not_found'],
        oauthErrors: ['invalid_request', 'invalid_client'],
      },
      schema: {
        operationId: 'revokeToken',
        summary: 'Revoke a token of an application',
        description:
          'Ends the grant of a refresh token or an access token: all its tokens are refused from then on. The session stays. The answer is the same for an unknown token.',
        tags: ['Applications'],
        params: Type.Object({ tenantId: Id('ten') }),
        querystring: IgnoredQuery,
        body: Type.Object(
          {
            token: Type.String({
              maxLength: mostOfToken,
              description: 'A refresh token or an access token.',
              examples: ['ghf_01k9zq3v5hf8gs4m2y7c6t0wdn.…'],
            }),
            ...clientParameters,
          },
          { additionalProperties: true, description: 'Other parameters are ignored.' },
        ),
        response: { 200: Type.Object({}, { description: 'The grant has ended, if there was one.' }) },
      },
    },
    async (request) => {
      const { tenant, id: applicationId } = await authenticateClient(request)
      const { token } = request.body
      const opened = openRefreshToken(app.keyring, token) ?? openAccessToken(app.keyring, token)
      if (opened?.tenant === tenant) {
        const which = statement`g.id = ${opened.grantId} and g.application_id = ${applicationId}`
        await request.asAnyone({ id: tenant }, (sql) => endGrants(sql, which, { isTold: false }))
      }
      return {}
    },
  )
}
