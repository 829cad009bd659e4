/**
 * A field for a date in a form. Its value is the text of the field, or `halfTyped`. Only `isDay` makes a day of it.
 *
 * Invariant: a half-typed date is never taken for an empty field. To the browser both are empty, and it sends no event between them: the
 * field is read when it is left, and before its form is submitted. An input that is mounted again is empty, but its value stays half
 * typed until somebody types or deletes something.
 */
import { TextInput, type TextInputProps } from '@mantine/core'
import i18next from 'i18next'
import { useEffect, useEffectEvent, useRef } from 'react'
import { flushSync } from 'react-dom'
import { isDay } from '../audit/days.ts'
import { WithDates } from './with-dates.tsx'

/** The value while a part of the date is missing. */
const halfTyped = 'half typed'

/** @returns what is wrong with the value of a field, in words; null if it is a day or empty */
export function faultOfDate(value: string): string | null {
  if (value === halfTyped) return i18next.t('general.date.half')
  return value === '' || isDay(value) ? null : i18next.t('general.date.year')
}

interface DateFieldProps extends Omit<TextInputProps, 'type' | 'value' | 'onChange'> {
  readonly value?: string
  readonly onChange?: (value: string) => void
}

export function DateField({ value = '', onChange, error, ...rest }: DateFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  /** Whether the value is that of this input, and not of one before it. */
  const isOwn = useRef(value !== halfTyped)
  const read = () => {
    if (input.current === null) return
    const { value: text, validity } = input.current
    isOwn.current ||= validity.badInput || text !== '' || value !== halfTyped
    const now = validity.badInput || !isOwn.current ? halfTyped : text
    if (now !== value) onChange?.(now)
  }
  // At once: the form is submitted with what it has after this event, and another field may be half typed, too.
  const readBeforeSubmit = useEffectEvent(() => flushSync(read))
  useEffect(() => {
    const form = input.current?.form
    const listen = () => readBeforeSubmit()
    form?.addEventListener('submit', listen, { capture: true })
    return () => form?.removeEventListener('submit', listen, { capture: true })
  }, [])
  return (
    <TextInput
      {...rest}
      error={typeof error === 'string' ? <WithDates>{error}</WithDates> : error}
      ref={input}
      type="date"
      value={value === halfTyped ? '' : value}
      onChange={read}
      onKeyDown={({ key }) => {
        isOwn.current ||= key === 'Backspace' || key === 'Delete'
      }}
      onBlur={read}
    />
  )
}
