/** The step of an authorization for somebody whose address is not verified: the page waits for the mailed link. */
import { Button, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { TextLink } from '../parts/links.tsx'
import { useResending } from '../users/verification.tsx'
import { ApplicationTask, type StepProps, Who } from './authorize-task.tsx'

export function VerifyStep(props: StepProps) {
  const { t } = useTranslation()
  const { application, caller, refused } = props
  const resending = useResending()
  return (
    <ApplicationTask
      {...props}
      title={t('signIn.verification.title')}
      lead={t('authorization.verification.lead', { email: caller.email, application: application.name })}
    >
      <Stack gap="lg">
        {refused}
        <Who caller={caller} />
        <Button variant="default" fullWidth loading={resending.isPending} onClick={() => resending.mutate()}>
          {t('signIn.verification.resend')}
        </Button>
        <Text size="sm" c="dimmed">
          {t('authorization.verification.wrong')}{' '}
          <TextLink to="/me/security" inherit underline="always">
            {t('authorization.verification.change')}
          </TextLink>
        </Text>
      </Stack>
    </ApplicationTask>
  )
}
