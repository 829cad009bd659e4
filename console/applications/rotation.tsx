/** A new secret for an application, while the present one works on for a while. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Form } from '../parts/form.tsx'
import { type Overlap, OverlapField, overlaps } from '../parts/overlap.tsx'
import { SecretDialog } from '../parts/secret.tsx'
import { readListAgain } from '../tenants/settings-tenant.ts'
import { type Application, type ApplicationWithSecret, applicationQuery, applicationsQuery } from './application.ts'
import { Secret } from './secret.tsx'

export function RotateSecret({ application }: { readonly application: Application }) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('applications.rotation.open')}
      </Button>
      <SecretDialog
        title={() => t('applications.rotation.title', { name: application.name })}
        isOpen={isOpen}
        onClose={close}
        form={(onMade: (made: ApplicationWithSecret) => void) => (
          <RotationForm application={application} onMade={onMade} />
        )}
      >
        {({ secret }, onSaved) => (
          <Stack gap="md">
            <Secret secret={secret ?? ''} />
            <Group justify="flex-end">
              <Button onClick={onSaved}>{t('general.secret.saved')}</Button>
            </Group>
          </Stack>
        )}
      </SecretDialog>
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
          readListAgain(applicationsQuery)
        }}
      >
        <OverlapField {...form.getInputProps('overlapSeconds')} hint={t('applications.rotation.overlapHint')} />
      </Form>
    </Stack>
  )
}
