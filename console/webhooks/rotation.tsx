/** The secrets of a webhook, and a new one, while the present one signs on for a while. */
import { Button, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { Form } from '../parts/form.tsx'
import classes from '../parts/list.module.css'
import { type Overlap, OverlapField, overlaps } from '../parts/overlap.tsx'
import { Time } from '../parts/time.tsx'
import { WebhookSecretDialog } from './secret-dialog.tsx'
import { explain, readAgain, type Webhook, type WebhookList, type WebhookWithSecret } from './webhook.ts'

interface SecretsProps {
  readonly list: WebhookList
  readonly webhook: Webhook
}

/** How long both may sign. */
const offered: readonly Overlap[] = ['none', 'hour', 'day', 'week']

export function Secrets({ list, webhook }: SecretsProps) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <Stack gap="md" align="flex-start">
      <ul className={classes.framed} aria-label={t('webhooks.secrets.title')} style={{ width: '100%' }}>
        {webhook.secrets.map(({ createdAt, expiresAt }) => (
          <li key={createdAt} className={classes.item}>
            <div className={classes.words}>
              <p className={classes.what}>
                {t('webhooks.secrets.created')} <Time iso={createdAt} />
              </p>
              {expiresAt !== null && (
                <p className={classes.hint}>
                  {t('webhooks.secrets.ends')} <Time iso={expiresAt} />
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
      <Button variant="default" onClick={open}>
        {t('webhooks.rotate.open')}
      </Button>
      <WebhookSecretDialog title={t('webhooks.rotate.title', { name: webhook.name })} isOpen={isOpen} onClose={close}>
        {(onMade) => <RotationForm list={list} webhook={webhook} onMade={onMade} />}
      </WebhookSecretDialog>
    </Stack>
  )
}

interface FormProps extends SecretsProps {
  readonly onMade: (made: WebhookWithSecret) => void
}

function RotationForm({ list, webhook: { id, secrets }, onMade }: FormProps) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { overlapSeconds: 'day' as Overlap } })
  return (
    <Stack gap="md">
      <Text size="sm">{t(secrets.length > 1 ? 'webhooks.rotate.leadTwo' : 'webhooks.rotate.lead')}</Text>
      <Form
        form={form}
        submit={t('webhooks.rotate.submit')}
        send={({ overlapSeconds }) => list.rotate(id, { overlapSeconds: overlaps[overlapSeconds] }).catch(explain)}
        onDone={(made) => {
          onMade(made)
          readAgain(list)
        }}
      >
        <OverlapField
          {...form.getInputProps('overlapSeconds')}
          label={t('webhooks.rotate.overlap')}
          hint={t('webhooks.rotate.overlapHint')}
          offered={offered}
        />
      </Form>
    </Stack>
  )
}
