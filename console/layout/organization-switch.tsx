/** Switches to another organization, in this tab only. */
import { Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconLayoutGrid, IconPlus, IconSelector } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { myOrganizationsQuery, useOrganization } from '../organizations/organization.ts'
import { MenuLink } from '../parts/menu-link.tsx'
import { Picture } from '../parts/picture.tsx'
import classes from './organization-switch.module.css'

/** @param orgId the id or slug of the current organization */
export function OrganizationSwitch({ orgId }: { readonly orgId: string | undefined }) {
  const { t } = useTranslation()
  const { data } = useQuery(myOrganizationsQuery)
  // A request of its own: the list ends after a hundred, and is read later after a change.
  const { data: current } = useOrganization(orgId)
  const organizations = data?.data ?? []
  return (
    <Menu width="target" position="bottom-start">
      <Menu.Target>
        <UnstyledButton className={classes.current}>
          {current ? (
            <Picture url={current.logoUrl} name={current.name} id={current.id} size={22} shape="square" />
          ) : (
            <IconLayoutGrid size={18} stroke={1.6} />
          )}
          <Text size="sm" fw={500} truncate flex={1}>
            {current?.name ?? t('general.navigation.allOrganizations')}
          </Text>
          <VisuallyHidden>{t('general.navigation.switchOrganization')}</VisuallyHidden>
          <IconSelector size={16} stroke={1.6} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
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
        {organizations.length > 0 && <Menu.Divider />}
        <MenuLink leftSection={<IconLayoutGrid size={16} stroke={1.6} />} to="/organizations">
          {t('general.navigation.allOrganizations')}
        </MenuLink>
        <MenuLink leftSection={<IconPlus size={16} stroke={1.6} />} to="/organizations/new">
          {t('general.navigation.newOrganization')}
        </MenuLink>
      </Menu.Dropdown>
    </Menu>
  )
}
