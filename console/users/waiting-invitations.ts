/** The first of the invitations that wait for an answer of the signed-in user. */
import { queryOptions } from '@tanstack/react-query'
import { api, ask } from '../api/client.ts'

export const waitingInvitationsQuery = queryOptions({
  queryKey: ['users', 'me', 'invites', { waiting: true }],
  queryFn: () => ask(api.GET('/api/users/me/invites')),
})
