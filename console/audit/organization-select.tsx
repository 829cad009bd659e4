/** The field of a filter by organization, of which there may be many: its choices are read when it gets the focus, and searched by the API. */
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { optionsInPlace } from '../parts/filters.tsx'
import { longestQuery } from '../parts/search.ts'
import classes from './activity.module.css'
import type { OrganizationFilterProps } from './filters.tsx'

interface Choice {
  readonly id: string
  readonly name: string
}

interface OrganizationSelectProps<Found extends Choice> extends OrganizationFilterProps {
  /** What the field contains if one is chosen. */
  readonly label: string
  /** Reads the first hundred, or of those that match. Undefined until they are there. */
  readonly useChoices: (query: string, isUsed: boolean) => readonly Found[] | undefined
  readonly onPick?: (picked: Found) => void
}

const all = 'all'

export function OrganizationSelect<Found extends Choice>(props: OrganizationSelectProps<Found>) {
  const { value, onChange, label, useChoices, onPick } = props
  const { t } = useTranslation()
  const [isUsed, setUsed] = useState(false)
  const [typed, setTyped] = useState('')
  const [wanted] = useDebouncedValue(typed.trim(), 250)
  const first = { value: all, label: t('audit.allOrganizations') }
  const chosen = value === undefined ? undefined : { value, label }
  // Until the user types, the field contains the chosen organization.
  const query = [first.label, chosen?.label].includes(wanted) ? '' : wanted
  const found = useChoices(query, isUsed)
  const others = (found ?? []).filter(({ id }) => id !== value)
  const isFound = (value: string) => found?.some(({ id }) => id === value)
  return (
    <Select
      comboboxProps={optionsInPlace}
      className={classes.organizations}
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
        const picked = found?.find(({ id }) => id === next)
        if (picked) onPick?.(picked)
        onChange(next === null || next === all ? undefined : next)
      }}
      data={[first, ...(chosen ? [chosen] : []), ...others.map(({ id, name: label }) => ({ value: id, label }))]}
    />
  )
}
