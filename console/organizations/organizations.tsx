/** The caller's organizations. */
import { Alert, Badge, Group, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { More, useEndless } from '../parts/endless.tsx'
import { Filters } from '../parts/filters.tsx'
import { ButtonLink, TextLink } from '../parts/links.tsx'
import listClasses from '../parts/list.module.css'
import { Page } from '../parts/page.tsx'
import { Picture } from '../parts/picture.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty, Loading, LoadingOrFailed } from '../parts/states.tsx'
import { useMe } from '../users/me.ts'
import { waitingInvitationsQuery } from '../users/waiting-invitations.ts'
import { FirstSteps } from './first-steps.tsx'
import type { Organization } from './organization.ts'
import classes from './organizations.module.css'
import { RoleBadge } from './role-badge.tsx'

const pageSize = 50

export function OrganizationsPage() {
  const { t } = useTranslation()
  const navigate = useNavigate({ from: '/organizations' })
  const { role } = useMe()
  const { query = '' } = useSearch({ from: '/inside/organizations' })
  const { query: reading, items } = useEndless(['organizations', { list: query }], (cursor) =>
    ask(
      api.GET('/api/organizations', {
        params: {
          query: { limit: pageSize, ...(query !== '' && { query }), ...(cursor !== undefined && { cursor }) },
        },
      }),
    ),
  )
  const search = (next: string) => navigate({ search: next === '' ? {} : { query: next }, replace: true })
  const waiting = useWaiting()
  // While a search is cleared, its result says nothing about the whole list.
  const isRead = reading.isSuccess && !(reading.isPlaceholderData && query === '')
  // An empty list shows the button in its place.
  const isEmpty = isRead && items.length === 0 && query === ''
  const isNew = isEmpty && role !== 'admin'
  return (
    <Page title={t('organizations.list.title')} actions={!isEmpty && <NewOrganization />}>
      {!reading.isPending && !isNew && waiting.count > 0 && <Waiting count={waiting.count} />}
      <Filters
        className={classes.filters}
        least={2}
        query={reading}
        rows={items.length}
        filters={{ query: query || undefined }}
      >
        <SearchField
          className={classes.search}
          label={t('organizations.list.search')}
          value={query}
          onSearch={search}
        />
      </Filters>
      {!isRead && items.length === 0 ? (
        <LoadingOrFailed query={reading} rows={3} />
      ) : items.length > 0 ? (
        <>
          <ul className={listClasses.framed}>
            {items.map((organization) => (
              <li key={organization.id}>
                <Row organization={organization} />
              </li>
            ))}
          </ul>
          <More query={reading} />
        </>
      ) : isNew ? (
        <NoOrganizations waiting={waiting} />
      ) : isEmpty ? (
        <FirstSteps />
      ) : (
        <Empty
          title={t('organizations.list.nothingFound')}
          action={
            <ButtonLink to="/organizations" variant="default">
              {t('organizations.list.showAll')}
            </ButtonLink>
          }
        >
          {t('organizations.list.nothingFoundLead', { query })}
        </Empty>
      )}
    </Page>
  )
}

/** In place of the list: an invitation comes before an organization of one's own. */
function NoOrganizations({ waiting: { count, isPending } }: { readonly waiting: ReturnType<typeof useWaiting> }) {
  const { t } = useTranslation()
  if (isPending) return <Loading rows={3} />
  const isInvited = count > 0
  return (
    <Empty
      title={t('organizations.list.none')}
      action={
        <Group justify="center" gap="sm">
          {isInvited && <ButtonLink to="/me/invitations">{t('organizations.list.seeInvitations')}</ButtonLink>}
          <NewOrganization variant={isInvited ? 'default' : 'filled'} />
        </Group>
      }
    >
      {isInvited ? t('organizations.list.invited', { count }) : t('organizations.list.noneLead')}
    </Empty>
  )
}

function NewOrganization({ variant = 'filled' }: { readonly variant?: 'filled' | 'default' }) {
  const { t } = useTranslation()
  return (
    <ButtonLink to="/organizations/new" variant={variant} leftSection={<IconPlus size={16} aria-hidden />}>
      {t('organizations.list.create')}
    </ButtonLink>
  )
}

function Row({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const { id, slug, name, logoUrl, role, memberCount, membership } = organization
  return (
    <Link to="/organizations/$orgId" params={{ orgId: slug }} className={classes.organization}>
      <Picture url={logoUrl} name={name} id={id} size={36} shape="square" />
      <span className={classes.name}>
        <Text component="span" display="block" fw={550} truncate dir="auto" ta="left">
          {name}
        </Text>
        <Text component="span" display="block" size="sm" c="dimmed" truncate>
          {slug}
        </Text>
      </span>
      {membership?.status === 'suspended' && <Badge color="yellow">{t('organizations.members.suspended')}</Badge>}
      {role !== null && <RoleBadge role={role} />}
      <span className={classes.count}>{t('organizations.people', { count: memberCount })}</span>
    </Link>
  )
}

/** The number of pending invitations to the caller. */
function useWaiting() {
  const { data, isPending } = useQuery(waitingInvitationsQuery)
  return { count: data?.data.length ?? 0, isPending }
}

function Waiting({ count }: { readonly count: number }) {
  const { t } = useTranslation()
  return (
    <Alert className={classes.waiting} color="accent" role="status">
      <Group justify="space-between" gap="xs">
        {t('organizations.list.invited', { count })}
        <TextLink to="/me/invitations" fw={550} inherit underline="always">
          {t('organizations.list.seeInvitations')}
        </TextLink>
      </Group>
    </Alert>
  )
}
