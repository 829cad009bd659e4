/** The menu of a person with many organizations: a search field, and below it what the API finds. The arrow keys do not leave the field. */
import { Button, Divider, Loader, Popover, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCheck, IconLayoutGrid, IconPlus, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, type RefObject, useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { myOrganizationsFound, type Organization } from '../organizations/organization.ts'
import { Picture } from '../parts/picture.tsx'
import { longestQuery } from '../parts/search.ts'
import { wordsOf } from '../texts/refusals.ts'
import classes from './organization-switch.module.css'

interface OrganizationSearchProps {
  readonly current: Organization | undefined
  readonly close: () => void
  /** The button that opens the menu. */
  readonly button: RefObject<HTMLButtonElement | null>
}

export function OrganizationSearch({ current, close, button }: OrganizationSearchProps) {
  /** On the way to another page the button has the focus, until the heading of that page takes it. */
  const leave = () => {
    button.current?.focus()
    close()
  }
  return (
    <Popover.Dropdown
      className={classes.panel}
      onKeyDown={(event) => event.key === 'Escape' && !event.nativeEvent.isComposing && leave()}
    >
      <Panel current={current} close={leave} />
    </Popover.Dropdown>
  )
}

/** Escape closes the panel, and not the drawer in which it may be. */
const keepsEscape = { 'data-mantine-stop-propagation': true }

interface PanelProps {
  readonly current: Organization | undefined
  readonly close: () => void
}

function Panel({ current, close }: PanelProps) {
  const { t } = useTranslation()
  const id = useId()
  const [typed, setTyped] = useState('')
  /** The id of the organization to which the arrow keys have moved. */
  const [marked, setMarked] = useState<string>()
  /** Whether Enter was pressed before the answer was there. */
  const [isEntered, setEntered] = useState(false)
  const query = typed.trim()
  const [wanted] = useDebouncedValue(query, 250)
  const found = useQuery(myOrganizationsFound(wanted))
  const organizations = found.data?.data ?? []
  const isFresh = wanted === query && !found.isPlaceholderData && !found.isError
  const first = isFresh && query !== '' ? organizations[0]?.id : undefined
  const active = organizations.some((each) => each.id === marked) ? marked : first
  const option = (organization: string) => `${id}${organization}`
  const choose = (organization: string) => document.getElementById(option(organization))?.click()

  useEffect(() => {
    if (active !== undefined) document.getElementById(option(active))?.scrollIntoView({ block: 'nearest' })
  })
  useEffect(() => {
    if (isEntered && found.isError) setEntered(false)
    if (!isEntered || !isFresh) return
    setEntered(false)
    if (first !== undefined) choose(first)
  })
  const type = (text: string) => {
    setTyped(text)
    setMarked(undefined)
    setEntered(false)
  }
  const move = (step: 1 | -1) => {
    const at = organizations.findIndex((each) => each.id === active)
    const next = at === -1 && step === -1 ? -1 : at + step
    setMarked(organizations.at(next % organizations.length)?.id)
  }
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') move(1)
    else if (event.key === 'ArrowUp') move(-1)
    else if (event.key === 'Enter' && active !== undefined) choose(active)
    else if (event.key === 'Enter') setEntered(query !== '')
    else return
    event.preventDefault()
  }
  return (
    <>
      <TextInput
        role="combobox"
        aria-expanded
        aria-haspopup="listbox"
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={active && option(active)}
        aria-label={t('general.navigation.searchOrganizations')}
        placeholder={t('general.navigation.searchOrganizations')}
        autoComplete="off"
        maxLength={longestQuery}
        data-autofocus
        {...keepsEscape}
        value={typed}
        onChange={({ currentTarget }) => type(currentTarget.value)}
        onKeyDown={press}
        leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
        rightSection={!isFresh && !found.isError && <Loader size={14} aria-hidden />}
      />
      <div
        id={id}
        role="listbox"
        aria-label={t('general.navigation.organizations')}
        aria-busy={!isFresh}
        className={classes.found}
      >
        {organizations.map((organization) => (
          <Link
            key={organization.id}
            id={option(organization.id)}
            role="option"
            tabIndex={-1}
            aria-selected={organization.id === active}
            aria-current={organization.id === current?.id ? 'true' : undefined}
            to="/organizations/$orgId"
            params={{ orgId: organization.slug }}
            className={classes.option ?? ''}
            onClick={close}
          >
            <Picture
              url={organization.logoUrl}
              name={organization.name}
              id={organization.id}
              size={22}
              shape="square"
            />
            <span className={classes.name} dir="auto">
              {organization.name}
            </span>
            {organization.id === current?.id && <IconCheck size={16} aria-hidden />}
          </Link>
        ))}
      </div>
      <div role="status">
        {found.isError ? (
          <Text size="xs" className={classes.said}>
            {wordsOf(found.error).title}
          </Text>
        ) : (
          isFresh && <Outcome query={query} count={organizations.length} isWhole={found.data?.nextCursor === null} />
        )}
      </div>
      {found.isError && (
        <Button size="compact-xs" variant="default" m="xs" {...keepsEscape} onClick={() => found.refetch()}>
          {t('general.retry')}
        </Button>
      )}
      <Divider my={4} />
      <Link to="/organizations" className={classes.option ?? ''} onClick={close} {...keepsEscape}>
        <IconLayoutGrid size={16} stroke={1.6} aria-hidden />
        {t('general.navigation.allOrganizations')}
      </Link>
      <Link to="/organizations/new" className={classes.option ?? ''} onClick={close} {...keepsEscape}>
        <IconPlus size={16} stroke={1.6} aria-hidden />
        {t('general.navigation.newOrganization')}
      </Link>
    </>
  )
}

interface OutcomeProps {
  readonly query: string
  readonly count: number
  /** Whether these are all. */
  readonly isWhole: boolean
}

/** How many there are: for screen readers, unless the list does not show it. */
function Outcome({ query, count, isWhole }: OutcomeProps) {
  const { t } = useTranslation()
  if (count > 0 && isWhole)
    return <VisuallyHidden>{t('general.navigation.organizationsFound', { count })}</VisuallyHidden>
  return (
    <Text size="xs" className={classes.said}>
      {count === 0
        ? t('general.navigation.organizationsNotFound', { query })
        : t('general.navigation.organizationsFoundFirst', { count })}
    </Text>
  )
}
