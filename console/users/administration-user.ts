/** The user that a page of the administration is about: reading them, and changing them. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { ifUnchanged, type Versioned } from '../api/versions.ts'
import { usersKey } from './directory-search.ts'
import { callerQuery } from './me.ts'

export type User = Versioned<Schemas['User']>
type Wanted = NonNullable<Parameters<typeof patch>[1]>

export const userQuery = (userId: string) =>
  queryOptions({
    queryKey: [...usersKey, userId],
    queryFn: () => ask(api.GET('/api/admin/users/{userId}', { params: { path: { userId } } })),
  })

/** For pages that are loaded once the user is there. @returns `isGone`: the user was deleted meanwhile */
export function useUserOfPage(userId: string): { readonly user: User; readonly isGone: boolean } {
  const { data, error } = useSuspenseQuery(userQuery(userId))
  return { user: data, isGone: isRefusal(error, 'not_found') }
}

/** What is there now, whatever was read before. */
export function readUser(userId: string): Promise<User> {
  return queries.fetchQuery({ ...userQuery(userId), staleTime: 0 })
}

/**
 * Changes what is given, and what is shown of the user wherever it is shown.
 *
 * @param before the user as the reader sees them
 * @throws Refusal version_mismatch when they are no longer like that
 */
export async function updateUser(before: User, wanted: Wanted): Promise<User> {
  const { id: userId } = before
  const user = await patch(before, wanted)
  queries.setQueryData(userQuery(userId).queryKey, user)
  void queries.invalidateQueries({ queryKey: usersKey })
  void queries.invalidateQueries({ queryKey: ['admin', 'audit'] })
  if (queries.getQueryData(callerQuery.queryKey)?.id === userId) queries.setQueryData(callerQuery.queryKey, user)
  return user
}

function patch(before: User, body: Partial<Pick<User, 'name' | 'role' | 'status' | 'appMetadata'>> & Proof) {
  return ask(
    api.PATCH('/api/admin/users/{userId}', { params: { path: { userId: before.id }, ...ifUnchanged(before) }, body }),
  )
}

interface Proof {
  /** The admin's own. */
  readonly currentPassword?: string
}

/** Says why the last admin stays, in words for somebody who sits at the console. */
export async function explained<Result>(t: TFunction, asked: Promise<Result>): Promise<Result> {
  try {
    return await asked
  } catch (error) {
    throw isRefusal(error, 'last_admin') ? new Error(t('directory.lastAdmin')) : error
  }
}

/** What a person is called. */
export function nameOf({ name, email }: Pick<User, 'name' | 'email'>): string {
  return name ?? email
}
