/** The dialog for revoking an invitation. */
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../parts/confirm.tsx'
import { type Invitation, revokeInvitation } from './invitation.ts'
import { type Organization, readOrganizationsAgain } from './organization.ts'
import { whereOf } from './place.ts'

/** @returns a function that opens the dialog, and the dialog for the page */
export function useRevoking(organization: Organization) {
  const { t } = useTranslation()
  const [invitation, setInvitation] = useState<Invitation>()
  const [isOpen, { open, close }] = useDisclosure()
  const confirm = (next: Invitation) => {
    setInvitation(next)
    open()
  }
  const email = invitation?.email ?? t('organizations.invitations.deletedPerson')
  const dialog = invitation && (
    <Confirm
      title={t('organizations.invitations.revoking.title')}
      submit={t('organizations.invitations.revoking.submit')}
      isOpen={isOpen}
      onClose={close}
      act={() => revokeInvitation(whereOf(organization), invitation.id)}
      onDone={() => {
        void readOrganizationsAgain()
        notifications.show({ message: t('organizations.invitations.revoking.done', { email }) })
      }}
    >
      {t('organizations.invitations.revoking.lead', { email })}
    </Confirm>
  )
  return { confirm, dialog }
}
