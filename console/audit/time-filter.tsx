/** A filter for time: some days until today, or a range of days. */
import { Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { optionsInPlace } from '../parts/filters.tsx'
import { useReader } from '../parts/reader.ts'
import classes from './activity.module.css'
import { DayField } from './day-field.tsx'
import { addDays, dayAt } from './days.ts'
import { type ActivitySearch, spans } from './search.ts'
import '../texts/audit.ts'

type TimeSearch = Pick<ActivitySearch, 'last' | 'from' | 'to'>

interface TimeFilterProps {
  readonly search: TimeSearch
  readonly onChange: (time: TimeSearch, options?: { readonly replace: boolean }) => unknown
}

export function TimeFilter({ search: { last, from, to }, onChange }: TimeFilterProps) {
  const { t } = useTranslation()
  const { timeZone } = useReader()
  const hasDates = from !== undefined || to !== undefined
  const today = dayAt(new Date(), timeZone)

  const chooseTime = (next: string | null) => {
    const span = spans.find((each) => String(each) === next)
    if (span !== undefined) onChange({ last: span })
    else onChange(next === 'dates' ? { from: addDays(today, -6), to: today } : {})
  }
  const chooseDates = (dates: { readonly from: string | undefined; readonly to: string | undefined }) => {
    const { from: first, to: end } = dates
    // "Back" skips the days that were typed, and leads to the filters before the range.
    onChange({ ...(first && { from: first }), ...(end && { to: end }) }, { replace: true })
  }
  return (
    <>
      <Select
        comboboxProps={optionsInPlace}
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
    </>
  )
}
