/** Creating a tenant's first admin, by the link in the terminal. */
import { Code, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { tenantSlug } from '../api/base.ts'
import { api, asCookie, ask } from '../api/client.ts'
import { isRefusal } from '../api/refusal.ts'
import { ButtonLink } from '../parts/links.tsx'
import { Task } from '../parts/task.tsx'
import { ElsewhereNotice } from '../sign-in/elsewhere-notice.tsx'
import { type MailedLink, OfLink } from '../sign-in/mailed-link.tsx'
import { beginSession } from '../sign-in/session.ts'
import { SignUpForm } from '../sign-in/sign-up-form.tsx'
import classes from './set-up.module.css'
import { useTenant } from './tenant.ts'
import '../theme/more-components.css'

export function SetUpPage() {
  const { t } = useTranslation()
  return <OfLink incompleteLead={t('signIn.setUp.incompleteLead')}>{(link) => <SetUp {...link} />}</OfLink>
}

function SetUp({ token, spend }: MailedLink) {
  const { t } = useTranslation()
  const tenant = useTenant()
  const navigate = useNavigate()
  const [isSpent, setSpent] = useState(false)
  if (isSpent) return <Spent />
  return (
    <Task title={t('signIn.setUp.title')} lead={t('signIn.setUp.lead', { tenant: tenant.name })}>
      <ElsewhereNotice />
      <SignUpForm
        submit={t('signIn.setUp.submit')}
        send={async (account) => {
          try {
            return await ask(api.POST('/api/setup', { body: { token, ...account }, params: asCookie }))
          } catch (error) {
            if (isRefusal(error, 'token_spent')) return undefined
            throw error
          }
        }}
        onDone={async (started) => {
          if (started === undefined) {
            setSpent(true)
            spend()
            return
          }
          beginSession(started.user)
          await navigate({ to: '/', replace: true }) // the address with the token leaves the history
          notifications.show({ message: t('signIn.setUp.done') })
        }}
      />
    </Task>
  )
}

function Spent() {
  const { t } = useTranslation()
  const tenant = tenantSlug === undefined ? '' : ` --tenant ${tenantSlug}`
  return (
    <Task key="spent" title={t('signIn.link.spent')} lead={t('signIn.setUp.spentLead')}>
      <Stack gap="md">
        <Text>{t('signIn.setUp.spentSignIn')}</Text>
        <ButtonLink to="/sign-in" fullWidth>
          {t('signIn.signIn.submit')}
        </ButtonLink>
        <Text c="dimmed" size="sm">
          {t('signIn.setUp.spentRestart')}
        </Text>
        <Code block className={classes.command ?? ''}>
          {`guildhall admin create --email <address>${tenant}`}
        </Code>
      </Stack>
    </Task>
  )
}
