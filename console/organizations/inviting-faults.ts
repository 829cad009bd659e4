/** Why an invitation was refused, in words at the field to correct. */
import i18next from 'i18next'
import type { Schemas } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'
import type { Choices } from './inviting-terms.ts'
import { latestOf } from './roles.ts'

export interface Faults {
  readonly role?: string
  readonly grants?: string
  /** Those of `faultsOfEnds`. */
  readonly ends?: Readonly<Record<string, string>>
  readonly memberEnd?: string
}

interface Wanted extends Pick<Choices, 'role' | 'grants'> {
  /** All that there are. */
  readonly roles: readonly Schemas['Role'][]
  /** Of permissions, by their keys. */
  readonly names: ReadonlyMap<string, string>
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

function faultOfMissing(missing: readonly string[], { grants, roles, names }: Wanted): Faults {
  const above = grantsAbove(missing, Object.keys(grants), roles, names)
  if (above !== undefined) return { grants: above }
  return { role: i18next.t('organizations.inviting.faults.role', { permissions: inWords(missing, names) }) }
}

/** Which roles cannot be given for lack of permissions, in words; undefined: none of them. @param given keys of roles of the product */
export function grantsAbove(
  missing: readonly string[],
  given: readonly string[],
  roles: Wanted['roles'],
  names: Wanted['names'],
): string | undefined {
  const lacks = ({ permissions }: Schemas['Role']) => permissions.some((key) => missing.includes(key))
  const above = roles.filter((each) => given.includes(each.key) && lacks(each)).map(({ name }) => name)
  if (above.length === 0) return undefined
  const permissions = inWords(missing, names)
  return i18next.t('organizations.inviting.faults.grants', { roles: listed(above), permissions })
}

/** Permissions by their names. */
export function inWords(keys: readonly string[], names: Wanted['names']): string {
  return listed(keys.map((key) => names.get(key) ?? key))
}

function listed(words: readonly string[]): string {
  return new Intl.ListFormat(i18next.language).format(words)
}
