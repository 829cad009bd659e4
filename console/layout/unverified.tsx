/** Reminds whoever has not shown yet that their address is theirs. */
import { Alert, Anchor } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { useMe } from '../users/me.ts'
import classes from './unverified.module.css'

export function Unverified() {
  const { t } = useTranslation()
  const { email, emailVerified } = useMe()
  const resending = useMutation({
    mutationFn: () => ask(api.POST('/api/auth/verify-email/resend')),
    onSuccess: () => notifications.show({ message: t('general.unverified.sent', { email }) }),
  })
  if (emailVerified) return null
  return (
    <Alert color="yellow" radius={0} className={classes.reminder}>
      {t('general.unverified.lead', { email })}{' '}
      <Anchor
        component="button"
        type="button"
        inherit
        onClick={() => resending.mutate()}
        disabled={resending.isPending}
      >
        {t('general.unverified.resend')}
      </Anchor>
    </Alert>
  )
}
