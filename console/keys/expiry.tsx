/** When a key ends: after some days, on a date, or never. */
import { Group, NativeSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { toEnd, useTomorrow } from '../organizations/ends.tsx'
import { DateField } from '../parts/date-field.tsx'

const days = [7, 30, 90, 365] as const

/** How many days ahead a key with an end can end at the latest. */
export const mostOfKey = 365

export interface Expiry {
  readonly choice: 'never' | 'day' | `${(typeof days)[number]}`
  /** For the choice `day`. */
  readonly day: string
}

/** The end as the API takes it, of a key that is made now. */
export function toExpiresAt({ choice, day }: Expiry, timeZone: string | undefined): string | null {
  if (choice === 'never') return null
  if (choice === 'day') return toEnd(day, [], timeZone)
  return new Date(Date.now() + Number(choice) * 86_400_000).toISOString()
}

interface ExpiryFieldProps {
  /** Whether the key may have no end. */
  readonly mayBeEndless: boolean
  readonly value?: Expiry
  readonly onChange: (expiry: Expiry) => void
  readonly error?: ReactNode
  readonly 'data-path'?: string
}

export function ExpiryField(props: ExpiryFieldProps) {
  const { mayBeEndless, value = { choice: '90', day: '' }, onChange, error, 'data-path': path } = props
  const { t } = useTranslation()
  const tomorrow = useTomorrow()
  const isDay = value.choice === 'day'
  const choices: readonly Expiry['choice'][] = [
    ...(mayBeEndless ? (['never'] as const) : []),
    ...days.map((count) => `${count}` as const),
    'day',
  ]
  const labelOf = (choice: Expiry['choice']) => {
    if (choice === 'never' || choice === 'day') return t(`keys.expiry.${choice}`)
    return choice === '365' ? t('keys.expiry.year') : t('keys.expiry.days', { count: Number(choice) })
  }
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        label={t('keys.expiry.label')}
        description={t(mayBeEndless ? 'keys.expiry.hint' : 'keys.expiry.hintMost')}
        value={value.choice}
        onChange={({ currentTarget }) => {
          const choice = choices.find((each) => each === currentTarget.value) ?? value.choice
          onChange({ ...value, choice })
        }}
        data={choices.map((choice) => ({ value: choice, label: labelOf(choice) }))}
        error={isDay ? undefined : error}
        {...(!isDay && { 'data-path': path })}
      />
      {isDay && (
        <DateField
          label={t('keys.expiry.dayLabel')}
          description={t('keys.expiry.dayHint')}
          min={tomorrow}
          value={value.day}
          onChange={(day) => onChange({ ...value, day })}
          error={error}
          data-path={path}
        />
      )}
    </Group>
  )
}
