/** A new secret for an application, while the present one works on for a while. */
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { type Application, type ApplicationWithSecret, applicationQuery, readListsAgain } from './application.ts'
import { Secret } from './secret.tsx'

/** In seconds. */
const overlaps = { none: 0, hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000 } as const
type Overlap = keyof typeof overlaps

/** Only its button closes the dialog once the secret is shown: Enter and Escape are easily typed. */
export function RotateSecret({ application }: { readonly application: Application }) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  const [secret, setSecret] = useState<string>()
  const mayClose = secret === undefined
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('applications.rotation.open')}
      </Button>
      <Dialog
        opened={isOpen}
        onClose={close}
        onExitTransitionEnd={() => setSecret(undefined)}
        closeOnClickOutside={mayClose}
        closeOnEscape={mayClose}
        withCloseButton={mayClose}
        size="lg"
        title={t('applications.rotation.title', { name: application.name })}
      >
        {secret === undefined ? (
          <RotationForm application={application} onMade={({ secret: made }) => setSecret(made ?? undefined)} />
        ) : (
          <Stack gap="md">
            <Secret secret={secret} />
            <Group justify="flex-end">
              <Button onClick={close}>{t('applications.secret.saved')}</Button>
            </Group>
          </Stack>
        )}
      </Dialog>
    </>
  )
}

interface FormProps {
  readonly application: Application
  readonly onMade: (made: ApplicationWithSecret) => void
}

function RotationForm({ application: { id: appId, secrets }, onMade }: FormProps) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { overlapSeconds: 'day' as Overlap } })
  return (
    <Stack gap="md">
      <Text size="sm">{t(secrets.length > 1 ? 'applications.rotation.leadTwo' : 'applications.rotation.lead')}</Text>
      <Form
        form={form}
        submit={t('applications.rotation.submit')}
        send={({ overlapSeconds }) =>
          ask(
            api.POST('/api/admin/applications/{appId}/rotate-secret', {
              params: { path: { appId } },
              body: { overlapSeconds: overlaps[overlapSeconds] },
            }),
          )
        }
        onDone={(made) => {
          onMade(made)
          void queries.invalidateQueries({ queryKey: applicationQuery(appId).queryKey })
          readListsAgain()
        }}
      >
        <NativeSelect
          {...form.getInputProps('overlapSeconds')}
          label={t('applications.rotation.overlap')}
          description={t('applications.rotation.overlapHint')}
          data={(Object.keys(overlaps) as Overlap[]).map((overlap) => ({
            value: overlap,
            label: t(`applications.rotation.overlaps.${overlap}`),
          }))}
          data-autofocus
        />
      </Form>
    </Stack>
  )
}
