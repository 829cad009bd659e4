/** The members of an organization. The filters are in the address. */
import { Button, Table, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { More } from '../parts/endless.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { SortedHeader } from '../parts/table.tsx'
import { useMe } from '../users/me.ts'
import { rolesQuery } from './grants.tsx'
import { Inviting } from './inviting.tsx'
import { type Member, type MemberSort, nameOf, useMembers, useRoleChange } from './member.ts'
import { useMemberActions } from './member-actions.tsx'
import { MemberFilters, useMemberSearch } from './member-filters.tsx'
import { MemberRow } from './member-row.tsx'
import { type Organization, useOrganizationOfPage } from './organization.ts'
import { useMay, usePermissions } from './permissions.ts'
import { whereOf } from './place.ts'
import type { Role } from './roles.ts'
import { useFocusBeside } from './row-menu.tsx'
import classes from './rows.module.css'

const from = '/inside/organizations/$orgId/members' as const

export function MembersPage() {
  const { t } = useTranslation()
  const { orgId } = useParams({ from })
  const organization = useOrganizationOfPage(orgId)
  const may = useMay(organization)
  const [search] = useMemberSearch()
  const { query, items } = useMembers(whereOf(organization), search)
  const listed = useQuery(rolesQuery(organization.id))
  const [isInviting, inviting] = useDisclosure()
  return (
    <Page
      title={t('organizations.members.title')}
      lead={
        may('members:update') ? (
          <People organization={organization} />
        ) : (
          t('organizations.people', { count: organization.memberCount })
        )
      }
      width="wide"
      actions={
        may('invitations:write') && (
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={inviting.open}>
            {t('organizations.inviting.open')}
          </Button>
        )
      }
    >
      <MemberFilters mayUpdate={may('members:update')} />
      {query.isPending || listed.isLoading ? (
        <Loading rows={6} />
      ) : query.isError && items.length === 0 ? (
        <Failed error={query.error} retry={query.refetch} />
      ) : items.length === 0 ? (
        <Empty
          title={t('organizations.members.none')}
          action={
            <ButtonLink to="/organizations/$orgId/members" params={{ orgId }} variant="default">
              {t('organizations.members.showAll')}
            </ButtonLink>
          }
        >
          {t('organizations.members.noneLead')}
        </Empty>
      ) : (
        <div className={classes.frame} aria-busy={query.isPlaceholderData}>
          <Members organization={organization} members={items} listed={listed.data ?? []} />
        </div>
      )}
      <More query={query} />
      <Inviting organization={organization} isOpen={isInviting} onClose={inviting.close} />
    </Page>
  )
}

/** How many members there are, and how many of them the list leaves out. Counts the first hundred of these. */
function People({ organization: { slug, memberCount } }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const { query, items } = useMembers(slug, { status: 'suspended' }, 100)
  const people = t('organizations.people', { count: memberCount })
  if (items.length === 0) return people
  return t(`organizations.members.${query.hasNextPage ? 'moreSuspended' : 'someSuspended'}`, {
    people,
    count: items.length,
  })
}

interface MembersProps {
  readonly organization: Organization
  readonly members: readonly Member[]
  /** All roles that there are. */
  readonly listed: readonly Schemas['Role'][]
}

/** A table of members with what the caller may do, in an organization of their own, or in any, for admins. */
export function Members({ organization, members, listed }: MembersProps) {
  const { t } = useTranslation()
  const permissions = usePermissions(organization)
  const me = useMe()
  const isMe = ({ user }: Member) => organization.membership !== null && user.id === me.id
  const [search, change] = useMemberSearch()
  const changing = useRoleChange(whereOf(organization))
  const onGoing = useFocusBeside(members.map(({ id }) => id))
  const { confirm, dialog } = useMemberActions(organization, onGoing)
  const headers = {
    sort: search.sort ?? 'joinedAt',
    onSort: (sort: MemberSort) => change({ ...search, sort }),
  } as const
  const changeRole = (member: Member, role: Role) => {
    // After lowering their own role, the caller cannot raise it again.
    if (isMe(member)) return confirm({ is: 'demoting', member, role })
    const message = t('organizations.members.roleChanged', {
      name: nameOf(member),
      role: t(`organizations.members.asRole.${role}`),
    })
    const apply = () => {
      if (search.role !== undefined) onGoing(member.id) // the list shows another role
      changing.mutate({ member, role }, { onSuccess: () => notifications.show({ message }) })
    }
    // A new owner can remove the one who made them an owner.
    if (role === 'owner') confirm({ is: 'promoting', member, onSure: apply })
    else apply()
  }
  return (
    <>
      <Table
        withRowBorders={false}
        className={`${classes.table} ${classes.people}`}
        aria-label={t('organizations.members.table', { name: organization.name })}
      >
        <Table.Thead>
          <Table.Tr>
            <SortedHeader column="name" {...headers}>
              {t('organizations.members.name')}
            </SortedHeader>
            <SortedHeader column="email" {...headers}>
              {t('organizations.members.email')}
            </SortedHeader>
            <Table.Th>{t('organizations.members.role')}</Table.Th>
            <SortedHeader column="joinedAt" first="descending" {...headers}>
              {t('organizations.members.joined')}
            </SortedHeader>
            <Table.Th className={classes.actions}>
              <VisuallyHidden>{t('organizations.members.actions')}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {members.map((member) => (
            <MemberRow
              key={member.id}
              member={member}
              isMe={isMe(member)}
              isLinked={organization.membership === null}
              isFactorRequired={organization.secondFactor === 'required'}
              permissions={permissions}
              listed={listed}
              onRole={(role) => changeRole(member, role)}
              onTransfer={() => confirm({ is: 'transferring', member })}
              onAccess={() => confirm({ is: 'changing', member })}
              onSee={() => confirm(isMe(member) ? { is: 'seeingOwn' } : { is: 'seeing', member })}
              onRemove={() => confirm({ is: 'removing', member })}
              onLeave={() => confirm({ is: 'leaving', member })}
            />
          ))}
        </Table.Tbody>
      </Table>
      {dialog}
    </>
  )
}
