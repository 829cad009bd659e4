/** The people of an organization: its members and, for those who may see them, its invitations. The address names the part. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import { useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextLink } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Tab, Tabs } from '../parts/tabs.tsx'
import { usePending } from './invitation.ts'
import { InvitationList } from './invitations.tsx'
import { Inviting } from './inviting.tsx'
import { filtersOf, useMembers } from './member.ts'
import { MemberList } from './members.tsx'
import { NotAllowed } from './not-allowed.tsx'
import { type Organization, useOrganizationOfPage } from './organization.ts'
import classes from './people.module.css'
import { usePeopleSearch } from './people-filters.ts'
import { useMay } from './permissions.ts'
import { whereOf } from './place.ts'

const from = '/inside/organizations/$orgId/members' as const

export function PeoplePage() {
  const { t } = useTranslation()
  const { orgId } = useParams({ from })
  const { tab } = useSearch({ from })
  const organization = useOrganizationOfPage(orgId)
  const may = useMay(organization)
  const [isInviting, inviting] = useDisclosure()
  const [mayRead, mayWrite] = [may('invitations:read'), may('invitations:write')]
  const suspended = tab === undefined && may('members:update') && <Suspended organization={organization} />
  return (
    <Page
      title={t('organizations.members.title')}
      lead={
        !mayRead &&
        tab === undefined && (
          <>
            {t('organizations.people', { count: organization.memberCount })}
            {suspended}
          </>
        )
      }
      width="wide"
      actions={
        mayWrite && (
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={inviting.open}>
            {t('organizations.inviting.open')}
          </Button>
        )
      }
    >
      {mayRead && <Parts organization={organization}>{suspended}</Parts>}
      {tab === undefined ? (
        <MemberList organization={organization} />
      ) : mayRead ? (
        <InvitationList organization={organization} mayWrite={mayWrite} />
      ) : (
        <NotAllowed organization={organization} title={t('organizations.invitations.notYours')} />
      )}
      <Inviting organization={organization} isOpen={isInviting} onClose={inviting.close} />
    </Page>
  )
}

interface PartsProps {
  readonly organization: Organization
  /** At the end of their row. */
  readonly children: ReactNode
}

/** The tabs, with how many members and pending invitations there are. */
function Parts({ organization: { name, memberCount }, children }: PartsProps) {
  const { t } = useTranslation()
  const { orgId } = useParams({ from })
  const [{ tab: _, ...members }] = usePeopleSearch()
  const { query, items } = usePending(orgId)
  const number = (count: number, isMore = false) =>
    t(isMore ? 'organizations.orMore' : 'organizations.number', { count })
  const link = {
    to: '/organizations/$orgId/members',
    params: { orgId },
    activeOptions: { exact: true, includeSearch: true },
    resetScroll: false,
  } as const
  return (
    <Tabs label={t('organizations.members.parts', { name })}>
      <Tab {...link} search={members} count={number(memberCount)}>
        {t('organizations.members.tab')}
      </Tab>
      <Tab
        {...link}
        search={{ ...members, tab: 'invitations' }}
        count={query.isSuccess ? number(items.length, query.hasNextPage) : undefined}
      >
        {t('organizations.invitations.title')}
      </Tab>
      {children}
    </Tabs>
  )
}

/**
 * How many members the list leaves out, as a link to them. Counts the first hundred, unless a list without filters has shown that there are
 * none. It is the last in its line, so that nothing moves when it appears.
 */
function Suspended({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const { orgId } = useParams({ from })
  const [search] = usePeopleSearch()
  const { sort: _, ...filters } = filtersOf(search, true)
  const list = useMembers(whereOf(organization), filtersOf(search, true))
  const isUnfiltered = Object.keys(filters).length === 0 && list.query.isSuccess
  const [isAsked, setAsked] = useState(false)
  const mayBeMore = list.query.hasNextPage || list.items.length < organization.memberCount
  if (isUnfiltered && mayBeMore && !isAsked) setAsked(true)
  const { query, items } = useMembers(organization.slug, { status: 'suspended' }, { limit: 100, enabled: isAsked })
  if (items.length === 0) return null
  return (
    <span className={classes.suspended}>
      <TextLink
        to="/organizations/$orgId/members"
        params={{ orgId }}
        search={{ status: 'suspended' }}
        resetScroll={false}
        size="sm"
      >
        {t(query.hasNextPage ? 'organizations.members.moreSuspended' : 'organizations.members.someSuspended', {
          count: items.length,
        })}
      </TextLink>
    </span>
  )
}
