/** The places in the navigation: those of the account and of administration, and what they are made of. */
import {
  IconActivity,
  IconApps,
  IconArrowLeft,
  IconBuildings,
  IconKey,
  IconLogin2,
  IconSettings,
  IconShieldCheck,
  IconTimelineEvent,
  IconUsers,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useHome } from '../applications/home.tsx'
import { useOrganization } from '../organizations/organization.ts'
import { useAccountPages } from './account-pages.ts'
import classes from './shell.module.css'

export interface PlacesOfProps {
  /** The organization in reach. */
  readonly orgId: string | undefined
}

export function AccountPlaces({ orgId }: PlacesOfProps) {
  const { t } = useTranslation()
  const pages = useAccountPages()
  return (
    <>
      <Group>
        <BackToWork orgId={orgId} />
      </Group>
      <Places title={t('general.navigation.account')}>
        {pages.map(({ to, icon, name }) => (
          <Place key={to} to={to} icon={icon} label={t(`general.navigation.${name}`)} />
        ))}
      </Places>
    </>
  )
}

export function AdministrationPlaces({ orgId }: PlacesOfProps) {
  const { t } = useTranslation()
  return (
    <>
      <Group>
        <BackToWork orgId={orgId} />
      </Group>
      <Places title={t('general.navigation.administration')}>
        <Place to="/admin/users" icon={IconUsers} label={t('general.navigation.users')} />
        <Place to="/admin/organizations" icon={IconBuildings} label={t('general.navigation.organizations')} />
        <Place to="/admin/access" icon={IconShieldCheck} label={t('general.navigation.access')} />
        <Place to="/admin/keys" icon={IconKey} label={t('general.navigation.keys')} />
        <Place to="/admin/webhooks" icon={IconWebhook} label={t('general.navigation.webhooks')} />
        <Place to="/admin/events" icon={IconTimelineEvent} label={t('general.navigation.events')} />
        <Place to="/admin/activity" icon={IconActivity} label={t('general.navigation.activity')} />
        <Place to="/admin/applications" icon={IconApps} label={t('general.navigation.applications')} />
        <Place to="/admin/providers" icon={IconLogin2} label={t('general.navigation.providers')} />
        <Place to="/admin/settings" icon={IconSettings} label={t('general.navigation.tenant')} />
      </Places>
    </>
  )
}

function Places({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Group>
      <h2 className={classes.label}>{title}</h2>
      {children}
    </Group>
  )
}

export function Group({ children }: { readonly children: ReactNode }) {
  return <div className={classes.group}>{children}</div>
}

interface PlaceProps {
  readonly to: ComponentProps<typeof Link>['to']
  readonly params?: { readonly orgId: string }
  readonly icon: TablerIcon
  readonly label: string
}

/** The path of the first place in a group is a prefix of the others, so it is compared exactly. */
export function Place({ to, params, icon: Icon, label }: PlaceProps) {
  const isExact = to === '/me' || to === '/organizations' || to === '/organizations/$orgId'
  return (
    <Link
      to={to ?? '/'}
      params={params ?? {}}
      activeOptions={{ exact: isExact, includeSearch: false }}
      className={classes.place}
    >
      <Icon size={17} stroke={1.6} aria-hidden />
      {label}
    </Link>
  )
}

/** Back to the home application, or to the organization in reach. */
function BackToWork({ orgId }: PlacesOfProps) {
  const { t } = useTranslation()
  const home = useHome()
  const { data, isGone } = useOrganization(orgId)
  if (home) return <BackHome />
  if (data === undefined || isGone)
    return <Place to="/organizations" icon={IconArrowLeft} label={t('general.navigation.backToOrganizations')} />
  const label = t('general.navigation.backTo', { name: data.name })
  return <Place to="/organizations/$orgId" params={{ orgId: data.slug }} icon={IconArrowLeft} label={label} />
}

/** Back to the home application, whose people have come here for their account. */
export function BackHome() {
  const { t } = useTranslation()
  const home = useHome()
  return (
    home && (
      <a href={home.url} className={classes.place}>
        <IconArrowLeft size={17} stroke={1.6} aria-hidden />
        {t('general.home.back', { application: home.name })}
      </a>
    )
  )
}
