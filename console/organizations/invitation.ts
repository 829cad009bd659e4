/** Invitations of an organization, as those see them who may. */
import { api, ask, type Schemas } from '../api/client.ts'
import { useEndless } from '../parts/endless.tsx'
import type { Terms } from './inviting-terms.ts'
import { placeOf, type Where } from './place.ts'
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

export function useInvitations(where: Where, { query, status }: InvitationFilters) {
  const { base, path, key } = placeOf(where)
  return useEndless([...key, 'invites', { query, status }], (cursor) =>
    ask(
      api.GET(`${base}/invites`, {
        params: {
          path,
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
export async function inviteMany(where: Where, emails: readonly string[], terms: Terms) {
  const { base, path } = placeOf(where)
  const call = api.POST(`${base}/invites/bulk`, {
    params: { path },
    body: { invites: emails.map((email) => ({ email, ...terms })) },
  })
  const { results } = await ask(call)
  const limits = (await call).response.headers.get('ratelimit') ?? ''
  const usedUp = [...limits.matchAll(/"(?:inviter|organization|network)";r=0;t=(\d+)/g)].map(([, seconds]) =>
    Number(seconds),
  )
  return { results, retryAfter: usedUp.length > 0 ? Math.max(...usedUp) : undefined }
}

export function resendInvitation(where: Where, inviteId: string, expiresInDays: number) {
  const { base, path } = placeOf(where)
  const params = { path: { ...path, inviteId } }
  return ask(api.POST(`${base}/invites/{inviteId}/resend`, { params, body: { expiresInDays } }))
}

export function revokeInvitation(where: Where, inviteId: string) {
  const { base, path } = placeOf(where)
  return ask(api.DELETE(`${base}/invites/{inviteId}`, { params: { path: { ...path, inviteId } } }))
}
