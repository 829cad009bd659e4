/** For a tenant admin who is in no organization: what to begin with. */
import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../parts/links.tsx'
import { useTenant } from '../tenants/tenant.ts'
import classes from './organizations.module.css'

export function FirstSteps() {
  const { t } = useTranslation()
  const { name } = useTenant()
  return (
    <section className={classes.steps}>
      <Title order={2} size="h3">
        {t('organizations.firstSteps.title')}
      </Title>
      <ol>
        <Step
          title={t('organizations.firstSteps.organization')}
          lead={t('organizations.firstSteps.organizationLead')}
          action={<ButtonLink to="/organizations/new">{t('organizations.list.create')}</ButtonLink>}
        />
        <Step
          title={t('organizations.firstSteps.settings', { tenant: name })}
          lead={t('organizations.firstSteps.settingsLead')}
          action={
            <ButtonLink to="/admin/settings" variant="default">
              {t('organizations.firstSteps.toSettings')}
            </ButtonLink>
          }
        />
        <Step
          title={t('organizations.firstSteps.application')}
          lead={t('organizations.firstSteps.applicationLead')}
          action={
            <ButtonLink to="/admin/applications" variant="default">
              {t('organizations.firstSteps.toApplications')}
            </ButtonLink>
          }
        />
      </ol>
    </section>
  )
}

interface StepProps {
  readonly title: string
  readonly lead: string
  readonly action: ReactNode
}

function Step({ title, lead, action }: StepProps) {
  return (
    <li className={classes.step}>
      <div>
        <Text fw={550}>{title}</Text>
        <Text size="sm" c="dimmed">
          {lead}
        </Text>
      </div>
      {action}
    </li>
  )
}
