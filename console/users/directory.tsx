/** The tenant's users, for its admins. The filters are in the address. */
import { Badge, Button, NativeSelect, Table, Text, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { More, useEndless } from '../parts/endless.tsx'
import { Page } from '../parts/page.tsx'
import { Picture } from '../parts/picture.tsx'
import { useReader } from '../parts/reader.ts'
import { Empty, LoadingOrFailed } from '../parts/states.tsx'
import { SortedHeader, Total, tableClasses, useIsWide } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useTenant } from '../tenants/tenant.ts'
import classes from './directory.module.css'
import { CreateUser } from './directory-creation.tsx'
import { UserFilters } from './directory-filters.tsx'
import { pageSizes, readUsers, type UsersSearch, usersKey } from './directory-search.ts'
import { useMe } from './me.ts'
import '../texts/administration.ts'

export function UsersPage() {
  const { t } = useTranslation()
  const search = useSearch({ from: '/inside/admin/users' })
  const navigate = useNavigate()
  const { timeZone } = useReader()
  const [isCreating, creating] = useDisclosure()
  const show = (wanted: UsersSearch) =>
    navigate({ to: '/admin/users', search: wanted, replace: true, resetScroll: false })
  const { query, items, first } = useEndless([...usersKey, 'list', search, timeZone], (cursor) =>
    readUsers(search, timeZone, cursor),
  )
  return (
    <Page
      width="wide"
      title={t('directory.users.title', { tenant: useTenant().name })}
      actions={
        <Button leftSection={<IconUserPlus size={16} stroke={1.8} />} onClick={creating.open}>
          {t('directory.users.create')}
        </Button>
      }
    >
      <UserFilters search={search} onChange={show} query={query} rows={items.length} />
      {/* With the list: while it is read, it would be moved by filters that need more than one row. */}
      {first && (
        <div className={classes.line}>
          <Total shown={items.length} total={first.total} isCapped={first.totalCapped} />
          {(items.length > pageSizes[0] || search.limit !== undefined) && (
            <NativeSelect
              size="xs"
              variant="unstyled"
              className={classes.size}
              aria-label={t('directory.pageSize')}
              value={String(search.limit ?? 50)}
              onChange={({ target }) => {
                const limit = pageSizes.find((size) => String(size) === target.value)
                show({ ...search, ...(limit && { limit }) })
              }}
              data={pageSizes.map((size) => ({ value: String(size), label: t('directory.perPage', { count: size }) }))}
            />
          )}
        </div>
      )}
      {!query.isSuccess && items.length === 0 ? (
        <LoadingOrFailed query={query} rows={8} />
      ) : items.length === 0 ? (
        <Empty
          title={t('directory.users.none')}
          action={
            <Button variant="default" onClick={() => show({})}>
              {t('directory.users.clear')}
            </Button>
          }
        >
          {t('directory.users.noneLead')}
        </Empty>
      ) : (
        <UserTable
          users={items}
          sort={search.sort ?? '-createdAt'}
          onSort={(sort) => show({ ...search, sort })}
          isStale={query.isPlaceholderData}
        />
      )}
      <More query={query} />
      <CreateUser isOpen={isCreating} onClose={creating.close} />
    </Page>
  )
}

type Sort = NonNullable<UsersSearch['sort']>
type User = Schemas['User']

interface UserTableProps {
  readonly users: readonly User[]
  readonly sort: Sort
  readonly onSort: (sort: Sort) => unknown
  readonly isStale: boolean
}

function UserTable({ users, sort, onSort, isStale }: UserTableProps) {
  const { t } = useTranslation()
  const isWide = useIsWide()
  const sorting = { sort, onSort }
  return (
    <div data-stale={isStale}>
      <Table className={`${tableClasses.table} ${classes.table} ${isStale ? tableClasses.stale : ''}`}>
        <Table.Thead>
          <Table.Tr>
            <SortedHeader column="name" {...sorting}>
              {t('directory.users.name')}
            </SortedHeader>
            {isWide && (
              <SortedHeader column="email" {...sorting}>
                {t('directory.users.email')}
              </SortedHeader>
            )}
            <Table.Th className={classes.role}>{t('directory.users.role')}</Table.Th>
            <Table.Th className={classes.status}>{t('directory.users.status')}</Table.Th>
            <SortedHeader column="lastActiveAt" first="descending" className={classes.active} {...sorting}>
              {t('directory.users.lastActive')}
            </SortedHeader>
            <SortedHeader column="createdAt" first="descending" className={classes.since} {...sorting}>
              {t('directory.users.created')}
            </SortedHeader>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {users.map((user) => (
            <UserRow key={user.id} user={user} isWide={isWide} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function UserRow({ user, isWide }: { readonly user: User; readonly isWide: boolean }) {
  const { t } = useTranslation()
  const me = useMe()
  const { id, name, email, emailVerified, hasSecondFactor, avatarUrl, role, status, lastActiveAt, createdAt } = user
  // The user's page shows all of a name and an address that are cut off here.
  const address = (
    <>
      <bdi className={tableClasses.line}>{email}</bdi>
      {!emailVerified && (
        <Badge size="sm" color="yellow" className={classes.mark}>
          {t('directory.unverified')}
        </Badge>
      )}
    </>
  )
  return (
    <Table.Tr className={tableClasses.row}>
      <Table.Td className={classes.person}>
        <span className={classes.named}>
          <Picture url={avatarUrl} name={name ?? email} id={id} size={28} />
          <span className={classes.told}>
            <span className={classes.name}>
              <Link
                to="/admin/users/$userId"
                params={{ userId: id }}
                className={`${tableClasses.link} ${tableClasses.line}`}
                dir="auto"
                title={name === null ? email : `${name} (${email})`}
              >
                {name ?? <span className={classes.unnamed}>{t('directory.users.unnamed')}</span>}
                {name === null && <VisuallyHidden>{email}</VisuallyHidden>}
              </Link>
              {id === me.id && (
                <Badge size="sm" className={classes.mark}>
                  {t('directory.you')}
                </Badge>
              )}
              {hasSecondFactor && (
                <Badge size="sm" className={classes.mark}>
                  {t('directory.users.withFactor')}
                </Badge>
              )}
            </span>
            {!isWide && <span className={classes.address}>{address}</span>}
          </span>
        </span>
      </Table.Td>
      {isWide && (
        <Table.Td>
          <span className={classes.address}>{address}</span>
        </Table.Td>
      )}
      <Table.Td className={classes.role} data-role={role}>
        {t(`directory.roles.${role}`)}
      </Table.Td>
      <Table.Td className={classes.status} data-status={status}>
        <Status status={status} />
      </Table.Td>
      <Table.Td className={classes.active}>
        <span className={classes.label}>{t('directory.users.lastActive')}: </span>
        {lastActiveAt === null ? (
          <Text span inherit c="dimmed">
            {t('directory.never')}
          </Text>
        ) : (
          <Time iso={lastActiveAt} isListed />
        )}
      </Table.Td>
      <Table.Td className={classes.since}>
        <Time iso={createdAt} isListed />
      </Table.Td>
    </Table.Tr>
  )
}

/** Badges only for unusual values. */
export function Status({ status }: { readonly status: User['status'] }) {
  const { t } = useTranslation()
  return status === 'suspended' ? (
    <Badge color="yellow">{t('directory.statuses.suspended')}</Badge>
  ) : (
    t('directory.statuses.active')
  )
}
