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

/** Everything about the caller is read again: factors, sessions, the log. */
export function readAgain(): Promise<void> {
  return queries.invalidateQueries({ queryKey: ['users', 'me'] })
}
