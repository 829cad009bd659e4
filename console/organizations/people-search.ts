/** The page of people in the address: the part that is shown, and the filters of both parts, so that each is found as it was left. */
import { readTyped } from '../parts/search.ts'
import { type InvitationStatus, invitationStatuses } from './invitation.ts'
import { type MemberSearch, readMemberSearch } from './member.ts'

export interface PeopleSearch extends MemberSearch, InvitationSearch {
  /** Absent: the members. */
  readonly tab?: 'invitations'
}

export interface InvitationSearch {
  readonly inviteQuery?: string
  /** Absent: the pending ones. */
  readonly inviteStatus?: ListedStatus
}

/** The statuses that the filter offers beside the pending ones. */
export const listedStatuses = ['expired', 'accepted', 'declined', 'revoked', 'all'] as const
export type ListedStatus = (typeof listedStatuses)[number]

/** Reads the address, and ignores what is invalid. */
export function readPeopleSearch(search: Record<string, unknown>): PeopleSearch {
  const { tab } = search
  return { ...readMemberSearch(search), ...(tab === 'invitations' && { tab }), ...readInvitationSearch(search) }
}

/** The same for a page of invitations alone. */
export function readInvitationSearch({ inviteQuery, inviteStatus }: Record<string, unknown>): InvitationSearch {
  const status = listedStatuses.find((known) => known === inviteStatus)
  const query = readTyped(inviteQuery)
  return {
    ...(query !== '' && { inviteQuery: query }),
    ...(status !== undefined && { inviteStatus: status }),
  }
}

/** The page of people for an address of the page of invitations, as it was before both became one. */
export function fromInvitations({ status }: Record<string, unknown>): PeopleSearch {
  const known = listedStatuses.find((each) => each === status)
  return { tab: 'invitations', ...(known !== undefined && { inviteStatus: known }) }
}

/** The status that the API is asked for; undefined: any. */
export function askedStatus(status: ListedStatus | undefined): InvitationStatus | undefined {
  return status === undefined ? 'pending' : invitationStatuses.find((known) => known === status)
}
