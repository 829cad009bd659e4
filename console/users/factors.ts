/** What the caller can sign in with beside a password, as the pages read it. */
import { queryOptions } from '@tanstack/react-query'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'

export type Factor = Schemas['Factor']
export type Identity = Schemas['Identity']

export const factorsQuery = queryOptions({
  queryKey: ['users', 'me', 'factors'],
  queryFn: () => ask(api.GET('/api/users/me/factors')),
})

export const identitiesQuery = queryOptions({
  queryKey: ['users', 'me', 'identities'],
  queryFn: () => ask(api.GET('/api/users/me/identities')),
})

interface Factors {
  readonly data: readonly Factor[]
  readonly recoveryCodes: { readonly left: number } | null
  readonly requiredBy: readonly string[]
}

/**
 * How many recovery codes somebody has left. The service makes them for people whom sign-in asks for a second factor. It does not ask those
 * who have only passkeys that sign in alone, unless the tenant requires a second factor.
 *
 * @returns undefined for somebody who has no codes and can make none
 */
export function codesLeftOf({ data, recoveryCodes, requiredBy }: Factors): number | undefined {
  const isAsked = data.some(({ canSignIn }) => !canSignIn || requiredBy.includes('tenant'))
  return recoveryCodes?.left ?? (isAsked ? 0 : undefined)
}

/** Everything about the caller is read again: factors, sessions, the log. */
export function readAgain(): Promise<void> {
  return queries.invalidateQueries({ queryKey: ['users', 'me'] })
}
