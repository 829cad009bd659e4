/** A row of the list of invitations. */
import { Badge, Menu, Table, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCopy, IconMailForward, IconMailOff } from '@tabler/icons-react'
import { Trans, useTranslation } from 'react-i18next'
import { Time } from '../parts/time.tsx'
import { useEndDate } from './ends.tsx'
import { namesOfGrants } from './grants.tsx'
import type { Invitation, InvitationStatus } from './invitation.ts'
import { RowMenu } from './row-menu.tsx'
import classes from './rows.module.css'

interface InvitationRowProps {
  readonly invitation: Invitation
  readonly mayResend: boolean
  readonly mayRevoke: boolean
  readonly onResend: () => void
  readonly onRevoke: () => void
}

export function InvitationRow(props: InvitationRowProps) {
  const { t } = useTranslation()
  const { invitation } = props
  const { id, email, status, mailed, invitedBy, createdAt, expiresAt } = invitation
  const isOpen = status === 'pending' || status === 'expired'
  return (
    <Table.Tr id={id}>
      <Table.Td>{email ?? <Text c="dimmed">{t('organizations.invitations.deletedPerson')}</Text>}</Table.Td>
      <Given {...invitation} />
      <Table.Td className={classes.state}>
        <InvitationBadge status={status} />
        {isOpen && (
          <span className={classes.quiet}>
            {!mailed && `${t('organizations.invitations.notMailed')} · `}
            <Trans
              i18nKey={status === 'pending' ? 'organizations.invitations.expires' : 'organizations.invitations.expired'}
              components={{ time: <Time iso={expiresAt} isListed /> }}
            />
          </span>
        )}
      </Table.Td>
      <Table.Td className={`${classes.secondary} ${classes.whole}`}>
        <Time iso={createdAt} isListed />{' '}
        {invitedBy?.name != null && (
          <span className={classes.by}>{t('organizations.invitations.by', { name: invitedBy.name })}</span>
        )}
      </Table.Td>
      <Table.Td className={classes.actions}>
        <Actions {...props} />
      </Table.Td>
    </Table.Tr>
  )
}

/** The role until the end of the membership, and below it the other roles. On a phone, more than a role takes the whole line. */
function Given({ role, grants, memberExpiresAt }: Invitation) {
  const { t } = useTranslation()
  const dateOf = useEndDate()
  const name = t(`organizations.roles.${role}`)
  const isMore = grants.length > 0 || memberExpiresAt !== null
  return (
    <Table.Td className={isMore ? `${classes.secondary} ${classes.whole}` : classes.secondary}>
      {memberExpiresAt === null ? name : t('general.until', { role: name, date: dateOf(memberExpiresAt) })}
      {grants.length > 0 && <div>{namesOfGrants(grants, dateOf)}</div>}
    </Table.Td>
  )
}

const colors: Readonly<Record<InvitationStatus, string>> = {
  pending: 'accent',
  accepted: 'green',
  declined: 'gray',
  revoked: 'gray',
  expired: 'yellow',
}

function InvitationBadge({ status }: { readonly status: InvitationStatus }) {
  const { t } = useTranslation()
  return <Badge color={colors[status]}>{t(`organizations.invitations.statuses.${status}`)}</Badge>
}

function Actions({ invitation: { email }, mayResend, mayRevoke, onResend, onRevoke }: InvitationRowProps) {
  const { t } = useTranslation()
  if (email === null) return null
  const copy = async () => {
    const isCopied = await navigator.clipboard.writeText(email).then(
      () => true,
      () => false,
    )
    notifications.show({
      message: isCopied ? t('organizations.invitations.copied') : t('organizations.invitations.copyFailed'),
    })
  }
  return (
    <RowMenu label={t('organizations.invitations.actionsFor', { email })}>
      {(refocus) => (
        <>
          {mayResend && (
            <Menu.Item leftSection={<IconMailForward size={16} aria-hidden />} onClick={refocus(onResend)}>
              {t('organizations.invitations.resend')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconCopy size={16} aria-hidden />} onClick={refocus(copy)}>
            {t('organizations.invitations.copy')}
          </Menu.Item>
          {mayRevoke && (
            <Menu.Item c="red" leftSection={<IconMailOff size={16} aria-hidden />} onClick={refocus(onRevoke)}>
              {t('organizations.invitations.revoke')}
            </Menu.Item>
          )}
        </>
      )}
    </RowMenu>
  )
}
