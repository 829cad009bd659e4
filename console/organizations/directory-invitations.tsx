/** The invitations to any organization, for admins: sent, sent again and revoked as an owner could. Pending ones come first. */
import { NativeSelect } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { More } from '../parts/endless.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { InvitePeople } from './directory-members.tsx'
import { useAnyOrganization } from './directory-organization.tsx'
import { invitationStatuses, readInvitationSearch, useInvitations } from './invitation.ts'
import { Invitations } from './invitations.tsx'
import { whereOf } from './place.ts'
import classes from './rows.module.css'

export function TenantInvitationsPage() {
  const { t } = useTranslation()
  const organization = useAnyOrganization()
  const { status = 'pending' } = readInvitationSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const { query, items } = useInvitations(whereOf(organization), status)
  const change = (value: string) => {
    const next = invitationStatuses.find((known) => known === value)
    return navigate({ to: '.', search: () => (next ? { status: next } : {}), replace: true, resetScroll: false })
  }
  return (
    <>
      <InvitePeople organization={organization} />
      <div className={classes.toolbar}>
        <NativeSelect
          aria-label={t('organizations.invitations.status')}
          value={status}
          onChange={({ currentTarget }) => change(currentTarget.value)}
          data={invitationStatuses.map((value) => ({ value, label: t(`organizations.invitations.statuses.${value}`) }))}
        />
      </div>
      {query.isPending ? (
        <Loading />
      ) : query.isError && items.length === 0 ? (
        <Failed error={query.error} retry={query.refetch} />
      ) : items.length > 0 ? (
        <div className={classes.frame} aria-busy={query.isPlaceholderData}>
          <Invitations organization={organization} mayWrite invitations={items} />
        </div>
      ) : (
        <Empty title={t('organizations.invitations.noneOfStatus')}>
          {t('organizations.invitations.noneOfStatusLead')}
        </Empty>
      )}
      <More query={query} />
    </>
  )
}
