/** How a program reads the feed: with which key, and from which place on. */
import { Anchor } from '@mantine/core'
import { Trans, useTranslation } from 'react-i18next'
import { Command } from '../parts/command.tsx'
import { TextLink } from '../parts/links.tsx'
import classes from './events.module.css'

/** @param after the place of the newest event that the page shows; without one, the end of the feed */
export function Following({ after }: { readonly after: number | 'latest' }) {
  const { t } = useTranslation()
  return (
    <details className={classes.following}>
      <summary>{t('webhooks.events.following.title')}</summary>
      <p>
        <Trans
          i18nKey="webhooks.events.following.lead"
          components={{ keys: <TextLink to="/admin/keys" underline="always" inherit />, code: <code /> }}
        />
      </p>
      <Command
        value={`curl -H "Authorization: Bearer $KEY" "${location.origin}/api/admin/events?after=${after}"`}
        name={t('webhooks.events.following.command')}
      />
      <p>
        <Trans i18nKey="webhooks.events.following.after" components={{ code: <code /> }} />
      </p>
      <p>
        <Trans
          i18nKey="webhooks.events.following.more"
          components={{
            reference: <Anchor href="/docs#tag/administration/GET/api/admin/events" underline="always" inherit />,
            settings: <TextLink to="/admin/settings" underline="always" inherit />,
            code: <code />,
          }}
        />
      </p>
    </details>
  )
}
