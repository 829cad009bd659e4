/** A whole number that may be left empty: then the value is null. */
import { NumberInput, type NumberInputProps } from '@mantine/core'
import classes from './limit-input.module.css'
import { useTypedNumber } from './typed-number.ts'

interface LimitInputProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  readonly value?: number | null
  readonly onChange?: (value: number | null) => void
}

export function LimitInput({ value = null, onChange, ...props }: LimitInputProps) {
  const number = useTypedNumber(value, (typed) => onChange?.(typed))
  return (
    <NumberInput
      {...props}
      {...number}
      className={classes.limit}
      allowDecimal={false}
      allowNegative={false} // a minus sign alone would be no limit
      thousandSeparator=","
      clampBehavior="none"
    />
  )
}
