/** Rows of the lists of links: a live one, which can be copied and revoked, and one that has ended. */
import { Button, Menu, Table } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCopy, IconLinkOff } from '@tabler/icons-react'
import { Trans, useTranslation } from 'react-i18next'
import { langOf, localeOf } from '../parts/language.ts'
import { useReader } from '../parts/reader.ts'
import { rowClasses } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import type { Link } from './link.ts'
import classes from './links.module.css'
import { RowMenu } from './row-menu.tsx'

interface LinkRowProps {
  readonly link: Link
}

interface LiveLinkRowProps extends LinkRowProps {
  /** Whether the caller may revoke it, and copy it if it gives no more than they could give. */
  readonly mayWrite: boolean
  /** Shows the URL, if the browser does not let it be copied. */
  readonly onShow: () => void
  readonly onRevoke: () => void
}

export function LiveLinkRow({ link, mayWrite, onShow, onRevoke }: LiveLinkRowProps) {
  const { t, i18n } = useTranslation()
  const { locale, timeZone } = useReader()
  const ofLabels = langOf(locale) === undefined ? locale : localeOf(i18n.language) // a label has one language
  const { url, createdAt, expiresAt } = link
  const when = new Intl.DateTimeFormat(ofLabels, { dateStyle: 'medium', timeStyle: 'medium', timeZone }).format(
    new Date(createdAt),
  )
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(url ?? '') // there is no clipboard on pages without https
      notifications.show({ message: t('organizations.links.copiedLead') })
    } catch {
      onShow()
    }
  }
  return (
    <Table.Tr>
      <Gives link={link} isBeyond={mayWrite && url === null} />
      <Uses link={link} />
      <Table.Td className={`${rowClasses.secondary} ${rowClasses.state}`}>
        <Trans i18nKey="organizations.links.ends" components={{ time: <Time iso={expiresAt} isListed /> }} />
      </Table.Td>
      <Created link={link} />
      {mayWrite && (
        <>
          <Table.Td className={classes.copy}>
            {url !== null && (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconCopy size={14} aria-hidden />}
                aria-label={t('organizations.links.copyOf', { when })}
                title={t('organizations.links.copy')}
                onClick={copy}
              >
                {t('organizations.links.copy')}
              </Button>
            )}
          </Table.Td>
          <Table.Td className={rowClasses.actions}>
            <RowMenu label={t('organizations.links.actionsFor', { when })}>
              {(refocus) => (
                <Menu.Item c="red" leftSection={<IconLinkOff size={16} aria-hidden />} onClick={refocus(onRevoke)}>
                  {t('organizations.links.revoke')}
                </Menu.Item>
              )}
            </RowMenu>
          </Table.Td>
        </>
      )}
    </Table.Tr>
  )
}

export function EndedLinkRow({ link }: LinkRowProps) {
  const { t } = useTranslation()
  const { endedBecause, expiresAt } = link
  return (
    <Table.Tr>
      <Gives link={link} />
      <Uses link={link} />
      <Table.Td className={rowClasses.secondary}>
        {endedBecause === 'expired' ? (
          <Trans i18nKey="organizations.links.expired" components={{ time: <Time iso={expiresAt} isListed /> }} />
        ) : (
          endedBecause && t(`organizations.links.reasons.${endedBecause}`)
        )}
      </Table.Td>
      <Created link={link} />
    </Table.Tr>
  )
}

/** What somebody who joins gets, and who can. @param isBeyond whether the caller could not give as much, and so has no URL */
function Gives({ link, isBeyond = false }: LinkRowProps & { readonly isBeyond?: boolean }) {
  const { t } = useTranslation()
  const { grants, emailDomains, memberExpiresAt } = link
  return (
    <Table.Td>
      <span className={classes.roles}>
        {[t('organizations.roles.member'), ...grants.map(({ name }) => name)].join(', ')}
      </span>
      {emailDomains.length > 0 && (
        <span className={classes.detail}>{t('organizations.links.only', { domains: emailDomains.join(', ') })}</span>
      )}
      {memberExpiresAt !== null && (
        <span className={classes.detail}>
          <Trans
            i18nKey="organizations.links.memberEnds"
            components={{ time: <Time iso={memberExpiresAt} isListed /> }}
          />
        </span>
      )}
      {isBeyond && <span className={classes.detail}>{t('organizations.links.beyond')}</span>}
    </Table.Td>
  )
}

function Uses({ link: { uses, maxUses } }: { readonly link: Link }) {
  const { t } = useTranslation()
  return <Table.Td className={rowClasses.quiet}>{t('organizations.links.uses', { uses, maxUses })}</Table.Td>
}

function Created({ link: { createdAt, createdBy } }: { readonly link: Link }) {
  const { t } = useTranslation()
  return (
    <Table.Td className={`${rowClasses.secondary} ${rowClasses.whole}`}>
      <span className={rowClasses.label}>{t('organizations.links.created')} </span>
      <Time iso={createdAt} isListed />{' '}
      {createdBy?.name != null && (
        <span className={rowClasses.by}>{t('organizations.links.by', { name: createdBy.name })}</span>
      )}
    </Table.Td>
  )
}
