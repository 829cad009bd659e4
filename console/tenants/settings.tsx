/** The tenant's settings. Each section is saved separately. */
import { useTranslation } from 'react-i18next'
import { Page } from '../parts/page.tsx'
import { LoadingOrFailed } from '../parts/states.tsx'
import { BrandSettings } from './settings-brand.tsx'
import { KeySettings } from './settings-keys.tsx'
import { OperatorSettings } from './settings-operator.tsx'
import { OrganizationsSettings } from './settings-organizations.tsx'
import { PrivacySettings, SessionSettings, SignInSettings, SignUpSettings } from './settings-rules.tsx'
import { useTenantSettings } from './settings-tenant.ts'
import { TokenSettings } from './settings-tokens.tsx'
import { useTenant } from './tenant.ts'
import '../texts/administration.ts'

export function TenantSettingsPage() {
  const { t } = useTranslation()
  const query = useTenantSettings()
  const { data: settings } = query
  return (
    <Page title={t('tenants.settings.title')} lead={t('tenants.settings.lead', { tenant: useTenant().name })}>
      {settings ? (
        <>
          <BrandSettings settings={settings} />
          <SignUpSettings settings={settings} />
          <SignInSettings settings={settings} />
          <SessionSettings settings={settings} />
          <PrivacySettings settings={settings} />
          <OrganizationsSettings settings={settings} />
          <KeySettings settings={settings} />
          <TokenSettings settings={settings} />
          <OperatorSettings settings={settings} />
        </>
      ) : (
        <LoadingOrFailed query={query} rows={8} />
      )}
    </Page>
  )
}
