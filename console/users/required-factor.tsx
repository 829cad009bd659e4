/** Where somebody sets up the second factor that a page requires, and goes on to that page. */
import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Page } from '../parts/page.tsx'
import { isOurs } from '../sign-in/sign-in-search.ts'
import { useTenant } from '../tenants/tenant.ts'
import { factorsQuery } from './factors.ts'
import { SecondFactors } from './second-factors.tsx'

export function RequiredFactorPage() {
  const { t } = useTranslation()
  const { name: tenant } = useTenant()
  const { next } = useSearch({ from: '/inside/me/second-factor' })
  const navigate = useNavigate()
  const { data } = useQuery(factorsQuery)
  const goOn = () => navigate({ to: '/', replace: true, ...(isOurs(next) && { href: next }) })
  return (
    <Page title={t('users.required.title')} lead={t('users.required.lead', { tenant })}>
      {data !== undefined && data.data.length > 0 && (
        <Alert color="green" mb="xl" title={t('users.required.done')} role="status">
          <Button mt="sm" onClick={goOn}>
            {t('users.required.goOn')}
          </Button>
        </Alert>
      )}
      <SecondFactors />
    </Page>
  )
}
