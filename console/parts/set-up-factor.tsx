/** The way out for a user from whom the API wants a second factor that they do not have. */
import { useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { isRefusal } from '../api/refusal.ts'
import { ButtonLink } from './links.tsx'

export function isFactorMissing(error: unknown): boolean {
  if (isRefusal(error, 'own_factor_first')) return true
  return isRefusal(error, 'second_factor_required') && (error.problem.methods ?? []).length === 0
}

/** Leads to setting up a second factor, and from there back to this page. */
export function SetUpFactor({ size = 'sm' }: { readonly size?: 'xs' | 'sm' }) {
  const { t } = useTranslation()
  const next = useLocation({ select: ({ href }) => href })
  return (
    <ButtonLink to="/me/second-factor" search={{ next }} size={size}>
      {t('general.setUpFactor')}
    </ButtonLink>
  )
}
