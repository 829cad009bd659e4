/** How the caller signs in: address, password, passkeys, app, recovery codes, linked accounts. */
import { useTranslation } from 'react-i18next'
import { Page } from '../parts/page.tsx'
import { EmailAddress } from './email-address.tsx'
import { LinkedAccounts } from './linked-accounts.tsx'
import { PasswordRow } from './password.tsx'
import { FactorRequired, FactorRows } from './second-factors.tsx'
import { SecurityRows } from './security-row.tsx'

export function SecurityPage() {
  const { t } = useTranslation()
  return (
    <Page title={t('users.security.title')}>
      <FactorRequired />
      <SecurityRows>
        <EmailAddress />
        <PasswordRow />
        <FactorRows />
        <LinkedAccounts />
      </SecurityRows>
    </Page>
  )
}
