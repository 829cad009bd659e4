/**
 * The page to which an application sends people to sign out. It signs out at once if the application has shown that it means this session,
 * and asks otherwise, because anybody may have sent the browser here.
 */
import { Button, Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Navigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { Refused } from '../parts/form.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { Task } from '../parts/task.tsx'
import { forgetCaller } from '../sign-in/session.ts'
import { callerQuery } from '../users/me.ts'
import { Person } from './authorize-task.tsx'
import '../texts/authorization.ts'
import '../theme/more-components.css'

export function SignedOutPage() {
  const { request } = useSearch({ from: '/outside/signed-out' })
  return request === undefined ? <Navigate to="/" replace /> : <SignOut key={request} request={request} />
}

function SignOut({ request }: { readonly request: string }) {
  const { t } = useTranslation()
  const { data: caller } = useQuery(callerQuery)
  const preview = useQuery({
    queryKey: ['sign-out', request],
    queryFn: () => ask(api.POST('/api/auth/sign-out/preview', { body: { request } })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const leaving = useMutation({
    mutationFn: () => ask(api.POST('/api/auth/sign-out', { body: { request } })),
    meta: { shows: true },
    onSuccess(answer) {
      forgetCaller()
      if (answer?.url != null) window.location.replace(answer.url)
    },
  })
  const isAtOnce = preview.data?.mustAsk === false
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is known that nobody has to be asked
  useEffect(() => {
    if (isAtOnce) leaving.mutate()
  }, [isAtOnce])
  if (leaving.isSuccess && leaving.data?.url == null) return <SignedOut />
  if (preview.data === undefined || leaving.isSuccess || (isAtOnce && !leaving.isError))
    return (
      <Task title={t('authorization.signOut.leaving')}>
        <LoadingOrFailed query={preview} rows={1} />
      </Task>
    )
  const { application } = preview.data
  return (
    <Task
      key="asking"
      title={t('authorization.signOut.title')}
      lead={
        application ? t('authorization.signOut.by', { application: application.name }) : t('authorization.signOut.lead')
      }
    >
      <Stack gap="lg">
        {leaving.isError && <Refused error={leaving.error} />}
        {caller != null && <Person person={caller} />}
        <Stack gap="sm">
          <Button fullWidth loading={leaving.isPending} onClick={() => leaving.mutate()}>
            {t('authorization.signOut.submit')}
          </Button>
          <ButtonLink to="/" variant="default" fullWidth>
            {t('authorization.signOut.stay')}
          </ButtonLink>
        </Stack>
      </Stack>
    </Task>
  )
}

function SignedOut() {
  const { t } = useTranslation()
  return (
    <Task key="done" title={t('authorization.signOut.doneTitle')} lead={t('authorization.signOut.doneLead')}>
      <ButtonLink to="/sign-in" variant="default" fullWidth>
        {t('authorization.signOut.signIn')}
      </ButtonLink>
    </Task>
  )
}
