/** The members of an organization, and of any, for admins. */
import { Table } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, asCsv, type Schemas } from '../api/client.ts'
import { CsvButton } from '../parts/csv.tsx'
import { More } from '../parts/endless.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { ActionsHead, RowTable } from '../parts/rows.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { SortedHeader, useIsWide } from '../parts/table.tsx'
import { useMe } from '../users/me.ts'
import { rolesQuery } from './grants.tsx'
import {
  filtersOf,
  type Member,
  type MemberSearch,
  type MemberSort,
  nameOf,
  useMembers,
  useRoleChange,
} from './member.ts'
import { useMemberActions } from './member-actions.tsx'
import { inAddress, MemberFilters } from './member-filters.tsx'
import { MemberRow } from './member-row.tsx'
import type { Organization } from './organization.ts'
import people from './people.module.css'
import { usePeopleSearch } from './people-filters.ts'
import { useMay, usePermissions } from './permissions.ts'
import { placeOf, type Where, whereOf } from './place.ts'
import type { Role } from './roles.ts'

export function MemberList({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const may = useMay(organization)
  const [search] = usePeopleSearch()
  const where = whereOf(organization)
  const mayUpdate = may('members:update')
  const filters = filtersOf(search, mayUpdate)
  const { query, items } = useMembers(where, filters)
  // Without the roles nobody knows who holds more than the caller, and no member has an action.
  const listed = useQuery(rolesQuery(where))
  const mayAct = mayUpdate || may('members:remove') || may('ownership:transfer')
  // Here, not in the table: a filter may leave no row for a refused member, whose dialog says why.
  const { confirm, dialog } = useMemberActions(organization)
  const { inviteQuery, inviteStatus } = search
  return (
    <>
      <MemberFilters
        query={query}
        rows={items.length}
        mayUpdate={mayUpdate}
        beside={<MembersAsCsv where={where} filters={filters} />}
      />
      {query.isPending || listed.isLoading ? (
        <Loading rows={6} />
      ) : query.isError && items.length === 0 ? (
        <Failed error={query.error} retry={query.refetch} />
      ) : items.length === 0 ? (
        <Empty
          title={t('organizations.members.none')}
          action={
            <ButtonLink
              to="."
              search={() => ({ ...(inviteQuery && { inviteQuery }), ...(inviteStatus && { inviteStatus }) })}
              variant="default"
            >
              {t('organizations.members.showAll')}
            </ButtonLink>
          }
        >
          {t('organizations.members.noneLead')}
        </Empty>
      ) : (
        <>
          {mayAct && listed.isLoadingError && <Failed error={listed.error} retry={listed.refetch} mb="md" />}
          <Members
            organization={organization}
            members={items}
            isBusy={query.isPlaceholderData}
            listed={listed.data ?? []}
            confirm={confirm}
          />
          <More query={query} />
        </>
      )}
      {dialog}
    </>
  )
}

interface MembersAsCsvProps {
  readonly where: Where
  readonly filters: MemberSearch
}

/** The members as a file, with the filters of the list. */
function MembersAsCsv({ where, filters }: MembersAsCsvProps) {
  const { base, path } = placeOf(where)
  const params = { path, query: filters }
  return <CsvButton read={() => api.GET(`${base}/members`, { params, ...asCsv })} />
}

interface MembersProps {
  readonly organization: Organization
  readonly members: readonly Member[]
  readonly isBusy: boolean
  /** All roles that there are. */
  readonly listed: readonly Schemas['Role'][]
  /** Opens a dialog. */
  readonly confirm: ReturnType<typeof useMemberActions>['confirm']
}

/** A table of members with what the caller may do, in an organization of their own, or in any, for admins. */
function Members({ organization, members, isBusy, listed, confirm }: MembersProps) {
  const { t } = useTranslation()
  const permissions = usePermissions(organization)
  const me = useMe()
  const isMe = ({ user }: Member) => organization.membership !== null && user.id === me.id
  const isWide = useIsWide()
  const [search, change] = usePeopleSearch()
  const changing = useRoleChange(whereOf(organization), ({ member, role }) => {
    const asRole = t(`organizations.members.asRole.${role}`)
    notifications.show({ message: t('organizations.members.roleChanged', { name: nameOf(member), role: asRole }) })
  })
  const headers = {
    sort: search.sort ?? 'joinedAt',
    onSort: (sort: MemberSort) => change({ sort: inAddress(sort) }),
  } as const
  const changeRole = (member: Member, role: Role) => {
    // After lowering their own role, the caller cannot raise it again.
    if (isMe(member)) return confirm({ is: 'demoting', member, role })
    const apply = () => changing.mutate({ member, role })
    // A new owner can remove the one who made them an owner.
    if (role === 'owner') confirm({ is: 'promoting', member, onSure: apply })
    else apply()
  }
  return (
    <RowTable
      label={t('organizations.members.table', { name: organization.name })}
      isBusy={isBusy}
      className={`${people.table} ${people.members}`}
      heads={
        <>
          <SortedHeader column="name" {...headers}>
            {t('organizations.members.name')}
          </SortedHeader>
          {isWide && (
            <SortedHeader column="email" {...headers}>
              {t('organizations.members.email')}
            </SortedHeader>
          )}
          <Table.Th className={people.role}>{t('organizations.members.role')}</Table.Th>
          <SortedHeader column="joinedAt" first="descending" className={people.time} {...headers}>
            {t('organizations.members.joined')}
          </SortedHeader>
          <ActionsHead>{t('organizations.members.actions')}</ActionsHead>
        </>
      }
    >
      {members.map((member) => (
        <MemberRow
          key={member.id}
          member={member}
          isMe={isMe(member)}
          isLinked={organization.membership === null}
          isWide={isWide}
          isFactorRequired={organization.secondFactor === 'required'}
          permissions={permissions}
          listed={listed}
          onRole={(role) => changeRole(member, role)}
          onTransfer={() => confirm({ is: 'transferring', member })}
          onAccess={() => confirm({ is: 'changing', member })}
          onStatus={() => confirm({ is: member.status === 'suspended' ? 'reactivating' : 'suspending', member })}
          onSee={() => confirm(isMe(member) ? { is: 'seeingOwn' } : { is: 'seeing', member })}
          onRemove={() => confirm({ is: 'removing', member })}
          onLeave={() => confirm({ is: 'leaving', member })}
        />
      ))}
    </RowTable>
  )
}
