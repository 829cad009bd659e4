/** Rotation: a new secret for a key, while the present one works on for a while. */
import { Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { Form } from '../parts/form.tsx'
import { type Overlap, OverlapField, overlaps } from '../parts/overlap.tsx'
import { readTenantAgain } from '../tenants/tenant.ts'
import { explained } from './faults.ts'
import { type Key, type KeyList, type KeyWithSecret, readAgain } from './key.ts'
import { KeySecretDialog } from './secret-dialog.tsx'

interface RotationProps {
  readonly list: KeyList
  readonly rotated: Key
  /** Of scopes, by their keys. */
  readonly names: ReadonlyMap<string, string>
}

interface KeyRotationProps extends RotationProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function KeyRotation({ isOpen, onClose, ...rest }: KeyRotationProps) {
  const { t } = useTranslation()
  return (
    <KeySecretDialog title={t('keys.rotate.title', { name: rest.rotated.name })} isOpen={isOpen} onClose={onClose}>
      {(onMade) => <RotationForm {...rest} onMade={onMade} />}
    </KeySecretDialog>
  )
}

interface FormProps extends RotationProps {
  readonly onMade: (made: KeyWithSecret) => void
}

function RotationForm({ list, rotated, names, onMade }: FormProps) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { overlapSeconds: 'day' as Overlap } })
  return (
    <Stack gap="md">
      <Text size="sm">{t(rotated.secrets.length > 1 ? 'keys.rotate.leadTwo' : 'keys.rotate.lead')}</Text>
      {list.owner !== 'user' && <Text size="sm">{t('keys.rotate.holder')}</Text>}
      <Form
        form={form}
        submit={t('keys.rotate.submit')}
        send={({ overlapSeconds }) =>
          list.rotate(rotated.id, { overlapSeconds: overlaps[overlapSeconds] }).catch((error: unknown) => {
            if (isRefusal(error, 'not_offered')) void readTenantAgain()
            throw explained(error, names)
          })
        }
        onDone={(made) => {
          onMade(made)
          void readAgain(list)
        }}
      >
        <OverlapField {...form.getInputProps('overlapSeconds')} hint={t('keys.rotate.overlapHint')} />
      </Form>
    </Stack>
  )
}
