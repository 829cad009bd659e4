/** The page after deleting the account. Other visitors are redirected. */
import { Navigate, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../parts/links.tsx'
import { Task } from '../parts/task.tsx'
import { useTenant } from '../tenants/tenant.ts'
import '../texts/inside.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The account was deleted on the page before. */
    isDeleted?: boolean
  }
}

export function DeletionNoticePage() {
  const { t } = useTranslation()
  const { name: tenant } = useTenant()
  // Read once: during navigation the location is already that of the next page.
  const [isDeleted] = useState(useLocation({ select: ({ state }) => state.isDeleted }))
  if (isDeleted !== true) return <Navigate to="/" replace />
  return (
    <Task title={t('users.deletion.notice')} lead={t('users.deletion.noticeLead', { tenant })}>
      <ButtonLink to="/sign-in" variant="default" fullWidth>
        {t('users.deletion.toSignIn')}
      </ButtonLink>
    </Task>
  )
}
