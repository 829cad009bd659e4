/** The links to join an organization, for those who may see invitations: the live ones first. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { More } from '../parts/endless.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Empty, Failed, LoadingOrFailed } from '../parts/states.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { rolesQuery } from './grants.tsx'
import { liveLinksQuery, useEndedLinks } from './link.ts'
import { LinkCreation } from './link-creation.tsx'
import { EndedLinks, LiveLinks } from './link-lists.tsx'
import { NotAllowed, ToMembers } from './not-allowed.tsx'
import { type Organization, useOrganizationOfPage } from './organization.ts'
import { useMay } from './permissions.ts'

const from = '/inside/organizations/$orgId/links' as const

export function LinksPage() {
  const { t } = useTranslation()
  const { orgId } = useParams({ from })
  const organization = useOrganizationOfPage(orgId)
  const may = useMay(organization)
  const { shareLinks } = useTenant()
  if (!shareLinks) return <TurnedOff organization={organization} />
  if (!may('invitations:read'))
    return (
      <Page title={t('organizations.links.title')}>
        <NotAllowed organization={organization} title={t('organizations.links.notYours')} />
      </Page>
    )
  return <Links key={organization.id} organization={organization} mayWrite={may('invitations:write')} />
}

function TurnedOff({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const { name } = useTenant()
  return (
    <Page title={t('organizations.links.title')}>
      <Empty title={t('organizations.links.off')} action={<ToMembers organization={organization} />}>
        {t('organizations.links.offLead', { tenant: name })}
      </Empty>
    </Page>
  )
}

interface LinksProps {
  readonly organization: Organization
  readonly mayWrite: boolean
}

function Links({ organization, mayWrite }: LinksProps) {
  const { t } = useTranslation()
  const { orgId } = useParams({ from })
  const live = useQuery(liveLinksQuery(orgId))
  const ended = useEndedLinks(orgId)
  // Without the roles a link would give too little, so none is made.
  const roles = useQuery({ ...rolesQuery(organization.id), enabled: mayWrite })
  const [isCreating, creating] = useDisclosure()
  // A link that has ended stays in the list. But the live ones may be read again before the ended ones are.
  const [hadLinks, setHadLinks] = useState(false)
  if (!hadLinks && live.data !== undefined && live.data.length > 0) setHadLinks(true)
  const isFirst = !hadLinks && ended.query.isSuccess && ended.items.length === 0
  return (
    <Page
      title={t('organizations.links.title')}
      lead={t('organizations.links.lead')}
      width="wide"
      actions={
        mayWrite &&
        !roles.isLoadingError && (
          <Button leftSection={<IconLink size={16} aria-hidden />} disabled={roles.isLoading} onClick={creating.open}>
            {t('organizations.links.create')}
          </Button>
        )
      }
    >
      {roles.isLoadingError && <Failed error={roles.error} retry={roles.refetch} mb="lg" />}
      <Section title={isFirst && live.data?.length === 0 ? undefined : t('organizations.links.live')}>
        {live.data && !ended.query.isPending ? (
          <LiveLinks organization={organization} links={live.data} mayWrite={mayWrite} isFirst={isFirst} />
        ) : (
          <LoadingOrFailed query={live} rows={3} />
        )}
      </Section>
      {(ended.items.length > 0 || ended.query.isError) && (
        <Section title={t('organizations.links.ended')} lead={t('organizations.links.endedLead')}>
          {ended.items.length > 0 ? (
            <EndedLinks organization={organization} links={ended.items} />
          ) : (
            <Failed error={ended.query.error} retry={ended.query.refetch} />
          )}
          <More query={ended.query} />
        </Section>
      )}
      {mayWrite && (
        <LinkCreation
          organization={organization}
          roles={(roles.data ?? []).filter(({ mayShare }) => mayShare)}
          isOpen={isCreating}
          onClose={creating.close}
        />
      )}
    </Page>
  )
}
