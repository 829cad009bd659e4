/** How long signed tokens of the tenant last, and for whom they may be. */
import { TagsInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { changesOf } from '../parts/edit-form.tsx'
import { splitChars } from '../parts/split-chars.ts'
import { DurationInput, useDurationChecks } from './settings-duration.tsx'
import { SettingsSection } from './settings-section.tsx'
import { saveSettings, type TenantSettings } from './settings-tenant.ts'

const pick = ({ tokenSeconds, tokenAudiences }: TenantSettings) => ({
  tokenSeconds: tokenSeconds as number | null, // while it is typed
  tokenAudiences,
})

export function TokenSettings({ settings }: { readonly settings: TenantSettings }) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: pick(settings), validate: useDurationChecks('tokenSeconds') })
  return (
    <SettingsSection
      title={t('tenants.settings.tokens')}
      form={form}
      settings={settings}
      save={(values, before) => {
        const { tokenSeconds, ...rest } = changesOf(pick(before), values)
        // The API returns a fault for null.
        return saveSettings(before, {
          ...rest,
          ...(tokenSeconds !== undefined && { tokenSeconds: tokenSeconds as number }),
        })
      }}
      pick={pick}
    >
      <DurationInput
        {...form.getInputProps('tokenSeconds')}
        label={t('tenants.settings.tokenSeconds')}
        description={t('tenants.settings.tokenSecondsHint')}
        units={['minutes']}
      />
      <TagsInput
        {...form.getInputProps('tokenAudiences')}
        label={t('tenants.settings.tokenAudiences')}
        description={t('tenants.settings.tokenAudiencesHint')}
        placeholder={form.values.tokenAudiences.length === 0 ? t('tenants.settings.tokenAudiencesNone') : ''}
        splitChars={splitChars}
      />
    </SettingsSection>
  )
}
