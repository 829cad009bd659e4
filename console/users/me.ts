/** Me: the signed-in user. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, ask, type Body, type Schemas, sentAs } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { ifUnchanged, type Versioned } from '../api/versions.ts'

export type Me = Versioned<Schemas['User']>

/** The caller, or null if nobody is signed in to this tenant. */
export const callerQuery = queryOptions({
  queryKey: ['users', 'me'],
  queryFn: () =>
    ask(api.GET('/api/users/me')).catch((error: unknown) => {
      if (isRefusal(error, 'unauthenticated', 'tenant_mismatch')) return null
      throw error
    }),
  refetchOnWindowFocus: 'always', // another user may have signed in meanwhile
})

/** The signed-in user. For pages inside. */
export function useMe() {
  const { data } = useSuspenseQuery(callerQuery)
  const last = useRef(data)
  if (data !== null) last.current = data
  // After signing out, the page stays until sign-in/session-watch.ts redirects.
  if (last.current === null) throw new Error('nobody is signed in')
  return last.current
}

/** Reads the latest version, not the cached one. @throws Refusal unauthenticated */
export async function readMe(): Promise<Me> {
  const me = await ask(api.GET('/api/users/me'))
  queries.setQueryData(callerQuery.queryKey, me)
  return me
}

export type MyChanges = Body<'updateMe'>

/** Changes the given fields, if the latest version is still `before`. @throws Refusal version_mismatch */
export async function updateMe(wanted: MyChanges, before: Me): Promise<Me> {
  return keep(await ask(api.PATCH('/api/users/me', { params: ifUnchanged(before), body: wanted })))
}

export async function uploadAvatar(picture: Blob): Promise<Me> {
  return keep(await ask(api.PUT('/api/users/me/avatar', sentAs(picture))))
}

export async function removeAvatar(): Promise<Me> {
  return keep(await ask(api.DELETE('/api/users/me/avatar')))
}

async function keep(me: Me): Promise<Me> {
  await keepCaller(me)
  void queries.invalidateQueries({ queryKey: ['users', 'me', 'audit'] })
  return me
}

/** Waits for the end of a read of the caller that is under way: it may not know of what has happened since it began. */
export async function callerIsRead(): Promise<void> {
  await queries
    .getQueryCache()
    .find(callerQuery)
    ?.promise?.catch(() => {})
}

/** Keeps the saved user, if they still are the caller. */
export async function keepCaller(me: Me): Promise<void> {
  await callerIsRead() // It is not cancelled: it may have to say that somebody else is the caller now.
  if (queries.getQueryData(callerQuery.queryKey)?.id === me.id) queries.setQueryData(callerQuery.queryKey, me)
}
