/** The organizations in the tenant's log: their names, and the filter. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { queries } from '../api/queries.ts'
import type { OrganizationFilterProps } from '../audit/filters.tsx'
import { OrganizationSelect } from '../audit/organization-select.tsx'
import {
  organizationNameQuery,
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

const useChoices = (query: string, isUsed: boolean) => useQuery({ ...choicesQuery(query), enabled: isUsed }).data?.data

/** The filter by any organization of the tenant. */
export function OrganizationFilter({ value, onChange }: OrganizationFilterProps) {
  const { t } = useTranslation()
  const { data: name, failureCount } = useQuery({ ...organizationNameQuery(value ?? ''), enabled: value !== undefined })
  const unknown = failureCount === 0 ? '…' : t('audit.people.organization')
  return (
    <OrganizationSelect
      value={value}
      onChange={onChange}
      label={name === null ? t('tenants.activity.deletedOrganization') : (name ?? unknown)}
      useChoices={useChoices}
      onPick={({ id, name }) => queries.setQueryData(organizationNameQuery(id).queryKey, name)}
    />
  )
}
