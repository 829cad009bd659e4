/** The dialogs of a member's row: what they hold, changes of it, and what must be confirmed. */
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Confirm } from '../parts/confirm.tsx'
import { useEndDate } from './ends.tsx'
import { Leaving } from './leaving.tsx'
import { changeMember, changeRole, type Member, nameOf, removeMember, transferOwnership } from './member.ts'
import { MemberAccess } from './member-access.tsx'
import { explained } from './member-faults.ts'
import { type Organization, readOrganizationsAgain } from './organization.ts'
import { whereOf } from './place.ts'
import type { Role } from './roles.ts'
import { TransferLead } from './transfer-lead.tsx'

type Action =
  | {
      readonly is: 'transferring' | 'removing' | 'leaving' | 'changing' | 'seeing' | 'suspending' | 'reactivating'
      readonly member: Member
    }
  | { readonly is: 'seeingOwn' }
  | { readonly is: 'demoting'; readonly member: Member; readonly role: Role }
  | { readonly is: 'promoting'; readonly member: Member; readonly onSure: () => void }

/** @returns a function that opens the dialog, and the dialog for the page */
export function useMemberActions(organization: Organization) {
  const [action, setAction] = useState<Action>()
  const [isOpen, { open, close }] = useDisclosure()
  const confirm = (next: Action) => {
    setAction(next)
    open()
  }
  const dialog = { organization, isOpen, onClose: close }
  return { confirm, dialog: action && <MemberDialog action={action} {...dialog} /> }
}

interface MemberDialogProps {
  readonly action: Action
  readonly organization: Organization
  readonly isOpen: boolean
  readonly onClose: () => void
}

function MemberDialog({ action, organization, isOpen, onClose }: MemberDialogProps) {
  const { t } = useTranslation()
  const dateOf = useEndDate()
  const dialog = { isOpen, onClose }
  if (action.is === 'seeingOwn') return <MemberAccess organization={organization} {...dialog} />
  const { member } = action
  const name = nameOf(member)
  const isAny = organization.membership === null // the caller acts as an admin, who need not be a member
  const tell = (message: string) => notifications.show({ message })
  if (action.is === 'changing' || action.is === 'seeing')
    return <MemberAccess organization={organization} member={member} mayChange={action.is === 'changing'} {...dialog} />
  if (action.is === 'suspending' || action.is === 'reactivating') {
    const { is } = action
    const where = whereOf(organization)
    const terms = { before: member, after: member }
    return (
      <Confirm
        {...dialog}
        title={t(`organizations.access.${is}.title`, { name })}
        submit={t(`organizations.access.${is}.submit`)}
        isGiving={is === 'reactivating'}
        act={() =>
          changeMember(where, member.id, { status: is === 'suspending' ? 'suspended' : 'active' }).catch(
            async (error: unknown) => {
              throw await explained(error, where, terms, dateOf)
            },
          )
        }
        onDone={() => {
          void readOrganizationsAgain()
          tell(t(`organizations.access.${is}.done`, { name }))
        }}
      >
        {t(`organizations.access.${is}.lead`, { name, organization: organization.name })}
      </Confirm>
    )
  }
  if (action.is === 'leaving') return <Leaving organization={organization} {...dialog} />
  if (action.is === 'demoting') {
    const role = t(`organizations.members.asRole.${action.role}`)
    return (
      <Confirm
        {...dialog}
        title={t('organizations.members.demoting.title')}
        submit={t('organizations.members.demoting.submit')}
        act={() => changeRole(whereOf(organization), member.id, action.role)}
        onDone={() => {
          void readOrganizationsAgain() // the frame tells the new role
        }}
      >
        {t('organizations.members.demoting.lead', { role, organization: organization.name })}
      </Confirm>
    )
  }
  if (action.is === 'promoting')
    return (
      <Confirm
        {...dialog}
        title={t('organizations.members.promoting.title', { name })}
        submit={t('organizations.members.promoting.submit')}
        isGiving
        act={async () => action.onSure()}
      >
        {t(isAny ? 'organizations.members.promoting.leadAny' : 'organizations.members.promoting.lead', {
          name,
          organization: organization.name,
        })}
      </Confirm>
    )
  if (action.is === 'transferring')
    return (
      <Confirm
        {...dialog}
        title={t('organizations.members.transferring.title', { name })}
        submit={t('organizations.members.transferring.submit')}
        isGiving
        act={() => transferOwnership(whereOf(organization), member.id)}
        onDone={() => {
          void readOrganizationsAgain()
          tell(t('organizations.members.transferring.done', { name, organization: organization.name }))
        }}
      >
        {isAny ? (
          <TransferLead orgId={organization.id} />
        ) : (
          t('organizations.members.transferring.lead', { name, organization: organization.name })
        )}
      </Confirm>
    )
  return (
    <Confirm
      {...dialog}
      title={t('organizations.members.removing.title', { name })}
      submit={t('organizations.members.removing.submit')}
      act={() => removeMember(whereOf(organization), member.id)}
      onDone={() => {
        void readOrganizationsAgain()
        tell(t('organizations.members.removing.done', { name }))
      }}
    >
      {t('organizations.members.removing.lead', { name, organization: organization.name })}
    </Confirm>
  )
}
