/** A whole number that may be left empty: then the value is null. */
import { NumberInput, type NumberInputProps } from '@mantine/core'
import classes from './limit-input.module.css'

interface LimitInputProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  readonly value?: number | null
  readonly onChange?: (value: number | null) => void
}

export function LimitInput({ value = null, onChange, ...props }: LimitInputProps) {
  return (
    <NumberInput
      {...props}
      className={classes.limit}
      value={value ?? ''}
      onChange={(typed) => onChange?.(typeof typed === 'number' ? typed : null)}
      allowDecimal={false}
      thousandSeparator=","
      clampBehavior="none"
    />
  )
}
