/** Replacements for content: while it is loading, if there is none, if reading it failed. */
import { Button, Skeleton, Stack, type StackProps, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { Refused } from './form.tsx'
import { isFactorMissing } from './set-up-factor.tsx'
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
    <div className={classes.empty} data-empty>
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

/** The shape of a list that is loading. The sections after it are hidden until it is there: they would move. */
export function Loading({ rows = 5 }: { readonly rows?: number }) {
  const { t } = useTranslation()
  return (
    <Stack gap="sm" className={classes.loading} role="status" aria-label={t('general.loading')} data-pending>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={String(index)} height={44} />
      ))}
    </Stack>
  )
}

/** In place of what may not be there at all: what comes after it is hidden until that is known. */
export function Pending() {
  return <div hidden data-pending />
}

interface FailedProps extends Pick<StackProps, 'mb'> {
  readonly error: unknown
  readonly retry?: (() => unknown) | undefined
}

export function Failed({ error, retry, ...place }: FailedProps) {
  const { t } = useTranslation()
  return (
    <Stack gap="md" align="flex-start" {...place}>
      <Refused error={error} />
      {retry !== undefined && !isFactorMissing(error) && !isRefusal(error, 'outdated') && (
        <Button variant="default" onClick={() => retry()}>
          {t('general.retry')}
        </Button>
      )}
    </Stack>
  )
}

interface LoadingOrFailedProps {
  readonly query: { readonly error: unknown; readonly refetch: () => unknown }
  readonly rows: number
}

/** In place of what is not there yet: its shape, or why it could not be read. */
export function LoadingOrFailed({ query: { error, refetch }, rows }: LoadingOrFailedProps) {
  return error ? <Failed error={error} retry={refetch} /> : <Loading rows={rows} />
}
