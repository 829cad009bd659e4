/** A row of the list of invitations. */
import { Badge, Menu, Table, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCopy, IconMailForward, IconMailOff } from '@tabler/icons-react'
import { Trans, useTranslation } from 'react-i18next'
import listClasses from '../parts/list.module.css'
import { OneLine } from '../parts/one-line.tsx'
import { rowClasses } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { asRefused } from '../theme/messages.ts'
import { useEndDate } from './ends.tsx'
import { namesOfGrants } from './grants.tsx'
import type { Invitation, InvitationStatus } from './invitation.ts'
import people from './people.module.css'
import { RowMenu } from './row-menu.tsx'

interface InvitationRowProps {
  readonly invitation: Invitation
  /** Whether the role has a column of its own. */
  readonly isWide: boolean
  readonly mayResend: boolean
  readonly mayRevoke: boolean
  readonly onResend: () => void
  readonly onRevoke: () => void
}

export function InvitationRow(props: InvitationRowProps) {
  const { t } = useTranslation()
  const { invitation, isWide } = props
  const { email, status, mailed, invitedBy, createdAt, expiresAt } = invitation
  const isOpen = status === 'pending' || status === 'expired'
  return (
    <Table.Tr>
      <Table.Td>
        {email === null ? (
          <Text inherit c="dimmed">
            {t('organizations.invitations.deletedPerson')}
          </Text>
        ) : (
          <OneLine>{email}</OneLine>
        )}
        {!isWide && <Given {...invitation} />}
      </Table.Td>
      {isWide && (
        <Table.Td className={rowClasses.secondary}>
          <Given {...invitation} />
        </Table.Td>
      )}
      <Table.Td className={people.status}>
        <InvitationBadge status={status} />
        {isOpen && (
          <span className={people.below}>
            <span className={listClasses.facts}>
              {!mailed && <span>{t('organizations.invitations.notMailed')}</span>}{' '}
              <span>
                <Trans
                  i18nKey={
                    status === 'pending' ? 'organizations.invitations.expires' : 'organizations.invitations.expired'
                  }
                  components={{ time: <Time iso={expiresAt} isListed /> }}
                />
              </span>
            </span>
          </span>
        )}
      </Table.Td>
      <Table.Td className={`${rowClasses.secondary} ${people.sent}`}>
        <Time iso={createdAt} isListed />
        {invitedBy?.name != null && (
          <span className={people.below}>
            <OneLine>{t('organizations.invitations.by', { name: invitedBy.name })}</OneLine>
          </span>
        )}
      </Table.Td>
      <Table.Td className={rowClasses.actions}>
        <Actions {...props} />
      </Table.Td>
    </Table.Tr>
  )
}

/** The role until the end of the membership, and below it the other roles. */
function Given({ role, grants, memberExpiresAt }: Invitation) {
  const { t } = useTranslation()
  const dateOf = useEndDate()
  const name = t(`organizations.roles.${role}`)
  return (
    <>
      <span className={people.below}>
        <OneLine hasDates>
          {memberExpiresAt === null ? name : t('general.until', { role: name, date: dateOf(memberExpiresAt) })}
        </OneLine>
      </span>
      {grants.length > 0 && (
        <span className={people.below}>
          <OneLine hasDates>{namesOfGrants(grants, dateOf)}</OneLine>
        </span>
      )}
    </>
  )
}

const colors: Readonly<Record<InvitationStatus, string>> = {
  pending: 'yellow',
  accepted: 'green',
  declined: 'gray',
  revoked: 'gray',
  expired: 'gray',
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
    notifications.show(
      isCopied
        ? { message: t('organizations.invitations.copied') }
        : { ...asRefused, message: t('organizations.invitations.copyFailed') },
    )
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
