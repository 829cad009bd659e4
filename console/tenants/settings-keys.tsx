/** Who may have keys and webhooks, and how long a key works whose holder left. */
import { Switch } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { changesOf } from '../parts/edit-form.tsx'
import { DurationInput, useDurationChecks } from './settings-duration.tsx'
import { SettingsSection } from './settings-section.tsx'
import { saveSettings, type TenantSettings } from './settings-tenant.ts'

const pick = ({ personalKeys, organizationKeys, organizationWebhooks, keyGraceSeconds }: TenantSettings) => ({
  personalKeys,
  organizationKeys,
  organizationWebhooks,
  keyGraceSeconds: keyGraceSeconds as number | null, // while it is typed
})

export function KeySettings({ settings }: { readonly settings: TenantSettings }) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: pick(settings), validate: useDurationChecks('keyGraceSeconds') })
  return (
    <SettingsSection
      title={t('tenants.settings.keys')}
      form={form}
      settings={settings}
      save={(values, before) => {
        const { keyGraceSeconds, ...rest } = changesOf(pick(before), values)
        // The API returns a fault for null.
        return saveSettings(before, {
          ...rest,
          ...(keyGraceSeconds !== undefined && { keyGraceSeconds: keyGraceSeconds as number }),
        })
      }}
      pick={pick}
    >
      <Switch
        {...form.getInputProps('personalKeys', { type: 'checkbox' })}
        label={t('tenants.settings.personalKeys')}
        description={t('tenants.settings.personalKeysHint')}
      />
      <Switch
        {...form.getInputProps('organizationKeys', { type: 'checkbox' })}
        label={t('tenants.settings.organizationKeys')}
        description={t('tenants.settings.organizationKeysHint')}
      />
      <Switch
        {...form.getInputProps('organizationWebhooks', { type: 'checkbox' })}
        label={t('tenants.settings.organizationWebhooks')}
        description={t('tenants.settings.organizationWebhooksHint')}
      />
      <DurationInput
        {...form.getInputProps('keyGraceSeconds')}
        label={t('tenants.settings.keyGrace')}
        description={t('tenants.settings.keyGraceHint')}
        units={['hours', 'days']}
      />
    </SettingsSection>
  )
}
