/** The organizations in the tenant's log: their names, and the filter. */
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queries } from '../api/queries.ts'
import activity from '../audit/activity.module.css'
import type { OrganizationFilterProps } from '../audit/filters.tsx'
import {
  readOrganizationNames,
  readTenantOrganizations,
  tenantOrganizationsKey,
} from '../organizations/directory-search.ts'
import classes from './log.module.css'

/** The first hundred by name, or of those that match. */
const choicesQuery = (query: string) =>
  queryOptions({
    queryKey: [...tenantOrganizationsKey, 'choice', query],
    queryFn: () => readTenantOrganizations({ sort: 'name', limit: 100, ...(query !== '' && { query }) }, undefined),
    placeholderData: keepPreviousData,
  })

/** The name of the chosen organization; null if it was deleted. */
const chosenQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: [...tenantOrganizationsKey, id, 'name'],
    queryFn: id === undefined ? skipToken : async () => (await readOrganizationNames([id])).get(id) ?? null,
  })

interface OrganizationNameProps {
  readonly id: string
  /** Null: it was deleted. */
  readonly name: string | null
}

export function OrganizationName({ id, name }: OrganizationNameProps) {
  const { t } = useTranslation()
  if (name === null) return t('tenants.activity.deletedOrganization')
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
  const { data: name } = useQuery(chosenQuery(value))
  const first = { value: all, label: t('audit.allOrganizations') }
  const label = name === null ? t('tenants.activity.deletedOrganization') : (name ?? '…')
  const chosen = value === undefined ? undefined : { value, label }
  // Until the user types, the field contains the chosen organization.
  const query = [first.label, chosen?.label].includes(wanted) ? '' : wanted
  const { data: found } = useQuery({ ...choicesQuery(query), enabled: isUsed })
  const others = (found?.data ?? []).filter(({ id }) => id !== value)
  return (
    <Select
      className={activity.organizations}
      label={t('audit.organization')}
      searchable
      allowDeselect={false}
      checkIconPosition="right"
      filter={({ options }) => options}
      onFocus={() => setUsed(true)}
      onSearchChange={setTyped}
      nothingFoundMessage={t('audit.noOrganization')}
      value={value ?? all}
      onChange={(next) => {
        const picked = found?.data.find(({ id }) => id === next)
        if (picked) queries.setQueryData(chosenQuery(picked.id).queryKey, picked.name)
        onChange(next === null || next === all ? undefined : next)
      }}
      data={[first, ...(chosen ? [chosen] : []), ...others.map(({ id, name: label }) => ({ value: id, label }))]}
    />
  )
}
