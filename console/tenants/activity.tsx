/** The tenant's audit log, for its admins; of one user if the address names one. */
import { Group, Pill } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Page } from '../parts/page.tsx'
import { userNameQuery } from '../users/administration-user.ts'
import { TenantLog } from './log.tsx'
import '../texts/administration.ts'

export function TenantActivityPage() {
  const { t } = useTranslation()
  const { userId } = useSearch({ from: '/inside/admin/activity' })
  return (
    <Page title={t('tenants.activity.title')} width="wide">
      {userId !== undefined && <OfUser userId={userId} />}
      <TenantLog userId={userId} />
    </Page>
  )
}

/** The user of the log, and a link to the log of everyone. */
function OfUser({ userId }: { readonly userId: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const search = useSearch({ from: '/inside/admin/activity' })
  const { data, isPending, failureCount } = useQuery(userNameQuery(userId))
  const name = data ?? t(data === null ? 'audit.people.deleted' : 'tenants.activity.oneUser')
  const isNaming = isPending && failureCount === 0
  const remove = t('tenants.activity.ofAll')
  return (
    <Group mb="md">
      <Pill
        size="lg"
        style={{ visibility: isNaming ? 'hidden' : undefined }} // the button is behind the name, and would move
        withRemoveButton
        onRemove={() => navigate({ to: '/admin/activity', search: { ...search, userId: undefined } })}
        removeButtonProps={{ 'aria-label': remove, title: remove, 'aria-hidden': false, tabIndex: 0 }}
      >
        {t('tenants.activity.of', { name })}
      </Pill>
    </Group>
  )
}
