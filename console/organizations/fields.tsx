/** The fields of an organization, for creating and editing it. */
import { TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Organization } from './organization.ts'

/** The values of the fields. An empty logo means no logo. */
export interface Details extends Record<string, unknown> {
  readonly name: string
  readonly slug: string
  readonly logoUrl: string
}

export function detailsOf({ name, slug, logoUrl }: Organization): Details {
  return { name, slug, logoUrl: logoUrl ?? '' }
}

interface DetailFieldsProps {
  readonly form: UseFormReturnType<Details>
  readonly onName?: (name: string) => void
  readonly onSlug?: (slug: string) => void
  /** A hint about the current slug. */
  readonly belowSlug: ReactNode
  readonly isNew?: boolean
}

export function DetailFields({ form, onName, onSlug, belowSlug, isNew = false }: DetailFieldsProps) {
  const { t } = useTranslation()
  const name = form.getInputProps('name')
  const slug = form.getInputProps('slug')
  return (
    <>
      <TextInput
        {...name}
        onChange={(event) => {
          name.onChange(event)
          onName?.(event.currentTarget.value)
        }}
        label={t('organizations.fields.name')}
        {...(isNew && { placeholder: t('organizations.fields.namePlaceholder') })}
        autoComplete={isNew ? 'organization' : 'off'}
        maxLength={100}
        autoFocus={isNew}
      />
      <TextInput
        {...slug}
        onChange={(event) => {
          slug.onChange(event)
          onSlug?.(event.currentTarget.value)
        }}
        label={t('organizations.fields.slug')}
        description={t('organizations.fields.slugHint')}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={48}
      />
      {belowSlug}
      <TextInput
        {...form.getInputProps('logoUrl')}
        label={t('organizations.fields.logo')}
        description={t('organizations.fields.logoHint')}
        type="url"
        inputMode="url"
        autoComplete="off"
      />
    </>
  )
}
