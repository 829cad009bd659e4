/** What developers look up at the end of a page, behind "Advanced". */
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './advanced.module.css'

export function Advanced({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <details className={classes.advanced}>
      <summary>{t('general.advanced')}</summary>
      {children}
    </details>
  )
}
