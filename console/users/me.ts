/** Me: whoever is signed in. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { ifUnchanged, type Versioned } from '../api/versions.ts'

export type Me = Versioned<Schemas['User']>

/** The caller, or null while nobody is signed in (or somebody of another tenant is). */
export const callerQuery = queryOptions({
  queryKey: ['users', 'me'],
  queryFn: () =>
    ask(api.GET('/api/users/me')).catch((error: unknown) => {
      if (isRefusal(error, 'unauthenticated', 'tenant_mismatch')) return null
      throw error
    }),
  refetchOnWindowFocus: 'always', // whose session it is may have changed without a word
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

/** What is there now, whatever was read before. @throws Refusal unauthenticated */
export async function readMe(): Promise<Me> {
  const me = await ask(api.GET('/api/users/me'))
  queries.setQueryData(callerQuery.queryKey, me)
  return me
}

type Wanted = Partial<Pick<Me, 'name' | 'avatarUrl' | 'locale' | 'timeZone' | 'email'>> & {
  readonly currentPassword?: string
}

/** Changes what is given, if it is still as it was `before`. @throws Refusal version_mismatch */
export async function updateMe(wanted: Wanted, before: Me): Promise<Me> {
  const me = await ask(api.PATCH('/api/users/me', { params: ifUnchanged(before), body: wanted }))
  queries.setQueryData(callerQuery.queryKey, me)
  void queries.invalidateQueries({ queryKey: ['users', 'me', 'audit'] })
  return me
}
