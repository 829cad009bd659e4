/**
 * The page to which an application sends people who sign in to it. It leads through the steps that are missing, and back to the application.
 *
 * Invariant: it answers the request without a click only right after a proof, on this page or at a provider to which it has led, or if
 * nothing is missing. So nobody is sent on by opening a link, if the application or its request asks for a click.
 */
import { Button, Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { Refused } from '../parts/form.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Task } from '../parts/task.tsx'
import { isRoundTripTo, noteRoundTrip } from '../sign-in/provider-visit.ts'
import { callerQuery } from '../users/me.ts'
import {
  type AskingApplication,
  answerRequest,
  type Click,
  endRequest,
  forgetRequest,
  isEnded,
  keepRequest,
  pageOf,
  previewQuery,
  type Step,
} from './authorization.ts'
import { Entry } from './authorize-entry.tsx'
import { ChooseOrganization, OutsideOrganization } from './authorize-organization.tsx'
import { ConfirmStep, FactorStep } from './authorize-proof.tsx'
import { ApplicationTask, type StepProps, Who } from './authorize-task.tsx'
import { VerifyStep } from './authorize-verification.tsx'
import { useStart } from './home.tsx'
import '../texts/authorization.ts'
import '../texts/inside.ts'
import '../theme/more-components.css'

export function AuthorizePage() {
  const { request: given } = useSearch({ from: '/outside/authorize' })
  const [kept, setKept] = useState(() => keepRequest(given))
  // Another request in the same tab.
  useEffect(() => setKept(keepRequest(given)), [given])
  const request = given ?? kept
  return request === undefined ? <Over startUrl={null} /> : <Authorization key={request} request={request} />
}

function Authorization({ request }: { readonly request: string }) {
  const { t } = useTranslation()
  const caller = useQuery(callerQuery)
  const userId = caller.data?.id
  const preview = useQuery({
    ...previewQuery(request, userId),
    enabled: caller.data !== undefined,
    refetchInterval: ({ state }) => state.data?.step === 'verify_email' && 5_000,
  })
  /** By whom, and which: an organization may require a second factor, and is not chosen again after that. */
  const [chosen, setChosen] = useState<{ readonly userId: string | undefined; readonly organizationId: string }>()
  const organizationId = chosen?.userId === userId ? chosen?.organizationId : undefined
  /** Whose step stays on the page, and which. */
  const [held, setHeld] = useState<{ readonly userId: string | undefined; readonly step: Step | null }>()
  const isHeld = held !== undefined && held.userId === userId
  const answering = useMutation({
    mutationFn: (click: Click | undefined) => answerRequest(request, click),
    meta: { shows: true },
    onSuccess: (url) => leave(request, url),
    onError: () => Promise.all([caller.refetch(), preview.refetch()]), // somebody else may have signed in
  })
  /** Somebody has gone back to it. */
  const [isOver] = useState(() => isEnded(request))
  /** Whether somebody has just signed in at a provider, from here: then the request is answered once, as after a sign-in on this page. */
  const [isBack] = useState(() => isRoundTripTo(pageOf(request)))
  useEffect(() => noteRoundTrip(undefined), [])
  const missingNow = preview.isPlaceholderData ? undefined : preview.data?.step
  const isReady = !isHeld && (missingNow === null || (missingNow !== undefined && isBack && answering.isIdle))
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time that nothing is missing any more
  useEffect(() => {
    if (isReady && !isOver && !answering.isPending && !answering.isSuccess) answering.mutate(undefined)
  }, [isReady])

  const missing = missingIn(answering.error)
  const error = missing === undefined ? answering.error : null
  const failed = error ?? (isHeld ? null : preview.error) ?? caller.error
  if (isRefusal(failed, 'request_expired')) return <Over startUrl={failed.problem.startUrl ?? null} />
  if (isRefusal(failed, 'invalid_request')) return <Over startUrl={null} />
  if (preview.data === undefined || caller.data === undefined)
    return (
      <Task title={t('authorization.loading')}>
        {failed ? (
          <Failed error={failed} retry={() => Promise.all([caller.refetch(), preview.refetch()])} />
        ) : (
          <Loading rows={3} />
        )}
      </Task>
    )
  const { application, organization, emailHint, cancelUrl } = preview.data
  if (isOver) return <Over startUrl={application.startUrl} />
  if (answering.isSuccess) return <Leaving application={application} url={answering.data} />
  const goOn = (chosenNow = organizationId, shownNow = userId) => {
    if (chosenNow !== undefined) setChosen({ userId, organizationId: chosenNow })
    // The page shows a refusal in place of the step, or above it.
    return answering.mutateAsync({ organizationId: chosenNow, userId: shownNow }).then(() => undefined, missingIn)
  }
  const nextStep = organizationId !== undefined && missing !== undefined ? missing : preview.data.step
  const step = isHeld ? held.step : nextStep
  const shared = { application, request, cancelUrl, goOn, refused: error && <Refused error={error} /> }
  if (caller.data === null || step === 'sign_in' || step === 'sign_up')
    return <Entry {...shared} caller={caller.data} emailHint={emailHint} isNew={step === 'sign_up'} />
  const hold = (isHeld: boolean) => setHeld(isHeld ? { userId, step } : undefined)
  const props = { ...shared, caller: caller.data, hold }
  switch (step) {
    case 'confirm':
      return <ConfirmStep {...props} />
    case 'second_factor':
      return <FactorStep key={userId} {...props} />
    case 'verify_email':
      return <VerifyStep {...props} />
    case 'organization':
      return organization === null ? (
        <ChooseOrganization {...props} isAnswering={answering.isPending} chosen={organizationId} />
      ) : (
        <OutsideOrganization {...props} organization={organization} />
      )
    default:
      return (
        <Continue
          {...props}
          isReady={(step === null || isBack) && !answering.isError}
          isAnswering={answering.isPending}
        />
      )
  }
}

/** @returns the step that the refusal of an answer names */
function missingIn(error: unknown): Step | undefined {
  return isRefusal(error, 'authorization_incomplete') ? error.problem.step : undefined
}

/** In place of this page. An app may not open: then a reload of the page answers again. */
function leave(request: string, url: string): void {
  if (isOfApp(url)) forgetRequest()
  else endRequest(request)
  window.location.replace(url)
}

function isOfApp(url: string): boolean {
  return !/^https?:/.test(url)
}

interface ContinueProps extends StepProps {
  /** Nothing is missing: it is being answered. */
  readonly isReady: boolean
  readonly isAnswering: boolean
}

function Continue({ isReady, isAnswering, ...props }: ContinueProps) {
  const { t } = useTranslation()
  const { application, caller, goOn, refused } = props
  const values = { application: application.name, person: caller.name ?? caller.email }
  if (isReady) return <Leaving application={application} />
  return (
    <ApplicationTask
      {...props}
      title={t('authorization.continue.title', values)}
      lead={t('authorization.continue.lead')}
    >
      <Stack gap="lg">
        {refused}
        <Who caller={caller} />
        <Button fullWidth loading={isAnswering} onClick={() => goOn()}>
          {t('authorization.continue.submit', values)}
        </Button>
      </Stack>
    </ApplicationTask>
  )
}

/** An app on the device may need a click, if the browser asks whether to open it. */
function Leaving({ application: { name }, url }: { readonly application: AskingApplication; readonly url?: string }) {
  const { t } = useTranslation()
  const isApp = url !== undefined && isOfApp(url)
  return (
    <Task
      title={t('authorization.leaving.title', { application: name })}
      lead={isApp ? t('authorization.leaving.app', { application: name }) : undefined}
    >
      {isApp ? (
        <Button component="a" href={url} fullWidth>
          {t('authorization.leaving.open', { application: name })}
        </Button>
      ) : (
        <Loading rows={1} />
      )}
    </Task>
  )
}

/** The request was answered or has expired, or this tab does not know it. Only the application can begin another one. */
function Over({ startUrl }: { readonly startUrl: string | null }) {
  const { t } = useTranslation()
  const url = useStart(startUrl)
  useEffect(forgetRequest, [])
  return (
    <Task key="over" title={t('authorization.over.title')} lead={t('authorization.over.lead')}>
      {startUrl === null ? (
        <ButtonLink to="/sign-in" variant="default" fullWidth>
          {t('authorization.over.signIn')}
        </ButtonLink>
      ) : (
        <Button component="a" href={url ?? startUrl} fullWidth>
          {t('signIn.steps.startAgain')}
        </Button>
      )}
    </Task>
  )
}
