/** Why a change of a member was refused, in words at the field to correct. */
import i18next from 'i18next'
import type { Schemas } from '../api/client.ts'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { readModel } from './grants.tsx'
import { grantsAbove, inWords } from './inviting-faults.ts'
import type { Where } from './place.ts'

type Terms = Pick<Schemas['MemberDetails'], 'expiresAt'> & {
  readonly grants: readonly { readonly role: string; readonly expiresAt: string | null }[]
}

interface Change {
  readonly before: Terms
  readonly after: Terms
}

/** @param dateOf of `useEndDate` @returns a refusal that names the field or the permissions; other errors as they are */
export async function explained(
  error: unknown,
  where: Where,
  change: Change,
  dateOf: (iso: string) => string,
): Promise<unknown> {
  if (!isRefusal(error, 'role_above_yours')) return error
  const { missing = [], until } = error.problem
  const given = givenBetween(change)
  const at = (pointer: string, detail: string) =>
    new Refusal({ ...error.problem, errors: [{ pointer, code: 'not_allowed', detail }] })
  if (missing.length > 0) {
    const { roles, names } = await readModel(where) // a role may have changed since the dialog was opened
    const above = grantsAbove(
      missing,
      given.map(({ role }) => role),
      roles,
      names,
    )
    if (above !== undefined) return at('/grants', above)
    return new Refusal({ ...error.problem, missing: missing.map((key) => inWords([key], names)) })
  }
  if (until == null) return error
  const date = dateOf(until)
  // A grant ends with the membership at the latest.
  const endOfGrant = (end: string | null) => Math.min(endOf(end), endOf(change.after.expiresAt))
  return given.some(({ expiresAt }) => endOfGrant(expiresAt) > Date.parse(until))
    ? at('/grants', i18next.t('organizations.inviting.faults.grantsUntil', { date }))
    : at('/expiresAt', i18next.t('organizations.inviting.faults.end', { date }))
}

/** The grants that are new or end later than before. */
function givenBetween({ before, after }: Change): Terms['grants'] {
  return after.grants.filter(({ role, expiresAt }) => {
    const known = before.grants.find((grant) => grant.role === role)
    return known === undefined || endOf(expiresAt) > endOf(known.expiresAt)
  })
}

function endOf(moment: string | null): number {
  return moment === null ? Number.POSITIVE_INFINITY : Date.parse(moment)
}
