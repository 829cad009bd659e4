/** Creating an organization of one's own. */
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Form } from '../parts/form.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { creationOf, type Details, emptyDetails } from './fields.tsx'
import { NewDetailFields } from './new-details.tsx'
import { organizationQuery, readOrganizationsAgain } from './organization.ts'

export function NewOrganizationPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const form = useForm<Details>({ initialValues: emptyDetails })
  return (
    <Page title={t('organizations.creation.title')} lead={t('organizations.creation.lead')}>
      <Form
        form={form}
        submit={t('organizations.creation.submit')}
        fields={{ slug_taken: 'slug' }}
        send={(details) => ask(api.POST('/api/organizations', { body: creationOf(details) }))}
        onDone={async (organization) => {
          queries.setQueryData(organizationQuery(organization.slug).queryKey, organization)
          void readOrganizationsAgain()
          // "Back" does not lead to the submitted form.
          await navigate({ to: '/organizations/$orgId', params: { orgId: organization.slug }, replace: true })
          notifications.show({ message: t('organizations.creation.created', { name: organization.name }) })
        }}
        others={
          <ButtonLink to="/organizations" variant="subtle" color="gray">
            {t('general.cancel')}
          </ButtonLink>
        }
      >
        <NewDetailFields form={form} />
      </Form>
    </Page>
  )
}
