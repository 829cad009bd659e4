/** The root of all pages: whose console it is, and what stands there when a page fails. */
import { Anchor, Button, Text, Title } from '@mantine/core'
import { type ErrorComponentProps, Outlet, useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { basePath, tenantSlug } from '../api/base.ts'
import { onSessionEnd, queries } from '../api/queries.ts'
import { isRefusal } from '../api/refusal.ts'
import { Failed } from '../parts/states.tsx'
import { Task } from '../parts/task.tsx'
import { useTenant } from '../tenants/tenant.ts'
import { applyBrand } from '../theme/brand.ts'
import { callerQuery } from '../users/me.ts'
import classes from './root.module.css'

export function Root() {
  const { t } = useTranslation()
  const { brand } = useTenant()
  const navigate = useNavigate()
  const router = useRouter()
  useEffect(() => applyBrand(brand.color), [brand.color])
  useEffect(() => {
    onSessionEnd(() => {
      if (!queries.getQueryData(callerQuery.queryKey)) return // nobody was signed in
      // The pages outside say themselves what that means to them, and their tokens must not get into a query.
      if (router.state.matches.some(({ routeId }) => routeId === '/outside')) {
        queries.setQueryData(callerQuery.queryKey, null)
        return
      }
      const next = router.state.location.href
      forgetSession()
      void navigate({ to: '/sign-in', search: { next, ended: true } })
    })
  }, [navigate, router])
  return (
    <>
      <Anchor href="#content" className={classes.skip}>
        {t('general.skip')}
      </Anchor>
      <Outlet />
    </>
  )
}

/** Whatever was read for a session goes with it. */
export function forgetSession(): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'tenant' })
}

/** In place of a page that could not be loaded; without the tenant there is no brand to show, and no page. */
export function RootFailed({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation()
  const router = useRouter()
  const isUnknown = isRefusal(error, 'tenant_mismatch')
  return (
    <main className={classes.failed}>
      <Title order={1} mb="xs">
        {isUnknown ? t('general.noTenant') : t('general.failed')}
      </Title>
      {isUnknown ? (
        <Text c="dimmed">{t('general.noTenantLead', { slug: tenantSlug ?? '' })}</Text>
      ) : (
        <Failed
          error={error}
          retry={() => {
            reset()
            void router.invalidate()
          }}
        />
      )}
    </main>
  )
}

export function NotFound() {
  const { t } = useTranslation()
  return (
    <Task title={t('general.notFound')} lead={t('general.notFoundLead')}>
      <Button component="a" href={basePath} variant="default">
        {t('general.goHome')}
      </Button>
    </Task>
  )
}
