/** The filters of the list of users. */
import { Button, Group, NativeSelect, Pill, Popover, Select } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCalendar, IconFilter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { DayField } from '../audit/day-field.tsx'
import { tenantOrganizationQuery } from '../organizations/directory-search.ts'
import { CsvButton } from '../parts/csv.tsx'
import { type FilteredList, Filters, optionsInPlace } from '../parts/filters.tsx'
import { isolate } from '../parts/language.ts'
import { useReader } from '../parts/reader.ts'
import { SearchField } from '../parts/search-field.tsx'
import { tableClasses } from '../parts/table.tsx'
import { WithDates } from '../parts/with-dates.tsx'
import classes from './directory.module.css'
import { readUsersAsCsv, type UsersSearch, userSorts } from './directory-search.ts'

interface UserFiltersProps extends FilteredList {
  readonly search: UsersSearch
  readonly onChange: (search: UsersSearch) => unknown
}

export function UserFilters({ search, onChange, ...list }: UserFiltersProps) {
  const { t } = useTranslation()
  const { timeZone } = useReader()
  /** Undefined removes a filter. */
  const change = (wanted: { readonly [Name in keyof UsersSearch]?: UsersSearch[Name] | undefined }) => {
    const merged = Object.entries({ ...search, ...wanted }).filter(([, value]) => value !== undefined)
    onChange(Object.fromEntries(merged))
  }
  const { sort: _, limit: _limit, ...filters } = search
  const { query: _query, organization: _organization, ...choices } = filters
  const [isOpen, { toggle }] = useDisclosure(Object.keys(choices).length > 0)
  return (
    <Filters
      hasTotal
      className={classes.filters}
      filters={filters}
      beside={<CsvButton read={() => readUsersAsCsv(search, timeZone)} />}
      {...list}
    >
      <SearchField
        className={classes.search}
        label={t('directory.users.search')}
        value={search.query ?? ''}
        onSearch={(query) => change({ query: query === '' ? undefined : query })}
      />
      <Button
        variant="default"
        className={classes.toggle ?? ''}
        aria-expanded={isOpen}
        leftSection={<IconFilter size={16} stroke={1.6} aria-hidden />}
        onClick={toggle}
      >
        {t('general.filter')}
      </Button>
      <NativeSelect
        className={`${tableClasses.narrow} ${classes.sort}`}
        aria-label={t('directory.sortBy')}
        value={search.sort ?? '-createdAt'}
        onChange={({ target }) => change({ sort: userSorts.find((sort) => sort === target.value) })}
        data={userSorts.map((value) => ({ value, label: t(`directory.sorts.${value}`) }))}
      />
      <Choice
        isShort
        name={t('directory.users.status')}
        any={t('directory.users.anyStatus')}
        value={search.status}
        options={{ active: t('directory.statuses.active'), suspended: t('directory.statuses.suspended') }}
        onChange={(status) => change({ status })}
      />
      <Choice
        isShort
        name={t('directory.users.role')}
        any={t('directory.users.anyRole')}
        value={search.role}
        options={{ admin: t('directory.roles.admin'), user: t('directory.roles.user') }}
        onChange={(role) => change({ role })}
      />
      <Choice
        name={t('directory.users.email')}
        any={t('directory.users.anyEmail')}
        value={search.verified === undefined ? undefined : search.verified ? 'yes' : 'no'}
        options={{ yes: t('directory.users.verified'), no: t('directory.users.unverified') }}
        onChange={(verified) => change({ verified: verified === undefined ? undefined : verified === 'yes' })}
      />
      <Choice
        name={t('directory.users.withFactor')}
        any={t('directory.users.anyFactor')}
        value={search.secondFactor === undefined ? undefined : search.secondFactor ? 'yes' : 'no'}
        options={{ yes: t('directory.users.withFactor'), no: t('directory.users.withoutFactor') }}
        onChange={(factor) => change({ secondFactor: factor === undefined ? undefined : factor === 'yes' })}
      />
      <Created search={search} change={change} />
      {Object.keys(filters).length > 0 && (
        <Group gap="xs" className={classes.chosen}>
          {search.organization !== undefined && (
            <OrganizationPill id={search.organization} onRemove={() => change({ organization: undefined })} />
          )}
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => onChange({ ...(search.sort && { sort: search.sort }) })}
          >
            {t('directory.users.clear')}
          </Button>
        </Group>
      )}
    </Filters>
  )
}

interface ChoiceProps<Value extends string> {
  readonly name: string
  /** The label of the option without a filter. */
  readonly any: string
  readonly value: Value | undefined
  readonly options: Readonly<Record<Value, string>>
  readonly onChange: (value: Value | undefined) => unknown
  /** Whether all options are. */
  readonly isShort?: boolean
}

function Choice<Value extends string>({ name, any, value, options, onChange, isShort = false }: ChoiceProps<Value>) {
  const none = { value: 'any', label: any }
  return (
    <Select
      comboboxProps={optionsInPlace}
      className={`${classes.choice} ${isShort ? classes.short : ''}`}
      aria-label={name}
      allowDeselect={false}
      checkIconPosition="right"
      value={value ?? none.value}
      // The values of the list are the names of the options, and an empty one.
      onChange={(chosen) => onChange(chosen === none.value ? undefined : (chosen as Value))}
      data={[none, ...Object.entries<string>(options).map(([each, words]) => ({ value: each, label: words }))]}
    />
  )
}

interface CreatedProps {
  readonly search: UsersSearch
  readonly change: (wanted: { readonly from?: string | undefined; readonly to?: string | undefined }) => void
}

/** The first and the last day, both included. */
function Created({ search: { from, to }, change }: CreatedProps) {
  const { t } = useTranslation()
  const { locale } = useReader()
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const day = (date: string) => isolate(format.format(new Date(`${date}T00:00:00Z`)), locale)
  const label =
    from !== undefined && to !== undefined
      ? t('directory.users.createdBetween', { from: day(from), to: day(to) })
      : from !== undefined
        ? t('directory.users.createdSince', { from: day(from) })
        : to !== undefined
          ? t('directory.users.createdUntil', { to: day(to) })
          : t('directory.users.createdAny')
  return (
    <Popover position="bottom-start" shadow="md" trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          fw={400}
          className={classes.created ?? ''}
          leftSection={<IconCalendar size={16} stroke={1.6} />}
        >
          <WithDates>{label}</WithDates>
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.dates ?? ''} aria-label={t('directory.users.created')}>
        <DayField label={t('directory.users.createdFrom')} value={from} onChange={(day) => change({ from: day })} />
        <DayField label={t('directory.users.createdTo')} value={to} onChange={(day) => change({ to: day })} />
        <Button variant="subtle" size="compact-sm" onClick={() => change({ from: undefined, to: undefined })}>
          {t('directory.users.createdClear')}
        </Button>
      </Popover.Dropdown>
    </Popover>
  )
}

function OrganizationPill({ id, onRemove }: { readonly id: string; readonly onRemove: () => unknown }) {
  const { t } = useTranslation()
  const { data } = useQuery(tenantOrganizationQuery(id))
  const label = t('directory.users.inOrganization', { name: data?.name ?? '…' })
  return (
    <Pill
      size="lg"
      withRemoveButton
      onRemove={() => onRemove()}
      removeButtonProps={{
        'aria-label': t('directory.clearFilter', { label }),
        'aria-hidden': false,
        tabIndex: 0,
        title: t('directory.clearFilter', { label }),
      }}
    >
      {label}
    </Pill>
  )
}
