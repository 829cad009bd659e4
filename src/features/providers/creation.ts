/** Creation of a provider. */
import { Type } from 'typebox'
import { providerTypes } from '../../domain/credentials/identities.ts'
import { caps } from '../../domain/limits/caps.ts'
import { ApiProblem } from '../../domain/problems.ts'
import { sealClientSecret } from '../../domain/providers/stored.ts'
import { record } from '../../domain/record/record.ts'
import { faultOf } from '../../platform/http/faults.ts'
import { withTag } from '../../platform/http/preconditions.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { Nullable, newId, normalizeName, OneOf, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import {
  ClientSecret,
  checkUnshared,
  editable,
  faultsOfType,
  getProvider,
  Issuer,
  MicrosoftTenant,
  Provider,
  toProvider,
} from './provider-fields.ts'

const body = Type.Object(
  {
    type: OneOf(providerTypes),
    name: editable.name,
    clientId: editable.clientId,
    clientSecret: Type.Optional({
      ...ClientSecret,
      description: 'Visible ASCII characters without spaces. Never returned. A public client has none.',
    }),
    issuer: Type.Optional(
      Nullable({
        ...Issuer,
        description: 'Of `oidc`, which needs it. Plain http needs the operator’s `OUTBOUND_PRIVATE`.',
      }),
    ),
    microsoftTenant: Type.Optional(Nullable(MicrosoftTenant)),
    enabled: Type.Optional(editable.enabled),
    trustsEmail: Type.Optional(editable.trustsEmail),
    redirectUris: Type.Optional(editable.redirectUris),
  },
  { additionalProperties: false },
)

export async function providerCreationRoutes(app: App): Promise<void> {
  app.post(
    '/admin/providers',
    {
      config: { access: 'tenant_admin', proof: 'fresh', problems: ['limit_reached'], takesIdempotencyKey: true },
      schema: {
        operationId: 'createProvider',
        summary: 'Create provider',
        description: `Register \`callbackUrl\` of the answer at the provider. A tenant has at most ${caps.providers.most} providers.`,
        tags: ['Administration'],
        body,
        response: { 201: ref(Provider) },
      },
    },
    async (request, reply) => {
      const { type, clientSecret, issuer = null, enabled = true, trustsEmail = false, redirectUris = [] } = request.body
      const microsoftTenant = request.body.microsoftTenant ?? (type === 'microsoft' ? 'common' : null)
      const { clientId } = request.body
      const faults = faultsOfType(type, request.body)
      if (type === 'oidc' && issuer === null) faults.push(faultOf('/issuer', 'required'))
      if (issuer?.startsWith('http:') && app.config.outboundPrivate.length === 0)
        faults.push(faultOf('/issuer', 'not_allowed', 'The operator allows https only.'))
      if (faults.length > 0) throw invalidRequest(faults)

      const provider = await request.asTenantAdmin(async (sql, caller) => {
        const id = newId('idp')
        const name = normalizeName(request.body.name)
        const [existing] = await sql<{ count: number }>`
          select count(*) from providers where tenant_id = ${sql.tenant}`
        if ((existing?.count ?? 0) >= caps.providers.most)
          throw new ApiProblem('limit_reached', {
            detail: `A tenant has at most ${caps.providers.most} providers. Delete one first.`,
          })
        await checkUnshared(sql, app.config, id, { name, redirectUris })
        const secret = clientSecret === undefined ? null : sealClientSecret(app.keyring, sql.tenant, id, clientSecret)
        await sql`
          insert into providers (tenant_id, id, type, name, is_enabled, client_id, issuer, microsoft_tenant, trusts_email,
            secret, sealed_under, redirect_uris)
          values (${sql.tenant}, ${id}, ${type}, ${name}, ${enabled}, ${clientId}, ${issuer}, ${microsoftTenant},
            ${trustsEmail}, ${secret}, ${secret && app.keyring.name}, ${redirectUris})`
        await record(sql, caller, 'provider.created', {
          target: { type: 'provider', id },
          details: { type, name, clientId, ...(issuer !== null && { issuer }) },
        })
        return toProvider(app.config, await getProvider(sql, id))
      })
      reply.status(201).header('location', `/api/admin/providers/${provider.id}`)
      return withTag(reply, provider)
    },
  )
}
