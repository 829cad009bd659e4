/** The people of an organization: its members and, for those who may see them, its invitations. The address names the part. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import { useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Page } from '../parts/page.tsx'
import { Tab, Tabs } from '../parts/tabs.tsx'
import { usePending } from './invitation.ts'
import { InvitationList } from './invitations.tsx'
import { Inviting } from './inviting.tsx'
import { MemberList } from './members.tsx'
import { NotAllowed } from './not-allowed.tsx'
import { type Organization, useOrganizationOfPage } from './organization.ts'
import { usePeopleSearch } from './people-filters.ts'
import { useMay } from './permissions.ts'
import { Unlisted } from './unlisted.tsx'

const from = '/inside/organizations/$orgId/members' as const

export function PeoplePage() {
  const { t } = useTranslation()
  const { orgId } = useParams({ from })
  const { tab } = useSearch({ from })
  const organization = useOrganizationOfPage(orgId)
  const may = useMay(organization)
  const [isInviting, inviting] = useDisclosure()
  const [mayRead, mayWrite] = [may('invitations:read'), may('invitations:write')]
  const unlisted = tab === undefined && <Unlisted organization={organization} />
  return (
    <Page
      title={t('organizations.members.title')}
      lead={
        !mayRead &&
        tab === undefined && (
          <>
            {t('organizations.people', { count: organization.memberCount })}
            {unlisted}
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
      {mayRead && <Parts organization={organization}>{unlisted}</Parts>}
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
