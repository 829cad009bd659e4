/** A field for types of events, and whole families of them. */
import { MultiSelect, type MultiSelectProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { eventFamilies } from './event-types.ts'

interface TypesFieldProps {
  readonly label: string
  readonly description?: string
  readonly className?: string | undefined
  readonly isOfOrganization: boolean
  readonly value?: string[]
  readonly onChange: (types: string[]) => void
  readonly error?: ReactNode
  readonly comboboxProps?: NonNullable<MultiSelectProps['comboboxProps']>
  /** The form finds the field by it. */
  readonly 'data-path'?: string
}

export function TypesField({ isOfOrganization, value = [], ...field }: TypesFieldProps) {
  const { t } = useTranslation()
  return (
    <MultiSelect
      {...field}
      value={value}
      data={eventFamilies({ isOfOrganization }).map(({ family, types }) => ({
        group: family.replace('.*', ''),
        items: [{ value: family, label: t('webhooks.fields.family', { family }) }, ...types],
      }))}
      placeholder={value.length === 0 ? t('webhooks.fields.typesAll') : ''}
      searchable
      hidePickedOptions
      maxDropdownHeight={280}
    />
  )
}
