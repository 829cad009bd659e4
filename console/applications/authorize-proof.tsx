/** The steps of an authorization for which the signed-in user proves something again: to be there, or a second factor. */
import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { LoadingOrFailed } from '../parts/states.tsx'
import { UnsavedGuard } from '../parts/unsaved-guard.tsx'
import { useConfirmation } from '../sign-in/confirmation.ts'
import { Steps } from '../sign-in/steps.tsx'
import { factorsQuery } from '../users/factors.ts'
import { FactorRows } from '../users/second-factors.tsx'
import { SecurityRows } from '../users/security-row.tsx'
import { Entry } from './authorize-entry.tsx'
import { ApplicationTask, type StepProps, Who } from './authorize-task.tsx'

/** The application asks for a sign-in that is no older than it says. */
export function ConfirmStep(props: StepProps) {
  const { t } = useTranslation()
  return <Proof {...props} secondFactor={false} title={t('signIn.confirm.title')} />
}

/** A second factor, after setting one up if there is none. */
export function FactorStep(props: StepProps) {
  const { t } = useTranslation()
  return <Proof {...props} secondFactor title={t('authorization.factor.title')} />
}

interface ProofProps extends StepProps {
  readonly secondFactor: boolean
  readonly title: string
}

function Proof({ secondFactor, title, ...props }: ProofProps) {
  const { caller, goOn, refused } = props
  const query = useConfirmation({ secondFactor })
  const { data: attempt, error, refetch } = query
  if (isRefusal(error, 'no_factor')) return <SetUp {...props} />
  // Nothing of this account confirms, but signing in again does.
  if (isRefusal(error, 'sign_in_required'))
    return <Entry {...props} caller={null} emailHint={caller.email} isNew={false} />
  return (
    <ApplicationTask {...props} title={title}>
      <Stack gap="lg">
        {refused}
        <Who caller={caller} />
        {attempt ? (
          <Steps
            key={attempt.token}
            attempt={attempt}
            email={caller.email}
            onDone={() => goOn()}
            onEnd={() => refetch()}
          />
        ) : (
          <LoadingOrFailed query={query} rows={2} />
        )}
      </Stack>
    </ApplicationTask>
  )
}

/** The page stays until somebody goes on: they may be at their authenticator app, or be saving the recovery codes. */
function SetUp(props: StepProps) {
  const { t } = useTranslation()
  const { application, caller, goOn, hold, refused } = props
  // biome-ignore lint/correctness/useExhaustiveDependencies: as long as this is shown
  useEffect(() => {
    hold(true)
    return () => hold(false)
  }, [])
  const onGoOn = async () => {
    if ((await goOn()) !== undefined) hold(false)
  }
  const { data } = useQuery(factorsQuery)
  const isDone = data !== undefined && data.data.length > 0
  return (
    <ApplicationTask
      {...props}
      title={t(isDone ? 'users.required.done' : 'authorization.factor.setUp')}
      lead={isDone ? undefined : t('authorization.factor.setUpLead', { application: application.name })}
    >
      <Stack gap="lg">
        {refused}
        <Who caller={caller} />
        <SecurityRows>
          <FactorRows />
        </SecurityRows>
        <UnsavedGuard />
        {isDone && (
          <Button fullWidth onClick={onGoOn}>
            {t('users.required.goOn')}
          </Button>
        )}
        {!isDone && (
          <Text size="sm" c="dimmed">
            {t('authorization.factor.why')}
          </Text>
        )}
      </Stack>
    </ApplicationTask>
  )
}
