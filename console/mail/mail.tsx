/**
 * One mail, formatted and as plain text.
 *
 * Invariant: no code of a mail runs: its frame has no scripts and no origin. Its links open in new tabs without these restrictions.
 */
import { Anchor, Button, SegmentedControl, Text, Title } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { MailTime } from './list.tsx'
import classes from './mail.module.css'
import type { Mail } from './mails.ts'

interface MailReaderProps {
  readonly mail: Mail
  /** On a phone: back to the list. */
  readonly onLeave: () => void
}

export function MailReader({ mail: { subject, to, sentAt, html, text }, onLeave }: MailReaderProps) {
  const { t } = useTranslation()
  const [format, setFormat] = useState<'html' | 'text'>('html')
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // On a phone the mail replaces the list, and gets the focus.
    const list = title.current?.closest('main')?.querySelector('[data-mail]')
    if (list && !list.checkVisibility()) title.current?.focus({ preventScroll: true })
  }, [])
  return (
    <article className={classes.mail}>
      <Button
        className={classes.back}
        variant="subtle"
        color="gray"
        leftSection={<IconArrowLeft size={16} aria-hidden />}
        onClick={onLeave}
      >
        {t('mail.all')}
      </Button>
      <header className={classes.head}>
        <div className={classes.about}>
          <Title order={2} ref={title} tabIndex={-1} className={classes.title}>
            {subject}
          </Title>
          <Text size="sm" c="dimmed">
            {t('mail.to', { email: to })} · <MailTime sentAt={sentAt} />
          </Text>
        </div>
        <SegmentedControl
          size="xs"
          transitionDuration={0}
          aria-label={t('mail.format')}
          value={format}
          onChange={(value) => setFormat(value === 'text' ? 'text' : 'html')}
          data={[
            { value: 'html', label: t('mail.formatted') },
            { value: 'text', label: t('mail.plain') },
          ]}
        />
      </header>
      {format === 'html' ? (
        <iframe
          className={classes.frame}
          title={subject}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          srcDoc={html.replace('<head>', '<head><base target="_blank">')}
        />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
        <pre className={classes.text} tabIndex={0}>
          {withLinks(text)}
        </pre>
      )}
    </article>
  )
}

/** Makes links of the service's own URLs. */
function withLinks(text: string): ReactNode[] {
  return text.split(/(https?:\/\/\S+)/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <Anchor key={part} href={part} target="_blank" rel="noreferrer" inherit>
        {part}
      </Anchor>
    ),
  )
}
