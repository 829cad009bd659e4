/** The menu of the signed-in user: color scheme, their own pages, signing out. */
import { Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { IconLogout, IconSelector } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { MenuLink } from '../parts/menu-link.tsx'
import { Picture } from '../parts/picture.tsx'
import { confirmLeaving } from '../parts/unsaved.ts'
import { leavePages } from '../sign-in/session.ts'
import { useMe } from '../users/me.ts'
import { useAccountPages } from './account-pages.ts'
import classes from './person-menu.module.css'

export function PersonMenu() {
  const { t } = useTranslation()
  const me = useMe()
  const navigate = useNavigate()
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true }) // without them it adds a style element
  const signingOut = useMutation({
    mutationFn: () => ask(api.POST('/api/auth/sign-out')),
    onSuccess: () => leavePages(() => navigate({ to: '/sign-in' })),
  })
  const signOut = async () => {
    if (await confirmLeaving()) signingOut.mutate()
  }
  return (
    <Menu width={240} position="top-start" closeOnItemClick={false}>
      <Menu.Target>
        <UnstyledButton className={classes.person}>
          <Picture url={me.avatarUrl} name={me.name ?? me.email} id={me.id} size={30} />
          <span className={classes.names}>
            <Text size="sm" fw={500} truncate dir="auto" ta="left">
              {me.name ?? me.email}
            </Text>
            {me.name !== null && (
              <Text size="xs" c="dimmed" truncate>
                {me.email}
              </Text>
            )}
          </span>
          <IconSelector size={16} stroke={1.6} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('general.navigation.appearance')}</Menu.Label>
        {/* biome-ignore lint/a11y/useSemanticElements: a menu has items and groups of items, and no fieldset */}
        <div role="group" aria-label={t('general.navigation.appearance')}>
          <Menu.RadioGroup
            value={colorScheme}
            onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)} // one of the three below
          >
            {(['light', 'dark', 'auto'] as const).map((value) => (
              <Menu.RadioItem key={value} value={value}>
                {t(`general.navigation.${value}`)}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </div>
        <Menu.Divider />
        <AccountItems />
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.6} />} onClick={() => void signOut()} closeMenuOnClick>
          {t('general.navigation.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** They read what they need when the menu opens, so that no page waits for it. */
function AccountItems() {
  const { t } = useTranslation()
  const pages = useAccountPages()
  return (
    <>
      {pages.map(({ to, icon: Icon, name }) => (
        <MenuLink
          key={to}
          leftSection={<Icon size={16} stroke={1.6} />}
          to={to}
          activeOptions={{ exact: true }}
          closeMenuOnClick
          {...(to === '/me' && { 'data-autofocus': true })}
        >
          {t(`general.navigation.${name}`)}
        </MenuLink>
      ))}
    </>
  )
}
