/**
 * Verifying an email address, current or new. The link works only for the person it was mailed to. If that person is signed in,
 * the page verifies at once; otherwise it asks them to sign in.
 */
import { Button, Group, Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { HomeButton, useHome } from '../applications/home.tsx'
import { Refused } from '../parts/form.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { Task } from '../parts/task.tsx'
import { callerQuery } from '../users/me.ts'
import { type MailedLink, OfLink } from './mailed-link.tsx'
import { beginSession, leaveSession } from './session.ts'
import { WaysIn } from './ways-in.tsx'

export function VerifyEmailPage() {
  return <OfLink>{(link) => <VerifyEmail {...link} />}</OfLink>
}

type User = Schemas['User']
type Outcome = 'verified' | 'other' | 'spent'

/** @throws Refusal for everything but the outcomes */
async function verify(token: string): Promise<{ readonly outcome: Outcome; readonly email?: string }> {
  try {
    const { email } = await ask(api.POST('/api/auth/verify-email', { body: { token } }))
    return { outcome: 'verified', email }
  } catch (error) {
    if (isRefusal(error, 'sign_in_required')) return { outcome: 'other' }
    if (isRefusal(error, 'token_spent')) return { outcome: 'spent' }
    throw error
  }
}

function VerifyEmail({ token, spend }: MailedLink) {
  const { t } = useTranslation()
  const query = useQuery(callerQuery)
  const { data: caller } = query
  const [verified, setVerified] = useState<VerifiedProps>()
  if (verified !== undefined) return <Verified {...verified} />
  if (caller === undefined)
    return (
      <Task title={t('signIn.verification.title')}>
        <LoadingOrFailed query={query} rows={1} />
      </Task>
    )
  const onVerified = (user: User, email: string) => {
    const changed: User = { ...user, email, emailVerified: true, pendingEmail: null }
    queries.setQueryData(callerQuery.queryKey, changed, { updatedAt: 0 }) // its ETag is stale
    setVerified({ email, isChange: email !== user.email })
    spend()
  }
  if (caller === null) return <SignInFirst token={token} onVerified={onVerified} />
  return <VerifyAs key={caller.id} {...{ caller, token, spend, onVerified }} />
}

interface Verifying {
  readonly token: string
  readonly onVerified: (user: User, email: string) => void
}

function SignInFirst({ token, onVerified }: Verifying) {
  const { t } = useTranslation()
  return (
    <Task title={t('signIn.verification.title')} lead={t('signIn.verification.signInLead')}>
      <WaysIn
        submit={t('signIn.verification.signInSubmit')}
        next={`/verify-email#token=${token}`}
        // Any other outcome is shown after signing in.
        then={async (user) => ({ user, ...(await verify(token).catch(() => undefined)) })}
        onDone={({ user, outcome, email }) => {
          beginSession(user)
          if (outcome === 'verified') onVerified(user, email ?? user.email)
        }}
      />
    </Task>
  )
}

function VerifyAs({
  caller,
  token,
  spend,
  onVerified,
}: Verifying & { readonly caller: User; readonly spend: () => void }) {
  const { t } = useTranslation()
  // A query, so that it is sent once for all renders, and again only by the button. Its key stays in memory.
  const query = useQuery({
    queryKey: ['email-verification', caller.id, token],
    queryFn: () => verify(token),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  })
  const { data, error } = query
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each outcome
  useEffect(() => {
    if (data?.outcome === 'verified') onVerified(caller, data.email ?? caller.email)
    if (data?.outcome === 'spent') spend()
  }, [data])
  if (data?.outcome === 'other') return <ForAnother caller={caller} />
  if (data?.outcome === 'spent') return <Spent caller={caller} />
  if (isRefusal(error, 'email_taken', 'email_domain_not_allowed'))
    return (
      <Task key="failed" title={t('signIn.verification.failedTitle')}>
        <Stack gap="md">
          <Refused error={error} />
          <ButtonLink to="/me/security" variant="default">
            {t('signIn.verification.changeEmail')}
          </ButtonLink>
        </Stack>
      </Task>
    )
  return (
    <Task title={t('signIn.verification.title')} lead={caller.pendingEmail ?? caller.email}>
      <LoadingOrFailed query={query} rows={1} />
    </Task>
  )
}

interface VerifiedProps {
  readonly email: string
  /** It replaces another address. */
  readonly isChange: boolean
}

function Verified({ email, isChange }: VerifiedProps) {
  const { t } = useTranslation()
  const home = useHome()
  const title = isChange ? t('signIn.verification.changedTitle', { email }) : t('signIn.verification.doneTitle')
  const lead = isChange ? t('signIn.verification.changedLead') : t('signIn.verification.doneLead', { email })
  return (
    <Task key="done" title={title} lead={lead}>
      {home ? (
        <HomeButton home={home} />
      ) : (
        <ButtonLink to="/" fullWidth>
          {t('signIn.verification.goOn')}
        </ButtonLink>
      )}
    </Task>
  )
}

/** After signing out, the page asks the person to sign in. */
function ForAnother({ caller: { email } }: { readonly caller: User }) {
  const { t } = useTranslation()
  const leaving = useMutation({ mutationFn: leaveSession })
  return (
    <Task key="other" title={t('signIn.verification.otherTitle')} lead={t('signIn.verification.otherLead', { email })}>
      <Stack gap="sm">
        <Button fullWidth loading={leaving.isPending} onClick={() => leaving.mutate()}>
          {t('signIn.verification.other')}
        </Button>
        <ButtonLink to="/" variant="default" fullWidth>
          {t('signIn.verification.stay')}
        </ButtonLink>
      </Stack>
    </Task>
  )
}

function Spent({ caller: { email, emailVerified, pendingEmail } }: { readonly caller: User }) {
  const { t } = useTranslation()
  const resending = useMutation({
    mutationFn: () => ask(api.POST('/api/auth/verify-email/resend')),
    meta: { shows: true },
  })
  if (resending.isSuccess)
    return (
      <Task
        key="sent"
        title={t('signIn.verification.resentTitle')}
        lead={t('signIn.verification.resentLead', { email })}
      />
    )
  const why = emailVerified
    ? pendingEmail === null
      ? t('signIn.verification.spentVerified', { email })
      : t('signIn.verification.spentPending', { email, pending: pendingEmail })
    : t('signIn.verification.spentLead', { email })
  return (
    <Task key="spent" title={t('signIn.link.spent')} lead={why}>
      <Stack gap="md">
        {resending.isError && <Refused error={resending.error} />}
        <Group gap="sm">
          {!emailVerified && (
            <Button loading={resending.isPending} onClick={() => resending.mutate()}>
              {t('signIn.verification.resend')}
            </Button>
          )}
          {emailVerified && pendingEmail !== null && (
            <ButtonLink to="/me/security">{t('signIn.verification.changeEmail')}</ButtonLink>
          )}
          <ButtonLink to="/" variant="default">
            {t('signIn.verification.goOn')}
          </ButtonLink>
        </Group>
      </Stack>
    </Task>
  )
}
