/** Invitations of an organization, as its admins see them. */
import { api, ask, type Schemas } from '../api/client.ts'
import { useEndless } from '../parts/endless.tsx'
import type { Terms } from './inviting-terms.ts'

export type Invitation = Schemas['Invitation']
export type InvitationStatus = Invitation['status']

export const invitationStatuses = ['pending', 'accepted', 'declined', 'revoked', 'expired'] as const

/** The filters of the list in the address. */
export interface InvitationSearch {
  readonly status?: InvitationStatus
}

export function readInvitationSearch({ status }: Record<string, unknown>): InvitationSearch {
  const known = invitationStatuses.find((name) => name === status)
  return known === undefined ? {} : { status: known }
}

/** @param limit the size of a page */
export function useInvitations(orgId: string, status: InvitationStatus | undefined, limit = 50) {
  return useEndless(['organizations', orgId, 'invites', { status, limit }], (cursor) =>
    ask(
      api.GET('/api/organizations/{orgId}/invites', {
        params: {
          path: { orgId },
          query: { limit, ...(status && { status }), ...(cursor !== undefined && { cursor }) },
        },
      }),
    ),
  )
}

export function invite(orgId: string, email: string, terms: Terms) {
  return ask(api.POST('/api/organizations/{orgId}/invites', { params: { path: { orgId } }, body: { email, ...terms } }))
}

export function resendInvitation(orgId: string, inviteId: string, expiresInDays: number) {
  return ask(
    api.POST('/api/organizations/{orgId}/invites/{inviteId}/resend', {
      params: { path: { orgId, inviteId } },
      body: { expiresInDays },
    }),
  )
}

export function revokeInvitation(orgId: string, inviteId: string) {
  return ask(api.DELETE('/api/organizations/{orgId}/invites/{inviteId}', { params: { path: { orgId, inviteId } } }))
}
