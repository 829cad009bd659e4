/** The frame of all pages for signed-in users, with the navigation. On a phone the navigation opens from a bar. */
import { Burger, Drawer, ScrollArea, Text, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconActivity,
  IconAdjustments,
  IconBuilding,
  IconBuildings,
  IconKey,
  IconLink,
  IconSettings,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ErrorComponentProps, Link, Outlet, useParams, useRouter, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useConnectionLost } from '../api/connection.ts'
import { isRefusal } from '../api/refusal.ts'
import { useHome } from '../applications/home.tsx'
import { useOrganization } from '../organizations/organization.ts'
import { type Permission, permissionsQuery } from '../organizations/permissions.ts'
import { ButtonLink } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Picture } from '../parts/picture.tsx'
import { Failed } from '../parts/states.tsx'
import { UnsavedGuard } from '../parts/unsaved-guard.tsx'
import { useTenant } from '../tenants/tenant.ts'
import '../texts/inside.ts'
import { useMe } from '../users/me.ts'
import { Brand } from './brand.tsx'
import { Disconnected } from './disconnected.tsx'
import { FactorRequired } from './factor-required.tsx'
import { MembershipSuspended } from './membership-suspended.tsx'
import { Messages } from './messages.tsx'
import { OrganizationSwitch } from './organization-switch.tsx'
import { PersonMenu } from './person-menu.tsx'
import { AccountPlaces, AdministrationPlaces, BackHome, Group, Place, type PlacesOfProps } from './places.tsx'
import { Reminder } from './reminder.tsx'
import classes from './shell.module.css'
import '../theme/more-components.css'

export function Shell() {
  const { t } = useTranslation()
  const [isOpen, { toggle, close }] = useDisclosure()
  const pathname = useRouterState({ select: (state) => state.location.pathname })
  const orgId = useOrganizationInReach(pathname)
  const isConnectionLost = useConnectionLost()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when the page changes
  useEffect(close, [pathname])
  // Sections instead of headers: a dialog has a header, and a page may have only one.
  return (
    <div className={classes.shell}>
      <section className={classes.bar} aria-label={t('general.menu')}>
        <Burger size="sm" opened={isOpen} onClick={toggle} aria-label={t('general.menu')} />
        <Where />
      </section>
      <Drawer
        opened={isOpen}
        onClose={close}
        size="17rem"
        zIndex={260} // a menu, so above messages
        title={<Brand />}
        closeButtonProps={{ 'aria-label': t('general.close') }}
      >
        <Navigation orgId={orgId} />
      </Drawer>
      <section className={classes.side} aria-label={t('general.menu')}>
        <div className={classes.brand}>
          <Brand />
        </div>
        <Navigation orgId={orgId} />
      </section>
      <main id="content" className={classes.content}>
        <Disconnected />
        {!isConnectionLost && <Reminder />}
        <Outlet />
      </main>
      <UnsavedGuard />
      <Messages />
    </div>
  )
}

/**
 * The organization in the navigation: the one in the address. On pages without one it is the last one, so that nothing
 * moves under the pointer. On the list of organizations it is none.
 */
function useOrganizationInReach(pathname: string): string | undefined {
  const { orgId } = useParams({ strict: false })
  const [last, setLast] = useState(orgId)
  const inReach = pathname.startsWith('/organizations') ? orgId : (orgId ?? last)
  if (inReach !== last) setLast(inReach)
  return inReach
}

/** On a phone: the organization of the page, or the tenant's brand. */
function Where() {
  const { orgId } = useParams({ strict: false })
  const { data, isGone } = useOrganization(orgId)
  if (data === undefined || isGone) return <Brand />
  return (
    <Link to="/organizations/$orgId" params={{ orgId: data.slug }} className={classes.where ?? ''}>
      <Picture url={data.logoUrl} name={data.name} id={data.id} size={28} shape="square" />
      <Text component="span" fw={600} truncate dir="auto">
        {data.name}
      </Text>
    </Link>
  )
}

