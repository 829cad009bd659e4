/** Invitations of an organization, as those see them who may. */
import { api, ask, type Schemas } from '../api/client.ts'
import { useEndless } from '../parts/endless.tsx'
import type { Terms } from './inviting-terms.ts'
import { mayGive } from './roles.ts'

export type Invitation = Schemas['Invitation']
export type InvitationStatus = Invitation['status']

export const invitationStatuses = ['pending', 'accepted', 'declined', 'revoked', 'expired'] as const

/** Whether the caller, who may invite, can give what an invitation gives. @param roles all that there are */
export function mayResend({ status, role, grants, memberExpiresAt }: Invitation, roles: readonly Schemas['Role'][]) {
  const isOpen = status === 'pending' || status === 'expired'
  /** A grant ends with the membership at the latest. */
  const endOf = (end: string | null) =>
    end === null || (memberExpiresAt !== null && memberExpiresAt < end) ? memberExpiresAt : end
  const given = [{ role, expiresAt: memberExpiresAt }, ...grants]
  return isOpen && given.every((each) => mayGive(roles, each.role, endOf(each.expiresAt)))
}

/** The filters of the list; without a status, all. */
interface InvitationFilters {
  readonly query?: string | undefined
  readonly status?: InvitationStatus | undefined
}

export function useInvitations(orgId: string, { query, status }: InvitationFilters) {
  return useEndless(['organizations', orgId, 'invites', { query, status }], (cursor) =>
    ask(
      api.GET('/api/organizations/{orgId}/invites', {
        params: {
          path: { orgId },
          query: {
            limit: 100,
            ...(query && { query }),
            ...(status && { status }),
            ...(cursor !== undefined && { cursor }),
          },
        },
      }),
    ),
  )
}

/** Those that are pending. Counts the first hundred: a plus says that there are more. */
export function usePending(orgId: string) {
  return useInvitations(orgId, { status: 'pending' })
}

/**
 * Invites up to a hundred people to the same. Each is judged by itself.
 *
 * @returns the results, in order; `retryAfter`: after how many seconds a limit that all of them share allows more, if it is used up
 */
export async function inviteMany(orgId: string, emails: readonly string[], terms: Terms) {
  const call = api.POST('/api/organizations/{orgId}/invites/bulk', {
    params: { path: { orgId } },
    body: { invites: emails.map((email) => ({ email, ...terms })) },
  })
  const { results } = await ask(call)
  const limits = (await call).response.headers.get('ratelimit') ?? ''
  const usedUp = [...limits.matchAll(/"(?:inviter|organization|network)";r=0;t=(\d+)/g)].map(([, seconds]) =>
    Number(seconds),
  )
  return { results, retryAfter: usedUp.length > 0 ? Math.max(...usedUp) : undefined }
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
