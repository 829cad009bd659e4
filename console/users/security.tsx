/** How the caller signs in: address, password, factors, linked accounts. */
import { useTranslation } from 'react-i18next'
import { Page, Section } from '../parts/page.tsx'
import { EmailAddress } from './email-address.tsx'
import { LinkedAccounts } from './linked-accounts.tsx'
import { useMe } from './me.ts'
import { PasswordForm } from './password.tsx'
import { SecondFactors } from './second-factors.tsx'

export function SecurityPage() {
  const { t } = useTranslation()
  const { hasPassword } = useMe()
  return (
    <Page title={t('users.security.title')} lead={t('users.security.lead')}>
      <Section title={t('users.security.email')} lead={t('users.security.emailLead')}>
        <EmailAddress />
      </Section>
      <Section
        title={t('users.security.password')}
        lead={t(hasPassword ? 'users.security.passwordLead' : 'users.security.noPasswordLead')}
      >
        <PasswordForm />
      </Section>
      <SecondFactors />
      <LinkedAccounts />
    </Page>
  )
}
