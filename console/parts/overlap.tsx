/** How long a secret works on after it was replaced: the field that offers it, and its values. */
import { NativeSelect, type NativeSelectProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** In seconds. */
export const overlaps = { none: 0, hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000 } as const
export type Overlap = keyof typeof overlaps
const overlapNames = Object.keys(overlaps) as Overlap[] // keys of a constant

interface OverlapFieldProps extends Omit<NativeSelectProps, 'data' | 'description'> {
  readonly hint: string
  /** By default all. */
  readonly offered?: readonly Overlap[]
}

/** The first field of its dialog. */
export function OverlapField({ hint, offered = overlapNames, ...field }: OverlapFieldProps) {
  const { t } = useTranslation()
  return (
    <NativeSelect
      label={t('general.overlap')}
      {...field}
      description={hint}
      data={offered.map((value) => ({ value, label: t(`general.overlaps.${value}`) }))}
      data-autofocus
    />
  )
}
