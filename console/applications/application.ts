/** Applications of the tenant, as its admins read and change them. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, ask, type Body, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { keepSaved } from '../api/saved.ts'
import { ifUnchanged, type Versioned } from '../api/versions.ts'
import { readTenantLogAgain } from '../tenants/log-key.ts'
import { readListAgain } from '../tenants/settings-tenant.ts'
import { readTenantAgain } from '../tenants/tenant.ts'

export type Application = Versioned<Schemas['Application']>
export type ApplicationWithSecret = Schemas['ApplicationWithSecret']
export type Kind = Application['kind']

/** In the order in which they are offered. */
export const kinds = ['server', 'browser', 'native'] as const satisfies readonly Kind[]

/** What an application may ask for beside `openid`, without which there is no sign-in. */
export const optionalScopes = [
  'profile',
  'email',
  'offline_access',
  'api',
] as const satisfies readonly Application['scopes'][number][]

export const applicationsQuery = queryOptions({
  queryKey: ['admin', 'applications'],
  queryFn: () => ask(api.GET('/api/admin/applications', { params: { query: { limit: 50 } } })), // all that there may be
})

export const applicationQuery = (appId: string) =>
  queryOptions({
    queryKey: [...applicationsQuery.queryKey, appId],
    queryFn: () => ask(api.GET('/api/admin/applications/{appId}', { params: { path: { appId } } })),
  })

/** For a page that is loaded after the application. @returns `isGone`: it was deleted meanwhile */
export function useApplicationOfPage(appId: string): { readonly application: Application; readonly isGone: boolean } {
  const { data, error } = useSuspenseQuery(applicationQuery(appId))
  return { application: data, isGone: isRefusal(error, 'not_found') }
}

/** Reads the latest version, not the cached one. */
export function readApplication(appId: string): Promise<Application> {
  return queries.fetchQuery({ ...applicationQuery(appId), staleTime: 0 })
}

/** @throws Refusal applications_full, when there are as many as there may be */
export async function createApplication(body: Body<'createApplication'>): Promise<ApplicationWithSecret> {
  const made = await ask(api.POST('/api/admin/applications', { body })).catch((error: unknown) => {
    throw isRefusal(error, 'limit_reached') ? new Refusal({ code: 'applications_full' }) : error
  })
  readListAgain(applicationsQuery)
  return made
}

/** @throws Refusal version_mismatch if it has changed since `before` */
export async function updateApplication(before: Application, body: Body<'updateApplication'>): Promise<Application> {
  const params = { path: { appId: before.id }, ...ifUnchanged(before) }
  const application = await ask(api.PATCH('/api/admin/applications/{appId}', { params, body }))
  await keepSaved(applicationQuery(application.id), application)
  // Another one may have lost its place as the home application.
  void queries.invalidateQueries({
    queryKey: applicationsQuery.queryKey,
    predicate: ({ queryKey }) => queryKey[2] !== application.id,
  })
  void readTenantLogAgain()
  void readTenantAgain()
  return application
}
