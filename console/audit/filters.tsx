/** The filters of a log: kind, time and, in a log of several organizations, the organization. They are in the address. */
import { Button, MultiSelect } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { type FilteredList, Filters, optionsInPlace } from '../parts/filters.tsx'
import { isFiltered } from '../parts/found.tsx'
import classes from './activity.module.css'
import type { Kind } from './kinds.ts'
import { type ActivitySearch, kindsOf, readActivitySearch } from './search.ts'
import { TimeFilter } from './time-filter.tsx'

/** The filters in the address, and how to change them. */
export function useActivitySearch() {
  const search = readActivitySearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const change = (next: ActivitySearch, { replace = false } = {}) =>
    navigate({ to: '.', search: () => next, resetScroll: false, replace })
  return [search, change] as const
}

/** Chooses one of the organizations in the log; undefined is all of them. */
export interface OrganizationFilterProps {
  readonly value: string | undefined
  readonly onChange: (organization: string | undefined) => unknown
}

interface ActivityFiltersProps extends FilteredList {
  readonly kinds: readonly Kind[]
  readonly Organizations: ComponentType<OrganizationFilterProps> | undefined
  readonly search: ActivitySearch
  readonly onChange: (search: ActivitySearch, options?: { readonly replace: boolean }) => unknown
  readonly beside: ReactNode
}

export function ActivityFilters({ kinds, Organizations, search, onChange, ...row }: ActivityFiltersProps) {
  const { t } = useTranslation()
  const { last: _, from: _from, to: _to, ...atAnyTime } = search
  const chosen = kindsOf(search)

  const chooseKinds = (next: string[]) => {
    const { kinds: _, ...others } = search
    onChange(next.length === 0 ? others : { ...others, kinds: next.join() })
  }
  const chooseOrganization = (organization: string | undefined) => {
    const { organization: _, ...others } = search
    onChange(organization === undefined ? others : { ...others, organization })
  }
  return (
    <Filters className={classes.filters} filters={search} {...row}>
      <MultiSelect
        comboboxProps={optionsInPlace}
        className={classes.kinds}
        label={t('audit.kind')}
        placeholder={chosen.length === 0 ? t('audit.allKinds') : ''}
        data={kinds.map((kind) => ({ value: kind, label: t(`audit.kinds.${kind}`) }))}
        value={chosen}
        onChange={chooseKinds}
        checkIconPosition="right"
      />
      {Organizations && <Organizations value={search.organization} onChange={chooseOrganization} />}
      <TimeFilter search={search} onChange={(time, options) => onChange({ ...atAnyTime, ...time }, options)} />
      {isFiltered(search) && (
        <Button variant="subtle" color="gray" onClick={() => onChange({})}>
          {t('audit.clear')}
        </Button>
      )}
    </Filters>
  )
}
