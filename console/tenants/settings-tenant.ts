/** The tenant's settings: reading them, and changing what was changed. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { ifUnchanged, type Versioned } from '../api/versions.ts'
import { asShownHere, tenantQuery } from './tenant.ts'

export type TenantSettings = Versioned<Schemas['TenantSettings']>
type Wanted = Parameters<typeof patch>[1]

const settingsQuery = queryOptions({
  queryKey: ['admin', 'tenant'],
  queryFn: () => ask(api.GET('/api/admin/tenant')),
})

export function useTenantSettings() {
  return useQuery(settingsQuery)
}

/** What is there now, whatever was read before. */
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
 * Saves what is given. Whatever the console itself shows of it follows at once.
 *
 * @throws Refusal version_mismatch when the settings are no longer as they were `before`
 */
export async function saveSettings(before: TenantSettings, wanted: Wanted): Promise<TenantSettings> {
  const saved = await patch(before, wanted)
  const { id, slug, name, brand, signUp, passwordMinimum, remotePictures } = saved
  queries.setQueryData(settingsQuery.queryKey, saved)
  queries.setQueryData(
    tenantQuery.queryKey,
    asShownHere({ id, slug, name, brand, signUp, passwordMinimum, remotePictures }),
  )
  void queries.invalidateQueries({ queryKey: ['admin', 'audit'] })
  return saved
}

/** What of the values is not as it was. */
export function changesOf<Values extends object>(before: Values, values: Values): Partial<Values> {
  const changed = Object.entries(values).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Values]), // its own name
  )
  return Object.fromEntries(changed) as Partial<Values> // some of them
}
