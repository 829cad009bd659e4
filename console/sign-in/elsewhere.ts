/**
 * Elsewhere: a browser has one session for all tenants of a host, which may belong to another tenant than the page.
 *
 * No script can read the tenant in the cookie. So the slug is stored when a session begins, and is used only if the API confirms it.
 */
import { queryOptions } from '@tanstack/react-query'
import { api, ask, asTenant } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'
import { inBrowser } from '../parts/storage.ts'

const key = 'guildhall-tenant'

export function rememberTenant(slug: string | undefined): void {
  if (slug !== undefined) inBrowser.write(key, slug)
}

/** The other tenant that the browser is signed in to, and the user; null if there is none, or it is unknown. */
export const elsewhereQuery = (here: string) =>
  queryOptions({
    queryKey: ['tenant', here, 'elsewhere'], // below `tenant`, so that it stays when a session here ends
    async queryFn() {
      const slug = inBrowser.read(key)
      if (slug === null || slug === here) return null
      const headers = asTenant(slug)
      try {
        const { email } = await ask(api.GET('/api/users/me', { headers }))
        const { name } = await ask(api.GET('/api/tenant', { headers }))
        return { email, name, path: slug === 'default' ? '/' : `/t/${slug}/` }
      } catch (error) {
        if (isRefusal(error, 'unauthenticated', 'tenant_mismatch')) return null
        throw error
      }
    },
    staleTime: 0,
    gcTime: 0,
  })
