/** Deleting a webhook. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { queries } from '../api/queries.ts'
import { Confirm } from '../parts/confirm.tsx'
import { forgetUnsaved } from '../parts/unsaved.ts'
import { readAgain, type Webhook, type WebhookList, webhookQuery } from './webhook.ts'

interface DeleteWebhookProps {
  readonly list: WebhookList
  readonly webhook: Webhook
}

export function DeleteWebhook({ list, webhook }: DeleteWebhookProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [isOpen, { open, close }] = useDisclosure()
  const { id, name } = webhook
  const leave = () => {
    forgetUnsaved()
    return list.orgId === undefined
      ? navigate({ to: '/admin/webhooks' })
      : navigate({ to: '/organizations/$orgId/webhooks', params: { orgId: list.orgId } })
  }
  return (
    <>
      <Button variant="default" c="red" onClick={open}>
        {t('webhooks.deletion.open')}
      </Button>
      <Confirm
        title={t('webhooks.deletion.question', { name })}
        submit={t('webhooks.deletion.submit')}
        isOpen={isOpen}
        onClose={close}
        act={() => list.end(webhook)}
        onDone={async () => {
          await leave()
          queries.removeQueries({ queryKey: webhookQuery(list, id).queryKey })
          readAgain(list)
          notifications.show({ message: t('webhooks.deletion.done', { name }) })
        }}
      >
        {t('webhooks.deletion.lead')}
      </Confirm>
    </>
  )
}
