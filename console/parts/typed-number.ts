/**
 * What is typed into a number field. Mantine's field gives a text while it may go on: "30." before "30.5", "05", "1.0" before "1.05". The
 * text stays in the field, and its number is the value.
 */
import { useState } from 'react'

/** @returns the number in a field, in the unit of the value; null if there is none */
export function numberIn(typed: number | string, unit = 1): number | null {
  const number = typed === '' ? Number.NaN : Number(typed)
  return Number.isFinite(number) ? Math.round(number * unit) : null
}

/**
 * @param value null if the field has no number
 * @param unit  how many of the value's unit are 1 in the field
 * @returns     the properties of a `NumberInput`
 */
export function useTypedNumber(value: number | null, onChange: (value: number | null) => void, unit = 1) {
  const [typed, setTyped] = useState<number | string>('')
  return {
    // A value that comes from elsewhere replaces what was typed.
    value: numberIn(typed, unit) === value ? typed : value === null ? '' : value / unit,
    onChange(next: number | string) {
      setTyped(next)
      onChange(numberIn(next, unit))
    },
  }
}
