/** Signing up, if the tenant's sign-up is open. Otherwise the page says what to do. */
import { Text } from '@mantine/core'
import { useLocation, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, asCookie, ask } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'
import { ButtonLink, TextLink } from '../parts/links.tsx'
import { Task } from '../parts/task.tsx'
import { readTenantAgain, useTenant } from '../tenants/tenant.ts'
import { ElsewhereNotice } from './elsewhere-notice.tsx'
import { beginSession } from './session.ts'
import { useWayOn } from './sign-in.tsx'
import { signInFor } from './sign-in-search.ts'
import { type BareAccount, type NewAccount, SignUpForm } from './sign-up-form.tsx'

export function SignUpPage() {
  const { signUp } = useTenant()
  const { next: hidden } = useLocation({ select: ({ state }) => state })
  const { next = hidden } = useSearch({ from: '/outside/sign-up' })
  const goOn = useWayOn(next)
  return signUp === 'open' ? (
    <OpenSignUp next={next} goOn={goOn} />
  ) : (
    <NoSignUp policy={signUp === 'closed' ? 'closed' : 'invited'} next={next} />
  )
}

interface OpenSignUpProps {
  readonly next: string | undefined
  readonly goOn: () => Promise<void>
}

function OpenSignUp({ next, goOn }: OpenSignUpProps) {
  const { t } = useTranslation()
  const tenant = useTenant()
  return (
    <Task
      title={t('signIn.signUp.title')}
      lead={t('signIn.signUp.lead', { tenant: tenant.name })}
      others={
        <span>
          {t('signIn.signUp.haveAccount')}{' '}
          <TextLink {...signInFor(next)} inherit>
            {t('signIn.signUp.signIn')}
          </TextLink>
        </span>
      }
    >
      <ElsewhereNotice />
      <SignUpForm
        submit={t('signIn.signUp.submit')}
        send={makeAccount}
        sendBare={tenant.signIn.mailCodes ? makeAccount : undefined}
        onDone={({ user }) => {
          beginSession(user)
          return goOn()
        }}
      />
    </Task>
  )
}

/** Signs up. If the tenant has closed its sign-up meanwhile, the pages learn it. */
export function makeAccount(body: NewAccount | BareAccount) {
  return ask(api.POST('/api/auth/sign-up', { body, params: asCookie })).catch(async (error: unknown) => {
    if (isRefusal(error, 'sign_up_closed')) await readTenantAgain()
    throw error
  })
}

interface NoSignUpProps {
  readonly policy: 'invited' | 'closed'
  readonly next: string | undefined
}

function NoSignUp({ policy, next }: NoSignUpProps) {
  const { t } = useTranslation()
  const tenant = useTenant().name
  return (
    <Task title={t(`signIn.signUp.${policy}Title`)} lead={t(`signIn.signUp.${policy}Lead`, { tenant })}>
      <Text mb="lg">{t(`signIn.signUp.${policy}Hint`, { tenant })}</Text>
      <ButtonLink {...signInFor(next)} variant="default" fullWidth>
        {t('signIn.signUp.signIn')}
      </ButtonLink>
    </Task>
  )
}
