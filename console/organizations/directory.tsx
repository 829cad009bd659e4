/** The tenant's organizations, for its admins. The filters are in the address. */
import { Button, NativeSelect, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { More, useEndless } from '../parts/endless.tsx'
import { Filters } from '../parts/filters.tsx'
import { Page } from '../parts/page.tsx'
import { Picture } from '../parts/picture.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty, LoadingOrFailed } from '../parts/states.tsx'
import { SortedHeader, Total, tableClasses } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import classes from './directory.module.css'
import { CreateOrganization } from './directory-creation.tsx'
import {
  type OrganizationsSearch,
  organizationSorts,
  readTenantOrganizations,
  tenantOrganizationsKey,
} from './directory-search.ts'
import '../texts/administration.ts'

export function TenantOrganizationsPage() {
  const { t } = useTranslation()
  const search = useSearch({ from: '/inside/admin/organizations' })
  const navigate = useNavigate()
  const show = (wanted: OrganizationsSearch) =>
    navigate({ to: '/admin/organizations', search: wanted, replace: true, resetScroll: false })
  const { query, items, first } = useEndless([...tenantOrganizationsKey, 'list', search], (cursor) =>
    readTenantOrganizations(search, cursor),
  )
  const { query: searched, ...others } = search
  const isEmpty = query.isSuccess && items.length === 0
  const [isCreating, creating] = useDisclosure()
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={creating.open}>
      {t('organizations.list.create')}
    </Button>
  )
  // An empty list shows the button in its place.
  const isNone = isEmpty && searched === undefined
  return (
    <Page width="wide" title={t('directory.organizations.title')} actions={!isNone && create}>
      <Filters hasTotal className={classes.filters} least={2} query={query} rows={items.length} filters={{ searched }}>
        <SearchField
          className={classes.search}
          label={t('directory.organizations.search')}
          value={searched ?? ''}
          onSearch={(typed) => show(typed === '' ? others : { ...others, query: typed })}
        />
        <NativeSelect
          className={tableClasses.onPhones ?? ''}
          aria-label={t('directory.sortBy')}
          value={search.sort ?? 'name'}
          onChange={({ target }) => {
            const sort = organizationSorts.find((each) => each === target.value)
            show({ ...search, ...(sort && { sort }) })
          }}
          data={organizationSorts.map((value) => ({ value, label: t(`directory.sorts.${value}`) }))}
        />
      </Filters>
      {first && !isNone && (
        <div className={classes.line}>
          <Total shown={items.length} total={first.total} isCapped={first.totalCapped} />
        </div>
      )}
      {!query.isSuccess && items.length === 0 ? (
        <LoadingOrFailed query={query} rows={8} />
      ) : isNone ? (
        <Empty title={t('directory.organizations.none')} action={create}>
          {t('directory.organizations.noneLead')}
        </Empty>
      ) : isEmpty ? (
        <Empty
          title={t('directory.organizations.notFound')}
          action={
            <Button variant="default" onClick={() => show(others)}>
              {t('general.clearSearch')}
            </Button>
          }
        >
          {t('directory.organizations.notFoundLead')}
        </Empty>
      ) : (
        <OrganizationTable
          organizations={items}
          sort={search.sort ?? 'name'}
          onSort={(sort) => show({ ...search, sort })}
          isStale={query.isPlaceholderData}
        />
      )}
      <More query={query} />
      <CreateOrganization isOpen={isCreating} onClose={creating.close} />
    </Page>
  )
}

type Sort = NonNullable<OrganizationsSearch['sort']>

interface OrganizationTableProps {
  readonly organizations: readonly Schemas['Organization'][]
  readonly sort: Sort
  readonly onSort: (sort: Sort) => unknown
  readonly isStale: boolean
}

function OrganizationTable({ organizations, sort, onSort, isStale }: OrganizationTableProps) {
  const { t } = useTranslation()
  const sorting = { sort, onSort }
  return (
    <Table
      className={`${tableClasses.table} ${classes.table} ${isStale ? tableClasses.stale : ''}`}
      aria-busy={isStale}
    >
      <Table.Thead>
        <Table.Tr>
          <SortedHeader column="name" {...sorting}>
            {t('directory.organizations.name')}
          </SortedHeader>
          <Table.Th>{t('directory.organizations.slug')}</Table.Th>
          <Table.Th className={classes.number}>{t('directory.organizations.members')}</Table.Th>
          <SortedHeader column="createdAt" first="descending" {...sorting}>
            {t('directory.organizations.created')}
          </SortedHeader>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {organizations.map(({ id, name, slug, logoUrl, memberCount, createdAt }) => (
          <Table.Tr key={id} className={tableClasses.row}>
            <Table.Td className={classes.name}>
              <span className={classes.named}>
                <Picture url={logoUrl} name={name} id={id} size={28} shape="square" />
                <Link
                  to="/admin/organizations/$organizationId"
                  params={{ organizationId: id }}
                  className={tableClasses.link ?? ''}
                >
                  {name}
                </Link>
              </span>
            </Table.Td>
            <Table.Td className={classes.slug}>{slug}</Table.Td>
            <Table.Td className={classes.number}>
              <Text span inherit className={classes.onlyWide}>
                {t('directory.number', { count: memberCount })}
              </Text>
              <Text span inherit className={tableClasses.onPhones ?? ''}>
                {t('directory.members', { count: memberCount })}
              </Text>
            </Table.Td>
            <Table.Td className={classes.time}>
              <Time iso={createdAt} isListed />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
