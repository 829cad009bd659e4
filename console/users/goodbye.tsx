/** Goodbye: where one lands whose account is deleted. */
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../parts/links.tsx'
import { Task } from '../parts/task.tsx'
import { useTenant } from '../tenants/tenant.ts'

export function GoodbyePage() {
  const { t } = useTranslation()
  const { name: tenant } = useTenant()
  return (
    <Task title={t('users.deletion.goodbye')} lead={t('users.deletion.goodbyeLead', { tenant })}>
      <ButtonLink to="/sign-in" variant="default" fullWidth>
        {t('users.deletion.toSignIn')}
      </ButtonLink>
    </Task>
  )
}
