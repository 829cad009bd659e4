/** The dialog for resending an invitation, or for mailing one that was made without a mail. */
import { Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { Confirm } from '../parts/confirm.tsx'
import { wordsOf } from '../texts/refusals.ts'
import { type Invitation, resendInvitation } from './invitation.ts'
import { Lifetime } from './inviting-options.tsx'
import { usualDays } from './inviting-terms.ts'
import { type Organization, readOrganizationsAgain } from './organization.ts'
import { whereOf } from './place.ts'

/** @returns a function that opens the dialog, and the dialog for the page */
export function useResending(organization: Organization) {
  const { t } = useTranslation()
  const [invitation, setInvitation] = useState<Invitation>()
  const [days, setDays] = useState(usualDays)
  const [isOpen, { open, close }] = useDisclosure()
  const confirm = (next: Invitation) => {
    setInvitation(next)
    setDays(usualDays)
    open()
  }
  const email = invitation?.email ?? t('organizations.invitations.deletedPerson')
  const isFirst = invitation?.mailed === false
  const dialog = invitation && (
    <Confirm
      title={t('organizations.invitations.resending.title')}
      submit={t('organizations.invitations.resending.submit')}
      isGiving
      isOpen={isOpen}
      onClose={close}
      // Also after a refusal: the invitation may have been answered meanwhile.
      act={() =>
        resendInvitation(whereOf(organization), invitation.id, days)
          .catch((error: unknown) => {
            // The usual text goes on with advice for the person whose address it is.
            throw isRefusal(error, 'email_domain_not_allowed') ? new Error(wordsOf(error).title) : error
          })
          .finally(() => void readOrganizationsAgain())
      }
      onDone={() =>
        notifications.show({
          message: t(`organizations.invitations.resending.${isFirst ? 'doneFirst' : 'done'}`, { email }),
        })
      }
    >
      <Stack gap="md">
        <span>{t(`organizations.invitations.resending.${isFirst ? 'leadFirst' : 'lead'}`, { email })}</span>
        <Lifetime value={days} onChange={setDays} />
      </Stack>
    </Confirm>
  )
  return { confirm, dialog }
}
