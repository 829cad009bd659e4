/**
 * The page of an invitation, which its mail links to: the preview, and how to answer, for every visitor.
 *
 * Invariant: the token is in the fragment of the address and in memory, and in storage only while the tab visits a provider. It leaves the address when the invitation is answered.
 */
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { HomeButton, useHome } from '../applications/home.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { Task } from '../parts/task.tsx'
import { type MailedLink, OfLink } from '../sign-in/mailed-link.tsx'
import { callerQuery } from '../users/me.ts'
import { InvitationAnswer } from './acceptance-answer.tsx'
import { previewQuery } from './acceptance-preview.tsx'
import '../texts/inside.ts'
import '../theme/more-components.css'

interface Joined {
  readonly id: string
  readonly slug: string
  readonly name: string
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The name of the organization whose invitation was declined. */
    declined?: string
    /** The organization that somebody has just joined. */
    joined?: Joined
  }
}

export function InvitationPage() {
  const { declined, joined } = useLocation({ select: ({ state }) => state })
  if (joined !== undefined) return <Joined organization={joined} />
  if (declined !== undefined) return <Declined organization={declined} />
  return <OfLink>{(link) => <OpenInvitation {...link} />}</OfLink>
}

function OpenInvitation(link: MailedLink) {
  const { t } = useTranslation()
  const preview = useQuery(previewQuery(link.token))
  const caller = useQuery(callerQuery)
  const failed = preview.error ?? caller.error
  if (isRefusal(failed) && failed.problem.status !== undefined && failed.problem.status < 429)
    return <Closed error={failed} isSignedIn={caller.data != null} />
  if (preview.data === undefined || caller.data === undefined)
    return (
      <Task title={t('signIn.invitation.loading')}>
        {failed ? (
          <Failed error={failed} retry={() => Promise.all([preview.refetch(), caller.refetch()])} />
        ) : (
          <Loading />
        )}
      </Task>
    )
  return <InvitationAnswer link={link} invitation={preview.data} caller={caller.data} />
}

const closed = {
  invitation_expired: 'expired',
  invitation_revoked: 'revoked',
  invitation_declined: 'declined',
  invitation_used: 'used',
} as const

/** Says why the invitation cannot be accepted any more, and what to do. */
function Closed({ error, isSignedIn }: { readonly error: unknown; readonly isSignedIn: boolean }) {
  const { t } = useTranslation()
  const code = isRefusal(error) ? error.problem.code : undefined
  const state = code !== undefined && code in closed ? closed[code as keyof typeof closed] : 'unknown' // it is in there
  return (
    <Task key="closed" title={t(`signIn.invitation.${state}Title`)} lead={t(`signIn.invitation.${state}Lead`)}>
      {isSignedIn ? (
        <ButtonLink to="/organizations" variant={state === 'used' ? 'filled' : 'default'} fullWidth>
          {t('signIn.invitation.toOrganizations')}
        </ButtonLink>
      ) : (
        <ButtonLink to="/sign-in" variant={state === 'used' ? 'filled' : 'default'} fullWidth>
          {t('signIn.invitation.signIn')}
        </ButtonLink>
      )}
    </Task>
  )
}

/** Also after reloading the page, when the token has left the address. */
function Declined({ organization }: { readonly organization: string }) {
  const { t } = useTranslation()
  return (
    <Task
      key="declined"
      title={t('signIn.invitation.declinedNowTitle')}
      lead={t('signIn.invitation.declinedNowLead', { organization })}
    >
      <ButtonLink to="/organizations" variant="default" fullWidth>
        {t('signIn.invitation.toOrganizations')}
      </ButtonLink>
    </Task>
  )
}

/** Where the tenant has a home application, people go on to it. */
function Joined({ organization: { id, slug, name } }: { readonly organization: Joined }) {
  const { t } = useTranslation()
  const home = useHome(id)
  return (
    <Task key="joined" title={t('signIn.invitation.joined', { organization: name })}>
      <Stack gap="sm">
        {home && <HomeButton home={home} />}
        <ButtonLink to="/organizations/$orgId" params={{ orgId: slug }} variant="default" fullWidth>
          {t('signIn.invitation.stayHere', { organization: name })}
        </ButtonLink>
      </Stack>
    </Task>
  )
}
