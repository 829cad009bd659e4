/** The members of any organization, for admins: found, changed, removed and invited as an owner could. */
import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useAnyOrganization } from './directory-organization.tsx'
import { Inviting } from './inviting.tsx'
import { MemberList } from './members.tsx'
import type { Organization } from './organization.ts'

export function TenantMembersPage() {
  const organization = useAnyOrganization()
  return (
    <>
      <InvitePeople organization={organization} />
      <MemberList organization={organization} />
    </>
  )
}

/** The button that opens the dialog for inviting, and the dialog. */
export function InvitePeople({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <Group mb="md">
      <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
        {t('organizations.inviting.open')}
      </Button>
      <Inviting organization={organization} isOpen={isOpen} onClose={close} />
    </Group>
  )
}
