/** The organizations in the tenant's log: their names, and the filter. */
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queries } from '../api/queries.ts'
import activity from '../audit/activity.module.css'
import type { OrganizationFilterProps } from '../audit/filters.tsx'
import {
  organizationNameQuery,
  readTenantOrganizations,
  tenantOrganizationsKey,
} from '../organizations/directory-search.ts'
import { optionsInPlace } from '../parts/filters.tsx'
import { longestQuery } from '../parts/search.ts'
import classes from './log.module.css'

/** The first hundred by name, or of those that match. */
const choicesQuery = (query: string) =>
  queryOptions({
    queryKey: [...tenantOrganizationsKey, 'choice', query],
    queryFn: () => readTenantOrganizations({ sort: 'name', limit: 100, ...(query !== '' && { query }) }, undefined),
    placeholderData: keepPreviousData,
  })

/** @returns the name of an organization, or words instead while it is not known */
export function useOrganizationName(id: string): { readonly name: string; readonly isGone: boolean } {
  const { t } = useTranslation()
  const { data } = useQuery(organizationNameQuery(id))
  if (data === null) return { name: t('tenants.activity.deletedOrganization'), isGone: true }
  return { name: data ?? t('audit.people.organization'), isGone: false }
}

/** A link to it. */
export function OrganizationName({ id }: { readonly id: string }) {
  const { name, isGone } = useOrganizationName(id)
  if (isGone) return name
  return (
    <Link to="/admin/organizations/$organizationId" params={{ organizationId: id }} className={classes.place}>
      {name}
    </Link>
  )
}

const all = 'all'

/** Its choices are read when it gets the focus, and searched by the API, because there may be many. */
export function OrganizationFilter({ value, onChange }: OrganizationFilterProps) {
  const { t } = useTranslation()
  const [isUsed, setUsed] = useState(false)
  const [typed, setTyped] = useState('')
  const [wanted] = useDebouncedValue(typed.trim(), 250)
  const { data: name, failureCount } = useQuery({ ...organizationNameQuery(value ?? ''), enabled: value !== undefined })
  const first = { value: all, label: t('audit.allOrganizations') }
  const unknown = failureCount === 0 ? '…' : t('audit.people.organization')
  const label = name === null ? t('tenants.activity.deletedOrganization') : (name ?? unknown)
  const chosen = value === undefined ? undefined : { value, label }
  // Until the user types, the field contains the chosen organization.
  const query = [first.label, chosen?.label].includes(wanted) ? '' : wanted
  const { data: found } = useQuery({ ...choicesQuery(query), enabled: isUsed })
  const others = (found?.data ?? []).filter(({ id }) => id !== value)
  const isFound = (value: string) => found?.data.some(({ id }) => id === value)
  return (
    <Select
      comboboxProps={optionsInPlace}
      className={activity.organizations}
      label={t('audit.organization')}
      searchable
      maxLength={longestQuery}
      allowDeselect={false}
      checkIconPosition="right"
      filter={({ options }) =>
        query === '' || !found ? options : options.filter((option) => 'value' in option && isFound(option.value))
      }
      onFocus={() => setUsed(true)}
      onSearchChange={setTyped}
      nothingFoundMessage={t('audit.noOrganization')}
      value={value ?? all}
      onChange={(next) => {
        const picked = found?.data.find(({ id }) => id === next)
        if (picked) queries.setQueryData(organizationNameQuery(picked.id).queryKey, picked.name)
        onChange(next === null || next === all ? undefined : next)
      }}
      data={[first, ...(chosen ? [chosen] : []), ...others.map(({ id, name: label }) => ({ value: id, label }))]}
    />
  )
}
