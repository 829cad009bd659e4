/** The links to join an organization, for those who may invite: the live ones first. */
import { Button, Table, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { More } from '../parts/endless.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { rolesQuery } from './grants.tsx'
import { type Link, liveLinksQuery, myPermissionsQuery, revokeLink, useEndedLinks } from './link.ts'
import { LinkCreation } from './link-creation.tsx'
import { EndedLinkRow, LiveLinkRow, type RoleNames } from './link-row.tsx'
import { LinkUrl } from './link-url.tsx'
import { type Organization, readOrganizationsAgain, useOrganizationOfPage } from './organization.ts'
import { useFocusBeside } from './row-menu.tsx'
import rowClasses from './rows.module.css'

const from = '/inside/organizations/$orgId/links' as const

export function LinksPage() {
  const { orgId } = useParams({ from })
  const organization = useOrganizationOfPage(orgId)
  const { shareLinks } = useTenant()
  if (!shareLinks) return <TurnedOff organization={organization} />
  if (organization.roles.includes('admin')) return <Links organization={organization} mayWrite />
  return <LinksOfMember organization={organization} />
}

interface OfOrganization {
  readonly organization: Organization
}

function TurnedOff({ organization }: OfOrganization) {
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

/** A member who is no admin may see links by a role of the product. */
function LinksOfMember({ organization }: OfOrganization) {
  const { t } = useTranslation()
  const { data: permissions, error, refetch } = useQuery(myPermissionsQuery(organization.id))
  if (permissions?.includes('invitations:read'))
    return <Links organization={organization} mayWrite={permissions.includes('invitations:write')} />
  return (
    <Page title={t('organizations.links.title')}>
      {permissions ? (
        <Empty title={t('organizations.links.forAdmins')} action={<ToMembers organization={organization} />}>
          {t('organizations.links.forAdminsLead', { name: organization.name })}
        </Empty>
      ) : error ? (
        <Failed error={error} retry={refetch} />
      ) : (
        <Loading />
      )}
    </Page>
  )
}

function ToMembers({ organization }: OfOrganization) {
  const { t } = useTranslation()
  return (
    <ButtonLink to="/organizations/$orgId/members" params={{ orgId: organization.slug }} variant="default">
      {t('organizations.links.toMembers')}
    </ButtonLink>
  )
}

interface LinksProps extends OfOrganization {
  readonly mayWrite: boolean
}

function Links({ organization, mayWrite }: LinksProps) {
  const { t } = useTranslation()
  const { orgId } = useParams({ from })
  const live = useQuery(liveLinksQuery(orgId))
  const ended = useEndedLinks(orgId)
  const { data: roles = [] } = useQuery(rolesQuery(organization.id))
  const names: RoleNames = new Map(roles.map(({ key, name }) => [key, name]))
  const [isCreating, creating] = useDisclosure()
  return (
    <Page
      title={t('organizations.links.title')}
      lead={t('organizations.links.lead')}
      width="wide"
      actions={
        mayWrite && (
          <Button leftSection={<IconLink size={16} aria-hidden />} onClick={creating.open}>
            {t('organizations.links.create')}
          </Button>
        )
      }
    >
      <Section title={t('organizations.links.live')}>
        {live.data ? (
          <LiveLinks
            organization={organization}
            links={live.data}
            names={names}
            mayWrite={mayWrite}
            isFirst={ended.query.isSuccess && ended.items.length === 0}
          />
        ) : live.error ? (
          <Failed error={live.error} retry={live.refetch} />
        ) : (
          <Loading rows={3} />
        )}
      </Section>
      {(ended.items.length > 0 || ended.query.isError) && (
        <Section title={t('organizations.links.ended')} lead={t('organizations.links.endedLead')}>
          {ended.items.length > 0 ? (
            <EndedLinks organization={organization} links={ended.items} names={names} />
          ) : (
            <Failed error={ended.query.error} retry={ended.query.refetch} />
          )}
          <More query={ended.query} />
        </Section>
      )}
      {mayWrite && (
        <LinkCreation
          organization={organization}
          roles={roles.filter(({ mayShare }) => mayShare)}
          isOpen={isCreating}
          onClose={creating.close}
        />
      )}
    </Page>
  )
}

interface LinkListProps extends OfOrganization {
  readonly links: readonly Link[]
  readonly names: RoleNames
}

interface LiveLinksProps extends LinkListProps {
  readonly mayWrite: boolean
  /** Whether there has been no link before. */
  readonly isFirst: boolean
}

function LiveLinks({ organization, links, names, mayWrite, isFirst }: LiveLinksProps) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<Link>()
  const [isShowing, showing] = useDisclosure()
  const [isRevoking, revoking] = useDisclosure()
  const focusBeside = useFocusBeside(links.map(({ id }) => id))
  const choose = (link: Link, open: () => void) => {
    setChosen(link)
    open()
  }
  return (
    <>
      {links.length === 0 ? (
        <Empty title={isFirst ? t('organizations.links.none') : t('organizations.links.noneLive')}>
          {t('organizations.links.noneLead')}
        </Empty>
      ) : (
        <LinkTable
          label={t('organizations.links.liveTable', { name: organization.name })}
          third={t('organizations.links.ends')}
          hasActions={mayWrite}
        >
          {links.map((link) => (
            <LiveLinkRow
              key={link.id}
              link={link}
              names={names}
              mayWrite={mayWrite}
              onShow={() => choose(link, showing.open)}
              onRevoke={() => choose(link, revoking.open)}
            />
          ))}
        </LinkTable>
      )}
      {chosen && (
        <>
          <Dialog
            opened={isShowing}
            onClose={showing.close}
            title={t('organizations.links.made.title', { name: organization.name })}
          >
            <LinkUrl link={chosen} />
          </Dialog>
          <Confirm
            title={t('organizations.links.revoking.title')}
            submit={t('organizations.links.revoking.submit')}
            isOpen={isRevoking}
            onClose={revoking.close}
            act={() => revokeLink(organization.id, chosen.id)}
            onDone={() => {
              focusBeside(chosen.id)
              void readOrganizationsAgain()
              notifications.show({ message: t('organizations.links.revoking.done') })
            }}
          >
            {t('organizations.links.revoking.lead', { count: chosen.uses })}
          </Confirm>
        </>
      )}
    </>
  )
}

function EndedLinks({ organization, links, names }: LinkListProps) {
  const { t } = useTranslation()
  return (
    <LinkTable
      label={t('organizations.links.endedTable', { name: organization.name })}
      third={t('organizations.links.why')}
    >
      {links.map((link) => (
        <EndedLinkRow key={link.id} link={link} names={names} />
      ))}
    </LinkTable>
  )
}

interface LinkTableProps {
  readonly label: string
  /** The heading of the third column: when a link ends, or why it has. */
  readonly third: string
  readonly hasActions?: boolean
  readonly children: ReactNode
}

function LinkTable({ label, third, hasActions = false, children }: LinkTableProps) {
  const { t } = useTranslation()
  return (
    <div className={rowClasses.frame}>
      <Table withRowBorders={false} className={rowClasses.table} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('organizations.links.gives')}</Table.Th>
            <Table.Th>{t('organizations.links.joined')}</Table.Th>
            <Table.Th>{third}</Table.Th>
            <Table.Th>{t('organizations.links.created')}</Table.Th>
            {hasActions && (
              <Table.Th colSpan={2} className={rowClasses.actions}>
                <VisuallyHidden>{t('organizations.links.actions')}</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </div>
  )
}
