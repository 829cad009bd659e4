/** Says that one is signed in at another tenant: a session that begins here takes the place of that one. */
import { Alert, Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useTenant } from '../tenants/tenant.ts'
import { elsewhereQuery } from './elsewhere.ts'

/** @param otherwise is shown to whoever is signed in nowhere else */
export function ElsewhereNotice({ otherwise = null }: { readonly otherwise?: React.ReactNode }) {
  const { t } = useTranslation()
  const { data: elsewhere } = useQuery(elsewhereQuery(useTenant().slug))
  if (!elsewhere) return otherwise
  return (
    <Alert mb="md" color="gray" title={t('signIn.elsewhere.title', { tenant: elsewhere.name })}>
      {t('signIn.elsewhere.lead', { email: elsewhere.email, tenant: elsewhere.name })}{' '}
      {/* Another tenant's console is loaded anew. */}
      <Anchor href={elsewhere.path} inherit underline="always">
        {t('signIn.elsewhere.go', { tenant: elsewhere.name })}
      </Anchor>
    </Alert>
  )
}
