/**
 * Mailed links: what a page is given by the link of a mail, or of the terminal.
 *
 * Invariant: a token stands in the fragment, which no server sees, and in the memory of the page; never in a query, a log or storage.
 * Once it is spent it leaves the address, and the entry in the browser's history says that it was there.
 */
import { type HistoryState, useLocation, useNavigate } from '@tanstack/react-router'
import { Fragment, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { ButtonLink } from '../parts/links.tsx'
import { Task } from '../parts/task.tsx'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The link that led here was used. */
    isSpent?: boolean
  }
}

export interface MailedLink {
  readonly token: string
  /** Takes the token out of the address. @param outcome is there for whoever loads the page anew */
  readonly spend: (outcome?: HistoryState) => void
}

/** A page that needs a token. Another link in the same tab begins the page anew; one that was cut, or used, says so. */
export function OfLink({ children }: { readonly children: (link: MailedLink) => ReactNode }) {
  const given = useLocation({ select: ({ hash }) => new URLSearchParams(hash).get('token') ?? undefined })
  const navigate = useNavigate()
  const [{ token, visit, last }, setVisit] = useState({ token: given, visit: 0, last: given })
  if (given !== last) setVisit({ token: given ?? token, visit: given === undefined ? visit : visit + 1, last: given })
  if (token === undefined || !/^gh[mu]_\w{26}(\.\w{26})?\.[\w-]{43}$/.test(token)) return <WithoutToken />
  const spend = (outcome?: HistoryState) =>
    void navigate({ to: '.', replace: true, resetScroll: false, state: { isSpent: true, ...outcome } })
  return <Fragment key={visit}>{children({ token, spend })}</Fragment>
}

function WithoutToken() {
  const { t } = useTranslation()
  const { isSpent } = useLocation({ select: ({ state }) => state })
  const state = isSpent === true ? 'used' : 'incomplete'
  return (
    <Task title={t(`signIn.link.${state}`)} lead={t(`signIn.link.${state}Lead`)}>
      <ButtonLink to="/" variant="default">
        {t('general.goHome')}
      </ButtonLink>
    </Task>
  )
}

/**
 * What came of using a link.
 *
 * @param call asks the API to do what the token is for
 * @throws Refusal for everything but a token that is spent
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

/** The second part of a token: what it is about, as the second part of an id of that kind. */
export function subjectOf(token: string): string {
  return token.split('.')[1] ?? ''
}

/** Whether a token that is about a person is about this one. */
export function isAbout(token: string, person: { readonly id: string } | null | undefined): boolean {
  return person?.id === `user_${subjectOf(token)}`
}
