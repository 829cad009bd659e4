/** A part of the settings that is saved by itself: only what was changed in it is sent. */
import type { UseFormReturnType } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Form } from '../parts/form.tsx'
import { Section } from '../parts/page.tsx'
import { useUnsaved } from '../parts/unsaved.tsx'
import type { TenantSettings } from './settings-tenant.ts'

interface SettingsSectionProps<Values extends Record<string, unknown>> {
  readonly title: string
  readonly lead?: string
  readonly form: UseFormReturnType<Values>
  readonly save: (values: Values) => Promise<TenantSettings>
  /** The form's values in settings that were saved. */
  readonly pick: (settings: TenantSettings) => Values
  readonly children: ReactNode
}

export function SettingsSection<Values extends Record<string, unknown>>(props: SettingsSectionProps<Values>) {
  const { title, lead, form, save, pick, children } = props
  const { t } = useTranslation()
  useUnsaved(form)
  return (
    <Section title={title} lead={lead}>
      <Form
        form={form}
        submit={t('general.save')}
        disabled={!form.isDirty()}
        send={save}
        onDone={(settings) => {
          // In the form in which they are kept: trimmed, in lower case.
          form.setInitialValues(pick(settings))
          form.reset()
          notifications.show({ message: t('tenants.settings.savedSection', { section: title }) })
        }}
      >
        {children}
      </Form>
    </Section>
  )
}
