/** How the caller signs in: address, password, passkeys, app, recovery codes, linked accounts. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Page } from '../parts/page.tsx'
import { Loading } from '../parts/states.tsx'
import { EmailAddress } from './email-address.tsx'
import { factorsQuery } from './factors.ts'
import { LinkedAccounts } from './linked-accounts.tsx'
import { PasswordRow } from './password.tsx'
import { FactorRequired, FactorRows } from './second-factors.tsx'
import { SecurityRows } from './security-row.tsx'

export function SecurityPage() {
  const { t } = useTranslation()
  // Not `isPending`: after a failure it is true again whenever the rows read the factors again, and they would be gone, with their dialogs.
  const { isFetched } = useQuery(factorsQuery)
  if (!isFetched)
    return (
      <Page title={t('users.security.title')}>
        <Loading rows={4} />
      </Page>
    )
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
