/** The invitations of an organization, for those who may see them. */
import { Button, NativeSelect, Table, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { More } from '../parts/endless.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { rolesQuery } from './grants.tsx'
import { type Invitation, invitationStatuses, mayResend, useInvitations } from './invitation.ts'
import { InvitationRow } from './invitation-row.tsx'
import { Inviting } from './inviting.tsx'
import { type Organization, useOrganizationOfPage } from './organization.ts'
import { useMay } from './permissions.ts'
import { whereOf } from './place.ts'
import { useResending } from './resending.tsx'
import { useRevoking } from './revoking.tsx'
import classes from './rows.module.css'

const from = '/inside/organizations/$orgId/invitations' as const

export function InvitationsPage() {
  const { t } = useTranslation()
  const { orgId } = useParams({ from })
  const organization = useOrganizationOfPage(orgId)
  const may = useMay(organization)
  if (may('invitations:read')) return <List organization={organization} mayWrite={may('invitations:write')} />
  return (
    <Page title={t('organizations.invitations.title')}>
      <Empty
        title={t('organizations.invitations.notYours')}
        action={
          <ButtonLink to="/organizations/$orgId/members" params={{ orgId }} variant="default">
            {t('organizations.invitations.toMembers')}
          </ButtonLink>
        }
      >
        {t('organizations.invitations.notYoursLead', { name: organization.name })}
      </Empty>
    </Page>
  )
}

interface ListProps {
  readonly organization: Organization
  readonly mayWrite: boolean
}

function List({ organization, mayWrite }: ListProps) {
  const { t } = useTranslation()
  const { orgId } = useParams({ from })
  const { status } = useSearch({ from })
  const navigate = useNavigate({ from: '/organizations/$orgId/invitations' })
  const { query, items } = useInvitations(orgId, status)
  const [isInviting, inviting] = useDisclosure()
  const change = (value: string) => {
    const next = invitationStatuses.find((known) => known === value)
    return navigate({ search: next ? { status: next } : {}, replace: true, resetScroll: false })
  }
  return (
    <Page
      title={t('organizations.invitations.title')}
      lead={t('organizations.invitations.lead')}
      width="wide"
      actions={
        mayWrite && (
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={inviting.open}>
            {t('organizations.inviting.open')}
          </Button>
        )
      }
    >
      {(items.length > 0 || status !== undefined) && (
        <div className={classes.toolbar}>
          <NativeSelect
            aria-label={t('organizations.invitations.status')}
            value={status ?? ''}
            onChange={({ currentTarget }) => change(currentTarget.value)}
            data={[
              { value: '', label: t('organizations.invitations.anyStatus') },
              ...invitationStatuses.map((value) => ({
                value,
                label: t(`organizations.invitations.statuses.${value}`),
              })),
            ]}
          />
        </div>
      )}
      {query.isPending ? (
        <Loading />
      ) : query.isError && items.length === 0 ? (
        <Failed error={query.error} retry={query.refetch} />
      ) : items.length > 0 ? (
        <div className={classes.frame} aria-busy={query.isPlaceholderData}>
          <Invitations organization={organization} mayWrite={mayWrite} invitations={items} />
        </div>
      ) : status === undefined ? (
        <Empty title={t('organizations.invitations.none')}>{t('organizations.invitations.noneLead')}</Empty>
      ) : (
        <Empty
          title={t('organizations.invitations.noneOfStatus')}
          action={
            <ButtonLink to="/organizations/$orgId/invitations" params={{ orgId }} variant="default">
              {t('organizations.invitations.showAll')}
            </ButtonLink>
          }
        >
          {t('organizations.invitations.noneOfStatusLead')}
        </Empty>
      )}
      <More query={query} />
      <Inviting organization={organization} isOpen={isInviting} onClose={inviting.close} />
    </Page>
  )
}

interface InvitationsProps extends ListProps {
  readonly invitations: readonly Invitation[]
}

/** A table of invitations with what the caller may do, in an organization of their own, or in any, for admins. */
export function Invitations({ organization, mayWrite, invitations }: InvitationsProps) {
  const { t } = useTranslation()
  const { data: roles = [] } = useQuery({ ...rolesQuery(whereOf(organization)), enabled: mayWrite })
  const resending = useResending(organization)
  const revoking = useRevoking(
    organization,
    invitations.map(({ id }) => id),
  )
  return (
    <>
      <Table
        withRowBorders={false}
        className={classes.table}
        aria-label={t('organizations.invitations.table', { name: organization.name })}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('organizations.invitations.email')}</Table.Th>
            <Table.Th>{t('organizations.invitations.role')}</Table.Th>
            <Table.Th>{t('organizations.invitations.status')}</Table.Th>
            <Table.Th>{t('organizations.invitations.sent')}</Table.Th>
            <Table.Th className={classes.actions}>
              <VisuallyHidden>{t('organizations.invitations.actions')}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {invitations.map((invitation) => (
            <InvitationRow
              key={invitation.id}
              invitation={invitation}
              mayResend={mayWrite && mayResend(invitation, roles)}
              mayRevoke={mayWrite && invitation.status === 'pending'}
              onResend={() => resending.confirm(invitation)}
              onRevoke={() => revoking.confirm(invitation)}
            />
          ))}
        </Table.Tbody>
      </Table>
      {resending.dialog}
      {revoking.dialog}
    </>
  )
}
