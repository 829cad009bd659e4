/** The organizations in the tenant's log: their names, and the filter. */
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'
import activity from '../audit/activity.module.css'
import type { OrganizationFilterProps } from '../audit/filters.tsx'
import { readTenantOrganizations, tenantOrganizationsKey } from '../organizations/directory-search.ts'
import classes from './log.module.css'

/** The name of an organization; null if it was deleted. Cached, because a log names an organization many times. */
export const organizationNameQuery = (orgId: string | undefined) =>
  queryOptions({
    queryKey: [...tenantOrganizationsKey, orgId, 'name'],
    queryFn: orgId === undefined ? skipToken : () => readName(orgId),
    staleTime: 300_000,
  })

function readName(orgId: string): Promise<string | null> {
  return ask(api.GET('/api/admin/organizations/{orgId}', { params: { path: { orgId } } })).then(
    ({ name }) => name,
    (error: unknown) => {
      if (isRefusal(error, 'not_found', 'invalid_id')) return null
      throw error
    },
  )
}

export function OrganizationName({ id }: { readonly id: string }) {
  const { t } = useTranslation()
  const { data: name } = useQuery(organizationNameQuery(id))
  if (name === undefined) return '…'
  if (name === null) return t('tenants.activity.deletedOrganization')
  return (
    <Link to="/admin/organizations/$organizationId" params={{ organizationId: id }} className={classes.place}>
      {name}
    </Link>
  )
}

const all = 'all'

/** Searches by the API, because there may be many. */
export function OrganizationFilter({ value, onChange }: OrganizationFilterProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const [wanted] = useDebouncedValue(typed.trim(), 250)
  const { data: name } = useQuery(organizationNameQuery(value))
  const first = { value: all, label: t('audit.allOrganizations') }
  const words = name ?? (name === null ? t('tenants.activity.deletedOrganization') : '…')
  const chosen = value === undefined ? undefined : { value, label: words }
  // Until the user types, the field contains the chosen organization.
  const query = [first.label, chosen?.label].includes(wanted) ? '' : wanted
  const { data: found } = useQuery({
    queryKey: [...tenantOrganizationsKey, 'choice', query],
    queryFn: () => readTenantOrganizations({ sort: 'name', ...(query !== '' && { query }) }, undefined),
    placeholderData: (before) => before,
  })
  const others = (found?.data ?? []).filter(({ id }) => id !== value)
  return (
    <Select
      className={activity.organizations}
      label={t('audit.organization')}
      searchable
      allowDeselect={false}
      checkIconPosition="right"
      filter={({ options }) => options}
      onSearchChange={setTyped}
      nothingFoundMessage={t('audit.noOrganization')}
      value={value ?? all}
      onChange={(next) => onChange(next === null || next === all ? undefined : next)}
      data={[first, ...(chosen ? [chosen] : []), ...others.map(({ id, name: label }) => ({ value: id, label }))]}
    />
  )
}
