/** The desk: the list of mails, and beside it the selected one. On a phone, one or the other. */
import { CloseButton, Text, TextInput, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Brand } from '../layout/brand.tsx'
import { Disconnected } from '../layout/disconnected.tsx'
import { Filters } from '../parts/filters.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { useTenant } from '../tenants/tenant.ts'
import classes from './desk.module.css'
import { MailList } from './list.tsx'
import { MailReader } from './mail.tsx'
import { type Mail, useMails, wholeAddress } from './mails.ts'

interface MailDeskProps {
  readonly mailboxKey: string
  readonly onRefused: () => void
}

export function MailDesk({ mailboxKey, onRefused }: MailDeskProps) {
  const { t } = useTranslation()
  const [recipient, setRecipient] = useState('')
  const { query, mails: read, isRefused } = useMails(mailboxKey, wholeAddress(recipient))
  // The service looks up a whole address. Until its response is there, and for a part of an address, the list is filtered here.
  const isFound = wholeAddress(recipient) !== undefined && !query.isPlaceholderData
  const part = isFound ? '' : recipient.trim().toLowerCase()
  const mails = read.filter(({ to }) => to.includes(part))
  const { chosen, choose } = useChosen(read, mails)
  const list = useRef<HTMLElement>(null)
  const hasRead = query.data !== undefined
  useEffect(() => {
    if (isRefused) onRefused()
  }, [isRefused, onRefused])

  const left = useRef<string>(undefined)
  const leave = ({ id }: Mail) => {
    choose(undefined)
    left.current = id
  }
  // On a phone, the list is there once the mail is gone.
  useLayoutEffect(() => {
    if (chosen !== undefined || left.current === undefined) return
    list.current?.querySelector<HTMLElement>(`[data-mail="${left.current}"]`)?.focus()
    left.current = undefined
  }, [chosen])
  return (
    <div className={classes.desk} data-reading={chosen !== undefined || undefined}>
      <Bar />
      <Disconnected />
      <main id="content" className={classes.panes}>
        <section ref={list} className={classes.list} aria-label={t('mail.mails')}>
          <Filters
            least={1}
            className={classes.filters}
            query={query}
            rows={read.length}
            found={mails.length}
            filters={{ recipient: recipient.trim().toLowerCase() || undefined }}
          >
            <TextInput
              type="search"
              className={classes.search}
              aria-label={t('mail.recipient')}
              placeholder={t('mail.recipientHint')}
              leftSection={<IconSearch size={16} aria-hidden />}
              rightSection={
                recipient !== '' && (
                  <CloseButton size="sm" aria-label={t('mail.clear')} onClick={() => setRecipient('')} />
                )
              }
              value={recipient}
              onChange={({ currentTarget }) => setRecipient(currentTarget.value)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          </Filters>
          {query.isPending && <Loading rows={7} />}
          {query.isError && !hasRead && !isRefused && <Failed error={query.error} retry={query.refetch} />}
          {hasRead && mails.length > 0 && <MailList mails={mails} chosen={chosen} onChoose={choose} query={query} />}
          {hasRead && mails.length === 0 && <NoMails isFiltered={recipient.trim() !== ''} />}
        </section>
        <section className={classes.reader} aria-label={t('mail.chosen')}>
          {chosen ? (
            <MailReader key={chosen.id} mail={chosen} onLeave={() => leave(chosen)} />
          ) : (
            <Text c="dimmed" className={classes.nothing}>
              {t('mail.nothingChosen')}
            </Text>
          )}
        </section>
      </main>
    </div>
  )
}

function Bar() {
  const { t } = useTranslation()
  const tenant = useTenant()
  useEffect(() => {
    document.title = `${t('mail.title')} · ${tenant.name}`
  }, [t, tenant.name])
  return (
    <header className={classes.bar}>
      <div className={classes.brand}>
        <Brand />
      </div>
      <div className={classes.title}>
        <Title order={1} size="h2">
          {t('mail.title')}
        </Title>
        <Text size="sm" c="dimmed">
          {t('mail.lead', { tenant: tenant.name })}
        </Text>
      </div>
    </header>
  )
}

function NoMails({ isFiltered }: { readonly isFiltered: boolean }) {
  const { t } = useTranslation()
  return isFiltered ? (
    <Empty title={t('mail.noneTo')}>{t('mail.noneToHint')}</Empty>
  ) : (
    <Empty title={t('mail.noneTitle')}>{t('mail.none')}</Empty>
  )
}

/** The selected mail is in the address, so that "back" leads to the list. Beside the list, a mail is always selected. */
function useChosen(read: readonly Mail[], shown: readonly Mail[]) {
  const navigate = useNavigate()
  const { mail } = useSearch({ from: '/outside/mailbox' })
  const isWide = useMediaQuery('(min-width: 56em)', undefined, { getInitialValueInEffect: false })
  const choose = (next: string | undefined, replace = mail !== undefined) =>
    void navigate({
      to: '/mailbox',
      search: next === undefined ? {} : { mail: next },
      hash: true,
      replace,
      resetScroll: false,
    })
  const chosen = read.find(({ id }) => id === mail)
  const first = shown[0]?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: only if there are mails and none is selected
  useEffect(() => {
    if (isWide && chosen === undefined && first !== undefined) choose(first, true)
  }, [isWide, chosen === undefined, first])
  return { chosen, choose }
}
