/** The tenant's settings: reading them, and changing what was changed. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { tenantQuery } from './tenant.ts'

export type TenantSettings = Schemas['TenantSettings']
type Wanted = NonNullable<Parameters<typeof patch>[0]>

const settingsQuery = queryOptions({
  queryKey: ['admin', 'tenant'],
  queryFn: () => ask(api.GET('/api/admin/tenant')),
})

export function useTenantSettings() {
  return useQuery(settingsQuery)
}

function patch(body: Partial<Omit<TenantSettings, 'brand'>> & { brand?: Partial<TenantSettings['brand']> }) {
  return ask(api.PATCH('/api/admin/tenant', { body }))
}

/** Saves what is given. Whatever the console itself shows of it follows at once. */
export async function saveSettings(wanted: Wanted): Promise<TenantSettings> {
  const saved = await patch(wanted)
  const { id, slug, name, brand, signUp, passwordMinimum, remotePictures } = saved
  queries.setQueryData(settingsQuery.queryKey, saved)
  queries.setQueryData(tenantQuery.queryKey, { id, slug, name, brand, signUp, passwordMinimum, remotePictures })
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
