/** Fields of an application whose text is checked as it is typed. */
import { Textarea } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import { findFault } from './addresses.ts'
import type { Kind } from './application.ts'
import classes from './applications.module.css'

interface AddressesFieldProps
  extends Pick<ComponentProps<typeof Textarea>, 'label' | 'description' | 'onChange' | 'error'> {
  readonly kind: Kind
  readonly value?: string
}

/** Addresses, one a line. A fault is shown once the typing pauses. */
export function AddressesField({ kind, value = '', error, ...props }: AddressesFieldProps) {
  const { t } = useTranslation()
  const [settled] = useDebouncedValue(value, 400)
  const found = findFault(settled, kind)
  const fault = found && t(`applications.faults.${found.fault}`, { address: found.address, spelling: found.spelling })
  return (
    <Textarea
      {...props}
      value={value}
      error={error ?? fault}
      classNames={{ input: classes.code ?? '' }}
      autosize
      minRows={2}
      maxRows={8}
      spellCheck={false}
      autoCapitalize="none"
      autoComplete="off"
    />
  )
}
