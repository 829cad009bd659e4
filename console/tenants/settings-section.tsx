/** A section of the settings with its own form. Only changed fields are sent. */
import type { UseFormReturnType } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { EditForm } from '../parts/edit-form.tsx'
import { Section } from '../parts/page.tsx'
import { readSettings, type TenantSettings } from './settings-tenant.ts'

interface SettingsSectionProps<Values extends Record<string, unknown>> {
  /** The fragment of links to it. */
  readonly id?: string
  readonly title: string
  readonly lead?: string
  readonly form: UseFormReturnType<Values>
  readonly settings: TenantSettings
  readonly save: (values: Values, before: TenantSettings) => Promise<TenantSettings>
  /** The values of the form in the settings. */
  readonly pick: (settings: TenantSettings) => Values
  readonly children: ReactNode
}

export function SettingsSection<Values extends Record<string, unknown>>(props: SettingsSectionProps<Values>) {
  const { id, title, lead, form, settings, save, pick, children } = props
  const { t } = useTranslation()
  return (
    <Section {...(id !== undefined && { id })} title={title} lead={lead}>
      <EditForm
        form={form}
        thing={settings}
        pick={pick}
        read={readSettings}
        save={save}
        onSaved={() => notifications.show({ message: t('tenants.settings.savedSection', { section: title }) })}
      >
        {children}
      </EditForm>
    </Section>
  )
}
