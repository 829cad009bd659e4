/** Where somebody sets up the second factor that a page requires, and goes on to that page. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Page } from '../parts/page.tsx'
import { isOurs } from '../sign-in/sign-in-search.ts'
import { useTenant } from '../tenants/tenant.ts'
import { factorsQuery } from './factors.ts'
import { FactorRows } from './second-factors.tsx'
import { SecurityRows } from './security-row.tsx'

export function RequiredFactorPage() {
  const { t } = useTranslation()
  const { name: tenant } = useTenant()
  const { next } = useSearch({ from: '/inside/me/second-factor' })
  const navigate = useNavigate()
  const { data } = useQuery(factorsQuery)
  const goOn = () => navigate({ to: '/', replace: true, ...(isOurs(next) && { href: next }) })
  const isDone = data !== undefined && data.data.length > 0
  const by = data?.requiredBy.includes('tenant') ? 'byTenant' : data?.requiredBy.length ? 'byOne' : undefined
  const why = by === undefined ? '' : `${t(`users.required.${by}`, { tenant })} `
  return (
    <Page
      title={t(isDone ? 'users.required.done' : 'users.required.title')}
      lead={isDone ? isOurs(next) && t('users.required.doneLead') : why + t('users.required.lead')}
      actions={isDone && <Button onClick={goOn}>{t('users.required.goOn')}</Button>}
    >
      <SecurityRows>
        <FactorRows />
      </SecurityRows>
    </Page>
  )
}
