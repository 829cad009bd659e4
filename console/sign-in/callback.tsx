/** The page to which a provider sends the browser back. It posts what it received: opening it changes nothing. */
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, asCookie, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Refused } from '../parts/form.tsx'
import { Loading } from '../parts/states.tsx'
import { Task } from '../parts/task.tsx'
import { isRoundTrip, noteRoundTrip, takeVisit, type Visit } from './provider-visit.ts'
import { beginSession } from './session.ts'
import { isOurs, signInFor } from './sign-in-search.ts'
import { type Attempt, attemptOf, Steps } from './steps.tsx'

export function CallbackPage() {
  const { t } = useTranslation()
  const { providerId } = useParams({ from: '/outside/sign-in/callback/$providerId' })
  const navigate = useNavigate()
  const [attempt, setAttempt] = useState<Attempt>()
  const [isLost, setIsLost] = useState(false)
  const visit = useRef<Visit>(undefined)
  const signedIn = async (user: Schemas['User']) => {
    beginSession(user)
    const next = visit.current?.next
    if (visit.current && isRoundTrip(visit.current)) noteRoundTrip(next)
    await navigate({ to: '/', replace: true, ...(isOurs(next) && { href: next }) })
  }
  const finishing = useMutation({
    mutationFn: async (begun: Visit) => {
      const callback = received()
      if (begun.purpose === 'link') {
        await ask(api.POST('/api/users/me/identities', { body: { attempt: begun.attempt, callback } }))
        await queries.invalidateQueries({ queryKey: ['users', 'me'] })
        await navigate({ to: '/me/security', replace: true })
        return
      }
      try {
        const body = { attempt: begun.attempt, callback }
        const { user } = await ask(api.POST('/api/auth/sign-in/continue', { body, params: asCookie }))
        await signedIn(user)
      } catch (error) {
        const next = attemptOf(error)
        if (!next) throw error
        setAttempt(next)
      }
    },
    meta: { shows: true },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is opened
  useEffect(() => {
    if (visit.current) return // React runs effects twice while developing
    visit.current = takeVisit(providerId)
    if (visit.current) finishing.mutate(visit.current)
    else setIsLost(true)
  }, [])
  const startAgain = () => navigate({ ...signInFor(visit.current?.next), replace: true })
  if (attempt) {
    return (
      <Task title={t('signIn.steps.title')}>
        <Steps
          attempt={attempt}
          email={attempt.link?.email ?? undefined}
          onDone={signedIn}
          onEnd={startAgain}
          onLeave={startAgain}
        />
      </Task>
    )
  }
  const linking = finishing.variables?.purpose === 'link' ? finishing.variables : undefined
  if (linking && finishing.isError) {
    const { begunAt } = linking
    return (
      <Task title={t('signIn.callback.linkFailed')}>
        <Refused error={finishing.error} />
        <Button
          mt="md"
          onClick={() => navigate({ to: '/me/security', replace: true, ...(isOurs(begunAt) && { href: begunAt }) })}
          autoFocus
        >
          {t('signIn.callback.back')}
        </Button>
      </Task>
    )
  }
  if (isLost || finishing.isError) {
    return (
      <Task title={t('signIn.callback.failed')} lead={isLost ? t('signIn.callback.lost') : undefined}>
        {finishing.isError && <Refused error={finishing.error} />}
        <Button mt="md" onClick={startAgain} autoFocus>
          {t('signIn.steps.startAgain')}
        </Button>
      </Task>
    )
  }
  return (
    <Task title={t(linking ? 'signIn.callback.linking' : 'signIn.callback.title')}>
      <Loading rows={1} />
    </Task>
  )
}

/**
 * The query parameters, of which the address is cleaned: they are good once, and belong into no history. With the page that received them,
 * so that those of one provider are not taken for those of another.
 */
function received() {
  const search = new URLSearchParams(window.location.search)
  window.history.replaceState(window.history.state, '', window.location.pathname)
  const [code, error, state, iss] = ['code', 'error', 'state', 'iss'].map((name) => search.get(name))
  return {
    state: state ?? '',
    redirectUri: window.location.origin + window.location.pathname,
    ...(code != null && { code }),
    ...(error != null && { error }),
    ...(iss != null && { iss }),
  }
}
