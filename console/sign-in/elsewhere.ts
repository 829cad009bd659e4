/**
 * Elsewhere: a browser has one session for all tenants of a host, and it may be of another one than the page is.
 *
 * Which one, no script can read in the cookie. So the slug is noted when a session begins, and is believed only when the API agrees.
 */
import { queryOptions } from '@tanstack/react-query'
import { api, ask, asTenant } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'

const key = 'guildhall-tenant'

export function rememberTenant(slug: string | undefined): void {
  if (slug !== undefined) localStorage.setItem(key, slug)
}

/** Where else somebody is signed in, and as whom; null where nobody is, or nobody can say where. */
export const elsewhereQuery = (here: string) =>
  queryOptions({
    queryKey: ['tenant', here, 'elsewhere'], // of no session here: it outlives the end of one
    async queryFn() {
      const slug = localStorage.getItem(key)
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
