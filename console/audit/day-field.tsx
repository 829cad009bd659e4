/**
 * A field for a day. While the user types, the value is empty or in the year 2: only a sensible day is passed on.
 *
 * Invariant: a half-typed date is never taken for an empty field, although its value is empty, too. It changes no filter.
 */
import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { isDay } from './days.ts'

interface DayFieldProps {
  readonly label: string
  readonly value: string | undefined
  /** Undefined when the field was left empty. */
  readonly onChange: (day: string | undefined) => unknown
  readonly min?: string | undefined
  readonly max?: string | undefined
}

export function DayField({ label, value, onChange, min, max }: DayFieldProps) {
  const [typed, setTyped] = useState(value ?? '')
  const [shown, setShown] = useState(value)
  // Changed from outside: by "back", or by clearing the filters.
  if (shown !== value) {
    setShown(value)
    setTyped(value ?? '')
  }
  const type = (day: string) => {
    setTyped(day)
    if (isDay(day)) onChange(day)
  }
  const leave = (input: HTMLInputElement) => {
    const isHalfTyped = input.validity.badInput
    if (typed === '' && value !== undefined && !isHalfTyped) return onChange(undefined)
    setTyped(value ?? '')
    if (isHalfTyped) input.value = value ?? '' // to React, a half-typed date and an empty field are the same
  }
  return (
    <TextInput
      type="date"
      label={label}
      {...(min !== undefined && { min })}
      {...(max !== undefined && { max })}
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onBlur={({ currentTarget }) => leave(currentTarget)}
    />
  )
}
