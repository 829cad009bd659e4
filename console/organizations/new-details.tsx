/** The fields of a new organization. The slug follows the name until the user edits it. */
import { Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isReservedSlug } from '../../src/domain/organizations/reserved-slugs.ts'
import { slugOf } from '../../src/domain/organizations/slug-of-name.ts'
import { basePath } from '../api/base.ts'
import { DetailFields, type DetailForm } from './fields.tsx'
import { addressOf } from './slug.ts'

/** Empty where the API makes one that nobody can foresee. */
function suggestedFor(name: string): string {
  const slug = slugOf(name)
  return isReservedSlug(slug) ? '' : slug
}

export function NewDetailFields({ form }: { readonly form: DetailForm }) {
  const { t } = useTranslation()
  const [isOwnSlug, setIsOwnSlug] = useState(false)
  const { slug } = form.values
  return (
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
  )
}
