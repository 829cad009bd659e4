/** The root of all pages: the tenant's brand, the progress bar, and the page for an error. */
import { Anchor, Button, Text, Title } from '@mantine/core'
import { type ErrorComponentProps, Outlet, useRouter, useRouterState } from '@tanstack/react-router'
import { type MouseEvent, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { basePath, tenantSlug } from '../api/base.ts'
import { isRefusal } from '../api/refusal.ts'
import { pictureShown } from '../parts/picture-url.ts'
import { Failed } from '../parts/states.tsx'
import { Frame, Task } from '../parts/task.tsx'
import { Confirmations } from '../sign-in/confirmations.tsx'
import { useSessionWatch } from '../sign-in/session-watch.ts'
import { useTenant } from '../tenants/tenant.ts'
import { applyBrand, applyIcon } from '../theme/brand.ts'
import { OurBrand } from './brand.tsx'
import { useKeptFocus } from './kept-focus.ts'
import classes from './root.module.css'

export function Root() {
  const { t } = useTranslation()
  const { brand, remotePictures } = useTenant()
  useEffect(() => applyBrand(brand.color), [brand.color])
  const logo = pictureShown(brand.logoUrl, remotePictures)
  useEffect(() => applyIcon(logo), [logo])
  useSessionWatch()
  useKeptFocus()
  return (
    <>
      <Anchor href="#content" className={classes.skip} onClick={skip}>
        {t('general.skip')}
      </Anchor>
      <OnTheWay />
      <Outlet />
      <Confirmations />
    </>
  )
}

/** The progress bar while the next page is loading. It appears after a moment, in which most pages are ready. */
function OnTheWay() {
  const { t } = useTranslation()
  const isLoading = useRouterState({ select: (state) => state.isLoading })
  return isLoading && <div className={classes.onTheWay} role="progressbar" aria-label={t('general.loading')} />
}

/** Moves the focus but not the address, whose fragment may be a token. */
function skip(event: MouseEvent): void {
  event.preventDefault()
  const content = document.getElementById('content')
  content?.setAttribute('tabindex', '-1')
  content?.focus()
}

/** Replaces a page that could not be loaded. Without the tenant there is no brand and no page. */
export function RootFailed({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation()
  const router = useRouter()
  const isUnknown = isRefusal(error, 'tenant_mismatch')
  const title = isUnknown ? t('general.noTenant') : t('general.failed')
  useEffect(() => {
    document.title = title
  }, [title])
  return (
    <Frame brand={<OurBrand />}>
      <Title order={1} mb="xs">
        {title}
      </Title>
      {isUnknown ? (
        <>
          <Text c="dimmed" mb="lg">
            {t('general.noTenantLead', { slug: named(tenantSlug ?? '') })}
          </Text>
          <Button component="a" href="/" variant="default">
            {t('general.goHome')}
          </Button>
        </>
      ) : (
        <Failed
          error={error}
          retry={() => {
            reset()
            void router.invalidate()
          }}
        />
      )}
    </Frame>
  )
}

/** A slug as it was typed, decoded. */
function named(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
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
