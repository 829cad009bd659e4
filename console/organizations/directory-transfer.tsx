/** Transferring an organization, by a tenant admin, who need not be a member. */
import { Button, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import { api, ask, type Schemas } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { choiceOf, PersonSelect } from '../parts/person-select.tsx'
import { readTenantMembers, tenantOrganizationsKey } from './directory-search.ts'
import { mayBecomeOwner } from './roles.ts'
import { TransferLead } from './transfer-lead.tsx'

interface TransferOrganizationProps {
  readonly organization: Pick<Schemas['Organization'], 'id' | 'name'>
  readonly size?: 'xs' | 'sm'
  readonly onDone?: () => unknown
}

export function TransferOrganization({ organization, size = 'sm', onDone }: TransferOrganizationProps) {
  const { t } = useTranslation()
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button
        variant="default"
        size={size}
        onClick={open}
        aria-label={t('directory.transfer.openOf', { name: organization.name })}
      >
        {t('directory.transfer.open')}
      </Button>
      <Dialog
        stackId={`transfer-${organization.id}`}
        opened={isOpen}
        onClose={close}
        title={t('directory.transfer.title', { name: organization.name })}
      >
        <Transfer
          organization={organization}
          onDone={(owner) => {
            close()
            notifications.show({ message: t('directory.transfer.done', { name: organization.name, owner }) })
            void queries.invalidateQueries({ queryKey: ['organizations'] })
            void queries.invalidateQueries({ queryKey: ['admin'] })
            onDone?.()
          }}
        />
      </Dialog>
    </>
  )
}

interface TransferProps {
  readonly organization: TransferOrganizationProps['organization']
  readonly onDone: (owner: string) => void
}

function Transfer({ organization: { id }, onDone }: TransferProps) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { memberId: '' } })
  return (
    <Stack gap="md">
      <Text size="sm">
        <TransferLead orgId={id} />
      </Text>
      <Form
        form={form}
        submit={t('directory.transfer.submit')}
        disabled={form.values.memberId === ''}
        fields={{
          not_found: 'memberId',
          already_owner: 'memberId',
          owner_cannot_end: 'memberId',
          user_suspended: 'memberId',
        }}
        send={({ memberId }) =>
          ask(
            api.POST('/api/admin/organizations/{orgId}/transfer', {
              params: { path: { orgId: id } },
              body: { memberId },
            }),
          )
        }
        onDone={({ to }) => onDone(to.user.name ?? to.user.email)}
      >
        <PersonSelect
          field={form.getInputProps('memberId')}
          label={t('directory.transfer.member')}
          hint={t('directory.transfer.memberHint')}
          nobody={t('directory.transfer.nobody')}
          isFirst
          // Not below the key of `members`, whose lists show a changed role at once.
          queryKey={[...tenantOrganizationsKey, id, 'candidates']}
          find={async (query) => {
            const { data } = await readTenantMembers(id, { ...query, sort: 'name', limit: 20 })
            const others = data.filter(mayBecomeOwner)
            return others.map((member) => ({ ...choiceOf(member.user), value: member.id }))
          }}
        />
      </Form>
    </Stack>
  )
}
