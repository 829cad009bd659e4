/** The overview of an organization: its members, the role of the caller, and for those who may see them invitations and activity. */
import { Anchor, Badge, Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { actsIn } from '../audit/acts.ts'
import { Sentence } from '../audit/sentence.tsx'
import { TextLink } from '../parts/links.tsx'
import { NameInParts } from '../parts/name-in-parts.tsx'
import { OneLine } from '../parts/one-line.tsx'
import { Page } from '../parts/page.tsx'
import { Picture } from '../parts/picture.tsx'
import { Empty } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { useMe } from '../users/me.ts'
import { Card } from './card.tsx'
import { Ends } from './ends.tsx'
import { usePending } from './invitation.ts'
import { Inviting } from './inviting.tsx'
import { NamedMember, readLog } from './log.tsx'
import { type Member, type MemberSearch, nameOf, useMembers } from './member.ts'
import { MemberAccess } from './member-access.tsx'
import { type Organization, useOrganizationOfPage } from './organization.ts'
import classes from './overview.module.css'
import { useMay } from './permissions.ts'

/** The number of items on a card. */
const few = 5

/** Entries that are read for the last acts, of which most are one or two. */
const entries = 4 * few

export function OverviewPage() {
  const { t } = useTranslation()
  const { orgId } = useParams({ from: '/inside/organizations/$orgId/' })
  const organization = useOrganizationOfPage(orgId)
  const may = useMay(organization)
  const mayInvite = may('invitations:write')
  const [isInviting, inviting] = useDisclosure()
  const mayReadLog = may('audit:read')
  const isAlone = mayInvite && organization.memberCount === 1
  const invite = (
    <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={inviting.open}>
      {t('organizations.inviting.open')}
    </Button>
  )
  const newest = <Newest orgId={orgId} memberCount={organization.memberCount} />
  return (
    <Page
      title={organization.name}
      lead={organization.slug}
      picture={
        <Picture url={organization.logoUrl} name={organization.name} id={organization.id} size={48} shape="square" />
      }
      width="wide"
      actions={mayInvite && !isAlone && invite}
    >
      <Facts organization={organization} hasInvitations={may('invitations:read')} />
      {isAlone && (
        <div className={classes.alone}>
          <Empty title={t('organizations.overview.alone')} action={invite}>
            {t('organizations.overview.aloneLead')}
          </Empty>
        </div>
      )}
      <div className={classes.columns}>
        {!isAlone && (
          <div className={classes.column}>
            <Owners orgId={orgId} memberCount={organization.memberCount} />
            {mayReadLog && newest}
          </div>
        )}
        <div className={classes.column}>
          {mayReadLog ? <LastActivity orgId={orgId} /> : !isAlone && newest}
          {may('invitations:read') && <Invited orgId={orgId} />}
        </div>
      </div>
      <Inviting organization={organization} isOpen={isInviting} onClose={inviting.close} />
    </Page>
  )
}

interface FactsProps {
  readonly organization: Organization
  readonly hasInvitations: boolean
}

function Facts({ organization, hasInvitations }: FactsProps) {
  const { t } = useTranslation()
  const { memberCount, createdAt } = organization
  return (
    <dl className={classes.facts}>
      <OwnRole organization={organization} />
      <Fact name={t('organizations.overview.members')}>{t('organizations.number', { count: memberCount })}</Fact>
      {hasInvitations && <PendingFact slug={organization.slug} />}
      <Fact name={t('organizations.overview.created')}>
        <Time iso={createdAt} as="date" />
      </Fact>
    </dl>
  )
}

function OwnRole({ organization }: Pick<FactsProps, 'organization'>) {
  const { t } = useTranslation()
  const [isSeeing, seeing] = useDisclosure()
  const { role, membership } = organization
  return (
    <Fact name={t('organizations.overview.role')}>
      {role && t(`organizations.roles.${role}`)} {membership?.expiresAt && <Ends at={membership.expiresAt} />}
      <Anchor component="button" type="button" display="block" size="sm" onClick={seeing.open}>
        {t('organizations.access.openOwn')}
      </Anchor>
      <MemberAccess organization={organization} isOpen={isSeeing} onClose={seeing.close} />
    </Fact>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function PendingFact({ slug }: { readonly slug: string }) {
  const { t } = useTranslation()
  const { query, items } = usePending(slug)
  return (
    <Fact name={t('organizations.overview.pending')}>
      {query.isSuccess
        ? t(query.hasNextPage ? 'organizations.orMore' : 'organizations.number', { count: items.length })
        : '–'}
    </Fact>
  )
}

interface CountedProps extends Pick<Organization, 'memberCount'> {
  readonly orgId: string
}

/** Up to this number one request reads all members, and the owners among them. */
const atOnce = 50
const newestFirst = { sort: '-joinedAt' } as const
const ownersOnly = { role: 'owner' } as const

function useNewest({ orgId, memberCount }: CountedProps) {
  return useMembers(orgId, newestFirst, { limit: memberCount <= atOnce ? atOnce : few })
}

function Owners({ orgId, memberCount }: CountedProps) {
  const { t } = useTranslation()
  const all = useNewest({ orgId, memberCount })
  const isAmongAll = memberCount <= atOnce && !all.query.hasNextPage // the number may be of a moment ago
  const owners = useMembers(orgId, ownersOnly, { limit: few, enabled: !isAmongAll })
  const { query, items } = isAmongAll
    ? { query: all.query, items: all.items.filter(({ role }) => role === 'owner').toReversed() }
    : owners
  return (
    <People
      title={t('organizations.overview.owners')}
      orgId={orgId}
      search={ownersOnly}
      rows={1}
      query={query}
      members={items}
    />
  )
}

function Newest({ orgId, memberCount }: CountedProps) {
  const { t } = useTranslation()
  const { query, items } = useNewest({ orgId, memberCount })
  return (
    <People
      title={t('organizations.overview.newest')}
      orgId={orgId}
      search={newestFirst}
      rows={Math.min(memberCount, few)}
      query={query}
      members={items}
    />
  )
}

interface PeopleProps extends Pick<ComponentProps<typeof Card>, 'title' | 'query' | 'rows'> {
  readonly orgId: string
  /** Of the whole list. */
  readonly search: MemberSearch
  readonly members: readonly Member[]
}

function People({ title, orgId, search, rows, query, members }: PeopleProps) {
  const { t } = useTranslation()
  const me = useMe()
  return (
    <Card
      title={title}
      query={query}
      rows={rows}
      all={
        <TextLink to="/organizations/$orgId/members" params={{ orgId }} search={search} size="sm">
          {t('organizations.overview.all')}
        </TextLink>
      }
    >
      {members.slice(0, few).map((member) => (
        <li key={member.id} className={classes.item}>
          <Picture url={member.user.avatarUrl} name={nameOf(member)} id={member.user.id} size={30} />
          <span className={classes.told}>
            <span className={classes.name}>
              <NameInParts name={nameOf(member)} />{' '}
              {member.user.id === me.id && <Badge>{t('organizations.members.you')}</Badge>}
            </span>
          </span>
          <span className={classes.aside}>
            <Time iso={member.joinedAt} isListed />
          </span>
        </li>
      ))}
    </Card>
  )
}

/** Nothing without an invitation. It is the last card, so that no other moves when it appears. */
function Invited({ orgId }: { readonly orgId: string }) {
  const { t } = useTranslation()
  const { query, items } = usePending(orgId)
  if (items.length === 0) return null
  return (
    <Card
      title={t('organizations.overview.pending')}
      query={query}
      rows={few}
      all={
        <TextLink to="/organizations/$orgId/members" params={{ orgId }} search={{ tab: 'invitations' }} size="sm">
          {t('organizations.overview.all')}
        </TextLink>
      }
    >
      {items.slice(0, few).map(({ id, email, expiresAt }) => (
        <li key={id} className={classes.item}>
          <span className={classes.told}>
            <OneLine>{email ?? t('organizations.invitations.deletedPerson')}</OneLine>
          </span>
          <span className={classes.aside}>
            <Trans
              i18nKey="organizations.invitations.expires"
              components={{ time: <Time iso={expiresAt} isListed /> }}
            />
          </span>
        </li>
      ))}
    </Card>
  )
}

function LastActivity({ orgId }: { readonly orgId: string }) {
  const { t } = useTranslation()
  const query = useQuery({
    queryKey: ['organizations', orgId, 'audit', { last: few }],
    queryFn: () => readLog(orgId, { limit: entries }),
    select: ({ data, nextCursor }) => actsIn(data, nextCursor !== null).slice(0, few),
  })
  return (
    <Card
      title={t('organizations.overview.activity')}
      query={query}
      rows={few}
      all={
        <TextLink to="/organizations/$orgId/activity" params={{ orgId }} size="sm">
          {t('organizations.overview.all')}
        </TextLink>
      }
    >
      {(query.data ?? []).map(({ entry }) => (
        <li key={entry.id} className={classes.item}>
          <div className={classes.told}>
            <Sentence entry={entry} Person={NamedMember} />
          </div>
          <span className={classes.aside}>
            <Time iso={entry.occurredAt} isListed />
          </span>
        </li>
      ))}
    </Card>
  )
}
