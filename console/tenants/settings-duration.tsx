/** A duration as a number and a unit, and what is said of one that is out of range. The API has seconds. */
import { Group, Input, NativeSelect, NumberInput } from '@mantine/core'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { durations } from '../../src/domain/limits/durations.ts'
import { inWords } from '../audit/values.ts'
import { numberIn, useTypedNumber } from '../parts/typed-number.ts'
import classes from './settings.module.css'

const units = { minutes: 60, hours: 3_600, days: 86_400 } as const
type Unit = keyof typeof units

interface DurationInputProps {
  readonly label: string
  readonly description: string
  readonly units: readonly Unit[]
  /** In seconds; null if the field is empty. */
  readonly value?: number | null
  readonly onChange: (seconds: number | null) => void
  readonly error?: React.ReactNode
  /** The form finds the field by it. */
  readonly 'data-path'?: string
}

export function DurationInput(props: DurationInputProps) {
  const { label, description, units: offered, value = null, onChange, error, ...rest } = props
  const { t } = useTranslation()
  const id = useId()
  const [unit, setUnit] = useState(() => unitOf(value, offered))
  const count = useTypedNumber(value, onChange, units[unit])
  return (
    <Input.Wrapper id={id} label={label} description={description} error={error}>
      <Group gap="xs" wrap="nowrap" mt={6} align="flex-start">
        <NumberInput
          {...rest}
          id={id}
          className={classes.number}
          aria-describedby={[`${id}-description`, ...(error ? [`${id}-error`] : [])].join(' ')}
          error={Boolean(error)}
          {...count}
          min={0}
          clampBehavior="none"
          allowNegative={false}
          decimalScale={2}
        />
        <NativeSelect
          className={classes.unit}
          aria-label={t('tenants.settings.unitOf', { label })}
          value={unit}
          onChange={({ currentTarget }) => {
            const next = offered.find((each) => each === currentTarget.value) ?? unit
            setUnit(next)
            if (count.value !== '') onChange(numberIn(count.value, units[next]))
          }}
          data={offered.map((each) => ({ value: each, label: t(`tenants.settings.units.${each}`) }))}
        />
      </Group>
    </Input.Wrapper>
  )
}

/** @returns the checks of a form's durations. They leave an empty field to the API. */
export function useDurationChecks<Names extends keyof typeof durations>(...names: readonly Names[]) {
  const { t } = useTranslation()
  const check = (name: Names) => (seconds: number | null) => {
    const { least, most } = durations[name]
    if (seconds === null || (seconds >= least && seconds <= most)) return null
    return t('tenants.settings.durationRange', { from: inWords(name, least), to: inWords(name, most) })
  }
  return Object.fromEntries(names.map((name) => [name, check(name)])) as Record<Names, ReturnType<typeof check>> // each of them
}

/** The largest unit that divides it. */
function unitOf(seconds: number | null, offered: readonly Unit[]): Unit {
  const [smallest = 'minutes', ...others] = offered
  return others.reduce<Unit>(
    (found, unit) => (seconds !== null && seconds >= units[unit] && seconds % units[unit] === 0 ? unit : found),
    smallest,
  )
}
