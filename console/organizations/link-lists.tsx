/** The lists of an organization's links: the live ones, which can be copied and revoked, and those that have ended. */
import { Table } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ActionsHead, RowTable } from '../parts/rows.tsx'
import { Empty } from '../parts/states.tsx'
import { type Link, revokeLink } from './link.ts'
import { EndedLinkRow, LiveLinkRow } from './link-row.tsx'
import { LinkUrl } from './link-url.tsx'
import { type Organization, readOrganizationsAgain } from './organization.ts'

interface LinkListProps {
  readonly organization: Organization
  readonly links: readonly Link[]
}

interface LiveLinksProps extends LinkListProps {
  readonly mayWrite: boolean
  /** Whether there has been no link before. */
  readonly isFirst: boolean
}

export function LiveLinks({ organization, links, mayWrite, isFirst }: LiveLinksProps) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<Link>()
  const [isShowing, showing] = useDisclosure()
  const [isRevoking, revoking] = useDisclosure()
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
          third={t('organizations.links.end')}
          hasActions={mayWrite}
        >
          {links.map((link) => (
            <LiveLinkRow
              key={link.id}
              link={link}
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

export function EndedLinks({ organization, links }: LinkListProps) {
  const { t } = useTranslation()
  return (
    <LinkTable
      label={t('organizations.links.endedTable', { name: organization.name })}
      third={t('organizations.links.why')}
    >
      {links.map((link) => (
        <EndedLinkRow key={link.id} link={link} />
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
    <RowTable
      label={label}
      heads={
        <>
          <Table.Th>{t('organizations.links.gives')}</Table.Th>
          <Table.Th>{t('organizations.links.people')}</Table.Th>
          <Table.Th>{third}</Table.Th>
          <Table.Th>{t('organizations.links.created')}</Table.Th>
          {hasActions && <ActionsHead colSpan={2}>{t('organizations.links.actions')}</ActionsHead>}
        </>
      }
    >
      {children}
    </RowTable>
  )
}
