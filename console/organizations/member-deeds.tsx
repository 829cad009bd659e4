/** The dialogs for actions on a member that the caller or the member cannot undo. */
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../parts/confirm.tsx'
import { Leaving } from './leaving.tsx'
import { changeRole, type Member, nameOf, removeMember, transferOwnership } from './member.ts'
import { type Organization, readOrganizationsAgain } from './organization.ts'
import type { Role } from './roles.ts'
import { focusHeading } from './row-menu.tsx'

type Deed =
  | { readonly is: 'transferring' | 'removing' | 'leaving'; readonly member: Member }
  | { readonly is: 'stepping'; readonly member: Member; readonly role: Role }
  | { readonly is: 'raising'; readonly member: Member; readonly onSure: () => void }

/**
 * @param onRemoved called when a member was removed, before their row disappears
 * @returns a function that opens the dialog, and the dialog for the page
 */
export function useMemberDeeds(organization: Organization, onRemoved: (id: string) => void) {
  const [deed, setDeed] = useState<Deed>()
  const [isOpen, { open, close }] = useDisclosure()
  const ask = (next: Deed) => {
    setDeed(next)
    open()
  }
  const dialog = { organization, isOpen, onClose: close, onRemoved }
  return { ask, dialog: deed && <Asking deed={deed} {...dialog} /> }
}

interface AskingProps {
  readonly deed: Deed
  readonly organization: Organization
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onRemoved: (id: string) => void
}

function Asking({ deed, organization, isOpen, onClose, onRemoved }: AskingProps) {
  const { t } = useTranslation()
  const { member } = deed
  const name = nameOf(member)
  const dialog = { isOpen, onClose }
  const tell = (message: string) => notifications.show({ message })
  if (deed.is === 'leaving') return <Leaving organization={organization} {...dialog} />
  if (deed.is === 'stepping') {
    const role = t(`organizations.members.asRole.${deed.role}`)
    return (
      <Confirm
        {...dialog}
        title={t('organizations.members.stepping.title')}
        deed={t('organizations.members.stepping.deed')}
        act={() => changeRole(organization.id, member.id, deed.role)}
        onDone={() => {
          focusHeading()
          void readOrganizationsAgain() // the frame tells the new role
        }}
      >
        {t('organizations.members.stepping.lead', { role, organization: organization.name })}
      </Confirm>
    )
  }
  if (deed.is === 'raising')
    return (
      <Confirm
        {...dialog}
        title={t('organizations.members.raising.title', { name })}
        deed={t('organizations.members.raising.deed')}
        isGiving
        act={async () => deed.onSure()}
      >
        {t('organizations.members.raising.lead', { name, organization: organization.name })}
      </Confirm>
    )
  if (deed.is === 'transferring')
    return (
      <Confirm
        {...dialog}
        title={t('organizations.members.transferring.title', { name })}
        deed={t('organizations.members.transferring.deed')}
        isGiving
        act={() => transferOwnership(organization.id, member.id)}
        onDone={() => {
          focusHeading()
          void readOrganizationsAgain()
          tell(t('organizations.members.transferring.done', { name, organization: organization.name }))
        }}
      >
        {t('organizations.members.transferring.lead', { name, organization: organization.name })}
      </Confirm>
    )
  return (
    <Confirm
      {...dialog}
      title={t('organizations.members.removing.title', { name })}
      deed={t('organizations.members.removing.deed')}
      act={() => removeMember(organization.id, member.id)}
      onDone={() => {
        onRemoved(member.id)
        void readOrganizationsAgain()
        tell(t('organizations.members.removing.done', { name }))
      }}
    >
      {t('organizations.members.removing.lead', { name, organization: organization.name })}
    </Confirm>
  )
}
