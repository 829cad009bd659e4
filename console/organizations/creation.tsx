/** Creating an organization. The slug follows the name until the user edits it. */
import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isReservedSlug } from '../../src/domain/organizations/reserved-slugs.ts'
import { slugOf } from '../../src/domain/organizations/slug-of-name.ts'
import { basePath } from '../api/base.ts'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Form } from '../parts/form.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { creationOf, DetailFields, type Details, emptyDetails } from './fields.tsx'
import { organizationQuery, readOrganizationsAgain } from './organization.ts'
import { addressOf } from './slug.ts'

/** Empty where the API makes one that nobody can foresee. */
function suggestedFor(name: string): string {
  const slug = slugOf(name)
  return isReservedSlug(slug) ? '' : slug
}

export function NewOrganizationPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [isOwnSlug, setIsOwnSlug] = useState(false)
  const form = useForm<Details>({ initialValues: emptyDetails })
  const { slug } = form.values
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
        <DetailFields
          form={form}
          isNew
          onInput={(field, text) => {
            if (field === 'name' && !isOwnSlug) form.setFieldValue('slug', suggestedFor(text))
            if (field === 'slug') setIsOwnSlug(text !== '')
          }}
          belowSlug={
            slug !== '' && (
              <Text size="sm" c="dimmed" mt={-8} aria-live="polite">
                {t('organizations.creation.slugPreview', { address: addressOf(slug, basePath) })}
              </Text>
            )
          }
        />
      </Form>
    </Page>
  )
}
