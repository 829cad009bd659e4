/** The invitations of an organization, for those who may see them, and of any, for admins. The pending ones come first. */
import { NativeSelect, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { More } from '../parts/endless.tsx'
import { type FilteredList, Filters } from '../parts/filters.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { ActionsHead, RowTable, rowClasses } from '../parts/rows.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty, Failed, LoadingOrFailed } from '../parts/states.tsx'
import { useIsWide } from '../parts/table.tsx'
import { rolesQuery } from './grants.tsx'
import { type Invitation, mayResend, useInvitations } from './invitation.ts'
import { InvitationRow } from './invitation-row.tsx'
import type { Organization } from './organization.ts'
import people from './people.module.css'
import { usePeopleSearch } from './people-filters.ts'
import { askedStatus, listedStatuses } from './people-search.ts'
import { whereOf } from './place.ts'
import { useResending } from './resending.tsx'
import { useRevoking } from './revoking.tsx'

interface ListProps {
  readonly organization: Organization
  readonly mayWrite: boolean
}

export function InvitationList({ organization, mayWrite }: ListProps) {
  const { t } = useTranslation()
  const [{ inviteQuery, inviteStatus, ...members }] = usePeopleSearch()
  const { query, items } = useInvitations(whereOf(organization), {
    query: inviteQuery,
    status: askedStatus(inviteStatus),
  })
  // Here, and not beside the rows: a dialog says why it was refused, also if no row is left.
  const resending = useResending(organization)
  const revoking = useRevoking(organization)
  return (
    <>
      <InvitationFilters query={query} rows={items.length} />
      {!query.isSuccess && items.length === 0 ? (
        <LoadingOrFailed query={query} rows={4} />
      ) : items.length > 0 ? (
        <Invitations
          organization={organization}
          mayWrite={mayWrite}
          invitations={items}
          isBusy={query.isPlaceholderData}
          onResend={resending.confirm}
          onRevoke={revoking.confirm}
        />
      ) : inviteQuery === undefined && inviteStatus === undefined ? (
        <Empty title={t('organizations.invitations.none')}>{t('organizations.invitations.noneLead')}</Empty>
      ) : (
        <Empty
          title={t('organizations.invitations.noneFound')}
          action={
            <ButtonLink to="." search={() => members} variant="default">
              {t('organizations.invitations.showPending')}
            </ButtonLink>
          }
        >
          {t('organizations.invitations.noneFoundLead')}
        </Empty>
      )}
      <More query={query} />
      {resending.dialog}
      {revoking.dialog}
    </>
  )
}

function InvitationFilters(list: FilteredList) {
  const { t } = useTranslation()
  const [{ inviteQuery, inviteStatus }, change] = usePeopleSearch()
  const wordsOf = (status: 'pending' | (typeof listedStatuses)[number]) =>
    status === 'all' ? t('organizations.invitations.all') : t(`organizations.invitations.statuses.${status}`)
  return (
    <Filters className={rowClasses.toolbar} filters={{ inviteQuery, inviteStatus }} {...list}>
      <SearchField
        className={rowClasses.search}
        label={t('organizations.invitations.search')}
        value={inviteQuery ?? ''}
        onSearch={(next) => change({ inviteQuery: next })}
      />
      <NativeSelect
        aria-label={t('organizations.invitations.status')}
        value={inviteStatus ?? 'pending'}
        onChange={({ currentTarget: { value } }) =>
          change({ inviteStatus: listedStatuses.find((known) => known === value) })
        }
        data={(['pending', ...listedStatuses] as const).map((value) => ({ value, label: wordsOf(value) }))}
      />
    </Filters>
  )
}

interface InvitationsProps extends ListProps {
  readonly invitations: readonly Invitation[]
  readonly isBusy: boolean
  readonly onResend: (invitation: Invitation) => void
  readonly onRevoke: (invitation: Invitation) => void
}

/** A table of invitations with what the caller may do, in an organization of their own, or in any, for admins. */
function Invitations({ organization, mayWrite, invitations, isBusy, onResend, onRevoke }: InvitationsProps) {
  const { t } = useTranslation()
  const isWide = useIsWide()
  const roles = useQuery({ ...rolesQuery(whereOf(organization)), enabled: mayWrite })
  return (
    <>
      {roles.isLoadingError && <Failed error={roles.error} retry={roles.refetch} mb="md" />}
      <RowTable
        label={t('organizations.invitations.table', { name: organization.name })}
        isBusy={isBusy}
        className={people.table}
        heads={
          <>
            <Table.Th>{t('organizations.invitations.email')}</Table.Th>
            {isWide && <Table.Th className={people.role}>{t('organizations.invitations.role')}</Table.Th>}
            <Table.Th className={people.status}>{t('organizations.invitations.status')}</Table.Th>
            <Table.Th className={people.sent}>{t('organizations.invitations.sent')}</Table.Th>
            <ActionsHead>{t('organizations.invitations.actions')}</ActionsHead>
          </>
        }
      >
        {invitations.map((invitation) => (
          <InvitationRow
            key={invitation.id}
            invitation={invitation}
            isWide={isWide}
            mayResend={mayWrite && mayResend(invitation, roles.data ?? [])}
            mayRevoke={mayWrite && invitation.status === 'pending'}
            onResend={() => onResend(invitation)}
            onRevoke={() => onRevoke(invitation)}
          />
        ))}
      </RowTable>
    </>
  )
}
