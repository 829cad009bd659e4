/** Editing a key: its name, fewer scopes, an earlier end. */
import { Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import { toDay, toEnd, useEndDate, useFaultOfEnd, useTomorrow } from '../organizations/ends.tsx'
import { DateField } from '../parts/date-field.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { changesOf } from '../parts/edit-form.tsx'
import { Form } from '../parts/form.tsx'
import { useReader } from '../parts/reader.ts'
import { useUnsaved } from '../parts/unsaved.ts'
import { WithDates } from '../parts/with-dates.tsx'
import { type Key, type KeyList, readAgain } from './key.ts'
import { type ScopeGroup, scopesOfKey } from './scopes.ts'
import { ScopesField } from './scopes-field.tsx'

interface NarrowingProps {
  readonly list: KeyList
  readonly edited: Key
  /** All that keys of this owner may have. */
  readonly groups: readonly ScopeGroup[]
  readonly onClose: () => void
}

export function KeyNarrowing({ isOpen, ...rest }: NarrowingProps & { readonly isOpen: boolean }) {
  const { t } = useTranslation()
  return (
    <Dialog opened={isOpen} onClose={rest.onClose} size="lg" title={t('keys.edit.title', { name: rest.edited.name })}>
      <NarrowingForm {...rest} />
    </Dialog>
  )
}

function NarrowingForm({ list, edited, groups, onClose }: NarrowingProps) {
  const { t } = useTranslation()
  const { timeZone } = useReader()
  const dateOf = useEndDate()
  const tomorrow = useTomorrow()
  const faultOfEnd = useFaultOfEnd()
  const { id, name, scopes, expiresAt } = edited
  const form = useForm({
    initialValues: { name, scopes: scopes as readonly string[], expiresAt: toDay(expiresAt, timeZone) },
    validate: {
      name: (left) => (left.trim() === '' ? t('general.needed') : null),
      scopes: (left) => (left.length === 0 ? t('keys.scopesNeeded') : null),
      expiresAt: (day) => faultOfEnd(day, [expiresAt]),
    },
  })
  useUnsaved(form)
  const send = (values: typeof form.values) =>
    list.change(
      id,
      changesOf(
        { name, scopes, expiresAt },
        { ...values, scopes: [...values.scopes], expiresAt: toEnd(values.expiresAt, [expiresAt], timeZone) },
      ),
    )
  return (
    <Stack gap="md">
      <Text size="sm">{t('keys.edit.lead')}</Text>
      <Form
        form={form}
        submit={t('general.save')}
        disabled={!form.isDirty()}
        send={send}
        onDone={() => {
          onClose()
          notifications.show({ message: t('keys.edit.done') })
          return readAgain(list)
        }}
      >
        <TextInput
          {...form.getInputProps('name')}
          label={t('keys.name')}
          description={t('keys.nameHint')}
          autoComplete="off"
          data-autofocus
        />
        <ScopesField
          {...form.getInputProps('scopes')}
          groups={scopesOfKey(t, edited, groups)}
          label={t('keys.scopesLabel')}
        />
        <DateField
          {...form.getInputProps('expiresAt')}
          label={t('keys.edit.end')}
          description={
            expiresAt === null ? (
              t('keys.edit.endNoneHint')
            ) : (
              <WithDates>{t('keys.edit.endHint', { date: dateOf(expiresAt) })}</WithDates>
            )
          }
          min={tomorrow}
          max={toDay(expiresAt, timeZone)}
        />
      </Form>
    </Stack>
  )
}
