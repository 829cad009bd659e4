/**
 * Discovery: where everybody reads the keys that check a tenant's tokens (OpenID Connect Discovery 1.0, RFC 8414; RFC 7517).
 *
 * Nothing here is secret, so pages of every origin may read it, and caches may store it for ten minutes. Before the tenant has signed
 * something, there is nothing to find.
 */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ApiProblem } from '../../domain/problems.ts'
import { issuerOf } from '../../domain/signing-keys/issuer.ts'
import { listPublicKeys } from '../../domain/signing-keys/signing-keys.ts'
import { Id, tenantIdToUuid } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'

const url = { maxLength: 2048 }
const base = 'https://accounts.example.com/api/tenants/ten_01k9zq3v5hf8gs4m2y7c6t0wdn'
const Base64url = Type.String({ maxLength: 1024, pattern: '^[A-Za-z0-9_-]+$' })
const params = Type.Object({ tenantId: Id('ten') })
const config = { access: 'anyone', isOpenToOrigins: true, problems: ['not_found'] } as const
const cached = 'public, max-age=600'

export async function discoveryRoutes(app: App): Promise<void> {
  app.get(
    '/tenants/:tenantId/.well-known/openid-configuration',
    {
      config,
      schema: {
        operationId: 'getIssuer',
        summary: 'The issuer of tokens',
        description: 'Where the keys are that check the tenant’s tokens. Not found before the tenant’s first token.',
        tags: ['Access'],
        params,
        response: {
          200: Type.Object(
            {
              issuer: Type.String({ ...url, examples: [base] }),
              jwks_uri: Type.String({ ...url, examples: [`${base}/jwks.json`] }),
            },
            { description: 'The issuer, and where its keys are.' },
          ),
        },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.params
      await getKeys(request, tenantId)
      const issuer = issuerOf(app.config, tenantId)
      reply.header('cache-control', cached)
      return { issuer, jwks_uri: `${issuer}/jwks.json` }
    },
  )

  app.get(
    '/tenants/:tenantId/jwks.json',
    {
      config,
      schema: {
        operationId: 'listSigningKeys',
        summary: 'The keys that check tokens',
        description: 'A key is here a day before it signs, and until its last token is over.',
        tags: ['Access'],
        params,
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

/** @throws Problem not_found for a tenant without a key, and for one that is being deleted */
async function getKeys(request: Pick<FastifyRequest, 'asAnyone'>, tenantId: string) {
  const keys = await request.asAnyone({ id: tenantIdToUuid(tenantId) }, (sql) => listPublicKeys(sql))
  if (keys.length === 0) throw new ApiProblem('not_found')
  return keys
}
