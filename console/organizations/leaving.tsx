/** Leaving an organization. The only owner cannot leave; the page says why. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../parts/confirm.tsx'
import { forgetUnsaved } from '../parts/unsaved.ts'
import { removeMember, useMembers } from './member.ts'
import { forgetOrganization, myOrganizationQuery, type Organization } from './organization.ts'

/** Whether the caller may leave; undefined until it is known. */
export function useMayLeave({ slug, role }: Organization): boolean | undefined {
  const { items, query } = useMembers(slug, { role: 'owner' }, { limit: 5, enabled: role === 'owner' })
  if (role !== 'owner') return true
  return query.isPending ? undefined : items.length > 1
}

interface LeavingProps {
  readonly organization: Organization
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function Leaving({ organization, isOpen, onClose }: LeavingProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  return (
    <Confirm
      title={t('organizations.leaving.title', { name: organization.name })}
      submit={t('organizations.leaving.submit')}
      isOpen={isOpen}
      onClose={onClose}
      act={() => removeMember(organization.id, 'me')}
      onDone={async () => {
        forgetUnsaved()
        await navigate({ to: '/organizations' })
        void forgetOrganization(organization)
        notifications.show({ message: t('organizations.leaving.done', { name: organization.name }) })
      }}
    >
      {t('organizations.leaving.lead')}
    </Confirm>
  )
}

/** For members who cannot open the organization, since it requires a second factor or they are suspended: they may still leave it. */
export function LeavingInstead() {
  const { t } = useTranslation()
  const { orgId } = useParams({ strict: false })
  const { data: organization } = useQuery({ ...myOrganizationQuery(orgId ?? ''), enabled: orgId !== undefined })
  const [isOpen, { open, close }] = useDisclosure()
  if (!organization) return null
  return (
    <>
      <Button variant="default" c="red" onClick={open}>
        {t('organizations.leaving.leaveInstead')}
      </Button>
      <Leaving organization={organization} isOpen={isOpen} onClose={close} />
    </>
  )
}
