/** The filters of the list of members. They are in the address. */
import { NativeSelect } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { SearchField } from '../parts/search-field.tsx'
import { type MemberSearch, memberSorts, membershipStatuses, readMemberSearch } from './member.ts'
import { isRole, roles } from './roles.ts'
import classes from './rows.module.css'

/** The filters in the address of a list of members, and how to change them. */
export function useMemberSearch() {
  const search = readMemberSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const change = ({
    query,
    role,
    hasSecondFactor,
    status,
    sort,
  }: { [Name in keyof MemberSearch]: MemberSearch[Name] | undefined }) =>
    navigate({
      to: '.',
      search: () => ({
        ...(query && { query }),
        ...(role && { role }),
        ...(hasSecondFactor !== undefined && { hasSecondFactor }),
        ...(status && { status }),
        ...(sort && sort !== 'joinedAt' && { sort }),
      }),
      replace: true,
      resetScroll: false,
    })
  return [search, change] as const
}

/** @param mayUpdate whether the caller may change members: only then does the API take all filters */
export function MemberFilters({ mayUpdate }: { readonly mayUpdate: boolean }) {
  const { t } = useTranslation()
  const [search, change] = useMemberSearch()
  const { query = '', role = '', hasSecondFactor, status = '', sort = 'joinedAt' } = search
  return (
    <div className={classes.toolbar}>
      <SearchField
        className={classes.search}
        label={t('organizations.members.search')}
        value={query}
        onSearch={(next) => change({ ...search, query: next })}
      />
      <NativeSelect
        aria-label={t('organizations.members.filterRole')}
        value={role}
        onChange={({ currentTarget: { value } }) => change({ ...search, role: isRole(value) ? value : undefined })}
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
            change({ ...search, hasSecondFactor: value === '' ? undefined : value === 'true' })
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
            change({ ...search, status: membershipStatuses.find((known) => known === value) })
          }
          data={[
            { value: '', label: t('organizations.access.statuses.active') },
            ...membershipStatuses.map((value) => ({ value, label: t(`organizations.access.statuses.${value}`) })),
          ]}
        />
      )}
      <NativeSelect
        className={classes.onPhone}
        aria-label={t('organizations.members.sort')}
        value={sort}
        onChange={({ currentTarget: { value } }) =>
          change({ ...search, sort: memberSorts.find((known) => known === value) })
        }
        data={memberSorts.map((value) => ({ value, label: t(`organizations.members.sorts.${value}`) }))}
      />
    </div>
  )
}
