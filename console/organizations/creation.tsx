/** Making an organization. Its slug follows the name until somebody writes one. */
import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { slugOf } from '../../src/organizations/slug-of-name.ts'
import { basePath } from '../api/base.ts'
import { api, ask } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { Form } from '../parts/form.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { organizationQuery, readOrganizationsAgain } from './organization.ts'
import { addressOf } from './slug.ts'

export function NewOrganizationPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [isOwnSlug, setIsOwnSlug] = useState(false)
  const form = useForm({ initialValues: { name: '', slug: '', logoUrl: '' } })
  const name = form.getInputProps('name')
  const slug = form.getInputProps('slug')
  const follow = (value: string) => {
    if (!isOwnSlug) form.setFieldValue('slug', slugOf(value))
  }
  return (
    <Page title={t('organizations.creation.title')} lead={t('organizations.creation.lead')}>
      <Form
        form={form}
        submit={t('organizations.creation.submit')}
        fields={{ slug_taken: 'slug' }}
        send={({ name, slug, logoUrl }) =>
          ask(
            api.POST('/api/organizations', {
              body: { name, ...(slug !== '' && { slug }), ...(logoUrl !== '' && { logoUrl }) },
            }),
          )
        }
        onDone={async (organization) => {
          queries.setQueryData(organizationQuery(organization.slug).queryKey, organization)
          void readOrganizationsAgain()
          await navigate({ to: '/organizations/$orgId', params: { orgId: organization.slug } })
          notifications.show({ message: t('organizations.creation.created', { name: organization.name }) })
        }}
        others={
          <ButtonLink to="/organizations" variant="subtle" color="gray">
            {t('general.cancel')}
          </ButtonLink>
        }
      >
        <TextInput
          {...name}
          onChange={(event) => {
            name.onChange(event)
            follow(event.currentTarget.value)
          }}
          label={t('organizations.creation.name')}
          placeholder={t('organizations.creation.namePlaceholder')}
          autoComplete="organization"
          maxLength={100}
          autoFocus
        />
        <TextInput
          {...slug}
          onChange={(event) => {
            slug.onChange(event)
            setIsOwnSlug(event.currentTarget.value !== '')
          }}
          label={t('organizations.creation.slug')}
          description={t('organizations.creation.slugHint')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={48}
          inputWrapperOrder={['label', 'description', 'input', 'error']}
        />
        {slug.value !== '' && (
          <Text size="sm" c="dimmed" mt={-8} aria-live="polite">
            {t('organizations.creation.slugPreview', { address: addressOf(slug.value, basePath) })}
          </Text>
        )}
        <TextInput
          {...form.getInputProps('logoUrl')}
          label={t('organizations.creation.logo')}
          description={t('organizations.creation.logoHint')}
          type="url"
          inputMode="url"
          autoComplete="off"
        />
      </Form>
    </Page>
  )
}
