/** The fields of an organization, for creating, editing and reading it. Each is listed once; the compiler names a missing one. */
import { TextInput, type TextInputProps } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../api/client.ts'
import type { Organization } from './organization.ts'
import classes from './settings.module.css'

type Changes = Body<'updateOrganization'>

/** What the API takes, but for `metadata`, which only the API writes, `logoUrl`, as it is uploaded, and `secondFactor`, which has a form of its own. */
type FieldName = Exclude<keyof Changes, 'metadata' | 'logoUrl' | 'secondFactor'>

/** The values of the fields. An empty text means that there is no value. */
export type Details = { readonly [Name in FieldName]: string }

interface Field {
  /** Keys of `organizations.fields` in the texts. */
  readonly label: 'name' | 'slug'
  readonly hint?: 'slugHint'
  /** Whether the API refuses to clear it. */
  readonly isRequired?: true
  readonly input?: TextInputProps
}

/** In the order of the form. */
const fields: { readonly [Name in FieldName]: Field } = {
  name: { label: 'name', isRequired: true, input: { maxLength: 100 } },
  slug: {
    label: 'slug',
    hint: 'slugHint',
    isRequired: true,
    input: { autoCapitalize: 'none', spellCheck: false, maxLength: 48 },
  },
}
const listed = Object.entries(fields) as [FieldName, Field][] // the entries of the object above

export const emptyDetails = valuesOf(() => '')

export function detailsOf(organization: Organization): Details {
  return valuesOf((name) => organization[name] ?? '')
}

function valuesOf(read: (name: FieldName) => string): Details {
  return Object.fromEntries(listed.map(([name]) => [name, read(name)])) as Details // of each field
}

/** A new organization, for the API: empty fields are omitted, but for the name, without which there is none. */
export function creationOf(details: Details): Partial<Details> & Pick<Details, 'name'> {
  const filled: Partial<Details> = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== ''))
  return { ...filled, name: details.name }
}

/** The changed fields, for the API. */
export function changesOf(before: Organization, details: Details): Changes {
  const was = detailsOf(before)
  const changed = listed.filter(([name]) => details[name] !== was[name])
  return Object.fromEntries(
    changed.map(([name, { isRequired }]) => [name, details[name] === '' && !isRequired ? null : details[name]]),
  )
}

/** A form that has these fields, and may have others. */
export type DetailForm = Pick<UseFormReturnType<Details>, 'values' | 'getInputProps' | 'setFieldValue'>

interface DetailFieldsProps {
  readonly form: DetailForm
  readonly onInput?: (name: FieldName, text: string) => void
  /** A hint about the current slug. */
  readonly belowSlug: ReactNode
  readonly isNew?: boolean
}

export function DetailFields({ form, onInput, belowSlug, isNew = false }: DetailFieldsProps) {
  const { t } = useTranslation()
  const ofNewName = { placeholder: t('organizations.fields.namePlaceholder'), autoComplete: 'organization' }
  return listed.map(([name, { label, hint, input }]) => {
    const ofForm = form.getInputProps(name)
    return (
      <Fragment key={name}>
        <TextInput
          {...ofForm}
          onChange={(event) => {
            ofForm.onChange(event)
            onInput?.(name, event.currentTarget.value)
          }}
          label={t(`organizations.fields.${label}`)}
          {...(hint && { description: t(`organizations.fields.${hint}`) })}
          autoComplete="off"
          {...input}
          {...(isNew && name === 'name' && { ...ofNewName, autoFocus: true, 'data-autofocus': true })}
        />
        {name === 'slug' && belowSlug}
      </Fragment>
    )
  })
}

/** For members who may not change them. */
export function DetailFacts({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  const details = detailsOf(organization)
  return (
    <dl className={classes.facts}>
      {listed.map(([name, { label }]) => (
        <div key={name}>
          <dt>{t(`organizations.fields.${label}`)}</dt>
          <dd>{details[name] || t('organizations.settings.none')}</dd>
        </div>
      ))}
    </dl>
  )
}
