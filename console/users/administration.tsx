/** The frame of the pages of one user, for admins: who it is, and tabs. */
import { Badge, Group } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { Outlet, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { exactly, Tab, Tabs } from '../parts/tabs.tsx'
import { nameOf, useUserOfPage } from './administration-user.ts'
import { useMe } from './me.ts'
import '../texts/administration.ts'

export function UserFrame() {
  const { t } = useTranslation()
  const { userId } = useParams({ from: '/inside/admin/users/$userId' })
  const { user, isGone } = useUserOfPage(userId)
  const isMe = useMe().id === user.id
  const toAll = (
    <ButtonLink to="/admin/users" variant="default" leftSection={<IconArrowLeft size={16} stroke={1.8} />}>
      {t('directory.users.all')}
    </ButtonLink>
  )
  if (isGone)
    return (
      <Page title={t('directory.user.gone')} lead={t('directory.user.goneLead')}>
        {toAll}
      </Page>
    )
  return (
    <Page
      key={userId}
      width="wide"
      title={nameOf(user)}
      lead={
        <Group component="span" gap="xs">
          {/* The title of a user without a name is their address. */}
          {user.name !== null && <span>{user.email}</span>}
          {!user.emailVerified && <Badge color="yellow">{t('directory.unverified')}</Badge>}
          {isMe && <Badge>{t('directory.you')}</Badge>}
          {user.role === 'admin' && <Badge>{t('directory.roles.admin')}</Badge>}
          {user.status === 'suspended' && <Badge color="yellow">{t('directory.statuses.suspended')}</Badge>}
        </Group>
      }
      actions={toAll}
    >
      <Tabs label={t('directory.user.tabs', { name: nameOf(user) })}>
        <Tab to="/admin/users/$userId" params={{ userId }} activeOptions={exactly}>
          {t('directory.user.profile')}
        </Tab>
        <Tab to="/admin/users/$userId/devices" params={{ userId }}>
          {t('directory.user.devices')}
        </Tab>
        <Tab to="/admin/users/$userId/organizations" params={{ userId }}>
          {t('directory.user.organizations')}
        </Tab>
        <Tab to="/admin/users/$userId/activity" params={{ userId }}>
          {t('directory.user.activity')}
        </Tab>
      </Tabs>
      <Outlet />
    </Page>
  )
}
