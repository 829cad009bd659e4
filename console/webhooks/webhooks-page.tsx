/** A page of webhooks, and a new one. */
import { Alert, Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { TextLink } from '../parts/links.tsx'
import classes from '../parts/list.module.css'
import { Page } from '../parts/page.tsx'
import { Empty, LoadingOrFailed } from '../parts/states.tsx'
import { WebhookCreation } from './creation.tsx'
import { hostOf, Status } from './status.tsx'
import { type Webhook, type WebhookList, webhooksQuery } from './webhook.ts'

interface WebhooksPageProps {
  readonly list: WebhookList
  readonly lead: string
  /** When there is no webhook: what they are for. */
  readonly none: { readonly title: string; readonly lead: string }
  /** Where webhooks are not offered: nobody can make one. */
  readonly off?: { readonly title: string; readonly lead: string; readonly leadWithWebhooks: string } | undefined
  readonly mayWrite: boolean
}

export function WebhooksPage({ list, lead, none, off, mayWrite }: WebhooksPageProps) {
  const { t } = useTranslation()
  const query = useQuery(webhooksQuery(list))
  const { data } = query
  const [isCreating, creating] = useDisclosure()
  const mayCreate = mayWrite && off === undefined
  const add = mayCreate && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={creating.open}>
      {t('webhooks.create')}
    </Button>
  )
  return (
    <Page title={t('webhooks.title')} lead={lead} actions={add}>
      {data ? (
        data.length === 0 ? (
          <Empty title={off ? off.title : none.title}>{off ? off.lead : none.lead}</Empty>
        ) : (
          <>
            {off && (
              <Alert color="yellow" title={off.title} mb="lg">
                {off.leadWithWebhooks}
              </Alert>
            )}
            <ul className={classes.framed} aria-label={t('webhooks.title')}>
              {data.map((webhook) => (
                <WebhookItem key={webhook.id} list={list} webhook={webhook} />
              ))}
            </ul>
          </>
        )
      ) : (
        <LoadingOrFailed query={query} rows={3} />
      )}
      {mayCreate && <WebhookCreation list={list} isOpen={isCreating} onClose={creating.close} />}
    </Page>
  )
}

interface WebhookItemProps {
  readonly list: WebhookList
  readonly webhook: Webhook
}

function WebhookItem({ list: { orgId }, webhook }: WebhookItemProps) {
  const { id: webhookId, name, url } = webhook
  return (
    <li className={classes.item}>
      <div className={classes.words}>
        <p className={classes.what}>
          {orgId === undefined ? (
            <TextLink to="/admin/webhooks/$webhookId" params={{ webhookId }} inherit>
              {name}
            </TextLink>
          ) : (
            <TextLink to="/organizations/$orgId/webhooks/$webhookId" params={{ orgId, webhookId }} inherit>
              {name}
            </TextLink>
          )}
        </p>
        <p className={classes.hint}>{hostOf(url)}</p>
      </div>
      <Status webhook={webhook} />
    </li>
  )
}
