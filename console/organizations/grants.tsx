/** Grants: roles of the product beside the own role, each with or without an end. */
import { Checkbox, Group, Stack } from '@mantine/core'
import { queryOptions } from '@tanstack/react-query'
import i18next from 'i18next'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { DateField } from '../parts/date-field.tsx'
import { useReader } from '../parts/reader.ts'
import { WithDates } from '../parts/with-dates.tsx'
import { toDay, useEndDate, useTomorrow } from './ends.tsx'
import { modelQuery } from './permissions.ts'
import type { Where } from './place.ts'
import { latestOf } from './roles.ts'

/** What somebody can be given in an organization; the built-in roles first. */
export const rolesQuery = (where: Where) => queryOptions({ ...modelQuery(where), select: ({ data }) => data })

/** The names of permissions, by their keys. */
export const permissionNamesQuery = (where: Where) =>
  queryOptions({ ...modelQuery(where), select: ({ permissions }) => namesOf(permissions) })

/** The names of roles and permissions, by their keys. */
export const namesQuery = (where: Where) =>
  queryOptions({ ...modelQuery(where), select: ({ data, permissions }) => namesOf([...permissions, ...data]) })

/** All permissions, the built-in ones first. */
export const permissionsOfModelQuery = (where: Where) =>
  queryOptions({ ...modelQuery(where), select: ({ permissions }) => permissions })

/** Reads the roles and the names of permissions as they are now, not the cached ones. */
export async function readModel(where: Where) {
  const { data, permissions } = await queries.fetchQuery({ ...modelQuery(where), staleTime: 0 })
  return { roles: data, names: namesOf(permissions) }
}

export function namesOf(named: readonly Pick<Schemas['Permission'], 'key' | 'name'>[]): ReadonlyMap<string, string> {
  return new Map(named.map(({ key, name }) => [key, name]))
}

/** The chosen roles by their keys, each with the day of its end; empty: no end. */
export type Grants = Readonly<Record<string, string>>

/** Grants as the API takes them. @param endOf the end that a role's day stands for */
export function toGrants(grants: Grants, endOf: (day: string, role: string) => string | null) {
  return Object.entries(grants).map(([role, day]) => ({ role, expiresAt: endOf(day, role) }))
}

/**
 * Grants as they are now, with what a user has changed: roles that were added, removed, or got another end. Others are kept.
 *
 * @param now    as they were read last
 * @param held   those that the user has seen
 * @param chosen what the user has made of them
 * @param endOf  the end that a role's day stands for
 */
export function mergeGrants(
  now: Schemas['MemberDetails']['grants'],
  held: Grants,
  chosen: Grants,
  endOf: (day: string, role: string) => string | null,
) {
  const isKept = (role: string) => held[role] === chosen[role]
  const changed = Object.fromEntries(Object.entries(chosen).filter(([role]) => !isKept(role)))
  const kept = now.filter(({ role }) => isKept(role)).map(({ role, expiresAt }) => ({ role, expiresAt }))
  return [...kept, ...toGrants(changed, endOf)]
}

/** What is wrong with the ends of roles, by the names of their fields. @param faultOf in words; null: nothing */
export function faultsOfEnds(grants: Grants, faultOf: (day: string, role: string) => string | null) {
  return Object.fromEntries(Object.entries(grants).map(([role, day]) => [nameOfEnd(role), faultOf(day, role)]))
}

const nameOfEnd = (role: string) => `grants.${role}`

interface GrantsForm {
  readonly getValues: () => { readonly grants: Grants }
  readonly setFieldValue: (field: 'grants', grants: Grants) => void
  readonly clearFieldError: (field: string) => void
}

/** Sets the grants of a form. The fault of an end goes when the end or its role does. */
export function setGrants({ getValues, setFieldValue, clearFieldError }: GrantsForm, grants: Grants): void {
  const { grants: before } = getValues()
  setFieldValue('grants', grants)
  for (const [role, day] of Object.entries(before)) if (grants[role] !== day) clearFieldError(nameOfEnd(role))
}

