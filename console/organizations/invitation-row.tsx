/** A row of the list of invitations. */
import { Badge, Menu, Table, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCopy, IconMailForward, IconMailOff } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Trans, useTranslation } from 'react-i18next'
import { Time } from '../parts/time.tsx'
import { type Invitation, type InvitationStatus, resendInvitation } from './invitation.ts'
import { type Organization, readOrganizationsAgain } from './organization.ts'
import { grantableBy } from './roles.ts'
import { RowMenu } from './row-menu.tsx'
import classes from './rows.module.css'

interface InvitationRowProps {
  readonly invitation: Invitation
  readonly organization: Organization
  readonly onRevoke: () => void
}

export function InvitationRow(props: InvitationRowProps) {
  const { t } = useTranslation()
  const { invitation } = props
  const { id, email, role, status, invitedBy, createdAt, expiresAt } = invitation
  return (
    <Table.Tr id={id}>
      <Table.Td>{email ?? <Text c="dimmed">{t('organizations.invitations.deletedPerson')}</Text>}</Table.Td>
      <Table.Td className={classes.secondary}>{t(`organizations.roles.${role}`)}</Table.Td>
      <Table.Td className={classes.state}>
        <InvitationBadge status={status} />
        {(status === 'pending' || status === 'expired') && (
          <span className={classes.quiet}>
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

function Actions({ invitation, organization, onRevoke }: InvitationRowProps) {
  const { t } = useTranslation()
  const { id, email, status, role } = invitation
  const resending = useMutation({
    mutationFn: () => resendInvitation(organization.id, id),
    onSuccess: () => notifications.show({ message: t('organizations.invitations.resent', { email: email ?? '' }) }),
    onSettled: readOrganizationsAgain,
  })
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
  const mayTouch = grantableBy(organization.role).includes(role)
  const mayResend = mayTouch && (status === 'pending' || status === 'expired')
  return (
    <RowMenu label={t('organizations.invitations.actionsFor', { email })}>
      {(refocus) => (
        <>
          {mayResend && (
            <Menu.Item
              leftSection={<IconMailForward size={16} aria-hidden />}
              disabled={resending.isPending}
              onClick={refocus(() => resending.mutate())}
            >
              {t('organizations.invitations.resend')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconCopy size={16} aria-hidden />} onClick={refocus(copy)}>
            {t('organizations.invitations.copy')}
          </Menu.Item>
          {mayTouch && status === 'pending' && (
            <Menu.Item c="red" leftSection={<IconMailOff size={16} aria-hidden />} onClick={refocus(onRevoke)}>
              {t('organizations.invitations.revoke')}
            </Menu.Item>
          )}
        </>
      )}
    </RowMenu>
  )
}
