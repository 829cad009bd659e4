/** Why an invitation was refused, in words at the field to correct. */
import i18next from 'i18next'
import type { Schemas } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'
import type { Choices } from './inviting-terms.ts'
import { latestOf } from './roles.ts'

export interface Faults {
  readonly role?: string
  readonly grants?: string
  readonly memberEnd?: string
}

interface Wanted extends Pick<Choices, 'role' | 'grants'> {
  /** All that there are. */
  readonly roles: readonly Schemas['Role'][]
}

/** @param dateOf of `useEndDate` @returns nothing if no field is at fault */
export function faultsOf(error: unknown, wanted: Wanted, dateOf: (iso: string) => string): Faults {
  if (isRefusal(error, 'invalid_request')) {
    const detailOf = (field: string) => error.problem.errors?.find(({ pointer }) => pointer.startsWith(field))?.detail
    const [grants, memberEnd] = [detailOf('/grants'), detailOf('/memberExpiresAt')]
    return { ...(grants !== undefined && { grants }), ...(memberEnd !== undefined && { memberEnd }) }
  }
  if (!isRefusal(error, 'role_above_yours')) return {}
  const { missing = [], until } = error.problem
  if (missing.length > 0) return faultOfMissing(missing, wanted)
  if (until == null) return {}
  const isOfGrants = Object.keys(wanted.grants).length > 0 && until !== latestOf(wanted.roles, wanted.role)
  const date = dateOf(until)
  return isOfGrants
    ? { grants: i18next.t('organizations.inviting.faults.grantsUntil', { date }) }
    : { memberEnd: i18next.t('organizations.inviting.faults.end', { date }) }
}

function faultOfMissing(missing: readonly string[], { grants, roles }: Wanted): Faults {
  const list = (words: readonly string[]) => new Intl.ListFormat(i18next.language).format(words)
  const lacks = ({ permissions }: Schemas['Role']) => permissions.some((key) => missing.includes(key))
  const above = roles.filter((each) => each.key in grants && lacks(each)).map(({ name }) => name)
  const permissions = list(missing)
  return above.length > 0
    ? { grants: i18next.t('organizations.inviting.faults.grants', { roles: list(above), permissions }) }
    : { role: i18next.t('organizations.inviting.faults.role', { permissions }) }
}