/** One of three, so that nothing has the same name twice: the account, administration, and work with organizations. */
function Navigation({ orgId }: { readonly orgId: string | undefined }) {
  const { role } = useMe()
  const area = useRouterState({ select: ({ location }) => location.pathname.split('/')[1] })
  return (
    <div className={classes.navigation}>
      {orgId !== undefined && <OrganizationSwitch orgId={orgId} />}
      <ScrollArea className={classes.places} type="auto">
        <nav>
          {area === 'me' ? (
            <AccountPlaces orgId={orgId} />
          ) : area === 'admin' && role === 'admin' ? (
            <AdministrationPlaces orgId={orgId} />
          ) : (
            <WorkPlaces orgId={orgId} isAdmin={role === 'admin'} />
          )}
        </nav>
      </ScrollArea>
      <PersonMenu />
    </div>
  )
}

/** It does not call `useMe`: it may first appear while somebody who was signed out is led to another page. */
function WorkPlaces({ orgId, isAdmin }: PlacesOfProps & { readonly isAdmin: boolean }) {
  const { t } = useTranslation()
  const hasHome = useHome() !== undefined
  return (
    <>
      {(hasHome || orgId === undefined) && (
        <Group>
          <BackHome />
          {orgId === undefined && (
            <Place to="/organizations" icon={IconBuildings} label={t('general.navigation.organizations')} />
          )}
        </Group>
      )}
      {orgId !== undefined && <OrganizationPlaces orgId={orgId} />}
      {isAdmin && (
        <Group>
          <Place to="/admin/users" icon={IconAdjustments} label={t('general.navigation.administration')} />
        </Group>
      )}
    </>
  )
}

/**
 * Members see only the pages that they may open. While keys or webhooks are turned off, the page of settings leads to those that the
 * organization still has: whether it has any is not read for each page.
 */
function OrganizationPlaces({ orgId }: { readonly orgId: string }) {
  const { t } = useTranslation()
  const { data, isGone } = useOrganization(orgId)
  const { shareLinks, organizationKeys, organizationWebhooks } = useTenant()
  const { data: permissions = [] } = useQuery({
    ...permissionsQuery(data?.id ?? ''),
    enabled: data !== undefined,
  })
  if (isGone) return null
  const may = (permission: Permission) => permissions.includes(permission)
  const params = { orgId }
  return (
    <Group>
      {/* The switch above shows the name. */}
      <VisuallyHidden component="h2">{data?.name ?? t('general.navigation.organization')}</VisuallyHidden>
      <Place to="/organizations/$orgId" params={params} icon={IconBuilding} label={t('general.navigation.overview')} />
      <Place
        to="/organizations/$orgId/members"
        params={params}
        icon={IconUsers}
        label={t('general.navigation.people')}
      />
      {shareLinks && may('invitations:read') && (
        <Place to="/organizations/$orgId/links" params={params} icon={IconLink} label={t('general.navigation.links')} />
      )}
      {organizationKeys && may('keys:read') && (
        <Place to="/organizations/$orgId/keys" params={params} icon={IconKey} label={t('general.navigation.keys')} />
      )}
      {organizationWebhooks && may('webhooks:read') && (
        <Place
          to="/organizations/$orgId/webhooks"
          params={params}
          icon={IconWebhook}
          label={t('general.navigation.webhooks')}
        />
      )}
      {may('audit:read') && (
        <Place
          to="/organizations/$orgId/activity"
          params={params}
          icon={IconActivity}
          label={t('general.navigation.activity')}
        />
      )}
      <Place
        to="/organizations/$orgId/settings"
        params={params}
        icon={IconSettings}
        label={t('general.navigation.settings')}
      />
    </Group>
  )
}

/** Replaces a page that could not be loaded. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation()
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  if (isRefusal(error, 'second_factor_required')) return <FactorRequired error={error} retry={retry} />
  if (isRefusal(error, 'membership_suspended')) return <MembershipSuspended error={error} retry={retry} />
  return (
    <Page title={t('general.failed')}>
      <Failed error={error} retry={retry} />
    </Page>
  )
}

export function NotFoundInside() {
  const { t } = useTranslation()
  return (
    <Page title={t('general.notFound')} lead={t('general.notFoundLead')}>
      <ButtonLink to="/organizations" variant="default">
        {t('general.goHome')}
      </ButtonLink>
    </Page>
  )
}