interface GrantsFieldProps {
  readonly roles: readonly Schemas['Role'][]
  readonly value: Grants
  readonly onChange: (value: Grants) => void
  readonly error?: ReactNode
  /** Of `faultsOfEnds`; others are ignored. */
  readonly faults?: Readonly<Record<string, ReactNode>>
  /** What the member has already: they keep it, also if the caller may not give it. */
  readonly held?: Grants
  /** Below the roles. */
  readonly children?: ReactNode
}

export function GrantsField({ roles, value, onChange, error, faults = {}, held = {}, children }: GrantsFieldProps) {
  const { t } = useTranslation()
  const tomorrow = useTomorrow()
  const { timeZone } = useReader()
  const dateOf = useEndDate()
  // A role that was taken away and is chosen again has its end again. One that can be given only for a time begins with the latest end.
  const dayOf = (key: string) => value[key] ?? held[key] ?? toDay(latestOf(roles, key), timeZone)
  const choose = (keys: readonly string[]) => onChange(Object.fromEntries(keys.map((key) => [key, dayOf(key)])))
  return (
    <Checkbox.Group
      label={t('organizations.access.roles')}
      description={t('organizations.access.endHint')}
      error={typeof error === 'string' ? <WithDates>{error}</WithDates> : error}
      errorProps={{ role: 'alert' }}
      inputWrapperOrder={['label', 'description', 'input', 'error']}
      value={Object.keys(value)}
      onChange={choose}
    >
      <Stack gap="xs" mt="xs" mb={error ? 'xs' : 0}>
        {roles.map(({ key, name, description, mayGrant, mayGrantUntil }) => (
          <Group key={key} justify="space-between" align="flex-start" wrap="wrap" gap="xs">
            <Checkbox
              value={key}
              label={name}
              description={
                mayGrantUntil === null ? (
                  description
                ) : (
                  <WithDates>
                    {[description, t('organizations.access.yoursUntil', { date: dateOf(mayGrantUntil) })]
                      .filter(Boolean)
                      .join(' ')}
                  </WithDates>
                )
              }
              disabled={!mayGrant && !(key in value) && !(key in held)}
              aria-invalid={(key in value && error !== undefined) || undefined}
            />
            {key in value && (
              <DateField
                aria-label={t('organizations.access.endOf', { role: name })}
                min={tomorrow}
                max={toDay(mayGrantUntil, timeZone)}
                value={value[key] ?? ''}
                onChange={(day) => onChange({ ...value, [key]: day })}
                error={faults[nameOfEnd(key)]}
                data-path={nameOfEnd(key)}
              />
            )}
          </Group>
        ))}
        {children}
      </Stack>
    </Checkbox.Group>
  )
}

type Offered = Pick<Schemas['Invitation'], 'grants' | 'memberExpiresAt'>

/** Roles that an invitation gives, in words: "Billing until 31 Jan 2027 and Reports". @param dateOf of `useEndDate` */
export function namesOfGrants(grants: Offered['grants'], dateOf: (iso: string) => string): string {
  const names = grants.map(({ name, expiresAt }) =>
    expiresAt === null ? name : i18next.t('general.until', { role: name, date: dateOf(expiresAt) }),
  )
  return new Intl.ListFormat(i18next.language).format(names)
}

/** What an invitation gives, in words: "Member with Billing and Reports, until 3 March 2027". @param role its name */
export function offerInWords(
  role: string,
  { grants, memberExpiresAt }: Offered,
  dateOf: (iso: string) => string,
): string {
  const offer =
    grants.length === 0 ? role : i18next.t('general.offer.with', { role, grants: namesOfGrants(grants, dateOf) })
  if (memberExpiresAt === null) return offer
  return i18next.t('general.offer.until', { offer, date: dateOf(memberExpiresAt) })
}
