/** The organizations in the tenant's log: their names, and the filter. */
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import activity from '../audit/activity.module.css'
import type { OrganizationFilterProps } from '../audit/filters.tsx'
import { readTenantOrganizations, tenantOrganizationsKey } from '../organizations/directory-search.ts'
import classes from './log.module.css'

/** How long the names of the first hundred are kept: most logs need no others. */
const staleTime = 300_000
/** How many ids the API takes at once. */
const mostIds = 100

/** The first hundred by name, or of those that match: the choices of the filter, and the names that most logs need. */
const choicesQuery = (query: string) =>
  queryOptions({
    queryKey: [...tenantOrganizationsKey, 'choice', query],
    queryFn: () => readTenantOrganizations({ sort: 'name', limit: 100, ...(query !== '' && { query }) }, undefined),
    placeholderData: keepPreviousData,
  })

/** The organization that is chosen in the filter; null if it was deleted. */
const chosenQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: [...tenantOrganizationsKey, id, 'name'],
    queryFn: id === undefined ? skipToken : async () => (await readNames([id])).get(id) ?? null,
    staleTime,
  })

/** A page of a log is read with the names of its organizations: all that are not among the first hundred by one request. */
export async function withOrganizations<Item extends { readonly organizationId: string | null }, Page>(
  reading: Promise<Page & { readonly data: readonly Item[] }>,
) {
  const [page] = await Promise.all([reading, readFirst()])
  const names = await readNames(page.data.flatMap(({ organizationId }) => organizationId ?? []))
  const data = page.data.map((item) => ({
    ...item,
    /** Null: the organization was deleted, or there is none. */
    organizationName: (item.organizationId !== null && names.get(item.organizationId)) || null,
  }))
  return { ...page, data }
}

/** @returns the names by the ids; those that were deleted have none */
async function readNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map((await readFirst()).data.map(({ id, name }) => [id, name]))
  const others = [...new Set(ids)].filter((id) => !names.has(id))
  for (let from = 0; from < others.length; from += mostIds) {
    const query = { id: others.slice(from, from + mostIds), limit: mostIds }
    const { data } = await ask(api.GET('/api/admin/organizations', { params: { query } }))
    for (const { id, name } of data) names.set(id, name)
  }
  return names
}

function readFirst() {
  return queries.fetchQuery({ ...choicesQuery(''), staleTime })
}

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

/** Searches by the API, because there may be many. */
export function OrganizationFilter({ value, onChange }: OrganizationFilterProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const [wanted] = useDebouncedValue(typed.trim(), 250)
  const { data: name } = useQuery(chosenQuery(value))
  const first = { value: all, label: t('audit.allOrganizations') }
  const chosen =
    value === undefined
      ? undefined
      : { value, label: name ?? (name === null ? t('tenants.activity.deletedOrganization') : '…') }
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
