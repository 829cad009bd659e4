/** Sign-in providers, as tenant admins read and change them. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { keepSaved } from '../api/saved.ts'
import { ifUnchanged, type Versioned } from '../api/versions.ts'
import { readListAgain } from '../tenants/settings-tenant.ts'

export type Provider = Versioned<Schemas['Provider']>
export type ProviderType = Provider['type']

/** In the order in which they are offered. */
export const providerTypes = ['google', 'microsoft', 'github', 'oidc'] as const satisfies readonly ProviderType[]

export const providersQuery = queryOptions({
  queryKey: ['admin', 'providers'],
  queryFn: () => ask(api.GET('/api/admin/providers')),
})

export const providerQuery = (providerId: string) =>
  queryOptions({
    queryKey: [...providersQuery.queryKey, providerId],
    queryFn: () => ask(api.GET('/api/admin/providers/{providerId}', { params: { path: { providerId } } })),
  })

/** For a page that is loaded after the provider. @returns `isGone`: it was deleted meanwhile */
export function useProviderOfPage(providerId: string): { readonly provider: Provider; readonly isGone: boolean } {
  const { data, error } = useSuspenseQuery(providerQuery(providerId))
  return { provider: data, isGone: isRefusal(error, 'not_found') }
}

/** Reads the latest version, not the cached one. */
export function readProvider(providerId: string): Promise<Provider> {
  return queries.fetchQuery({ ...providerQuery(providerId), staleTime: 0 })
}

interface Wanted extends Partial<Pick<Provider, 'name' | 'enabled' | 'clientId' | 'trustsEmail' | 'redirectUris'>> {
  readonly microsoftTenant?: string
  readonly clientSecret?: string
}

/** @throws Refusal version_mismatch if it has changed since `before` */
export async function updateProvider(before: Provider, body: Wanted): Promise<Provider> {
  const params = { path: { providerId: before.id }, ...ifUnchanged(before) }
  const provider = await ask(api.PATCH('/api/admin/providers/{providerId}', { params, body }))
  await keepSaved(providerQuery(provider.id), provider)
  readListAgain(providersQuery)
  return provider
}
