/** Signing in. A signed-in user is redirected. */
import { Alert } from '@mantine/core'
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queries } from '../api/queries.ts'
import { TextLink } from '../parts/links.tsx'
import { Task } from '../parts/task.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { callerIsRead, callerQuery } from '../users/me.ts'
import { ElsewhereNotice } from './elsewhere-notice.tsx'
import { beginSession, onSessionOfOthers } from './session.ts'
import { isOurs } from './sign-in-search.ts'
import { WaysIn } from './ways-in.tsx'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The session has ended while the page had unsaved changes. */
    isLost?: boolean
  }
}

export function SignInPage() {
  const { t } = useTranslation()
  const tenant = useTenant()
  const { next, ended } = useSearch({ from: '/outside/sign-in' })
  const { email } = useLocation({ select: ({ state }) => state })
  const goOn = useWayOn(next)
  const [isStep, setIsStep] = useState(false)
  return (
    <Task
      title={isStep ? t('signIn.steps.title') : t('signIn.signIn.title', { tenant: tenant.name })}
      others={
        tenant.signUp !== 'closed' &&
        !isStep && (
          <span>
            {t('signIn.signIn.noAccount')}{' '}
            <TextLink to="/sign-up" search={{ ...(next !== undefined && { next }) }} inherit>
              {t('signIn.signIn.signUp')}
            </TextLink>
          </span>
        )
      }
    >
      <Before ended={ended === true} />
      <WaysIn
        submit={t('signIn.signIn.submit')}
        email={email}
        next={next}
        then={async (user) => beginSession(user)}
        onDone={() => goOn()}
        onStep={setIsStep}
      />
    </Task>
  )
}

/** A notice about the last session: in another tenant, or ended here. */
function Before({ ended }: { readonly ended: boolean }) {
  const { t } = useTranslation()
  const { isLost } = useLocation({ select: ({ state }) => state })
  return (
    <ElsewhereNotice
      otherwise={
        ended ? (
          <Alert mb="md" color="gray" title={t('general.sessionEnded')}>
            {t('general.sessionEndedLead')} {isLost === true && t('general.sessionEndedLost')}
          </Alert>
        ) : null
      }
    />
  )
}

/**
 * Leads to the requested page, at once if the user is signed in, and as soon as they have signed in in another tab.
 *
 * @param next a path of the console
 */
export function useWayOn(next: string | undefined): (replace?: boolean) => Promise<void> {
  const navigate = useNavigate()
  const goOn = (replace = false) => navigate({ to: '/', replace, ...(isOurs(next) && { href: next }) })
  const goOnNow = useEffectEvent(() => goOn(true))
  useEffect(() => {
    let isLeft = false
    const look = async () => {
      // Not from the cache, which may be about a session that has just ended. The form will show an error.
      const caller = await queries.fetchQuery({ ...callerQuery, staleTime: 0 }).catch(() => null)
      if (caller !== null && !isLeft) await goOnNow()
    }
    if (queries.getQueryData(callerQuery.queryKey) !== null) void look()
    const stopListening = onSessionOfOthers(() => void callerIsRead().then(look))
    return () => {
      isLeft = true
      stopListening()
    }
  }, [])
  return goOn
}
