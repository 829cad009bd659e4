/** Whether organizations of the tenant may have links to join, and how many members they may have. */
import { Switch } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { changesOf } from '../parts/edit-form.tsx'
import { LimitInput } from '../parts/limit-input.tsx'
import { SettingsSection } from './settings-section.tsx'
import { saveSettings, type TenantSettings } from './settings-tenant.ts'

const pick = ({ shareLinks, memberLimit }: TenantSettings) => ({ shareLinks, memberLimit })

export function OrganizationsSettings({ settings }: { readonly settings: TenantSettings }) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: pick(settings) })
  return (
    <SettingsSection
      title={t('tenants.settings.organizations')}
      form={form}
      settings={settings}
      save={(values, before) => saveSettings(before, changesOf(pick(before), values))}
      pick={pick}
    >
      <Switch
        {...form.getInputProps('shareLinks', { type: 'checkbox' })}
        label={t('tenants.settings.shareLinks')}
        description={t('tenants.settings.shareLinksHint')}
      />
      <LimitInput
        {...form.getInputProps('memberLimit')}
        label={t('tenants.settings.memberLimit')}
        description={t('tenants.settings.memberLimitHint')}
        placeholder={t('tenants.settings.memberLimitNone')}
      />
    </SettingsSection>
  )
}
