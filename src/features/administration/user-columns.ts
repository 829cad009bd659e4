/** The columns of the directory as CSV. */
import type { User } from '../../domain/people/users.ts'
import type { Column } from '../../platform/http/csv.ts'

export const csvColumns: readonly Column<User>[] = [
  ['Id', ({ id }) => id],
  ['Email', ({ email }) => email],
  ['Email verified', ({ emailVerified }) => emailVerified],
  ['Pending email', ({ pendingEmail }) => pendingEmail],
  ['Name', ({ name }) => name],
  ['Role', ({ role }) => role],
  ['Status', ({ status }) => status],
  ['Has password', ({ hasPassword }) => hasPassword],
  ['Has second factor', ({ hasSecondFactor }) => hasSecondFactor],
  ['Locale', ({ locale }) => locale],
  ['Time zone', ({ timeZone }) => timeZone],
  ['Created at', ({ createdAt }) => createdAt],
  ['Updated at', ({ updatedAt }) => updatedAt],
  ['Last active at', ({ lastActiveAt }) => lastActiveAt],
  ['External id', ({ externalId }) => externalId],
]
