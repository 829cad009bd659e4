/** Reminds of what an account lacks, one thing at a time: a verified address, then a name. */
import { Anchor } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { TextLink } from '../parts/links.tsx'
import { useMe } from '../users/me.ts'
import { Strip } from './strip.tsx'

export function Reminder() {
  const { emailVerified, name } = useMe()
  if (!emailVerified) return <Unverified />
  return name === null ? <Nameless /> : null
}

function Unverified() {
  const { t } = useTranslation()
  const { email } = useMe()
  const resending = useMutation({
    mutationFn: () => ask(api.POST('/api/auth/verify-email/resend')),
    onSuccess: () => notifications.show({ message: t('general.unverified.sent', { email }) }),
  })
  return (
    <Strip color="yellow">
      {t('general.unverified.lead', { email })}{' '}
      <Anchor
        component="button"
        type="button"
        inherit
        underline="always"
        onClick={() => resending.mutate()}
        disabled={resending.isPending}
      >
        {t('general.unverified.resend')}
      </Anchor>
    </Strip>
  )
}

function Nameless() {
  const { t } = useTranslation()
  return (
    <Strip color="gray">
      {t('general.nameless.lead')}{' '}
      <TextLink to="/me" inherit underline="always">
        {t('general.nameless.add')}
      </TextLink>
    </Strip>
  )
}
