/**
 * Mailed links: pages that get a token from a link in a mail, in the terminal, or to join.
 *
 * Invariant: a token is in the fragment, which no server sees, in the memory of the page, and in the history's entry of a page that leads
 * back to it; never in a query or a log, and in storage only while the tab visits a provider (provider-visit.ts).
 * A spent token is removed from the address. The entry in the browser's history says that it was used.
 */
import { type HistoryState, useLocation, useNavigate } from '@tanstack/react-router'
import { Fragment, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { ButtonLink } from '../parts/links.tsx'
import { Task } from '../parts/task.tsx'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The link of this entry was used. */
    isSpent?: boolean
  }
}

export interface MailedLink {
  readonly token: string
  /** Removes the token from the address. @param outcome is available after reloading the page */
  readonly spend: (outcome?: HistoryState) => void
}

interface OfLinkProps {
  /** What to do with half a link, if it comes from elsewhere than a mail. */
  readonly incompleteLead?: string
  readonly children: (link: MailedLink) => ReactNode
}

/** A page that needs a token. Another link in the same tab resets the page. An incomplete or used link says so. */
export function OfLink({ incompleteLead, children }: OfLinkProps) {
  const given = useLocation({ select: ({ hash }) => new URLSearchParams(hash).get('token') ?? undefined })
  const navigate = useNavigate()
  const [{ token, visit, last }, setVisit] = useState({ token: given, visit: 0, last: given })
  if (given !== last) setVisit({ token: given ?? token, visit: given === undefined ? visit : visit + 1, last: given })
  if (token === undefined || !/^gh[mul]_\w{26}(\.\w{26})?\.[\w-]{43}$/.test(token))
    return <WithoutToken incompleteLead={incompleteLead} />
  const spend = (outcome?: HistoryState) =>
    void navigate({ to: '.', replace: true, resetScroll: false, state: { isSpent: true, ...outcome } })
  return <Fragment key={visit}>{children({ token, spend })}</Fragment>
}

function WithoutToken({ incompleteLead }: { readonly incompleteLead: string | undefined }) {
  const { t } = useTranslation()
  const { isSpent } = useLocation({ select: ({ state }) => state })
  const [title, lead] =
    isSpent === true
      ? [t('signIn.link.used'), t('signIn.link.usedLead')]
      : [t('signIn.link.incomplete'), incompleteLead ?? t('signIn.link.incompleteLead')]
  return (
    <Task title={title} lead={lead}>
      <ButtonLink to="/" variant="default">
        {t('general.goHome')}
      </ButtonLink>
    </Task>
  )
}

/**
 * The outcome of using a link.
 *
 * @param call the request with the token
 * @throws Refusal for everything but a spent token
 */
export async function outcomeOf(call: Promise<unknown>): Promise<'done' | 'spent'> {
  try {
    await call
    return 'done'
  } catch (error) {
    if (isRefusal(error, 'token_spent')) return 'spent'
    throw error
  }
}

/** The second part of a token, which is the second part of the id of its subject. */
export function subjectOf(token: string): string {
  return token.split('.')[1] ?? ''
}

/** Whether the subject of a token is this person. */
export function isAbout(token: string, person: { readonly id: string } | null | undefined): boolean {
  return person?.id === `user_${subjectOf(token)}`
}
