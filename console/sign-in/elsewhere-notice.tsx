/** Says that the browser is signed in to another tenant. Signing in here replaces that session. */
import { Alert, Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useTenant } from '../tenants/tenant.ts'
import { elsewhereQuery } from './elsewhere.ts'

/** @param otherwise is shown if the browser is not signed in to another tenant */
export function ElsewhereNotice({ otherwise = null }: { readonly otherwise?: React.ReactNode }) {
  const { t } = useTranslation()
  const { data: elsewhere } = useQuery(elsewhereQuery(useTenant().slug))
  if (!elsewhere) return otherwise
  return (
    <Alert mb="md" color="gray" title={t('signIn.elsewhere.title', { tenant: elsewhere.name })}>
      {t('signIn.elsewhere.lead', { email: elsewhere.email, tenant: elsewhere.name })}{' '}
      {/* A plain link: another tenant's console is another page. */}
      <Anchor href={elsewhere.path} inherit underline="always">
        {t('signIn.elsewhere.go', { tenant: elsewhere.name })}
      </Anchor>
    </Alert>
  )
}
