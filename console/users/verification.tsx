/** An address that is not verified yet: the link is mailed again, and what needs a verified address waits. */
import { Alert, Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { callerQuery, useMe } from './me.ts'

/** Mails the link again. */
export function useResending() {
  const { t } = useTranslation()
  const { email } = useMe()
  return useMutation({
    mutationFn: () => ask(api.POST('/api/auth/verify-email/resend')),
    onSuccess: () => notifications.show({ message: t('general.unverified.sent', { email }) }),
    onError: () => queries.invalidateQueries({ queryKey: callerQuery.queryKey }), // it may have been verified meanwhile
  })
}

/** Replaces what an account without a verified address cannot do. @param lead says what that is */
export function VerifyFirst({ lead }: { readonly lead: string }) {
  const { t } = useTranslation()
  const resending = useResending()
  return (
    <Alert color="yellow" title={t('users.verifyFirst')}>
      {lead}
      <Button
        display="block"
        mt="sm"
        size="xs"
        variant="default"
        loading={resending.isPending}
        onClick={() => resending.mutate()}
      >
        {t('general.unverified.resend')}
      </Button>
    </Alert>
  )
}
