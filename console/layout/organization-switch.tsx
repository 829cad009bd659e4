/**
 * Switches to another organization, in this tab only. The menu of a person with many organizations has a search. Which of the two it is,
 * the list says, which is read when somebody reaches for the button: no page waits for it.
 */
import { Loader, Menu, Popover, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCheck, IconLayoutGrid, IconPlus, IconRefresh, IconSelector } from '@tabler/icons-react'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type ComponentProps, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import {
  manyOrganizations,
  myOrganizationsQuery,
  type Organization,
  useOrganization,
} from '../organizations/organization.ts'
import { MenuLink } from '../parts/menu-link.tsx'
import { Picture } from '../parts/picture.tsx'
import { wordsOf } from '../texts/refusals.ts'
import { OrganizationSearch } from './organization-search.tsx'
import classes from './organization-switch.module.css'

/** @param orgId the id or slug of the current organization */
export function OrganizationSwitch({ orgId }: { readonly orgId: string }) {
  const [isOpen, opening] = useDisclosure()
  const [isReached, reaching] = useDisclosure()
  const button = useRef<HTMLButtonElement>(null)
  const list = useQuery({ ...myOrganizationsQuery, enabled: isReached || isOpen })
  const { data, isLoading, isLoadingError } = list
  const { data: current } = useOrganization(orgId)
  const organizations = data?.data ?? []
  const isMany = organizations.length >= manyOrganizations
  const toggle = () => {
    if (!isOpen && isLoadingError) void list.refetch()
    opening.toggle()
  }
  // One menu for both, in which the button stays the same element: it may have the focus when the list arrives.
  return (
    <Menu
      width="target"
      position="bottom-start"
      opened={isOpen && !isLoading}
      onChange={(next) => (next ? opening.open() : opening.close())}
      closeOnEscape={!isMany} // the search does, and moves the focus
      returnFocus={!isMany}
    >
      <Popover.Target popupType={isMany ? 'dialog' : 'menu'}>
        <Current
          ref={button}
          organization={current}
          isLoading={isOpen && isLoading}
          onFocus={reaching.open}
          onPointerEnter={reaching.open}
          onClick={toggle}
          // Somebody who is elsewhere by then is not called back when the list arrives.
          onBlur={() => isLoading && opening.close()}
          onKeyDown={({ key }) => key === 'Escape' && isLoading && opening.close()}
        />
      </Popover.Target>
      {isMany ? (
        <OrganizationSearch current={current} close={opening.close} button={button} />
      ) : (
        <OrganizationMenu organizations={organizations} current={current} list={list} />
      )}
    </Menu>
  )
}

interface CurrentProps extends ComponentProps<'button'> {
  readonly organization: Organization | undefined
  /** Whether the menu opens as soon as the list is there. */
  readonly isLoading: boolean
}

/** The button that opens the menu. It names no organization if the one of the page is gone. */
function Current({ organization, isLoading, ...rest }: CurrentProps) {
  const { t } = useTranslation()
  return (
    <UnstyledButton {...rest} className={classes.current} aria-busy={isLoading}>
      {organization ? (
        <Picture url={organization.logoUrl} name={organization.name} id={organization.id} size={22} shape="square" />
      ) : (
        <IconLayoutGrid size={18} stroke={1.6} />
      )}
      <Text size="sm" fw={500} truncate flex={1} dir="auto" ta="left">
        {organization?.name ?? t('general.navigation.allOrganizations')}
      </Text>
      <VisuallyHidden>{t('general.navigation.switchOrganization')}</VisuallyHidden>
      {isLoading ? <Loader size={16} aria-hidden /> : <IconSelector size={16} stroke={1.6} aria-hidden />}
    </UnstyledButton>
  )
}

interface OrganizationMenuProps {
  readonly organizations: readonly Organization[]
  readonly current: Organization | undefined
  readonly list: Pick<UseQueryResult, 'error' | 'isLoadingError' | 'refetch'>
}

function OrganizationMenu({ organizations, current, list }: OrganizationMenuProps) {
  const { t } = useTranslation()
  return (
    <Menu.Dropdown className={classes.list}>
      {organizations.map(({ id, slug, name, logoUrl }) => (
        <MenuLink
          key={id}
          leftSection={<Picture url={logoUrl} name={name} id={id} size={22} shape="square" />}
          rightSection={id === current?.id && <IconCheck size={16} aria-hidden />}
          aria-current={id === current?.id ? 'true' : undefined}
          to="/organizations/$orgId"
          params={{ orgId: slug }}
        >
          {name}
        </MenuLink>
      ))}
      {list.isLoadingError && (
        // The menu closes while it loads, and opens again with the list.
        <Menu.Item
          leftSection={<IconRefresh size={16} stroke={1.6} />}
          closeMenuOnClick={false}
          onClick={() => void list.refetch()}
        >
          <Text size="sm">{wordsOf(list.error).title}</Text>
          <Text size="sm">{t('general.retry')}</Text>
        </Menu.Item>
      )}
      {(organizations.length > 0 || list.isLoadingError) && <Menu.Divider />}
      <MenuLink leftSection={<IconLayoutGrid size={16} stroke={1.6} />} to="/organizations">
        {t('general.navigation.allOrganizations')}
      </MenuLink>
      <MenuLink leftSection={<IconPlus size={16} stroke={1.6} />} to="/organizations/new">
        {t('general.navigation.newOrganization')}
      </MenuLink>
    </Menu.Dropdown>
  )
}
