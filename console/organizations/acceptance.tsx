/**
 * The page of an invitation, which its mail links to: the preview, and how to answer, for every visitor.
 *
 * Invariant: the token is in the fragment of the address, in the memory of the page, and in the history's entry of a page that leads back
 * here; in storage only while the tab visits a provider. It leaves the address when the invitation is answered.
 */
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'
import { ButtonLink } from '../parts/links.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { Task } from '../parts/task.tsx'
import { type MailedLink, OfLink } from '../sign-in/mailed-link.tsx'
import { callerQuery } from '../users/me.ts'
import { InvitationAnswer } from './acceptance-answer.tsx'
import { membershipQuery, previewQuery } from './acceptance-preview.tsx'
import { MemberAlready, ToOrganization } from './acceptance-task.tsx'
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
  const preview = useQuery(previewQuery(link.token))
  const caller = useQuery(callerQuery)
  const failed = preview.error ?? caller.error
  if (isFinal(failed))
    return isRefusal(failed, 'invitation_used') && caller.data != null ? (
      <Used link={link} caller={caller.data} />
    ) : (
      <Closed error={failed} isSignedIn={caller.data != null} />
    )
  if (preview.data === undefined || caller.data === undefined)
    return <Opening error={failed} refetch={() => Promise.all([preview.refetch(), caller.refetch()])} />
  return <InvitationAnswer link={link} invitation={preview.data} caller={caller.data} />
}

/** Accepting again answers the person who has accepted, as long as they are a member, and refuses everybody else. */
function Used({ link, caller }: { readonly link: MailedLink; readonly caller: Schemas['User'] }) {
  const membership = useQuery(membershipQuery(link.token, caller.id))
  if (membership.data !== undefined) return <MemberAlready organization={membership.data} />
  if (isFinal(membership.error)) return <Closed error={membership.error} isSignedIn />
  return <Opening error={membership.error} refetch={membership.refetch} />
}

/** Whether a request would be refused again: not what a lost connection, a limit or an overload may end. */
function isFinal(error: unknown): boolean {
  return isRefusal(error) && error.problem.status !== undefined && error.problem.status < 429
}

interface OpeningProps {
  readonly error: unknown
  readonly refetch: () => unknown
}

/** What the invitation is, is not known yet. */
function Opening(query: OpeningProps) {
  const { t } = useTranslation()
  return (
    <Task title={t('signIn.invitation.loading')}>
      <LoadingOrFailed query={query} rows={5} />
    </Task>
  )
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

function Joined({ organization }: { readonly organization: Joined }) {
  const { t } = useTranslation()
  return (
    <Task key="joined" title={t('signIn.invitation.joined', { organization: organization.name })}>
      <ToOrganization organization={organization} />
    </Task>
  )
}
