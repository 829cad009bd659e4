/**
 * Mailed links: what a page is given by the link of a mail, or of the terminal.
 *
 * Invariant: a token stands in the fragment, which no server sees, and in the memory of the page; never in a query, a log or storage.
 * Once it is spent it leaves the address.
 */
import { useLocation, useNavigate } from '@tanstack/react-router'
import { Fragment, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { ButtonLink } from '../parts/links.tsx'
import { Task } from '../parts/task.tsx'

export interface MailedLink {
  readonly token: string
  /** Takes the token out of the address. */
  readonly spend: () => void
}

/** A page that needs a token. Another link in the same tab begins the page anew; one that was cut says so. */
export function OfLink({ children }: { readonly children: (link: MailedLink) => ReactNode }) {
  const given = useLocation({ select: ({ hash }) => new URLSearchParams(hash).get('token') ?? undefined })
  const navigate = useNavigate()
  const [{ token, visit, last }, setVisit] = useState({ token: given, visit: 0, last: given })
  if (given !== last) setVisit({ token: given ?? token, visit: given === undefined ? visit : visit + 1, last: given })
  if (token === undefined || !/^gh[mu]_\w{26}(\.\w{26})?\.[\w-]{43}$/.test(token)) return <Incomplete />
  const spend = () => void navigate({ to: '.', replace: true, resetScroll: false })
  return <Fragment key={visit}>{children({ token, spend })}</Fragment>
}

function Incomplete() {
  const { t } = useTranslation()
  return (
    <Task title={t('signIn.link.incomplete')} lead={t('signIn.link.incompleteLead')}>
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
