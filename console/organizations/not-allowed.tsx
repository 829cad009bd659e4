/** For members who may not see a part of their organization. */
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../parts/links.tsx'
import { Empty } from '../parts/states.tsx'
import type { Organization } from './organization.ts'

interface NotAllowedProps {
  readonly organization: Organization
  /** Names the part. */
  readonly title: string
}

export function NotAllowed({ organization, title }: NotAllowedProps) {
  const { t } = useTranslation()
  return (
    <Empty title={title} action={<ToMembers organization={organization} />}>
      {t('organizations.notYoursLead', { name: organization.name })}
    </Empty>
  )
}

/** Leads to the part that every member sees. */
export function ToMembers({ organization: { slug } }: { readonly organization: Organization }) {
  const { t } = useTranslation()
  return (
    <ButtonLink to="/organizations/$orgId/members" params={{ orgId: slug }} variant="default">
      {t('organizations.toMembers')}
    </ButtonLink>
  )
}
