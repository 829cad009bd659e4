/**
 * Providers that people of the tenant sign in with, for its admins.
 *
 * Invariant: type and issuer never change, because identities are known by them. The client secret is written and never read.
 */
import { Type } from 'typebox'
import { Deleted } from '../../domain/deleted.ts'
import { caps } from '../../domain/limits/caps.ts'
import { found } from '../../domain/problems.ts'
import { sealClientSecret } from '../../domain/providers/stored.ts'
import { changesBetween } from '../../domain/record/changes.ts'
import { record } from '../../domain/record/record.ts'
import { checkVersion, withTag } from '../../platform/http/preconditions.ts'
import { invalidRequest } from '../../platform/http/problems.ts'
import { normalizeName, ref } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { deleteProvider } from './deletion.ts'
import {
  ClientSecret,
  checkUnshared,
  editable,
  faultsOfType,
  getLocked,
  getProvider,
  MicrosoftTenant,
  Provider,
  type ProviderRow,
  providerPath,
  selectProviders,
  toProvider,
} from './provider-fields.ts'

const Providers = Type.Object(
  { data: Type.Array(ref(Provider), { maxItems: caps.providers.most }), nextCursor: Type.Null() },
  { description: 'The whole list.' },
)

export async function providerRoutes(app: App): Promise<void> {
  app.addSchema(Provider)

  app.get(
    '/admin/providers',
    {
      config: { access: 'tenant_admin' },
      schema: {
        operationId: 'listProviders',
        summary: 'Sign-in providers',
        description: 'Oldest first. The list has one page.',
        tags: ['Administration'],
        response: { 200: Providers },
      },
    },
    async (request) => {
      const { providers } = await request.readAsTenantAdmin<{ providers: ProviderRow }>(({ tenant }) => ({
        providers: selectProviders(tenant),
      }))
      return { data: providers.map((row) => toProvider(app.config, row)), nextCursor: null }
    },
  )

  app.get(
    '/admin/providers/:providerId',
    {
      config: { access: 'tenant_admin', problems: ['not_found'] },
      schema: {
        operationId: 'getProvider',
        summary: 'Get provider',
        description: '`lastFailure` tells why the last failed sign-in with this provider failed.',
        tags: ['Administration'],
        params: providerPath,
        response: { 200: ref(Provider) },
      },
    },
    async (request, reply) => {
      const { providerId } = request.params
      const { providers } = await request.readAsTenantAdmin<{ providers: ProviderRow }>(
        ({ tenant }) => ({
          providers: selectProviders(tenant, providerId),
        }),
        { byKey: true },
      )
      return withTag(reply, toProvider(app.config, found(providers[0])))
    },
  )

  app.patch(
    '/admin/providers/:providerId',
    {
      config: { access: 'tenant_admin', proof: 'fresh', problems: ['not_found'], takesIfMatch: true },
      schema: {
        operationId: 'updateProvider',
        summary: 'Update provider',
        description:
          'Omitted fields keep their value. Type and issuer never change. While a provider is disabled, nobody can sign in with it; sessions go on.',
        tags: ['Administration'],
        params: providerPath,
        body: Type.Partial(Type.Object({ ...editable, clientSecret: ClientSecret, microsoftTenant: MicrosoftTenant }), {
          additionalProperties: false,
        }),
        response: { 200: ref(Provider) },
      },
    },
    async (request, reply) => {
      const { providerId } = request.params
      const provider = await request.asTenantAdmin(async (sql, caller) => {
        const before = await getLocked(sql, providerId)
        checkVersion(request.context, before)
        const faults = faultsOfType(before.type, request.body)
        if (faults.length > 0) throw invalidRequest(faults)
        const { clientSecret, ...sent } = request.body
        if (sent.name !== undefined) sent.name = normalizeName(sent.name)
        const changes = changesBetween(before, sent)
        if (!changes && clientSecret === undefined) return toProvider(app.config, before)

        const wanted = { ...before, ...sent }
        await checkUnshared(sql, app.config, providerId, sent, before.redirectUris)
        await sql`
          update providers
          set name = ${wanted.name}, is_enabled = ${wanted.enabled}, client_id = ${wanted.clientId},
            microsoft_tenant = ${wanted.microsoftTenant}, trusts_email = ${wanted.trustsEmail},
            redirect_uris = ${wanted.redirectUris}, version = version + 1, updated_at = now()
          where tenant_id = ${sql.tenant} and id = ${providerId}`
        if (clientSecret !== undefined) {
          const secret = sealClientSecret(app.keyring, sql.tenant, providerId, clientSecret)
          await sql`
            update providers set secret = ${secret}, sealed_under = ${app.keyring.name}
            where tenant_id = ${sql.tenant} and id = ${providerId}`
        }
        await record(sql, caller, 'provider.updated', {
          target: { type: 'provider', id: providerId },
          details: { ...changes, ...(clientSecret !== undefined && { secretReplaced: true }) },
        })
        return toProvider(app.config, await getProvider(sql, providerId))
      })
      return withTag(reply, provider)
    },
  )

  app.delete(
    '/admin/providers/:providerId',
    {
      config: {
        access: 'tenant_admin',
        proof: 'fresh',
        problems: ['not_found', 'confirmation_mismatch'],
        takesIfMatch: true,
      },
      schema: {
        operationId: 'deleteProvider',
        summary: 'Delete provider',
        description:
          'Permanent: its identities are deleted as well, and the sessions that they began end. With more than 1,000 identities it is disabled first, and they go in batches.',
        tags: ['Administration'],
        params: providerPath,
        body: Type.Object(
          {
            confirm: Type.String({
              minLength: 1,
              maxLength: 100,
              description: 'The name of the provider.',
              examples: ['Acme Login'],
            }),
          },
          { additionalProperties: false },
        ),
        response: { 200: ref(Deleted) },
      },
    },
    async (request) => {
      const { context, params, body } = request
      return deleteProvider((work) => request.asTenantAdmin(work), context, params.providerId, body.confirm)
    },
  )
}
