/** The list of mails, newest first. The arrow keys move through it. */
import { Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { More, type NextPage } from '../parts/endless.tsx'
import { langOf, localeOf } from '../parts/language.ts'
import classes from './list.module.css'
import type { Mail } from './mails.ts'

interface MailListProps {
  readonly mails: readonly Mail[]
  readonly chosen: Mail | undefined
  readonly onChoose: (id: string) => void
  readonly query: NextPage
}

export function MailList({ mails, chosen, onChoose, query }: MailListProps) {
  return (
    <>
      <Arrivals mails={mails} />
      <ul className={classes.mails} onKeyDown={walk}>
        {mails.map(({ id, subject, to, sentAt }) => (
          <li key={id}>
            <UnstyledButton
              className={classes.mail}
              data-mail={id}
              aria-current={id === chosen?.id}
              onClick={() => onChoose(id)}
            >
              <Text component="span" size="sm" fw={550} className={classes.subject}>
                {subject}
              </Text>
              <Text component="span" size="xs" c="dimmed" truncate className={classes.to}>
                {to}
              </Text>
              <MailTime sentAt={sentAt} />
            </UnstyledButton>
          </li>
        ))}
      </ul>
      <div className={classes.more}>
        <More query={query} />
      </div>
    </>
  )
}

/** To the minute: here it matters which of two mails is newer, and not how long ago they came. */
export function MailTime({ sentAt }: { readonly sentAt: string }) {
  const time = new Date(sentAt)
  const locale = localeOf(undefined) // nobody is signed in
  const isToday = time.toDateString() === new Date().toDateString()
  const format: Intl.DateTimeFormatOptions = isToday
    ? { timeStyle: 'short' }
    : { dateStyle: 'medium', timeStyle: 'short' }
  return (
    <time dateTime={sentAt} lang={langOf(locale)} className={classes.time}>
      {new Intl.DateTimeFormat(locale, format).format(time)}
    </time>
  )
}

/** Announces new mails to screen readers. */
function Arrivals({ mails }: { readonly mails: readonly Mail[] }) {
  const { t } = useTranslation()
  const newest = mails[0]?.sentAt
  const seen = useRef(newest)
  const [count, setCount] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only if there is a newer mail
  useEffect(() => {
    const before = seen.current
    seen.current = newest
    if (before !== undefined) setCount(mails.filter(({ sentAt }) => sentAt > before).length)
  }, [newest])
  return <VisuallyHidden aria-live="polite">{count > 0 && t('mail.arrived', { count })}</VisuallyHidden>
}

function walk(event: KeyboardEvent<HTMLUListElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-mail]')]
  const at = buttons.findIndex((button) => button.matches(':focus'))
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key]
  const next = to === undefined ? undefined : buttons[to]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
  next.scrollIntoView({ block: 'nearest' })
}
