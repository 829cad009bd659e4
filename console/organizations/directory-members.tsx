/** The members of any organization, for admins: found, changed, removed and invited as an owner could. */
import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useAnyOrganization } from './directory-organization.tsx'
import { Inviting } from './inviting.tsx'
import { MemberList } from './members.tsx'
import type { Organization } from './organization.ts'
import { Unlisted } from './unlisted.tsx'

export function TenantMembersPage() {
  const organization = useAnyOrganization()
  return (
    <>
      <InvitePeople organization={organization}>
        <Unlisted organization={organization} />
      </InvitePeople>
      <MemberList organization={organization} />
    </>
  )
}

interface InvitePeopleProps {
  readonly organization: Organization
  /** At the end of its row. */
  readonly children?: ReactNode
}

/** The button that opens the dialog for inviting, and the dialog. */
export function InvitePeople({ organization, children }: InvitePeopleProps) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <Group mb="md">
      <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
        {t('organizations.inviting.open')}
      </Button>
      <Inviting organization={organization} isOpen={isOpen} onClose={close} />
      {children}
    </Group>
  )
}
