/** The organizations in the tenant's log: their names, and the filter. */
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'
import activity from '../audit/activity.module.css'
import type { OrganizationFilterProps } from '../audit/filters.tsx'
import { readTenantOrganizations, tenantOrganizationsKey } from '../organizations/directory-search.ts'
import classes from './log.module.css'

/** How long names are kept: a log names an organization many times. */
const staleTime = 300_000

/** The first hundred by name, or of those that match: the choices of the filter, and the names that most logs need. */
const choicesQuery = (query: string) =>
  queryOptions({
    queryKey: [...tenantOrganizationsKey, 'choice', query],
    queryFn: () => readTenantOrganizations({ sort: 'name', limit: 100, ...(query !== '' && { query }) }, undefined),
    placeholderData: keepPreviousData,
  })

/** The name of an organization; null if it was deleted. */
const organizationNameQuery = (orgId: string | undefined) =>
  queryOptions({
    queryKey: [...tenantOrganizationsKey, orgId, 'name'],
    queryFn: orgId === undefined ? skipToken : () => readName(orgId),
    staleTime,
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

/** Whether the names that most logs need are still read. @param enabled whether the log needs any */
export function useIsNaming(enabled = true): boolean {
  return useQuery({ ...choicesQuery(''), enabled, staleTime }).isLoading
}

/**
 * Looks among the choices, which are read once for all, and only then asks for one organization.
 *
 * @returns the name, if it is there, and what is shown for it until then or instead
 */
export function useOrganizationName(id: string | undefined) {
  const { t } = useTranslation()
  const { data: first, isPending } = useQuery({ ...choicesQuery(''), enabled: id !== undefined, staleTime })
  const known = first?.data.find((each) => each.id === id)?.name
  const { data: read } = useQuery(organizationNameQuery(isPending || known !== undefined ? undefined : id))
  const name = known ?? read
  return { name, words: name ?? (name === null ? t('tenants.activity.deletedOrganization') : '…') }
}

export function OrganizationName({ id }: { readonly id: string }) {
  const { name, words } = useOrganizationName(id)
  if (typeof name !== 'string') return words
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
  const { words } = useOrganizationName(value)
  const first = { value: all, label: t('audit.allOrganizations') }
  const chosen = value === undefined ? undefined : { value, label: words }
  // Until the user types, the field contains the chosen organization.
  const query = [first.label, chosen?.label].includes(wanted) ? '' : wanted
  const { data: found } = useQuery(choicesQuery(query))
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
