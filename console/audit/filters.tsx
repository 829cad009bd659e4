/** The filters of a log: kind, time and, in a log of several organizations, the organization. They are in the address. */
import { Button, MultiSelect, Select } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { useTranslation } from 'react-i18next'
import { useReader } from '../parts/time.tsx'
import classes from './activity.module.css'
import { DayField } from './day-field.tsx'
import { addDays, dayAt } from './days.ts'
import type { Kind } from './kinds.ts'
import { type ActivitySearch, kindsOf, readActivitySearch, spans } from './search.ts'

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

interface FiltersProps {
  readonly kinds: readonly Kind[]
  readonly Organizations: ComponentType<OrganizationFilterProps> | undefined
  readonly search: ActivitySearch
  readonly onChange: (search: ActivitySearch, options?: { readonly replace: boolean }) => unknown
}

export function Filters({ kinds, Organizations, search, onChange }: FiltersProps) {
  const { t } = useTranslation()
  const { timeZone } = useReader()
  const { last, from, to, ...atAnyTime } = search
  const chosen = kindsOf(search)
  const hasDates = from !== undefined || to !== undefined
  const today = dayAt(new Date(), timeZone)

  const chooseKinds = (next: string[]) => {
    const { kinds: _, ...others } = search
    onChange(next.length === 0 ? others : { ...others, kinds: next.join() })
  }
  const chooseTime = (next: string | null) => {
    const span = spans.find((each) => String(each) === next)
    if (span !== undefined) onChange({ ...atAnyTime, last: span })
    else onChange(next === 'dates' ? { ...atAnyTime, from: addDays(today, -6), to: today } : atAnyTime)
  }
  const chooseDates = (dates: { readonly from: string | undefined; readonly to: string | undefined }) => {
    const { from: first, to: end } = dates
    // "Back" skips the days that were typed, and leads to the filters before the range.
    onChange({ ...atAnyTime, ...(first && { from: first }), ...(end && { to: end }) }, { replace: true })
  }
  const chooseOrganization = (organization: string | undefined) => {
    const { organization: _, ...others } = search
    onChange(organization === undefined ? others : { ...others, organization })
  }
  return (
    <search className={classes.filters}>
      <MultiSelect
        className={classes.kinds}
        label={t('audit.kind')}
        placeholder={chosen.length === 0 ? t('audit.allKinds') : ''}
        data={kinds.map((kind) => ({ value: kind, label: t(`audit.kinds.${kind}`) }))}
        value={chosen}
        onChange={chooseKinds}
        checkIconPosition="right"
      />
      {Organizations && <Organizations value={search.organization} onChange={chooseOrganization} />}
      <Select
        className={classes.times}
        label={t('audit.time')}
        data={[
          { value: 'any', label: t('audit.anyTime') },
          ...spans.map((span) => ({ value: String(span), label: t(`audit.span_${span}`) })),
          { value: 'dates', label: t('audit.ownDates') },
        ]}
        value={last !== undefined ? String(last) : hasDates ? 'dates' : 'any'}
        onChange={chooseTime}
        allowDeselect={false}
        checkIconPosition="right"
      />
      {hasDates && (
        <>
          <DayField
            label={t('audit.from')}
            max={to ?? today}
            value={from}
            onChange={(day) => chooseDates({ from: day, to })}
          />
          <DayField label={t('audit.to')} min={from} value={to} onChange={(day) => chooseDates({ from, to: day })} />
        </>
      )}
      {Object.keys(search).length > 0 && (
        <Button variant="subtle" color="gray" onClick={() => onChange({})}>
          {t('audit.clear')}
        </Button>
      )}
    </search>
  )
}
