/** Me: whoever is signed in. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, ask } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'

/** The caller, or null while nobody is signed in (or somebody of another tenant is). */
export const callerQuery = queryOptions({
  queryKey: ['users', 'me'],
  queryFn: () =>
    ask(api.GET('/api/users/me')).catch((error: unknown) => {
      if (isRefusal(error, 'unauthenticated', 'tenant_mismatch')) return null
      throw error
    }),
})

/** Whoever is signed in. For pages that nobody else sees. */
export function useMe() {
  const { data } = useSuspenseQuery(callerQuery)
  const last = useRef(data)
  if (data !== null) last.current = data
  // Whoever is signed out is led on in a moment (sign-in/session-watch.ts); until then the page stays as it is.
  if (last.current === null) throw new Error('nobody is signed in')
  return last.current
}
