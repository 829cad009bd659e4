/** Which entries of a log are shown: by kind and by time. They stand in the address. */
import { Button, MultiSelect, Select, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useReader } from '../parts/time.tsx'
import classes from './activity.module.css'
import { addDays, dayAt } from './days.ts'
import type { Kind } from './kinds.ts'
import { type ActivitySearch, kindsOf, readActivitySearch, spans } from './search.ts'

/** What the address asks for, and how to ask for something else. */
export function useActivitySearch() {
  const search = readActivitySearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const change = (next: ActivitySearch) => navigate({ to: '.', search: () => next, resetScroll: false })
  return [search, change] as const
}

interface FiltersProps {
  readonly kinds: readonly Kind[]
  readonly search: ActivitySearch
  readonly onChange: (search: ActivitySearch) => unknown
}

export function Filters({ kinds, search, onChange }: FiltersProps) {
  const { t } = useTranslation()
  const { timeZone } = useReader()
  const { kinds: words, last, from, to } = search
  const chosen = kindsOf(search)
  const ofKinds: ActivitySearch = words === undefined ? {} : { kinds: words }
  const hasDates = from !== undefined || to !== undefined
  const today = dayAt(new Date(), timeZone)

  const chooseKinds = (next: string[]) => {
    const { kinds: _, ...times } = search
    onChange(next.length === 0 ? times : { ...times, kinds: next.join() })
  }
  const chooseTime = (next: string | null) => {
    const span = spans.find((each) => String(each) === next)
    if (span !== undefined) onChange({ ...ofKinds, last: span })
    else onChange(next === 'dates' ? { ...ofKinds, from: addDays(today, -6), to: today } : ofKinds)
  }
  const chooseDates = (dates: { from?: string; to?: string }) => {
    const { from: first, to: end } = { from, to, ...dates }
    onChange({ ...ofKinds, ...(first && { from: first }), ...(end && { to: end }) })
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
          <TextInput
            type="date"
            label={t('audit.from')}
            max={to ?? today}
            value={from ?? ''}
            onChange={({ currentTarget: { value } }) => chooseDates({ from: value })}
          />
          <TextInput
            type="date"
            label={t('audit.to')}
            {...(from !== undefined && { min: from })}
            value={to ?? ''}
            onChange={({ currentTarget: { value } }) => chooseDates({ to: value })}
          />
        </>
      )}
      {(words !== undefined || last !== undefined || hasDates) && (
        <Button variant="subtle" color="gray" onClick={() => onChange({})}>
          {t('audit.clear')}
        </Button>
      )}
    </search>
  )
}
