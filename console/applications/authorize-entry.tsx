/** The step of an authorization for somebody who is not signed in, or not as the user whom the application expects. */
import { Alert, Anchor, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { ElsewhereNotice } from '../sign-in/elsewhere-notice.tsx'
import { OtherWays } from '../sign-in/other-ways.tsx'
import { beginSession } from '../sign-in/session.ts'
import { makeAccount } from '../sign-in/sign-up.tsx'
import { SignUpForm } from '../sign-in/sign-up-form.tsx'
import { WaysIn } from '../sign-in/ways-in.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { pageOf } from './authorization.ts'
import { ApplicationTask, type OutsideProps } from './authorize-task.tsx'

interface EntryProps extends OutsideProps {
  /** Somebody else than the user whom the application expects. */
  readonly caller: Schemas['User'] | null
  readonly emailHint: string | null
  /** The application expects somebody new. */
  readonly isNew: boolean
}

export function Entry({ isNew, ...props }: EntryProps) {
  const { signUp: policy } = useTenant()
  const [isSigningUp, setIsSigningUp] = useState(isNew && policy === 'open')
  const change = () => setIsSigningUp(!isSigningUp)
  const done = async (user: Schemas['User']) => {
    beginSession(user)
    await props.goOn(undefined, user.id)
  }
  return isSigningUp ? (
    <New key="new" {...props} done={done} change={change} />
  ) : (
    <Known key="known" {...props} isNew={isNew} done={done} change={change} />
  )
}

interface FormProps extends Omit<EntryProps, 'isNew'> {
  readonly done: (user: Schemas['User']) => Promise<void>
  /** Shows the other form. */
  readonly change: () => void
}

function Known({ caller, emailHint, isNew, refused, done, change, ...page }: FormProps & { readonly isNew: boolean }) {
  const { t } = useTranslation()
  const { name: tenant, signUp: policy } = useTenant()
  const [isStep, setIsStep] = useState(false)
  return (
    <ApplicationTask
      {...page}
      title={t(isStep ? 'signIn.steps.title' : 'authorization.signIn.title')}
      others={
        policy === 'open' &&
        !isStep && (
          <span>
            {t('signIn.signIn.noAccount')}{' '}
            <Anchor component="button" type="button" inherit onClick={change}>
              {t('signIn.signIn.signUp')}
            </Anchor>
          </span>
        )
      }
    >
      {refused}
      <ElsewhereNotice />
      {caller !== null && (
        <Alert mb="md" color="gray" title={t('authorization.signIn.as', { email: caller.email })}>
          {t('authorization.signIn.other', { application: page.application.name })}
        </Alert>
      )}
      {isNew && policy !== 'open' && (
        <Text size="sm" mb="md">
          {t(policy === 'closed' ? 'signIn.signUp.closedLead' : 'signIn.signUp.invitedLead', { tenant })}
        </Text>
      )}
      <WaysIn
        submit={t('signIn.signIn.submit')}
        email={emailHint ?? undefined}
        next={pageOf(page.request)}
        then={done}
        onDone={() => {}}
        onStep={setIsStep}
      />
    </ApplicationTask>
  )
}

function New({ emailHint, refused, done, change, caller: _, ...page }: FormProps) {
  const { t } = useTranslation()
  const { signIn } = useTenant()
  const [isOtherWay, setIsOtherWay] = useState(false)
  return (
    <ApplicationTask
      {...page}
      title={t('signIn.signUp.title')}
      others={
        <span>
          {t('signIn.signUp.haveAccount')}{' '}
          <Anchor component="button" type="button" inherit onClick={change}>
            {t('signIn.signUp.signIn')}
          </Anchor>
        </span>
      }
    >
      {refused}
      <ElsewhereNotice />
      {!isOtherWay && (
        <SignUpForm
          submit={t('signIn.signUp.submit')}
          email={emailHint ?? undefined}
          send={makeAccount}
          sendBare={signIn.mailCodes ? makeAccount : undefined}
          onDone={({ user }) => done(user)}
        />
      )}
      <OtherWays next={pageOf(page.request)} isNew onDone={done} onStep={setIsOtherWay} />
    </ApplicationTask>
  )
}
