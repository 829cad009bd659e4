/** The columns of the list of members as CSV. */
import type { Member } from '../../domain/organizations/members.ts'
import type { Column } from '../../platform/http/csv.ts'

export const memberColumns: readonly Column<Member>[] = [
  ['Id', ({ id }) => id],
  ['User id', ({ user }) => user.id],
  ['Name', ({ user }) => user.name],
  ['Email', ({ user }) => user.email],
  ['Role', ({ role }) => role],
  ['Grants', ({ grants }) => grants.map(({ role }) => role).join(' ')],
  ['Status', ({ status }) => status],
  ['User status', ({ user }) => user.status],
  ['Has second factor', ({ user }) => user.hasSecondFactor],
  ['Joined at', ({ joinedAt }) => joinedAt],
  ['Expires at', ({ expiresAt }) => expiresAt],
  ['Last active at', ({ lastActiveAt }) => lastActiveAt],
  ['Invited by', ({ invitedBy }) => invitedBy?.name],
  ['Invited by id', ({ invitedBy }) => invitedBy?.id],
]
