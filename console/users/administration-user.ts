/** The user of an administration page: reading and changing them. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api, ask, type Schemas } from '../api/client.ts'
import { nameQueries } from '../api/names.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { keepSaved } from '../api/saved.ts'
import { ifUnchanged, type Versioned } from '../api/versions.ts'
import { readOrganizationsAgain } from '../organizations/organization.ts'
import { usersKey } from './directory-search.ts'
import { keepCaller, useMe } from './me.ts'

export type User = Versioned<Schemas['User']>
type Wanted = NonNullable<Parameters<typeof patch>[1]>

export const userQuery = (userId: string) =>
  queryOptions({
    queryKey: [...usersKey, userId],
    queryFn: () => ask(api.GET('/api/admin/users/{userId}', { params: { path: { userId } } })),
  })

/** For pages that are loaded after the user. @returns `isGone`: the user was deleted meanwhile */
export function useUserOfPage(userId: string): { readonly user: User; readonly isGone: boolean } {
  const { data, error } = useSuspenseQuery(userQuery(userId))
  return { user: data, isGone: isRefusal(error, 'not_found') }
}

/** For the tabs of a user. @returns `isMe`: it is the admin’s own account */
export function useUserOfTab(): { readonly user: User; readonly isMe: boolean } {
  const { userId } = useParams({ from: '/inside/admin/users/$userId' })
  const { user } = useUserOfPage(userId)
  return { user, isMe: useMe().id === user.id }
}

/** Reads the latest version, not the cached one. */
export function readUser(userId: string): Promise<User> {
  return queries.fetchQuery({ ...userQuery(userId), staleTime: 0 })
}

/**
 * Changes the given fields, and updates every page that shows the user.
 *
 * @param before the version that the admin has seen
 * @throws Refusal version_mismatch if the user has changed since then
 */
export async function updateUser(before: User, wanted: Wanted): Promise<User> {
  const { id: userId } = before
  const user = await patch(before, wanted)
  await keepSaved(userQuery(userId), user)
  void queries.invalidateQueries({ queryKey: usersKey })
  void readOrganizationsAgain() // lists of members contain the user
  await keepCaller(user)
  return user
}

function patch(before: User, body: Partial<Pick<User, 'name' | 'role' | 'status' | 'appMetadata'>> & Proof) {
  return ask(
    api.PATCH('/api/admin/users/{userId}', { params: { path: { userId: before.id }, ...ifUnchanged(before) }, body }),
  )
}

interface Proof {
  /** The password of the admin. */
  readonly currentPassword?: string
}

/** The name of a user, or their address. */
export function nameOf({ name, email }: Pick<User, 'name' | 'email'>): string {
  return name ?? email
}

/** The name of a user, or their address; null if they were deleted. */
export const userNameQuery = nameQueries(usersKey, async (ids) => {
  const { data } = await ask(api.GET('/api/admin/users', { params: { query: { id: ids, limit: ids.length } } }))
  return new Map(data.map((user) => [user.id, nameOf(user)]))
})
