/** The tenant's settings: reading and changing them. */
import { type QueryKey, queryOptions, useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas, sentAs } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { keepSaved } from '../api/saved.ts'
import { ifUnchanged, type Versioned } from '../api/versions.ts'
import { readTenantLogAgain } from './log-key.ts'
import { asShownHere, readTenantAgain, tenantQuery } from './tenant.ts'

export type TenantSettings = Versioned<Schemas['TenantSettings']>
type Wanted = Parameters<typeof patch>[1]

const settingsQuery = queryOptions({
  queryKey: ['admin', 'tenant'],
  queryFn: () => ask(api.GET('/api/admin/tenant')),
})

export function useTenantSettings() {
  return useQuery(settingsQuery)
}

/** Reads the latest version, not the cached one. */
export function readSettings(): Promise<TenantSettings> {
  return queries.fetchQuery({ ...settingsQuery, staleTime: 0 })
}

function patch(
  before: TenantSettings,
  body: Partial<Omit<TenantSettings, 'brand' | 'etag'>> & { brand?: Partial<TenantSettings['brand']> },
) {
  return ask(api.PATCH('/api/admin/tenant', { params: ifUnchanged(before), body }))
}

/**
 * Saves the given settings, and updates the console at once.
 *
 * @throws Refusal version_mismatch if the settings have changed since `before`
 */
export async function saveSettings(before: TenantSettings, wanted: Wanted): Promise<TenantSettings> {
  return show(await patch(before, wanted))
}

export async function uploadLogo(picture: Blob): Promise<TenantSettings> {
  return show(await ask(api.PUT('/api/admin/tenant/logo', sentAs(picture))))
}

export async function removeLogo(): Promise<TenantSettings> {
  return show(await ask(api.DELETE('/api/admin/tenant/logo')))
}

/** Shows saved settings in the console at once. */
async function show(saved: TenantSettings): Promise<TenantSettings> {
  const { id, slug, name, brand, signUp, passwordMinimum, remotePictures } = saved
  const { shareLinks, personalKeys, organizationKeys, organizationWebhooks } = saved
  await keepSaved(settingsQuery, saved)
  await keepSaved(tenantQuery, (known) => {
    if (!known) return known
    const { homeApplication } = known
    const signIn = { ...known.signIn, mailCodes: saved.mailCodes }
    return asShownHere({
      id,
      slug,
      name,
      brand,
      signUp,
      passwordMinimum,
      remotePictures,
      shareLinks,
      personalKeys,
      organizationKeys,
      organizationWebhooks,
      homeApplication,
      signIn,
    })
  })
  void readTenantLogAgain()
  return saved
}

/** Reads a list of what the tenant has again, with what else shows that: its log, the sign-in page and the home application. */
export function readListAgain({ queryKey }: { readonly queryKey: QueryKey }): void {
  void queries.invalidateQueries({ queryKey, exact: true })
  void readTenantLogAgain()
  void readTenantAgain()
}
