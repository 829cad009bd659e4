/** Replacements for content: while it is loading, if there is none, if reading it failed. */
import { Button, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { Refused } from './form.tsx'
import { ButtonLink } from './links.tsx'
import classes from './states.module.css'

/** For an empty list: says what to do next. */
export function Empty({
  title,
  children,
  action,
}: {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className={classes.empty}>
      <Title order={2} size="h3">
        {title}
      </Title>
      {children !== undefined && (
        <Text c="dimmed" size="sm" mt={4}>
          {children}
        </Text>
      )}
      {action !== undefined && <div className={classes.action}>{action}</div>}
    </div>
  )
}

/** The shape of a list that is loading. */
export function Loading({ rows = 5 }: { readonly rows?: number }) {
  const { t } = useTranslation()
  return (
    <Stack gap="sm" role="status" aria-label={t('general.loading')}>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={String(index)} height={44} />
      ))}
    </Stack>
  )
}

export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: (() => unknown) | undefined }) {
  const { t } = useTranslation()
  return (
    <Stack gap="md" align="flex-start">
      <Refused error={error} />
      {isFactorMissing(error) ? (
        <SetUpFactor />
      ) : (
        retry !== undefined && (
          <Button variant="default" onClick={() => retry()}>
            {t('general.retry')}
          </Button>
        )
      )}
    </Stack>
  )
}

/** Whether the API wants a second factor of a user who has none. */
export function isFactorMissing(error: unknown): boolean {
  return isRefusal(error, 'second_factor_required') && (error.problem.methods ?? []).length === 0
}

/** Leads to setting up a second factor, and from there back to this page. */
export function SetUpFactor() {
  const { t } = useTranslation()
  const next = useLocation({ select: ({ href }) => href })
  return (
    <ButtonLink to="/me/second-factor" search={{ next }}>
      {t('general.setUpFactor')}
    </ButtonLink>
  )
}
