/** The filters of the list of members. They are in the address. */
import { NativeSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { type FilteredList, Filters } from '../parts/filters.tsx'
import { rowClasses } from '../parts/rows.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { tableClasses } from '../parts/table.tsx'
import { filtersOf, listedMemberStatuses, type MemberSort, memberSorts } from './member.ts'
import { usePeopleSearch } from './people-filters.ts'
import { isRole, roles } from './roles.ts'

/** In the order of the API, the address names none. */
export function inAddress(sort: MemberSort | undefined): MemberSort | undefined {
  return sort === 'joinedAt' ? undefined : sort
}

interface MemberFiltersProps extends FilteredList {
  readonly beside: ReactNode
  /** Whether the caller may change members: only then are there all filters. */
  readonly mayUpdate: boolean
}

export function MemberFilters({ mayUpdate, ...list }: MemberFiltersProps) {
  const { t } = useTranslation()
  const [search, change] = usePeopleSearch()
  const { query = '', role = '', hasSecondFactor, status = '', sort = 'joinedAt' } = search
  const { sort: _, ...filters } = filtersOf(search, mayUpdate)
  return (
    <Filters className={rowClasses.toolbar} filters={filters} {...list}>
      <SearchField
        className={rowClasses.search}
        label={t('organizations.members.search')}
        value={query}
        onSearch={(next) => change({ query: next })}
      />
      <NativeSelect
        aria-label={t('organizations.members.filterRole')}
        value={role}
        onChange={({ currentTarget: { value } }) => change({ role: isRole(value) ? value : undefined })}
        data={[
          { value: '', label: t('organizations.members.anyRole') },
          ...roles.toReversed().map((value) => ({ value, label: t(`organizations.roles.${value}`) })),
        ]}
      />
      {mayUpdate && (
        <NativeSelect
          aria-label={t('organizations.members.filterFactor')}
          value={String(hasSecondFactor ?? '')}
          onChange={({ currentTarget: { value } }) =>
            change({ hasSecondFactor: value === '' ? undefined : value === 'true' })
          }
          data={[
            { value: '', label: t('organizations.members.anyFactor') },
            { value: 'true', label: t('organizations.members.withFactor') },
            { value: 'false', label: t('organizations.members.withoutFactor') },
          ]}
        />
      )}
      {mayUpdate && (
        <NativeSelect
          aria-label={t('organizations.access.filterStatus')}
          value={status}
          onChange={({ currentTarget: { value } }) =>
            change({ status: listedMemberStatuses.find((known) => known === value) })
          }
          data={[
            { value: '', label: t('organizations.access.statuses.active') },
            ...listedMemberStatuses.map((value) => ({ value, label: t(`organizations.access.statuses.${value}`) })),
          ]}
        />
      )}
      <NativeSelect
        className={tableClasses.onPhones ?? ''}
        aria-label={t('organizations.members.sort')}
        value={sort}
        onChange={({ currentTarget: { value } }) =>
          change({ sort: inAddress(memberSorts.find((known) => known === value)) })
        }
        data={memberSorts.map((value) => ({ value, label: t(`organizations.members.sorts.${value}`) }))}
      />
    </Filters>
  )
}
