/** The menu of the signed-in user: color scheme, profile, signing out. */
import { Menu, SegmentedControl, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { IconLogout, IconSelector, IconUser } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { MenuLink } from '../parts/links.tsx'
import { Picture } from '../parts/picture.tsx'
import { confirmLeaving } from '../parts/unsaved.tsx'
import { leavePages } from '../sign-in/session.ts'
import { useMe } from '../users/me.ts'
import classes from './person-menu.module.css'

export function PersonMenu() {
  const { t } = useTranslation()
  const me = useMe()
  const navigate = useNavigate()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
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
          <Picture url={me.avatarUrl} name={me.name ?? me.email} size={30} />
          <span className={classes.names}>
            <Text size="sm" fw={500} truncate>
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
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label={t('general.navigation.appearance')}
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)} // one of the three below
          data={(['light', 'dark', 'auto'] as const).map((value) => ({
            value,
            label: t(`general.navigation.${value}`),
          }))}
        />
        <Menu.Divider />
        <MenuLink leftSection={<IconUser size={16} stroke={1.6} />} to="/me" closeMenuOnClick data-autofocus>
          {t('general.navigation.profile')}
        </MenuLink>
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.6} />} onClick={() => void signOut()} closeMenuOnClick>
          {t('general.navigation.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
