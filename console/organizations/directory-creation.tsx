/** Creating an organization for somebody, who becomes its owner, by an admin. */
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { isRefusal, Refusal } from '../api/refusal.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { choiceOf, PersonSelect } from '../parts/person-select.tsx'
import { useUnsaved } from '../parts/unsaved.ts'
import { tenantOrganizationQuery } from './directory-search.ts'
import { creationOf, emptyDetails } from './fields.tsx'
import { NewDetailFields } from './new-details.tsx'

interface CreateOrganizationProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function CreateOrganization({ isOpen, onClose }: CreateOrganizationProps) {
  const { t } = useTranslation()
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t('organizations.creation.title')}>
      <CreationForm onClose={onClose} />
    </Dialog>
  )
}

function CreationForm({ onClose }: Pick<CreateOrganizationProps, 'onClose'>) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const form = useForm({ initialValues: { ...emptyDetails, ownerId: '' } })
  useUnsaved(form)
  return (
    <Form
      form={form}
      submit={t('organizations.creation.submit')}
      fields={{ slug_taken: 'slug' }}
      send={({ ownerId, ...details }) =>
        ask(api.POST('/api/admin/organizations', { body: { ...creationOf(details), ownerId } })).catch(
          (error: unknown) => {
            if (!isRefusal(error, 'limit_reached')) throw error
            // In words for an admin. The usual text is for a person who creates their own.
            const detail = t('directory.organizationCreation.full')
            throw new Refusal({
              code: 'invalid_request',
              errors: [{ pointer: '/ownerId', code: 'not_allowed', detail }],
            })
          },
        )
      }
      onDone={async (organization) => {
        const { id, name } = organization
        notifications.show({ message: t('organizations.creation.created', { name }) })
        queries.setQueryData(tenantOrganizationQuery(id).queryKey, organization)
        void queries.invalidateQueries({ queryKey: ['organizations'] })
        void queries.invalidateQueries({ queryKey: ['admin'] })
        form.resetDirty()
        onClose()
        await navigate({ to: '/admin/organizations/$organizationId', params: { organizationId: id } })
      }}
    >
      <NewDetailFields form={form} />
      <PersonSelect
        field={form.getInputProps('ownerId')}
        label={t('directory.organizationCreation.owner')}
        hint={t('directory.organizationCreation.ownerHint')}
        nobody={t('directory.organizationCreation.nobody')}
        queryKey={['admin', 'users', 'candidates']}
        find={async (query) => {
          const of = { ...query, status: 'active', sort: 'name', limit: 20 } as const
          const { data } = await ask(api.GET('/api/admin/users', { params: { query: of } }))
          return data.map(choiceOf)
        }}
      />
    </Form>
  )
}
